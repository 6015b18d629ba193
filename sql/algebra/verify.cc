#include "sql/algebra/verify.h"
#include "sql/algebra/change_operators.h"
#include "sql/algebra/function_scan.h"

#include <fmt/format.h>

#include <algorithm>
#include <span>

#include "sql/algebra/rewrite.h"
#include "sql/algebra/set_operators.h"
#include "sql/algebra/virtual_scan.h"
#include "sql/algebra/window.h"

namespace gnomon::sql {
namespace {

using Kind = Operator::Kind;

/// Whether values of the type can be kept in a column of the other: what is never NaN also where one may be.
bool isStoredAs(Type type, Type column) {
  return type.withNan(type.may_be_nan != 0 || column.may_be_nan != 0) == column;
}

class Verifier {
 public:
  std::string run(const Plan& plan) {
    if (plan.root == nullptr) return "A1: a plan without root";
    for (const SharedPlan& shared : plan.shared)
      if (shared.root) visit(*shared.root);
    visit(*plan.root);
    return violation_;
  }

 private:
  void fail(std::string text) {
    if (violation_.empty()) violation_ = std::move(text);
  }
  void visit(const Operator& op);
  void visitInputs(const Operator& op);
  void checkReads(const Expression* expression, const UnitSet& available, const char* where);
  void checkConditions(const std::vector<ExpressionPtr>& conditions, const UnitSet& available, const char* where);
  void produce(Iu unit) {
    if (!produced_.insert(unit).second) fail(fmt::format("A3: {} (#{}) is produced twice", unit->name, unit->id));
  }
  void visitScan(const TableScan& scan);
  void visitVirtualScan(const VirtualScan& scan);
  void visitFunctionScan(const FunctionScan& scan);
  void visitProjectSet(const ProjectSet& project, const UnitSet& below);
  void visitMap(const Map& map, const UnitSet& below);
  void checkExtended(const std::vector<std::pair<Iu, Iu>>& extended, const UnitSet& below);
  void visitJoin(const Join& join);
  void visitAggregation(const Aggregation& aggregation, const UnitSet& below);
  void visitWindow(const Window& window, const UnitSet& below);
  void visitValues(const Values& values);
  void visitUnited(const Operator& op, const std::vector<Iu>& columns,
                   std::span<const std::vector<ExpressionPtr>> values);
  void visitSharedScan(const SharedScan& scan);
  void visitInsert(const Insert& insert, const UnitSet& below);
  void visitUpdate(const Update& update, const UnitSet& below);
  void visitMerge(const Merge& merge, const UnitSet& below);

