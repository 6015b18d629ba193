#include "sql/optimise/correlation.h"

#include <algorithm>
#include <iterator>

#include "base/sql_error.h"
#include "sql/optimise/join_keys.h"

namespace gnomon::sql {
namespace {

using Kind = Operator::Kind;
using JoinKind = Join::JoinKind;
using Predicates = std::vector<ExpressionPtr>;
using Correlations = std::vector<Correlation>;

[[noreturn]] void refuse(const char* what) {
  throwNotSupported(what);
}

ExpressionPtr equality(ExpressionPtr left, ExpressionPtr right) {
  std::vector<ExpressionPtr> sides;
  sides.push_back(std::move(left));
  sides.push_back(std::move(right));
  return Expression::call(FunctionId::Equal, Type::of(TypeKind::Boolean), std::move(sides));
}

/// Equal values of the type cannot be told apart.
bool isIdentifiedByEquality(Type type) {
  switch (type.kind) {
    case TypeKind::Real:
    case TypeKind::Double:
    case TypeKind::Char:
    case TypeKind::Interval:
      return false;
    case TypeKind::Numeric:
      return !type.isBig();
    default:
      return true;
  }
}

/// Takes out of the conditions those that read the outer units.
void extract(Predicates& conditions, const UnitSet& outer, Predicates& taken) {
  Predicates rest;
  for (ExpressionPtr& condition : conditions)
    (readsAny(*condition, outer) ? taken : rest).push_back(std::move(condition));
  conditions = std::move(rest);
}

class Decorrelator {
 public:
  Decorrelator(Plan& plan, const UnitSet& outer) : plan_(plan), outer_(outer) {}

  Correlations push(OperatorPtr& op);
  Correlations pushGroups(Aggregation& aggregation);

 private:
  Correlations pushSelection(Selection& selection);
  Correlations pushInnerJoin(OperatorPtr& op);
  Correlations pushJoin(Join& join);
  /// The correlated conditions over the input's rows become correlations, as far as they can: what is held equal is not
  /// NULL then.
  void takeEqualities(Predicates& conditions, OperatorPtr& input, Correlations& correlations);
  bool takeEquality(ExpressionPtr& condition, OperatorPtr& input, Correlations& correlations);
  Iu unitOf(ExpressionPtr expression, OperatorPtr& input);
  void substitute(ExpressionPtr& expression, const Correlations& correlations) const;

