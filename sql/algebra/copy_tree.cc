#include "sql/algebra/copy_tree.h"

#include <unordered_map>
#include <utility>

#include "base/assert.h"
#include "sql/algebra/function_scan.h"
#include "sql/algebra/set_operators.h"
#include "sql/algebra/virtual_scan.h"
#include "sql/algebra/window.h"

namespace gnomon::sql {
namespace {

using Kind = Operator::Kind;

class TreeCopier {
 public:
  TreeCopier(Plan& plan, UnitRenaming& copies) : plan_(plan), copies_(copies) {}
  OperatorPtr copy(const Operator& op);

 private:
  OperatorPtr copyNode(const Operator& op);
  OperatorPtr copyNode(const TableScan& scan);
  OperatorPtr copyNode(const VirtualScan& scan);
  OperatorPtr copyNode(const FunctionScan& scan);
  OperatorPtr copyNode(const ProjectSet& project);
  OperatorPtr copyNode(const Selection& selection);
  OperatorPtr copyNode(const Map& map);
  OperatorPtr copyNode(const Join& join);
  OperatorPtr copyNode(const Aggregation& aggregation);
  OperatorPtr copyNode(const Window& window);
  OperatorPtr copyNode(const Sort& sort);
  OperatorPtr copyNode(const Limit& limit);
  OperatorPtr copyNode(const Values& values);
  OperatorPtr copyNode(const Union& node);
  OperatorPtr copyNode(const SharedScan& scan);
  OperatorPtr copyNode(const WorkingScan& scan);
  OperatorPtr copyRecursion(const Recursion& recursion);

  /// One for the unit, which the operator at hand makes.
  Iu made(Iu unit);
  std::vector<Iu> made(const std::vector<Iu>& units);
  template <typename Column>
  std::vector<Column> made(const std::vector<Column>& columns);
  ExpressionPtr copied(const ExpressionPtr& expression) const;
  std::vector<ExpressionPtr> copied(const std::vector<ExpressionPtr>& expressions) const;
  std::vector<std::vector<ExpressionPtr>> copied(const std::vector<std::vector<ExpressionPtr>>& rows) const;
  std::vector<SortKey> copied(const std::vector<SortKey>& keys) const;
  std::vector<SetCall> copied(const std::vector<SetCall>& calls);
  Aggregation::Aggregate copied(const Aggregation::Aggregate& aggregate);
  Window::Frame copied(const Window::Frame& frame) const;
  std::vector<std::pair<Iu, Iu>> extended(const std::vector<std::pair<Iu, Iu>>& units);

