#include "sql/explain/explain.h"

#include <fmt/format.h>

#include <cmath>
#include <unordered_map>
#include <utility>
#include <vector>

#include "sql/algebra/change_operators.h"
#include "sql/algebra/expression_text.h"
#include "sql/algebra/function_scan.h"
#include "sql/algebra/index_expressions.h"
#include "sql/algebra/set_operators.h"
#include "sql/algebra/window.h"

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

std::string joinTitle(const Join& join) {
  static constexpr std::string_view kKinds[] = {"", " Left", " Full", " Single", " Semi", " Anti", " Mark"};
  const std::string_view kind = kKinds[static_cast<size_t>(join.join_kind)];
  const bool is_inner = join.join_kind == Join::JoinKind::Inner;
  const std::string prefix = join.is_dependent ? "Dependent " : "";
  if (join.keys.empty()) return prefix + (is_inner ? "Nested Loop" : fmt::format("Nested Loop{} Join", kind));
  return fmt::format("{}Hash{} Join{}", prefix, kind, join.build_left && !is_inner ? " (build left)" : "");
}

std::string scanTitle(const TableScan& scan) {
  std::string title = scan.range ? std::string("Index Scan ") + (scan.range->is_backward ? "Backward " : "") +
                                       "using " + scan.range->index->name
                      : scan.lookup ? "Index Lookup using " + scan.lookup->index->name
                                    : "Seq Scan";
  title += " on " + scan.table->name;
  if (!scan.alias.empty() && scan.alias != scan.table->name) title += " " + scan.alias;
  return title;
}

std::string virtualScanTitle(const VirtualScan& scan) {
  const std::string title = "Virtual Scan on " + scan.relation->name;
  return scan.alias == scan.relation->name ? title : title + " " + scan.alias;
}

std::string functionScanTitle(const FunctionScan& scan) {
  const std::string title = "Function Scan on " + scan.calls.front().name;
  return scan.alias == scan.calls.front().name ? title : title + " " + scan.alias;
}

std::string title(const Operator& op) {
  switch (op.kind) {
    case Kind::TableScan:
      return scanTitle(static_cast<const TableScan&>(op));
    case Kind::VirtualScan:
      return virtualScanTitle(static_cast<const VirtualScan&>(op));
    case Kind::FunctionScan:
      return functionScanTitle(static_cast<const FunctionScan&>(op));
    case Kind::ProjectSet:
      return "ProjectSet";
    case Kind::Selection:
      return "Selection";
    case Kind::Map:
      return "Map";
    case Kind::Join:
      return joinTitle(static_cast<const Join&>(op));
    case Kind::Aggregation:
      return static_cast<const Aggregation&>(op).keys.empty() ? "Aggregate" : "HashAggregate";
    case Kind::Window:
      return "WindowAgg";
    case Kind::Sort:
      return static_cast<const Sort&>(op).limit == nullptr ? "Sort" : "Top-K Sort";
    case Kind::Limit:
      return "Limit";
    case Kind::Values:
      return fmt::format("Values of {} rows", static_cast<const Values&>(op).rows.size());
    case Kind::Union:
      return "Append";
    case Kind::SharedScan:
      return "CTE Scan on " + static_cast<const SharedScan&>(op).source->name;
    case Kind::Recursion:
      return "Recursive Union";
    case Kind::WorkingScan:
      return "WorkTable Scan on " + static_cast<const WorkingScan&>(op).recursion->name;
    case Kind::Insert:
      return "Insert on " + static_cast<const Insert&>(op).table->name;
    case Kind::Update:
      return "Update on " + static_cast<const Update&>(op).table->name;
    case Kind::Delete:
      return "Delete on " + static_cast<const Delete&>(op).table->name;
    case Kind::Output:
      return static_cast<const Output&>(op).locks.empty() ? "Output" : "LockRows";
  }
  return {};
}

