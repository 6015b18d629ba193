#include "sql/explain/plan_node.h"

#include <fmt/format.h>

#include <array>
#include <unordered_map>
#include <utility>
#include <vector>

#include "sql/algebra/change_operators.h"
#include "sql/algebra/expression_text.h"
#include "sql/algebra/function_scan.h"
#include "sql/algebra/index_expressions.h"
#include "sql/algebra/set_operators.h"
#include "sql/algebra/virtual_scan.h"
#include "sql/algebra/window.h"
#include "sql/parse/identifier.h"

namespace gnomon::sql {
namespace {

using Kind = Operator::Kind;

template <typename Range, typename Text>
std::string joined(const Range& range, std::string_view separator, const Text& text) {
  std::string result;
  for (const auto& element : range) {
    if (!result.empty()) result += separator;
    result += text(element);
  }
  return result;
}

/// What each unit is called: its name; with its table's alias or its number where several have the same.
class UnitNaming {
 public:
  explicit UnitNaming(const std::vector<const Operator*>& roots) {
    for (const Operator* root : roots) collect(*root);
    for (const auto& [unit, alias] : produced_) {
      if (count_[unit->name] < 2) continue;
      names_[unit] = alias.empty() ? fmt::format("{}#{}", unit->name, unit->id) : alias + "." + unit->name;
    }
    for (const auto& [below, above] : renamed_) names_[above] = (*this)(below);
  }
  std::string operator()(Iu unit) const {
    const auto found = names_.find(unit);
    return found == names_.end() ? unit->name : found->second;
  }
  std::string operator()(const ExpressionPtr& expression) const {
    std::string text;
    appendExpression(*expression, text, names_);
    return text;
  }

 private:
  void produce(Iu unit, const std::string& alias) {
    produced_.emplace_back(unit, alias);
    ++count_[unit->name];
  }
  void collect(const Operator& op);