  Plan& plan_;
  UnitRenaming& copies_;
  std::unordered_map<const Recursion*, const Recursion*> recursions_;
};

Iu TreeCopier::made(Iu unit) {
  if (unit == nullptr) return nullptr;
  return copies_[unit] = plan_.makeUnit(unit->name, unit->type, unit->nullable);
}

std::vector<Iu> TreeCopier::made(const std::vector<Iu>& units) {
  std::vector<Iu> result;
  for (const Iu unit : units) result.push_back(made(unit));
  return result;
}

/// Columns of what is scanned.
template <typename Column>
std::vector<Column> TreeCopier::made(const std::vector<Column>& columns) {
  std::vector<Column> result;
  for (const Column& column : columns) result.push_back({column.index, made(column.iu)});
  return result;
}

ExpressionPtr TreeCopier::copied(const ExpressionPtr& expression) const {
  if (!expression) return nullptr;
  ExpressionPtr result = expression->clone();
  renameUnits(*result, copies_);
  return result;
}

std::vector<ExpressionPtr> TreeCopier::copied(const std::vector<ExpressionPtr>& expressions) const {
  std::vector<ExpressionPtr> result;
  for (const ExpressionPtr& expression : expressions) result.push_back(copied(expression));
  return result;
}

std::vector<std::vector<ExpressionPtr>> TreeCopier::copied(const std::vector<std::vector<ExpressionPtr>>& rows) const {
  std::vector<std::vector<ExpressionPtr>> result;
  for (const std::vector<ExpressionPtr>& row : rows) result.push_back(copied(row));
  return result;
}

std::vector<SortKey> TreeCopier::copied(const std::vector<SortKey>& keys) const {
  std::vector<SortKey> result;
  for (const SortKey& key : keys) result.push_back({copied(key.expression), key.descending, key.nulls_first});
  return result;
}

std::vector<SetCall> TreeCopier::copied(const std::vector<SetCall>& calls) {
  std::vector<SetCall> result;
  for (const SetCall& call : calls) result.push_back({call.name, copied(call.arguments), made(call.iu)});
  return result;
}

Aggregation::Aggregate TreeCopier::copied(const Aggregation::Aggregate& aggregate) {
  return {made(aggregate.iu),       aggregate.function,      copied(aggregate.argument), aggregate.distinct,
          copied(aggregate.second), copied(aggregate.order), aggregate.is_descending};
}

Window::Frame TreeCopier::copied(const Window::Frame& frame) const {
  const auto bound = [this](const Window::Bound& each) {
    return Window::Bound{each.kind, copied(each.offset), copied(each.limit), copied(each.is_invalid)};
  };
  return {frame.mode, bound(frame.start), bound(frame.end), frame.exclusion, copied(frame.range_key)};
}

std::vector<std::pair<Iu, Iu>> TreeCopier::extended(const std::vector<std::pair<Iu, Iu>>& units) {
  std::vector<std::pair<Iu, Iu>> result;
  for (const auto& [below, above] : units) result.emplace_back(copies_.at(below), made(above));
  return result;
}

OperatorPtr TreeCopier::copyNode(const TableScan& scan) {
  CHECK(!scan.range && !scan.lookup && !scan.cursor_row && scan.pruning.empty(), "a scan that reads all of its table");
  auto result = std::make_unique<TableScan>();
  result->table = scan.table;
  result->alias = scan.alias;
  result->columns = made(scan.columns);
  result->filters = copied(scan.filters);
  return result;
}

OperatorPtr TreeCopier::copyNode(const VirtualScan& scan) {
  auto result = std::make_unique<VirtualScan>();
  result->relation = scan.relation;
  result->alias = scan.alias;
  result->columns = made(scan.columns);
  return result;
}

OperatorPtr TreeCopier::copyNode(const FunctionScan& scan) {
  auto result = std::make_unique<FunctionScan>();
  result->alias = scan.alias;
  result->calls = copied(scan.calls);
  result->ordinality = made(scan.ordinality);
  return result;
}

OperatorPtr TreeCopier::copyNode(const ProjectSet& project) {
  auto result = std::make_unique<ProjectSet>();
  result->calls = copied(project.calls);
  result->ordinality = made(project.ordinality);
  return result;
}

OperatorPtr TreeCopier::copyNode(const Selection& selection) {
  auto result = std::make_unique<Selection>();
  result->conditions = copied(selection.conditions);
  return result;
}

OperatorPtr TreeCopier::copyNode(const Map& map) {
  auto result = std::make_unique<Map>();
  for (const Map::Computed& each : map.computed) {
    ExpressionPtr expression = copied(each.expression);
    result->computed.push_back({made(each.iu), std::move(expression)});
  }
  return result;
}

OperatorPtr TreeCopier::copyNode(const Join& join) {
  auto result = std::make_unique<Join>();
  result->join_kind = join.join_kind;
  result->is_dependent = join.is_dependent;
  result->is_on_demand = join.is_on_demand;
  result->build_left = join.build_left;
  for (const Join::Key& key : join.keys)
    result->keys.push_back({copied(key.left), copied(key.right), key.is_null_safe, key.is_compared});
  result->conditions = copied(join.conditions);
  result->compared = copied(join.compared);
  result->mark = made(join.mark);
  result->null_extended = extended(join.null_extended);
  result->left_extended = extended(join.left_extended);
  return result;
}

OperatorPtr TreeCopier::copyNode(const Aggregation& aggregation) {
  auto result = std::make_unique<Aggregation>();
  for (const Aggregation::Key& key : aggregation.keys) {
    ExpressionPtr expression = copied(key.expression);
    result->keys.push_back({made(key.iu), std::move(expression)});
  }
  for (const Aggregation::Aggregate& each : aggregation.aggregates) result->aggregates.push_back(copied(each));
  return result;
}

OperatorPtr TreeCopier::copyNode(const Window& window) {
  auto result = std::make_unique<Window>();
  result->partition = copied(window.partition);
  result->order = copied(window.order);
  for (const Window::Function& each : window.functions) {
    Aggregation::Aggregate aggregate = copied(each.aggregate);
    const Iu unit = aggregate.iu != nullptr ? aggregate.iu : made(each.iu);
    result->functions.push_back(
        {unit, each.function, copied(each.arguments), std::move(aggregate), copied(each.frame)});
  }
  return result;
}

OperatorPtr TreeCopier::copyNode(const Sort& sort) {
  auto result = std::make_unique<Sort>();
  result->keys = copied(sort.keys);
  result->limit = copied(sort.limit);
  result->offset = copied(sort.offset);
  return result;
}

OperatorPtr TreeCopier::copyNode(const Limit& limit) {
  auto result = std::make_unique<Limit>();
  result->limit = copied(limit.limit);
  result->offset = copied(limit.offset);
  return result;
}

OperatorPtr TreeCopier::copyNode(const Values& values) {
  auto result = std::make_unique<Values>();
  result->rows = copied(values.rows);
  result->columns = made(values.columns);
  return result;
}

OperatorPtr TreeCopier::copyNode(const Union& node) {
  auto result = std::make_unique<Union>();
  result->values = copied(node.values);
  result->columns = made(node.columns);
  return result;
}

OperatorPtr TreeCopier::copyNode(const SharedScan& scan) {
  auto result = std::make_unique<SharedScan>();
  result->source = scan.source;
  result->columns = made(scan.columns);
  return result;
}

OperatorPtr TreeCopier::copyNode(const WorkingScan& scan) {
  auto result = std::make_unique<WorkingScan>();
  const auto own = recursions_.find(scan.recursion);
  result->recursion = own == recursions_.end() ? scan.recursion : own->second;
  result->columns = made(scan.columns);
  return result;
}

/// What is inside scans its rows.
OperatorPtr TreeCopier::copyRecursion(const Recursion& recursion) {
  auto result = std::make_unique<Recursion>();
  result->name = recursion.name;
  result->is_distinct = recursion.is_distinct;
  result->columns = made(recursion.columns);
  recursions_[&recursion] = result.get();
  for (size_t term = 0; term < recursion.values.size(); ++term) {
    result->inputs.push_back(copy(*recursion.inputs[term]));
    result->values[term] = copied(recursion.values[term]);
  }
  return result;
}

OperatorPtr TreeCopier::copyNode(const Operator& op) {
  switch (op.kind) {
    case Kind::TableScan:
      return copyNode(static_cast<const TableScan&>(op));
    case Kind::VirtualScan:
      return copyNode(static_cast<const VirtualScan&>(op));
    case Kind::FunctionScan:
      return copyNode(static_cast<const FunctionScan&>(op));
    case Kind::ProjectSet:
      return copyNode(static_cast<const ProjectSet&>(op));
    case Kind::Selection:
      return copyNode(static_cast<const Selection&>(op));
    case Kind::Map:
      return copyNode(static_cast<const Map&>(op));
    case Kind::Join:
      return copyNode(static_cast<const Join&>(op));
    case Kind::Aggregation:
      return copyNode(static_cast<const Aggregation&>(op));
    case Kind::Window:
      return copyNode(static_cast<const Window&>(op));
    case Kind::Sort:
      return copyNode(static_cast<const Sort&>(op));
    case Kind::Limit:
      return copyNode(static_cast<const Limit&>(op));
    case Kind::Values:
      return copyNode(static_cast<const Values&>(op));
    case Kind::Union:
      return copyNode(static_cast<const Union&>(op));
    case Kind::SharedScan:
      return copyNode(static_cast<const SharedScan&>(op));
    case Kind::WorkingScan:
      return copyNode(static_cast<const WorkingScan&>(op));
    default:
      failCheck("a tree that only reads", "copyTree", __FILE__, __LINE__);
  }
}

OperatorPtr TreeCopier::copy(const Operator& op) {
  if (op.kind == Kind::Recursion) return copyRecursion(static_cast<const Recursion&>(op));
  std::vector<OperatorPtr> inputs;
  for (const OperatorPtr& input : op.inputs) inputs.push_back(copy(*input));
  OperatorPtr result = copyNode(op);
  result->inputs = std::move(inputs);
  result->estimated_rows = op.estimated_rows;
  return result;
}

}  // namespace

OperatorPtr copyTree(Plan& plan, const Operator& root, UnitRenaming& copies) {
  return TreeCopier(plan, copies).copy(root);
}

}  // namespace gnomon::sql