class Printer {
 public:
  using ActualRows = std::unordered_map<const Operator*, uint64_t>;
  explicit Printer(const Operator& root, const ActualRows* actual_rows = nullptr)
      : naming_({&root}), actual_rows_(actual_rows) {
    print(root, 0, "");
  }
  explicit Printer(const Plan& plan, const ActualRows* actual_rows = nullptr)
      : naming_(rootsOf(plan)), actual_rows_(actual_rows) {
    print(*plan.root, 0, "");
    for (const SharedPlan& shared : plan.shared) {
      if (!shared.root) continue;
      line(2, "CTE " + shared.name);
      for (const OperatorPtr& input : shared.root->inputs) print(*input, 4, "->  ");
    }
  }
  std::string take() { return std::move(text_); }

 private:
  static std::vector<const Operator*> rootsOf(const Plan& plan) {
    std::vector<const Operator*> roots;
    for (const SharedPlan& shared : plan.shared)
      if (shared.root) roots.push_back(shared.root.get());
    roots.push_back(plan.root.get());
    return roots;
  }
  void line(size_t indent, const std::string& content) { text_.append(indent, ' ').append(content).append("\n"); }
  void detail(size_t indent, std::string_view label, const std::string& content) {
    if (!content.empty()) line(indent, fmt::format("{}: {}", label, content));
  }
  void limits(size_t indent, const ExpressionPtr& limit, const ExpressionPtr& offset) {
    if (limit != nullptr) detail(indent, "Limit", naming_(limit));
    if (offset != nullptr) detail(indent, "Offset", naming_(offset));
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
    for (size_t part = 0; part < range.equal.size(); ++part) add(part, "=", range.equal[part]);
    add(range.equal.size(), range.low.is_inclusive ? ">=" : ">", range.low.value);
    add(range.equal.size(), range.high.is_inclusive ? "<=" : "<", range.high.value);
    return text;
  }
  void print(const Operator& op, size_t indent, std::string_view arrow);
  void details(const Operator& op, size_t indent);
  void joinDetails(const Join& join, size_t indent);
  void aggregationDetails(const Aggregation& aggregation, size_t indent);
  [[nodiscard]] std::string windowCallText(const Window::Function& function) const;
  void windowDetails(const Window& window, size_t indent);
  void printInputs(const Operator& op, size_t indent);

  const UnitNaming naming_;
  const ActualRows* actual_rows_;  ///< null: the plan was not executed
  std::string text_;
};

void Printer::joinDetails(const Join& join, size_t indent) {
  detail(indent, "Hash Cond", joined(join.keys, " AND ", [this](const Join::Key& key) { return keyText(key); }));
  detail(indent, "Join Filter", conditionsText(join.conditions));
  if (join.compared) detail(indent, "Compared", naming_(join.compared));
}

void Printer::aggregationDetails(const Aggregation& aggregation, size_t indent) {
  detail(indent, "Group Key",
         joined(aggregation.keys, ", ", [this](const Aggregation::Key& key) { return naming_(key.expression); }));
  detail(indent, "Aggregates", joined(aggregation.aggregates, ", ", [this](const Aggregation::Aggregate& aggregate) {
           return aggregateCallText(aggregate);
         }));
}

std::string Printer::windowCallText(const Window::Function& function) const {
  if (function.function == WindowFunctionId::Aggregate) return aggregateCallText(function.aggregate);
  static constexpr std::string_view kNames[] = {"row_number",  "rank",       "dense_rank", "percent_rank",
                                                "cume_dist",   "ntile",      "lag",        "lead",
                                                "first_value", "last_value", "nth_value"};
  return fmt::format("{} := {}({})", naming_(function.iu), kNames[static_cast<size_t>(function.function)],
                     joined(function.arguments, ", ", [this](const ExpressionPtr& value) { return naming_(value); }));
}

void Printer::windowDetails(const Window& window, size_t indent) {
  detail(indent, "Partition Key",
         joined(window.partition, ", ", [this](const ExpressionPtr& key) { return naming_(key); }));
  detail(indent, "Sort Key", joined(window.order, ", ", [this](const SortKey& key) { return sortKeyText(key); }));
  detail(indent, "Functions",
         joined(window.functions, ", ", [this](const Window::Function& function) { return windowCallText(function); }));
}