  std::vector<std::pair<Iu, std::string>> produced_;
  std::vector<std::pair<Iu, Iu>> renamed_;  ///< units that only pass a left join or a grouping, lower ones first
  std::unordered_map<std::string, size_t> count_;
  UnitNames names_;
};

void UnitNaming::collect(const Operator& op) {
  for (const OperatorPtr& input : op.inputs) collect(*input);
  switch (op.kind) {
    case Kind::TableScan: {
      const auto& scan = static_cast<const TableScan&>(op);
      for (const TableScan::Column& column : scan.columns)
        produce(column.iu, scan.alias.empty() ? scan.table->name : scan.alias);
      return;
    }
    case Kind::VirtualScan: {
      const auto& scan = static_cast<const VirtualScan&>(op);
      for (const VirtualScan::Column& column : scan.columns) produce(column.iu, scan.alias);
      return;
    }
    case Kind::ProjectSet:
      for (const SetCall& call : static_cast<const ProjectSet&>(op).calls) produce(call.iu, "");
      if (const Iu number = static_cast<const ProjectSet&>(op).ordinality) produce(number, "");
      return;
    case Kind::FunctionScan:
      for (const Iu unit : op.units()) produce(unit, static_cast<const FunctionScan&>(op).alias);
      return;
    case Kind::Join: {
      const auto& extended = static_cast<const Join&>(op).null_extended;
      const auto& left_extended = static_cast<const Join&>(op).left_extended;
      renamed_.insert(renamed_.end(), extended.begin(), extended.end());
      renamed_.insert(renamed_.end(), left_extended.begin(), left_extended.end());
      if (static_cast<const Join&>(op).mark) produce(static_cast<const Join&>(op).mark, "");
      return;
    }
    case Kind::Map:
      for (const Map::Computed& computed : static_cast<const Map&>(op).computed) produce(computed.iu, "");
      return;
    case Kind::Values:
    case Kind::Union:
    case Kind::SharedScan:
    case Kind::Recursion:
    case Kind::WorkingScan:
      for (const Iu unit : op.units()) produce(unit, "");
      return;
    case Kind::Window:
      for (const Window::Function& function : static_cast<const Window&>(op).functions) produce(function.iu, "");
      return;
    case Kind::Aggregation:
      for (const Aggregation::Key& key : static_cast<const Aggregation&>(op).keys)
        if (key.expression->kind == Expression::Kind::Column)
          renamed_.emplace_back(key.expression->iu, key.iu);
        else
          produce(key.iu, "");
      for (const Aggregation::Aggregate& aggregate : static_cast<const Aggregation&>(op).aggregates)
        produce(aggregate.iu, "");
      return;
    default:
      return;
  }
}

constexpr std::array<std::string_view, 8> kJoinKinds = {"Inner", "Left", "Full", "Single",
                                                        "Semi",  "Anti", "Mark", "Gate"};

std::string joinTitle(const Join& join) {
  if (join.join_kind == Join::JoinKind::Gate) return "Gate";
  const bool is_inner = join.join_kind == Join::JoinKind::Inner;
  const std::string kind = is_inner ? "" : fmt::format(" {}", kJoinKinds[static_cast<size_t>(join.join_kind)]);
  const std::string prefix = join.is_dependent && !join.build_left ? "Dependent " : "";
  if (join.keys.empty()) return prefix + (is_inner ? "Nested Loop" : fmt::format("Nested Loop{} Join", kind));
  return fmt::format("{}Hash{} Join{}", prefix, kind, join.build_left && !is_inner ? " (build left)" : "");
}

std::string scanType(const TableScan& scan) {
  if (scan.cursor_row) return "Tid Scan";
  return scan.range ? "Index Scan" : scan.lookup ? "Index Lookup" : "Seq Scan";
}

/// " alias" where a scan has another name than what it scans.
std::string aliasText(const std::string& name, const std::string& alias) {
  return alias.empty() || alias == name ? "" : " " + alias;
}

std::string scanTitle(const TableScan& scan) {
  std::string title = scanType(scan);
  if (scan.range && scan.range->is_backward) title += " Backward";
  if (scan.range || scan.lookup) title += " using " + (scan.range ? scan.range->index : scan.lookup->index)->name;
  return title + " on " + scan.table->name + aliasText(scan.table->name, scan.alias);
}

/// What PostgreSQL calls the operator, or one that does the same.
std::string typeOf(const Operator& op) {
  switch (op.kind) {
    case Kind::TableScan:
      return scanType(static_cast<const TableScan&>(op));
    case Kind::VirtualScan:
      return "Virtual Scan";
    case Kind::FunctionScan:
      return "Function Scan";
    case Kind::ProjectSet:
      return "ProjectSet";
    case Kind::Selection:
      return "Selection";
    case Kind::Map:
      return "Map";
    case Kind::Join:
      return static_cast<const Join&>(op).keys.empty() ? "Nested Loop" : "Hash Join";
    case Kind::Aggregation:
      return "Aggregate";
    case Kind::Window:
      return "WindowAgg";
    case Kind::Sort:
      return static_cast<const Sort&>(op).limit == nullptr ? "Sort" : "Top-K Sort";
    case Kind::Limit:
      return "Limit";
    case Kind::Values:
      return "Values Scan";
    case Kind::Union:
      return "Append";
    case Kind::SharedScan:
      return "CTE Scan";
    case Kind::Recursion:
      return "Recursive Union";
    case Kind::WorkingScan:
      return "WorkTable Scan";
    case Kind::Insert:
    case Kind::Update:
    case Kind::Delete:
    case Kind::Merge:
      return "ModifyTable";
    case Kind::Output:
      return static_cast<const Output&>(op).locks.empty() ? "Output" : "LockRows";
  }
  return {};
}

std::string titleOf(const Operator& op) {
  switch (op.kind) {
    case Kind::TableScan:
      return scanTitle(static_cast<const TableScan&>(op));
    case Kind::VirtualScan: {
      const auto& scan = static_cast<const VirtualScan&>(op);
      return "Virtual Scan on " + scan.relation->name + aliasText(scan.relation->name, scan.alias);
    }
    case Kind::FunctionScan: {
      const auto& scan = static_cast<const FunctionScan&>(op);
      return "Function Scan on " + scan.calls.front().name + aliasText(scan.calls.front().name, scan.alias);
    }
    case Kind::Join:
      return joinTitle(static_cast<const Join&>(op));
    case Kind::Aggregation:
      return static_cast<const Aggregation&>(op).keys.empty() ? "Aggregate" : "HashAggregate";
    case Kind::Values:
      return fmt::format("Values of {} rows", static_cast<const Values&>(op).rows.size());
    case Kind::SharedScan:
      return "CTE Scan on " + static_cast<const SharedScan&>(op).source->name;
    case Kind::WorkingScan:
      return "WorkTable Scan on " + static_cast<const WorkingScan&>(op).recursion->name;
    case Kind::Insert:
      return "Insert on " + static_cast<const Insert&>(op).table->name;
    case Kind::Update:
      return "Update on " + static_cast<const Update&>(op).table->name;
    case Kind::Delete:
      return "Delete on " + static_cast<const Delete&>(op).table->name;
    case Kind::Merge:
      return "Merge on " + static_cast<const Merge&>(op).table->name;
    default:
      return typeOf(op);
  }
}

using Facts = std::vector<std::pair<std::string, std::string>>;

Facts scanFacts(const TableScan& scan) {
  Facts facts;
  if (scan.range) facts.emplace_back("Scan Direction", scan.range->is_backward ? "Backward" : "Forward");
  if (scan.range || scan.lookup)
    facts.emplace_back("Index Name", (scan.range ? scan.range->index : scan.lookup->index)->name);
  facts.emplace_back("Relation Name", scan.table->name);
  facts.emplace_back("Alias", scan.alias.empty() ? scan.table->name : scan.alias);
  return facts;
}

Facts factsOf(const Operator& op) {
  switch (op.kind) {
    case Kind::TableScan:
      return scanFacts(static_cast<const TableScan&>(op));
    case Kind::VirtualScan:
      return {{"Relation Name", static_cast<const VirtualScan&>(op).relation->name},
              {"Alias", static_cast<const VirtualScan&>(op).alias}};
    case Kind::FunctionScan:
      return {{"Function Name", static_cast<const FunctionScan&>(op).calls.front().name},
              {"Alias", static_cast<const FunctionScan&>(op).alias}};
    case Kind::Join:
      return {{"Join Type", std::string(kJoinKinds[static_cast<size_t>(static_cast<const Join&>(op).join_kind)])}};
    case Kind::Aggregation:
      return {{"Strategy", static_cast<const Aggregation&>(op).keys.empty() ? "Plain" : "Hashed"}};
    case Kind::SharedScan:
      return {{"CTE Name", static_cast<const SharedScan&>(op).source->name}};
    case Kind::WorkingScan:
      return {{"CTE Name", static_cast<const WorkingScan&>(op).recursion->name}};
    case Kind::Insert:
      return {{"Operation", "Insert"}, {"Relation Name", static_cast<const Insert&>(op).table->name}};
    case Kind::Update:
      return {{"Operation", "Update"}, {"Relation Name", static_cast<const Update&>(op).table->name}};
    case Kind::Delete:
      return {{"Operation", "Delete"}, {"Relation Name", static_cast<const Delete&>(op).table->name}};
    case Kind::Merge:
      return {{"Operation", "Merge"}, {"Relation Name", static_cast<const Merge&>(op).table->name}};
    default:
      return {};
  }
}

/// Makes the nodes of a plan.
class Describer {
 public:
  explicit Describer(const std::vector<const Operator*>& roots) : naming_(roots) {}