  std::string violation_;
  UnitSet produced_;
  UnitSet outer_;  ///< of dependent joins around
};

size_t inputCount(const Operator& op) {
  switch (op.kind) {
    case Kind::TableScan:
    case Kind::VirtualScan:
    case Kind::FunctionScan:
    case Kind::SharedScan:
    case Kind::WorkingScan:
    case Kind::Values:
      return 0;
    case Kind::Join:
    case Kind::Recursion:
      return 2;
    case Kind::Union:
      return static_cast<const Union&>(op).values.size();
    default:
      return 1;
  }
}

void Verifier::checkReads(const Expression* expression, const UnitSet& available, const char* where) {
  if (expression == nullptr) return;
  UnitSet bound;
  std::vector<const Expression*> pending{expression};
  while (!pending.empty()) {
    const Expression* last = pending.back();
    pending.pop_back();
    if (last == nullptr) return fail(fmt::format("A2: {} has an empty operand", where));
    for (const ExpressionPtr& child : last->children) pending.push_back(child.get());
    if (last->kind == Expression::Kind::Let) bound.insert(last->iu);
    if (last->kind != Expression::Kind::Column) continue;
    if (!available.contains(last->iu) && !outer_.contains(last->iu) && !bound.contains(last->iu))
      fail(fmt::format("A2: {} reads {} (#{}), which is not below it", where, last->iu->name, last->iu->id));
    if (last->type != last->iu->type) fail(fmt::format("A8: {} reads {} in another type", where, last->iu->name));
  }
}

void Verifier::checkConditions(const std::vector<ExpressionPtr>& conditions, const UnitSet& available,
                               const char* where) {
  for (const ExpressionPtr& condition : conditions) {
    checkReads(condition.get(), available, where);
    if (condition->type.kind != TypeKind::Boolean)
      fail(fmt::format("A4: {} has a condition that is not boolean: {}", where, condition->toString()));
  }
}

void Verifier::visitScan(const TableScan& scan) {
  for (const TableScan::Column& column : scan.columns) {
    produce(column.iu);
    if (column.index >= scan.table->columns.size() && column.index != TableScan::kTupleId &&
        column.index != TableScan::kTableOid)
      fail("A2: a scan reads a column its table does not have");
  }
  checkConditions(scan.filters, unitSet(scan), "a scan's filter");
}

void Verifier::visitVirtualScan(const VirtualScan& scan) {
  for (const VirtualScan::Column& column : scan.columns) {
    produce(column.iu);
    if (column.index >= scan.relation->columns.size())
      fail("A2: a scan reads a column its virtual relation does not have");
    else if (column.iu->type != scan.relation->columns[column.index].type)
      fail("A8: a scan reads a column of a virtual relation in another type");
  }
}

void Verifier::visitFunctionScan(const FunctionScan& scan) {
  if (scan.calls.empty()) fail("A2: a function scan has no function");
  for (const FunctionScan::Call& call : scan.calls)
    for (const ExpressionPtr& argument : call.arguments) checkReads(argument.get(), {}, "a function in FROM");
  for (const Iu unit : scan.units()) produce(unit);
}

void Verifier::visitProjectSet(const ProjectSet& project, const UnitSet& below) {
  if (project.calls.empty()) fail("A2: a projection of sets has no function");
  for (const SetCall& call : project.calls) {
    for (const ExpressionPtr& argument : call.arguments) checkReads(argument.get(), below, "a set-returning function");
    produce(call.iu);
  }
  if (project.ordinality) produce(project.ordinality);
}

void Verifier::visitMap(const Map& map, const UnitSet& below) {
  for (const Map::Computed& computed : map.computed) {
    checkReads(computed.expression.get(), below, "a map");
    produce(computed.iu);
  }
}

void Verifier::checkExtended(const std::vector<std::pair<Iu, Iu>>& extended, const UnitSet& below) {
  for (const auto& [low, high] : extended) {
    produce(high);
    if (!below.contains(low)) fail(fmt::format("A6: {} is not a unit of the input", low->name));
    if (!high->nullable || high->type != low->type) fail(fmt::format("A6: {} as seen above the join", high->name));
  }
}

void Verifier::visitJoin(const Join& join) {
  const UnitSet left = unitSet(*join.inputs[0]);
  const UnitSet right = unitSet(*join.inputs[1]);
  UnitSet both = left;
  both.insert(right.begin(), right.end());
  checkConditions(join.conditions, both, "a join's condition");
  for (const Join::Key& key : join.keys) {
    checkReads(key.left.get(), left, "a join's left key");
    checkReads(key.right.get(), right, "a join's right key");
    if (!sameKeyType(key.left->type, key.right->type))
      fail(fmt::format("A5: join key of types {} and {}", key.left->type.name(), key.right->type.name()));
  }
  if (!join.extendsWithNulls() && !join.null_extended.empty())
    fail("A6: a join of another kind with null-extended units");
  const bool is_mark = join.join_kind == Join::JoinKind::Mark;
  if (is_mark != (join.mark != nullptr) || (!is_mark && join.compared))
    fail("A6: a mark where it does not belong, or none where it does");
  checkReads(join.compared.get(), both, "what a join compares");
  if (join.mark) produce(join.mark);
  if (join.join_kind != Join::JoinKind::FullOuter && !join.left_extended.empty())
    fail("A6: a join of another kind with null-extended units of its left input");
  checkExtended(join.null_extended, right);
  checkExtended(join.left_extended, left);
}

void Verifier::visitAggregation(const Aggregation& aggregation, const UnitSet& below) {
  for (const Aggregation::Key& key : aggregation.keys) {
    checkReads(key.expression.get(), below, "a grouping key");
    produce(key.iu);
  }
  for (const Aggregation::Aggregate& aggregate : aggregation.aggregates) {
    checkReads(aggregate.argument.get(), below, "an aggregate");
    checkReads(aggregate.second.get(), below, "an aggregate");
    produce(aggregate.iu);
    const bool may_have_second = dependsOnOrder(aggregate.function) || isOrderedSet(aggregate.function);
    if ((aggregate.argument == nullptr) != (aggregate.function == AggregateId::CountRows) ||
        (!may_have_second && (aggregate.second != nullptr) != isRegression(aggregate.function)))
      fail("A1: an aggregate with a wrong number of arguments");
  }
}

void Verifier::visitWindow(const Window& window, const UnitSet& below) {
  for (const ExpressionPtr& key : window.partition) checkReads(key.get(), below, "a partition key");
  for (const SortKey& key : window.order) checkReads(key.expression.get(), below, "a window's sort key");
  for (const Window::Function& function : window.functions) {
    for (const ExpressionPtr& argument : function.arguments) checkReads(argument.get(), below, "a window function");
    checkReads(function.aggregate.argument.get(), below, "a window function");
    checkReads(function.aggregate.second.get(), below, "a window function");
    checkReads(function.frame.range_key.get(), below, "a frame");
    for (const Window::Bound* bound : {&function.frame.start, &function.frame.end}) {
      checkReads(bound->offset.get(), below, "a frame's offset");
      checkReads(bound->limit.get(), below, "a frame's bound");
      checkReads(bound->is_invalid.get(), below, "a frame's offset");
    }
    if (!function.arguments.empty() && (function.function == WindowFunctionId::Aggregate))
      fail("A1: an aggregate over a window with arguments of its own");
    produce(function.iu);
  }
}

void Verifier::visitValues(const Values& values) {
  for (const Iu unit : values.columns) produce(unit);
  for (const auto& row : values.rows) {
    if (row.size() != values.columns.size()) fail("A1: a literal row of another length than its columns");
    for (const ExpressionPtr& value : row) checkReads(value.get(), {}, "a literal row");
  }
}

void Verifier::visitUnited(const Operator& op, const std::vector<Iu>& columns,
                           std::span<const std::vector<ExpressionPtr>> values) {
  for (const Iu unit : columns) produce(unit);
  for (size_t i = 0; i < values.size(); ++i) {
    const UnitSet available = unitSet(*op.inputs[i]);
    if (values[i].size() != columns.size()) return fail("A1: an input of another width than the union's");
    for (size_t column = 0; column < columns.size(); ++column) {
      checkReads(values[i][column].get(), available, "a union");
      if (values[i][column]->type != columns[column]->type)
        fail(
            fmt::format("A8: {} of a union is {} in one input", columns[column]->name, values[i][column]->type.name()));
    }
  }
}

void Verifier::visitSharedScan(const SharedScan& scan) {
  if (!scan.source->root) return fail("A1: a scan of a shared plan that is gone");
  const auto& columns = static_cast<const Output&>(*scan.source->root).columns;
  for (const SharedScan::Column& column : scan.columns) {
    produce(column.iu);
    if (column.index >= columns.size() || column.iu->type != columns[column.index].iu->type)
      fail(fmt::format("A8: {} is not a column of the shared plan", column.iu->name));
  }
}

void Verifier::visitInsert(const Insert& insert, const UnitSet& below) {
  if (insert.values.size() != insert.table->columns.size())
    return fail(fmt::format("A7: {} values for {} columns", insert.values.size(), insert.table->columns.size()));
  for (size_t i = 0; i < insert.values.size(); ++i) {
    checkReads(insert.values[i].get(), below, "an insert");
    if (!isStoredAs(insert.values[i]->type, insert.table->columns[i].type))
      fail(fmt::format("A7: value {} is of another type than its column", i));
  }
  for (const ExpressionPtr& value : insert.beside) checkReads(value.get(), below, "an insert");
}

void Verifier::visitUpdate(const Update& update, const UnitSet& below) {
  if (update.old_row.empty() && !below.contains(update.tuple_id)) fail("A7: an update does not know its rows");
  for (const Iu unit : update.old_row)
    if (!below.contains(unit)) fail("A7: an update does not know its rows");
  for (const Iu unit : update.written) produce(unit);
  if (update.row.size() != update.table->columns.size() || update.columns.empty())
    return fail("A7: an update of other columns than its table's");
  for (size_t i = 0; i < update.row.size(); ++i) {
    const Expression* value = update.row[i].get();
    checkReads(value, below, "an update");
    if (value != nullptr && !isStoredAs(value->type, update.table->columns[i].type))
      fail(fmt::format("A7: value {} is of another type than its column", i));
  }
  for (const uint32_t check : update.checks.tested)
    for (const uint32_t column : update.checks.expressions->checks[check].columns) {
      const bool is_kept = std::ranges::find(update.columns, column) == update.columns.end();
      if (!update.row[column] || (is_kept && update.row[column]->kind != Expression::Kind::Column))
        fail("A7: an update's check reads a column without a value");
    }
  for (size_t i = 0; i < update.columns.size(); ++i)
    if (!update.row[update.columns[i]] || (i > 0 && update.columns[i - 1] >= update.columns[i]))
      fail("A7: a changed column without a value, or out of order");
}

void Verifier::visitMerge(const Merge& merge, const UnitSet& below) {
  if (!below.contains(merge.tuple_id)) fail("A7: a merge does not know its rows");
  for (const Merge::Action& action : merge.actions) {
    checkReads(action.condition.get(), below, "a merge");
    for (size_t i = 0; i < action.row.size(); ++i) {
      checkReads(action.row[i].get(), below, "a merge");
      if (!isStoredAs(action.row[i]->type, merge.table->columns[i].type))
        fail(fmt::format("A7: value {} is of another type than its column", i));
    }
  }
}

/// The right input of a dependent join may read what its left input has.
void Verifier::visitInputs(const Operator& op) {
  const bool is_dependent = op.kind == Kind::Join && static_cast<const Join&>(op).is_dependent;
  for (const OperatorPtr& input : op.inputs) {
    visit(*input);
    if (!is_dependent) continue;
    for (const Iu unit : op.inputs[0]->units())
      if (input == op.inputs[0])
        outer_.insert(unit);
      else
        outer_.erase(unit);
  }
}

void Verifier::visit(const Operator& op) {
  if (op.inputs.size() != inputCount(op)) return fail("A1: wrong number of inputs");
  visitInputs(op);
  if (!violation_.empty()) return;
  const UnitSet below = op.inputs.empty() ? UnitSet() : unitSet(*op.inputs[0]);
  switch (op.kind) {
    case Kind::TableScan:
      return visitScan(static_cast<const TableScan&>(op));
    case Kind::VirtualScan:
      return visitVirtualScan(static_cast<const VirtualScan&>(op));
    case Kind::FunctionScan:
      return visitFunctionScan(static_cast<const FunctionScan&>(op));
    case Kind::ProjectSet:
      return visitProjectSet(static_cast<const ProjectSet&>(op), below);
    case Kind::Selection:
      return checkConditions(static_cast<const Selection&>(op).conditions, below, "a selection");
    case Kind::Map:
      return visitMap(static_cast<const Map&>(op), below);
    case Kind::Join:
      return visitJoin(static_cast<const Join&>(op));
    case Kind::Aggregation:
      return visitAggregation(static_cast<const Aggregation&>(op), below);
    case Kind::Window:
      return visitWindow(static_cast<const Window&>(op), below);
    case Kind::Sort: {
      const auto& sort = static_cast<const Sort&>(op);
      for (const SortKey& key : sort.keys) checkReads(key.expression.get(), below, "a sort key");
      checkReads(sort.limit.get(), {}, "a limit");
      return checkReads(sort.offset.get(), {}, "an offset");
    }
    case Kind::Limit:
      checkReads(static_cast<const Limit&>(op).limit.get(), {}, "a limit");
      return checkReads(static_cast<const Limit&>(op).offset.get(), {}, "an offset");
    case Kind::Values:
      return visitValues(static_cast<const Values&>(op));
    case Kind::Union:
      return visitUnited(op, static_cast<const Union&>(op).columns, static_cast<const Union&>(op).values);
    case Kind::Recursion:
      return visitUnited(op, static_cast<const Recursion&>(op).columns, static_cast<const Recursion&>(op).values);
    case Kind::SharedScan:
      return visitSharedScan(static_cast<const SharedScan&>(op));
    case Kind::WorkingScan:
      for (const WorkingScan::Column& column : static_cast<const WorkingScan&>(op).columns) {
        produce(column.iu);
        if (column.iu->type != static_cast<const WorkingScan&>(op).recursion->columns[column.index]->type)
          fail("A8: a scan of a recursion's rows reads another type");
      }
      return;
    case Kind::Insert:
      return visitInsert(static_cast<const Insert&>(op), below);
    case Kind::Update:
      return visitUpdate(static_cast<const Update&>(op), below);
    case Kind::Delete:
      for (const Iu unit : static_cast<const Delete&>(op).old_row)
        if (!below.contains(unit)) fail("A7: a delete does not know its rows");
      if (static_cast<const Delete&>(op).old_row.empty() && !below.contains(static_cast<const Delete&>(op).tuple_id))
        fail("A7: a delete does not know its rows");
      return;
    case Kind::Merge:
      return visitMerge(static_cast<const Merge&>(op), below);
    case Kind::Output:
      for (const Output::Column& column : static_cast<const Output&>(op).columns)
        if (!below.contains(column.iu)) fail(fmt::format("A2: the output reads {}", column.iu->name));
      for (const Output::RowLock& lock : static_cast<const Output&>(op).locks)
        if (!below.contains(lock.tuple_id)) fail("A7: the output does not know the rows to be locked");
  }
}

}  // namespace

bool sameKeyType(Type left, Type right) {
  if (left.kind == TypeKind::Numeric && right.kind == TypeKind::Numeric)
    return left.form == right.form && (left.isBig() || left.scale == right.scale);
  if (left.kind == right.kind) return true;
  return left.isString() && right.isString() && left.kind != TypeKind::Char && right.kind != TypeKind::Char;
}

std::string findViolation(const Plan& plan) {
  return Verifier().run(plan);
}

}  // namespace gnomon::sql