  Plan& plan_;
  const UnitSet& outer_;
};

Correlation* find(Correlations& correlations, const Expression& outer) {
  const auto found = std::ranges::find_if(
      correlations, [&](const Correlation& correlation) { return correlation.outer->equals(outer); });
  return found == correlations.end() ? nullptr : &*found;
}

/// What is read of the outer units becomes what they are equal to. Failure: 0A000.
void Decorrelator::substitute(ExpressionPtr& expression, const Correlations& correlations) const {
  if (!readsAny(*expression, outer_)) return;
  Substitution substitution;
  std::vector<ExpressionPtr> columns;
  for (const Correlation& correlation : correlations) {
    const Expression& outer = *correlation.outer;
    if (outer.kind != Expression::Kind::Column || outer.type != correlation.local->type) continue;
    if (!isIdentifiedByEquality(outer.type)) continue;
    columns.push_back(Expression::column(correlation.local));
    substitution.add(outer.iu, *columns.back());
  }
  substitution.apply(expression);
  widenNullability(*expression);
  if (readsAny(*expression, outer_)) refuse("a correlated subquery whose outer columns are not held equal to its own");
}

Iu Decorrelator::unitOf(ExpressionPtr expression, OperatorPtr& input) {
  if (expression->kind == Expression::Kind::Column) return expression->iu;
  const Iu unit = plan_.makeUnit("key", expression->type, expression->nullable);
  auto map = std::make_unique<Map>();
  map->computed.push_back({unit, std::move(expression)});
  map->inputs.push_back(std::move(input));
  input = std::move(map);
  return unit;
}

bool Decorrelator::takeEquality(ExpressionPtr& condition, OperatorPtr& input, Correlations& correlations) {
  if (!isEquality(*condition)) return false;
  for (const size_t side : {size_t{0}, size_t{1}}) {
    ExpressionPtr& outer = condition->children[side];
    ExpressionPtr& local = condition->children[1 - side];
    if (readsNone(*outer) || !readsOnly(*outer, outer_) || readsNone(*local) || readsAny(*local, outer_)) continue;
    if (!canAlign(outer->type, local->type) || find(correlations, *outer)) continue;
    const Iu unit = unitOf(std::move(local), input);
    correlations.push_back({std::move(outer), unit});
    std::vector<ExpressionPtr> tested;
    tested.push_back(Expression::column(unit));
    condition = Expression::logic(Expression::Kind::IsNotNull, std::move(tested));
    return true;
  }
  return false;
}

void Decorrelator::takeEqualities(Predicates& conditions, OperatorPtr& input, Correlations& correlations) {
  std::erase_if(conditions, [&](ExpressionPtr& condition) {
    return readsAny(*condition, outer_) && takeEquality(condition, input, correlations) &&
           !condition->children[0]->nullable;
  });
}

Correlations Decorrelator::pushSelection(Selection& selection) {
  Correlations correlations = push(selection.inputs[0]);
  Predicates conjuncts;
  for (ExpressionPtr& condition : selection.conditions) splitConjunction(std::move(condition), conjuncts);
  takeEqualities(conjuncts, selection.inputs[0], correlations);
  for (ExpressionPtr& condition : conjuncts) substitute(condition, correlations);
  selection.conditions = std::move(conjuncts);
  return correlations;
}

/// Conditions that are equalities with computed sides are tested above the join, where these can be computed.
Correlations Decorrelator::pushInnerJoin(OperatorPtr& op) {
  auto& join = static_cast<Join&>(*op);
  Correlations correlations = push(join.inputs[0]);
  for (Correlation& other : push(join.inputs[1])) {
    if (const Correlation* known = find(correlations, *other.outer))
      join.conditions.push_back(equality(Expression::column(known->local), Expression::column(other.local)));
    else
      correlations.push_back(std::move(other));
  }
  Predicates conjuncts;
  for (ExpressionPtr& condition : join.conditions) splitConjunction(std::move(condition), conjuncts);
  join.conditions.clear();
  Predicates correlated;
  extract(conjuncts, outer_, correlated);
  join.conditions = std::move(conjuncts);
  takeEqualities(correlated, op, correlations);
  if (correlated.empty()) return correlations;
  for (ExpressionPtr& condition : correlated) substitute(condition, correlations);
  auto selection = std::make_unique<Selection>();
  selection->conditions = std::move(correlated);
  selection->inputs.push_back(std::move(op));
  op = std::move(selection);
  return correlations;
}

/// Rows of the left input are there whatever the right one has: it says alone to which outer rows they belong.
Correlations Decorrelator::pushJoin(Join& join) {
  Correlations correlations = push(join.inputs[0]);
  for (const Correlation& other : push(join.inputs[1])) {
    const Correlation* known = find(correlations, *other.outer);
    if (!known) refuse("a correlated subquery on one side of an outer join, or in another subquery's condition");
    join.conditions.push_back(equality(Expression::column(known->local), Expression::column(other.local)));
  }
  for (ExpressionPtr& condition : join.conditions) substitute(condition, correlations);
  if (join.compared) substitute(join.compared, correlations);
  return correlations;
}

Correlations Decorrelator::pushGroups(Aggregation& aggregation) {
  Correlations correlations = push(aggregation.inputs[0]);
  for (Aggregation::Key& key : aggregation.keys) substitute(key.expression, correlations);
  for (Aggregation::Aggregate& aggregate : aggregation.aggregates)
    for (ExpressionPtr* argument : {&aggregate.argument, &aggregate.second})
      if (*argument) substitute(*argument, correlations);
  for (Correlation& correlation : correlations) {
    const Iu local = correlation.local;
    const auto known = std::ranges::find_if(aggregation.keys, [&](const Aggregation::Key& key) {
      return key.expression->kind == Expression::Kind::Column && key.expression->iu == local;
    });
    if (known != aggregation.keys.end()) {
      correlation.local = known->iu;
      continue;
    }
    correlation.local = plan_.makeUnit(local->name, local->type, local->nullable);
    aggregation.keys.push_back({correlation.local, Expression::column(local)});
  }
  return correlations;
}

Correlations Decorrelator::push(OperatorPtr& op) {
  if (!readsOuter(*op, outer_)) return {};
  switch (op->kind) {
    case Kind::Selection:
      return pushSelection(static_cast<Selection&>(*op));
    case Kind::Join:
      if (static_cast<Join&>(*op).join_kind == JoinKind::Inner) return pushInnerJoin(op);
      return pushJoin(static_cast<Join&>(*op));
    case Kind::Aggregation:
      if (static_cast<Aggregation&>(*op).keys.empty())
        refuse("a correlated subquery with aggregates below another operation");
      return pushGroups(static_cast<Aggregation&>(*op));
    case Kind::Sort:
      if (static_cast<Sort&>(*op).limit || static_cast<Sort&>(*op).offset) refuse("LIMIT in a correlated subquery");
      break;
    case Kind::Map:
      break;
    case Kind::Limit:
      refuse("LIMIT in a correlated subquery");
    default:
      refuse("this kind of correlated subquery");
  }
  Correlations correlations = push(op->inputs[0]);
  forEachExpression(*op, [&](ExpressionPtr& expression) { substitute(expression, correlations); });
  return correlations;
}

}  // namespace

ExpressionPtr conditionOf(const Correlation& correlation) {
  return equality(correlation.outer->clone(), Expression::column(correlation.local));
}

bool readsOuter(Operator& op, const UnitSet& outer) {
  const UnitSet free = freeUnits(op);
  return std::ranges::any_of(free, [&](Iu unit) { return outer.contains(unit); });
}

void liftConditions(OperatorPtr& op, const UnitSet& outer, Predicates& conditions) {
  switch (op->kind) {
    case Kind::Selection: {
      auto& own = static_cast<Selection&>(*op).conditions;
      Predicates conjuncts;
      for (ExpressionPtr& condition : own) splitConjunction(std::move(condition), conjuncts);
      extract(conjuncts, outer, conditions);
      own = std::move(conjuncts);
      liftConditions(op->inputs[0], outer, conditions);
      if (!own.empty()) return;
      OperatorPtr input = std::move(op->inputs[0]);
      op = std::move(input);
      return;
    }
    case Kind::Map:
      return liftConditions(op->inputs[0], outer, conditions);
    case Kind::Join: {
      auto& join = static_cast<Join&>(*op);
      liftConditions(op->inputs[0], outer, conditions);
      if (join.join_kind != JoinKind::Inner) return;
      Predicates conjuncts;
      for (ExpressionPtr& condition : join.conditions) splitConjunction(std::move(condition), conjuncts);
      extract(conjuncts, outer, conditions);
      join.conditions = std::move(conjuncts);
      return liftConditions(op->inputs[1], outer, conditions);
    }
    default:
      return;
  }
}

std::vector<Correlation> decorrelate(Plan& plan, OperatorPtr& op, const UnitSet& outer) {
  return Decorrelator(plan, outer).push(op);
}

std::vector<Correlation> decorrelateGroups(Plan& plan, Aggregation& aggregation, const UnitSet& outer) {
  return Decorrelator(plan, outer).pushGroups(aggregation);
}

}  // namespace gnomon::sql