  PlanNode describe(const Operator& op);

 private:
  static void add(PlanNode& node, std::string_view label, std::string text) {
    if (!text.empty()) node.details.push_back({std::string(label), {std::move(text)}});
  }
  template <typename Range, typename Text>
  static void addList(PlanNode& node, std::string_view label, const Range& range, const Text& text) {
    PlanNode::Detail detail{.label = std::string(label), .values = {}, .is_list = true};
    for (const auto& element : range) detail.values.push_back(text(element));
    if (!detail.values.empty()) node.details.push_back(std::move(detail));
  }
  template <typename Range, typename Text>
  static void addColumns(PlanNode& node, const Range& range, const Text& text) {
    addList(node, "Columns", range, text);
    if (!node.details.empty() && node.details.back().label == "Columns") node.details.back().is_verbose = true;
  }
  void addLimits(PlanNode& node, const ExpressionPtr& limit, const ExpressionPtr& offset) const {
    if (limit != nullptr) add(node, "Limit", naming_(limit));
    if (offset != nullptr) add(node, "Offset", naming_(offset));
  }
  [[nodiscard]] std::string conditionsText(const std::vector<ExpressionPtr>& conditions) const {
    const std::string text = joined(conditions, " AND ", naming_);
    return conditions.size() > 1 ? "(" + text + ")" : text;
  }
  [[nodiscard]] std::string keyText(const Join::Key& key) const {
    return fmt::format("({} = {})", naming_(key.left), naming_(key.right));
  }
  [[nodiscard]] std::string sortKeyText(const SortKey& key) const {
    std::string text = naming_(key.expression);
    if (key.descending) text += " DESC";
    if (key.nulls_first != key.descending) text += key.nulls_first ? " NULLS FIRST" : " NULLS LAST";
    return text;
  }
  [[nodiscard]] std::string aggregateCallText(const Aggregation::Aggregate& aggregate) const {
    return fmt::format("{} := {}({}{})", naming_(aggregate.iu), aggregateText(aggregate.function),
                       aggregate.distinct ? "DISTINCT " : "",
                       (aggregate.argument == nullptr ? "*" : naming_(aggregate.argument)) +
                           (aggregate.second == nullptr ? "" : ", " + naming_(aggregate.second)));
  }
  [[nodiscard]] std::string rangeText(const TableScan& scan) const {
    const TableScan::IndexRange& range = *scan.range;
    std::string text;
    const auto add = [&](size_t part, std::string_view comparison, const ExpressionPtr& value) {
      if (!value) return;
      const std::string& column = range.index->expressions
                                      ? range.index->expressions->texts[part]
                                      : scan.table->columns[range.index->columns[part].column].name;
      text += fmt::format("{}({} {} {})", text.empty() ? "" : " AND ", column, comparison, naming_(value));
    };
    static constexpr std::string_view kSearches[] = {"@>", "<@", "&&", "=", "?", "?|", "?&"};
    for (size_t i = 0; i < range.searches.size(); ++i)
      add(range.searches[i].part, kSearches[static_cast<size_t>(range.searches[i].how)], range.equal[i]);
    if (!range.searches.empty()) return text;
    for (size_t part = 0; part < range.equal.size(); ++part) add(part, "=", range.equal[part]);
    add(range.equal.size(), range.low.is_inclusive ? ">=" : ">", range.low.value);
    add(range.equal.size(), range.high.is_inclusive ? "<=" : "<", range.high.value);
    return text;
  }
  [[nodiscard]] std::string windowCallText(const Window::Function& function) const;
  void addDetails(PlanNode& node, const Operator& op) const;
  void addJoinDetails(PlanNode& node, const Join& join) const;
  void addWindowDetails(PlanNode& node, const Window& window) const;
  PlanNode describeBuilt(const Join& join, PlanNode built) const;