void Printer::details(const Operator& op, size_t indent) {
  switch (op.kind) {
    case Kind::TableScan: {
      const auto& scan = static_cast<const TableScan&>(op);
      detail(indent, "Columns", joined(scan.columns, ", ", [](const auto& column) { return column.iu->name; }));
      if (scan.range) detail(indent, "Index Cond", rangeText(scan));
      return detail(indent, "Filter", conditionsText(scan.filters));
    }
    case Kind::VirtualScan:
      return detail(indent, "Columns",
                    joined(static_cast<const VirtualScan&>(op).columns, ", ",
                           [](const VirtualScan::Column& column) { return column.iu->name; }));
    case Kind::FunctionScan:
    case Kind::ProjectSet: {
      const auto& calls = op.kind == Kind::FunctionScan ? static_cast<const FunctionScan&>(op).calls
                                                        : static_cast<const ProjectSet&>(op).calls;
      return detail(
          indent, "Calls", joined(calls, ", ", [this](const SetCall& call) {
            return call.name + "(" +
                   joined(call.arguments, ", ", [this](const ExpressionPtr& value) { return naming_(value); }) + ")";
          }));
    }
    case Kind::Selection:
      return detail(indent, "Filter", conditionsText(static_cast<const Selection&>(op).conditions));
    case Kind::Map:
      return detail(indent, "Computes",
                    joined(static_cast<const Map&>(op).computed, ", ", [this](const Map::Computed& computed) {
                      return naming_(computed.iu) + " := " + naming_(computed.expression);
                    }));
    case Kind::Join:
      return joinDetails(static_cast<const Join&>(op), indent);
    case Kind::Aggregation:
      return aggregationDetails(static_cast<const Aggregation&>(op), indent);
    case Kind::Window:
      return windowDetails(static_cast<const Window&>(op), indent);
    case Kind::Sort: {
      const auto& sort = static_cast<const Sort&>(op);
      detail(indent, "Sort Key", joined(sort.keys, ", ", [this](const SortKey& key) { return sortKeyText(key); }));
      return limits(indent, sort.limit, sort.offset);
    }
    case Kind::Limit:
      return limits(indent, static_cast<const Limit&>(op).limit, static_cast<const Limit&>(op).offset);
    case Kind::SharedScan:
    case Kind::WorkingScan:
      return detail(indent, "Columns", joined(op.units(), ", ", [](Iu unit) { return unit->name; }));
    case Kind::Insert: {
      const auto* const conflict = static_cast<const Insert&>(op).conflict.get();
      if (!conflict) return;
      detail(indent, "Conflict Resolution", conflict->is_update ? "UPDATE" : "NOTHING");
      return detail(indent, "Conflict Arbiter Indexes",
                    joined(conflict->arbiters, ", ", [](const IndexPtr& index) { return index->name; }));
    }
    case Kind::Output:
      return detail(indent, "Columns",
                    joined(static_cast<const Output&>(op).columns, ", ",
                           [](const Output::Column& column) { return column.name; }));
    default:
      return;
  }
}

void Printer::printInputs(const Operator& op, size_t indent) {
  if (op.kind != Kind::Join) {
    for (const OperatorPtr& input : op.inputs) print(*input, indent, "->  ");
    return;
  }
  const auto& join = static_cast<const Join&>(op);
  const size_t build = join.build_left ? 0 : 1;
  print(*op.inputs[1 - build], indent, "->  ");
  print(*op.inputs[build], indent, join.keys.empty() ? "->  Materialize of " : "->  Hash of ");
}

void Printer::print(const Operator& op, size_t indent, std::string_view arrow) {
  std::string rows = fmt::format("rows={:.0f}", std::ceil(op.estimated_rows));
  if (actual_rows_ != nullptr)
    if (const auto found = actual_rows_->find(&op); found != actual_rows_->end())
      rows += fmt::format(" actual={}", found->second);
  line(indent, fmt::format("{}{}  ({})", arrow, title(op), rows));
  const size_t inner = indent + (arrow.empty() ? 2 : 6);
  details(op, inner);
  printInputs(op, inner);
}

}  // namespace

std::string explainOperator(const Operator& root) {
  return Printer(root).take();
}

std::string explainPlan(const Plan& plan) {
  return Printer(plan).take();
}

std::string explainPlan(const Plan& plan, const std::unordered_map<const Operator*, uint64_t>& actual_rows) {
  return Printer(plan, &actual_rows).take();
}

}  // namespace gnomon::sql
