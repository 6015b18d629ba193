#include "sql/algebra/rewrite.h"
#include "sql/algebra/change_operators.h"
#include "sql/algebra/function_scan.h"

#include <algorithm>

#include "base/assert.h"
#include "sql/algebra/set_operators.h"
#include "sql/algebra/window.h"

namespace gnomon::sql {
namespace {

using Kind = Expression::Kind;

size_t mix(size_t hash, size_t more) {
  return (hash ^ (more + 0x9e3779b97f4a7c15ULL + (hash << 6) + (hash >> 2)));
}

size_t nodeHash(const Expression& expression) {
  size_t hash = mix(static_cast<size_t>(expression.kind), static_cast<size_t>(expression.type.kind));
  hash = mix(hash, expression.children.size());
  switch (expression.kind) {
    case Kind::Column:
      return mix(hash, expression.iu->id);
    case Kind::Parameter:
      return mix(hash, expression.parameter);
    case Kind::Call:
      return mix(hash, static_cast<size_t>(expression.function));
    case Kind::Constant:
      if (expression.value.is_null) return hash;
      return mix(mix(hash, expression.value.lo), std::hash<std::string>()(expression.value.bytes));
    default:
      return hash;
  }
}

void visitAll(std::vector<ExpressionPtr>& expressions, const std::function<void(ExpressionPtr&)>& visit) {
  for (ExpressionPtr& expression : expressions) visit(expression);
}

void visitPresent(ExpressionPtr& expression, const std::function<void(ExpressionPtr&)>& visit) {
  if (expression != nullptr) visit(expression);
}

void visitScan(TableScan& scan, const std::function<void(ExpressionPtr&)>& visit) {
  visitAll(scan.filters, visit);
  if (scan.cursor_row) visit(scan.cursor_row->name);
  for (TableScan::Pruning& pruning : scan.pruning) {
    visitAll(pruning.equal, visit);
    visitPresent(pruning.low.value, visit);
    visitPresent(pruning.high.value, visit);
    visitAll(pruning.any_of, visit);
  }
  if (!scan.range) return;
  visitAll(scan.range->equal, visit);
  for (TableScan::IndexRange::Bound* bound : {&scan.range->low, &scan.range->high})
    if (bound->value) visit(bound->value);
}

void visitJoin(Join& join, const std::function<void(ExpressionPtr&)>& visit) {
  for (Join::Key& key : join.keys) {
    visit(key.left);
    visit(key.right);
  }
  visitAll(join.conditions, visit);
  visitPresent(join.compared, visit);
}

void visitAggregation(Aggregation& aggregation, const std::function<void(ExpressionPtr&)>& visit) {
  for (Aggregation::Key& key : aggregation.keys) visit(key.expression);
  for (Aggregation::Aggregate& aggregate : aggregation.aggregates) {
    visitPresent(aggregate.argument, visit);
    visitPresent(aggregate.second, visit);
    for (SortKey& key : aggregate.order) visit(key.expression);
  }
}

void visitWindow(Window& window, const std::function<void(ExpressionPtr&)>& visit) {
  visitAll(window.partition, visit);
  for (SortKey& key : window.order) visit(key.expression);
  for (Window::Function& function : window.functions) {
    visitAll(function.arguments, visit);
    visitPresent(function.aggregate.argument, visit);
    visitPresent(function.aggregate.second, visit);
    visitPresent(function.frame.range_key, visit);
    for (Window::Bound* bound : {&function.frame.start, &function.frame.end})
      for (ExpressionPtr* part : {&bound->offset, &bound->limit, &bound->is_invalid}) visitPresent(*part, visit);
  }
}

void visitSort(Sort& sort, const std::function<void(ExpressionPtr&)>& visit) {
  for (SortKey& key : sort.keys) visit(key.expression);
  visitPresent(sort.limit, visit);
  visitPresent(sort.offset, visit);
}

void visitLimit(Limit& limit, const std::function<void(ExpressionPtr&)>& visit) {
  visitPresent(limit.limit, visit);
  visitPresent(limit.offset, visit);
}

ExpressionPtr junction(Kind kind, std::vector<ExpressionPtr> conditions) {
  if (conditions.empty()) return booleanConstant(kind == Kind::And);
  if (conditions.size() == 1) return std::move(conditions[0]);
  return Expression::logic(kind, std::move(conditions));
}

}  // namespace

UnitSet unitSet(const Operator& op) {
  const std::vector<Iu> units = op.units();
  return {units.begin(), units.end()};
}

bool readsOnly(const Expression& expression, const UnitSet& units) {
  std::vector<Iu> read;
  expression.collectUnits(read);
  return std::ranges::all_of(read, [&](Iu unit) { return units.contains(unit); });
}

bool readsAny(const Expression& expression, const UnitSet& units) {
  std::vector<Iu> read;
  expression.collectUnits(read);
  return std::ranges::any_of(read, [&](Iu unit) { return units.contains(unit); });
}

bool readsNone(const Expression& expression) {
  std::vector<Iu> read;
  expression.collectUnits(read);
  return read.empty();
}

void forEachExpression(Operator& op, const std::function<void(ExpressionPtr&)>& visit) {
  switch (op.kind) {
    case Operator::Kind::TableScan:
      return visitScan(static_cast<TableScan&>(op), visit);
    case Operator::Kind::FunctionScan:
      for (FunctionScan::Call& call : static_cast<FunctionScan&>(op).calls) visitAll(call.arguments, visit);
      return;
    case Operator::Kind::ProjectSet:
      for (SetCall& call : static_cast<ProjectSet&>(op).calls) visitAll(call.arguments, visit);
      return;
    case Operator::Kind::Selection:
      return visitAll(static_cast<Selection&>(op).conditions, visit);
    case Operator::Kind::Map:
      for (Map::Computed& computed : static_cast<Map&>(op).computed) visit(computed.expression);
      return;
    case Operator::Kind::Join:
      return visitJoin(static_cast<Join&>(op), visit);
    case Operator::Kind::Aggregation:
      return visitAggregation(static_cast<Aggregation&>(op), visit);
    case Operator::Kind::Window:
      return visitWindow(static_cast<Window&>(op), visit);
    case Operator::Kind::Sort:
      return visitSort(static_cast<Sort&>(op), visit);
    case Operator::Kind::Limit:
      return visitLimit(static_cast<Limit&>(op), visit);
    case Operator::Kind::Values:
      for (auto& row : static_cast<Values&>(op).rows) visitAll(row, visit);
      return;
    case Operator::Kind::Insert:
      visitAll(static_cast<Insert&>(op).values, visit);
      return visitAll(static_cast<Insert&>(op).beside, visit);
    case Operator::Kind::Update:
      for (ExpressionPtr& value : static_cast<Update&>(op).row)
        if (value) visit(value);
      return;
    case Operator::Kind::Merge:
      for (Merge::Action& action : static_cast<Merge&>(op).actions) {
        if (action.condition) visit(action.condition);
        visitAll(action.row, visit);
      }
      return;
    case Operator::Kind::Output:
      for (ExpressionPtr* value : {&static_cast<Output&>(op).limit, &static_cast<Output&>(op).offset})
        if (*value) visit(*value);
      return;
    case Operator::Kind::Union:
      for (auto& values : static_cast<Union&>(op).values) visitAll(values, visit);
      return;
    case Operator::Kind::Recursion:
      for (auto& values : static_cast<Recursion&>(op).values) visitAll(values, visit);
      return;
    case Operator::Kind::VirtualScan:
    case Operator::Kind::SharedScan:
    case Operator::Kind::WorkingScan:
    case Operator::Kind::Delete:
      return;
  }
}

void forEachOperator(OperatorPtr& root, const std::function<void(OperatorPtr&)>& visit) {
  for (OperatorPtr& input : root->inputs) forEachOperator(input, visit);
  visit(root);
}

void forEachRoot(Plan& plan, const std::function<void(OperatorPtr&)>& visit) {
  for (SharedPlan& shared : plan.shared)
    if (shared.root) visit(shared.root);
  visit(plan.root);
}

void forEachOperator(Plan& plan, const std::function<void(OperatorPtr&)>& visit) {
  forEachRoot(plan, [&](OperatorPtr& root) { forEachOperator(root, visit); });
}

namespace {

void collectFree(Operator& op, UnitSet& read, UnitSet& produced) {
  for (const OperatorPtr& input : op.inputs) collectFree(*input, read, produced);
  std::vector<Iu> units;
  forEachExpression(op, [&](ExpressionPtr& expression) { expression->collectUnits(units); });
  read.insert(units.begin(), units.end());
  for (const Iu unit : op.units()) produced.insert(unit);
}

}  // namespace

UnitSet freeUnits(Operator& root) {
  UnitSet read, produced;
  collectFree(root, read, produced);
  std::erase_if(read, [&](Iu unit) { return produced.contains(unit); });
  return read;
}

bool readsOuter(Operator& root, const UnitSet& outer) {
  const UnitSet free = freeUnits(root);
  return std::ranges::any_of(free, [&](Iu unit) { return outer.contains(unit); });
}

bool isVolatile(OperatorPtr& root) {
  bool found = false;
  forEachOperator(root, [&](OperatorPtr& op) {
    forEachExpression(*op, [&](ExpressionPtr& expression) { found = found || expression->isVolatile(); });
  });
  return found;
}

bool hasEffect(Plan& plan, OperatorPtr& root) {
  bool found = false;
  forEachOperator(root, [&](OperatorPtr& op) {
    if (op->kind == Operator::Kind::SharedScan)
      for (SharedPlan& shared : plan.shared)
        if (&shared == static_cast<SharedScan&>(*op).source) found = found || hasEffect(plan, shared.root);
    forEachExpression(*op, [&](ExpressionPtr& expression) { found = found || expression->hasEffect(); });
  });
  return found;
}

size_t structuralHash(const Expression& expression) {
  size_t hash = 0;
  std::vector<const Expression*> pending{&expression};
  while (!pending.empty()) {
    const Expression* last = pending.back();
    pending.pop_back();
    hash = mix(hash, nodeHash(*last));
    for (const ExpressionPtr& child : last->children) pending.push_back(child.get());
  }
  return hash;
}

size_t nodeCount(const Expression& expression) {
  size_t count = 0;
  std::vector<const Expression*> pending{&expression};
  while (!pending.empty()) {
    const Expression* last = pending.back();
    pending.pop_back();
    ++count;
    for (const ExpressionPtr& child : last->children) pending.push_back(child.get());
  }
  return count;
}

ExpressionPtr booleanConstant(bool value) {
  return Expression::constant(Value::fromInt(Type::of(TypeKind::Boolean), value ? 1 : 0));
}

bool isTrueConstant(const Expression& expression) {
  return expression.kind == Kind::Constant && expression.type.kind == TypeKind::Boolean && !expression.value.is_null &&
         expression.value.lo != 0;
}

bool isRejectingConstant(const Expression& expression) {
  if (expression.kind != Kind::Constant) return false;
  return expression.value.is_null || (expression.type.kind == TypeKind::Boolean && expression.value.lo == 0);
}

ExpressionPtr conditionOf(Join::Key key) {
  std::vector<ExpressionPtr> sides;
  sides.push_back(std::move(key.left));
  sides.push_back(std::move(key.right));
  if (key.is_null_safe) return Expression::logic(Expression::Kind::IsNotDistinct, std::move(sides));
  return Expression::call(FunctionId::Equal, Type::of(TypeKind::Boolean), std::move(sides));
}

OperatorPtr selected(OperatorPtr input, std::vector<ExpressionPtr> conditions) {
  auto selection = std::make_unique<Selection>();
  selection->conditions = std::move(conditions);
  selection->inputs.push_back(std::move(input));
  return selection;
}

void splitConjunction(ExpressionPtr condition, std::vector<ExpressionPtr>& conjuncts) {
  std::vector<ExpressionPtr> pending;
  pending.push_back(std::move(condition));
  while (!pending.empty()) {
    ExpressionPtr last = std::move(pending.back());
    pending.pop_back();
    if (last->kind != Kind::And) {
      conjuncts.push_back(std::move(last));
      continue;
    }
    for (size_t i = last->children.size(); i-- > 0;) pending.push_back(std::move(last->children[i]));
    last->children.clear();
  }
}

ExpressionPtr conjunction(std::vector<ExpressionPtr> conditions) {
  return junction(Kind::And, std::move(conditions));
}

ExpressionPtr disjunction(std::vector<ExpressionPtr> conditions) {
  return junction(Kind::Or, std::move(conditions));
}

bool isComparison(const Expression& expression) {
  return expression.kind == Kind::Call && expression.function >= FunctionId::Equal &&
         expression.function <= FunctionId::GreaterEqual && expression.children.size() == 2;
}

bool isEquality(const Expression& expression) {
  return isComparison(expression) && expression.function == FunctionId::Equal;
}

FunctionId mirrored(FunctionId comparison) {
  switch (comparison) {
    case FunctionId::Less:
      return FunctionId::Greater;
    case FunctionId::LessEqual:
      return FunctionId::GreaterEqual;
    case FunctionId::Greater:
      return FunctionId::Less;
    case FunctionId::GreaterEqual:
      return FunctionId::LessEqual;
    default:
      return comparison;
  }
}

FunctionId negated(FunctionId comparison) {
  switch (comparison) {
    case FunctionId::Equal:
      return FunctionId::NotEqual;
    case FunctionId::NotEqual:
      return FunctionId::Equal;
    case FunctionId::Less:
      return FunctionId::GreaterEqual;
    case FunctionId::LessEqual:
      return FunctionId::Greater;
    case FunctionId::Greater:
      return FunctionId::LessEqual;
    default:
      ASSERT(comparison == FunctionId::GreaterEqual, "only comparisons are negated");
      return FunctionId::Less;
  }
}

void widenNullability(Expression& expression) {
  for (const ExpressionPtr& child : expression.children) widenNullability(*child);
  if (expression.kind >= Kind::IsNull && expression.kind <= Kind::IsNotDistinct) return;
  const auto is_nullable = [](const ExpressionPtr& child) { return child->nullable; };
  const bool needs_all =
      expression.kind == Kind::Coalesce || expression.kind == Kind::Greatest || expression.kind == Kind::Least;
  if (expression.children.empty()) return;
  if (needs_all ? std::ranges::all_of(expression.children, is_nullable)
                : std::ranges::any_of(expression.children, is_nullable))
    expression.nullable = true;
}

void Substitution::apply(ExpressionPtr& expression) const {
  std::vector<ExpressionPtr*> pending{&expression};
  while (!pending.empty()) {
    ExpressionPtr& last = *pending.back();
    pending.pop_back();
    if (last->kind == Kind::Column) {
      const auto found = replacements_.find(last->iu);
      if (found != replacements_.end()) last = found->second->clone();
      continue;
    }
    for (ExpressionPtr& child : last->children) pending.push_back(&child);
  }
}

size_t Substitution::nodeCountAfter(const Expression& expression) const {
  std::vector<Iu> read;
  expression.collectUnits(read);
  size_t count = nodeCount(expression);
  for (const Iu unit : read) {
    const auto found = replacements_.find(unit);
    if (found != replacements_.end()) count += nodeCount(*found->second) - 1;
  }
  return count;
}

namespace {

Iu renamed(Iu unit, const UnitRenaming& renaming) {
  for (auto found = renaming.find(unit); found != renaming.end(); found = renaming.find(unit)) unit = found->second;
  return unit;
}

}  // namespace

void renameUnits(Expression& expression, const UnitRenaming& renaming) {
  std::vector<Expression*> pending{&expression};
  while (!pending.empty()) {
    Expression* last = pending.back();
    pending.pop_back();
    if (last->kind == Kind::Column) {
      last->iu = renamed(last->iu, renaming);
      last->nullable = last->iu->nullable;
    }
    for (const ExpressionPtr& child : last->children) pending.push_back(child.get());
  }
}

void forEachNamedUnit(Operator& op, const std::function<void(Iu&)>& visit) {
  switch (op.kind) {
    case Operator::Kind::Output:
      for (Output::Column& column : static_cast<Output&>(op).columns) visit(column.iu);
      for (Output::RowLock& lock : static_cast<Output&>(op).locks) visit(lock.tuple_id);
      return;
    case Operator::Kind::Update:
      for (Iu& unit : static_cast<Update&>(op).old_row) visit(unit);
      if (static_cast<Update&>(op).tuple_id != nullptr) visit(static_cast<Update&>(op).tuple_id);
      return;
    case Operator::Kind::Merge:
      return visit(static_cast<Merge&>(op).tuple_id);
    case Operator::Kind::Delete:
      for (Iu& unit : static_cast<Delete&>(op).old_row) visit(unit);
      if (static_cast<Delete&>(op).tuple_id != nullptr) visit(static_cast<Delete&>(op).tuple_id);
      return;
    default:
      return;
  }
}

void renameUnits(OperatorPtr& root, const UnitRenaming& renaming) {
  if (renaming.empty()) return;
  forEachOperator(root, [&](OperatorPtr& op) {
    forEachExpression(*op, [&](ExpressionPtr& expression) { renameUnits(*expression, renaming); });
    forEachNamedUnit(*op, [&](Iu& unit) { unit = renamed(unit, renaming); });
    if (op->kind != Operator::Kind::Join) return;
    auto& join = static_cast<Join&>(*op);
    for (auto* extended : {&join.null_extended, &join.left_extended})
      for (auto& [below, above] : *extended) below = renamed(below, renaming);
  });
}

void renameUnits(Plan& plan, const UnitRenaming& renaming) {
  forEachRoot(plan, [&](OperatorPtr& root) { renameUnits(root, renaming); });
}

OperatorPtr scanOf(Plan& plan, const SharedPlan& shared, UnitRenaming& renaming) {
  auto scan = std::make_unique<SharedScan>();
  scan->source = &shared;
  for (const Output::Column& column : static_cast<const Output&>(*shared.root).columns) {
    const Iu unit = plan.makeUnit(column.iu->name, column.iu->type, column.iu->nullable);
    renaming[column.iu] = unit;
    scan->columns.push_back({scan->columns.size(), unit});
  }
  return scan;
}

}  // namespace gnomon::sql