  const UnitNaming naming_;
};

void Describer::addJoinDetails(PlanNode& node, const Join& join) const {
  add(node, "Hash Cond", joined(join.keys, " AND ", [this](const Join::Key& key) { return keyText(key); }));
  add(node, "Join Filter", conditionsText(join.conditions));
  if (join.compared) add(node, "Compared", naming_(join.compared));
}

std::string Describer::windowCallText(const Window::Function& function) const {
  if (function.function == WindowFunctionId::Aggregate) return aggregateCallText(function.aggregate);
  static constexpr std::string_view kNames[] = {"row_number",  "rank",       "dense_rank", "percent_rank",
                                                "cume_dist",   "ntile",      "lag",        "lead",
                                                "first_value", "last_value", "nth_value"};
  return fmt::format("{} := {}({})", naming_(function.iu), kNames[static_cast<size_t>(function.function)],
                     joined(function.arguments, ", ", naming_));
}

void Describer::addWindowDetails(PlanNode& node, const Window& window) const {
  addList(node, "Partition Key", window.partition, naming_);
  addList(node, "Sort Key", window.order, [this](const SortKey& key) { return sortKeyText(key); });
  addList(node, "Functions", window.functions, [this](const auto& function) { return windowCallText(function); });
}

void Describer::addDetails(PlanNode& node, const Operator& op) const {
  const auto unitName = [](Iu unit) { return unit->name; };
  const auto columnName = [](const auto& column) { return column.iu->name; };
  switch (op.kind) {
    case Kind::TableScan: {
      const auto& scan = static_cast<const TableScan&>(op);
      addColumns(node, scan.columns, columnName);
      if (scan.range) add(node, "Index Cond", rangeText(scan));
      if (scan.cursor_row) add(node, "TID Cond", "CURRENT OF " + quotedIdentifier(scan.cursor_row->cursor));
      return add(node, "Filter", conditionsText(scan.filters));
    }
    case Kind::VirtualScan:
      return addColumns(node, static_cast<const VirtualScan&>(op).columns, columnName);
    case Kind::FunctionScan:
    case Kind::ProjectSet: {
      const auto& calls = op.kind == Kind::FunctionScan ? static_cast<const FunctionScan&>(op).calls
                                                        : static_cast<const ProjectSet&>(op).calls;
      return addList(node, "Calls", calls, [this](const SetCall& call) {
        return call.name + "(" + joined(call.arguments, ", ", naming_) + ")";
      });
    }
    case Kind::Selection:
      return add(node, "Filter", conditionsText(static_cast<const Selection&>(op).conditions));
    case Kind::Map:
      return addList(node, "Computes", static_cast<const Map&>(op).computed, [this](const Map::Computed& computed) {
        return naming_(computed.iu) + " := " + naming_(computed.expression);
      });
    case Kind::Join:
      return addJoinDetails(node, static_cast<const Join&>(op));
    case Kind::Aggregation: {
      const auto& aggregation = static_cast<const Aggregation&>(op);
      addList(node, "Group Key", aggregation.keys, [this](const auto& key) { return naming_(key.expression); });
      return addList(node, "Aggregates", aggregation.aggregates,
                     [this](const auto& aggregate) { return aggregateCallText(aggregate); });
    }
    case Kind::Window:
      return addWindowDetails(node, static_cast<const Window&>(op));
    case Kind::Sort: {
      const auto& sort = static_cast<const Sort&>(op);
      addList(node, "Sort Key", sort.keys, [this](const SortKey& key) { return sortKeyText(key); });
      return addLimits(node, sort.limit, sort.offset);
    }
    case Kind::Limit:
      return addLimits(node, static_cast<const Limit&>(op).limit, static_cast<const Limit&>(op).offset);
    case Kind::SharedScan:
    case Kind::WorkingScan:
      return addColumns(node, op.units(), unitName);
    case Kind::Insert: {
      const auto* const conflict = static_cast<const Insert&>(op).conflict.get();
      if (!conflict) return;
      add(node, "Conflict Resolution", conflict->is_update ? "UPDATE" : "NOTHING");
      return addList(node, "Conflict Arbiter Indexes", conflict->arbiters,
                     [](const IndexPtr& index) { return index->name; });
    }
    case Kind::Output:
      return addColumns(node, static_cast<const Output&>(op).columns,
                        [](const Output::Column& column) { return column.name; });
    default:
      return;
  }
}

/// The side of a join whose rows are kept, under a node that says so.
PlanNode Describer::describeBuilt(const Join& join, PlanNode built) const {
  PlanNode node;
  node.type = node.title = join.keys.empty() ? "Materialize" : "Hash";
  node.op = built.op;
  node.width = built.width;
  node.cost = {built.cost.total, built.cost.total};
  built.relationship = "Outer";
  node.inputs.push_back(std::move(built));
  return node;
}

PlanNode Describer::describe(const Operator& op) {
  PlanNode node;
  node.op = &op;
  node.title = titleOf(op);
  node.type = typeOf(op);
  node.facts = factsOf(op);
  addDetails(node, op);
  std::vector<Cost> costs;
  for (const OperatorPtr& input : op.inputs) {
    node.inputs.push_back(describe(*input));
    node.inputs.back().relationship = op.inputs.size() == 1 ? "Outer" : "Member";
    costs.push_back(node.inputs.back().cost);
  }
  node.cost = costOf(op, costs);
  node.width = widthOf(op.units());
  if (op.kind != Kind::Join) return node;
  const auto& join = static_cast<const Join&>(op);
  const bool is_row_known = join.is_dependent && join.build_left;
  if (join.build_left && !is_row_known) std::swap(node.inputs[0], node.inputs[1]);
  node.inputs[0].relationship = "Outer";
  if (!is_row_known) node.inputs[1] = describeBuilt(join, std::move(node.inputs[1]));
  node.inputs[1].relationship = "Inner";
  return node;
}

}  // namespace

PlanNode describeOperator(const Operator& root) {
  return Describer({&root}).describe(root);
}

PlanNode describePlan(const Plan& plan) {
  std::vector<const Operator*> roots;
  for (const SharedPlan& shared : plan.shared)
    if (shared.root) roots.push_back(shared.root.get());
  roots.push_back(plan.root.get());
  Describer describer(roots);
  PlanNode node = describer.describe(*plan.root);
  for (const SharedPlan& shared : plan.shared) {
    if (!shared.root) continue;
    node.inputs.push_back(describer.describe(*shared.root->inputs[0]));
    node.inputs.back().relationship = "InitPlan";
    node.inputs.back().subplan = "CTE " + shared.name;
  }
  return node;
}

}  // namespace gnomon::sql
