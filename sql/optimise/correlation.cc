#include "sql/optimise/correlation.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include "base/sql_error.h"
#include "sql/algebra/row_numbers.h"
#include "sql/algebra/set_operators.h"
#include "sql/algebra/window.h"
#include "sql/json/json_functions.h"
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

/// left = right; null-safe: or both NULL.
ExpressionPtr sameValue(ExpressionPtr left, ExpressionPtr right, bool is_null_safe) {
  if (!is_null_safe || (!left->nullable && !right->nullable)) return equality(std::move(left), std::move(right));
  std::vector<ExpressionPtr> sides;
  sides.push_back(std::move(left));
  sides.push_back(std::move(right));
  return Expression::logic(Expression::Kind::IsNotDistinct, std::move(sides));
}

/// Equal values of the type cannot be told apart.
bool isIdentifiedByEquality(Type type) {
  if (type.isArray()) return isIdentifiedByEquality(type.element());
  switch (type.kind) {
    case TypeKind::Real:
    case TypeKind::Double:
    case TypeKind::Char:
    case TypeKind::Interval:
    case TypeKind::Jsonb:
    case TypeKind::Record:
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

std::vector<ExpressionPtr*> addressesOf(std::vector<ExpressionPtr>& expressions) {
  std::vector<ExpressionPtr*> addresses;
  for (ExpressionPtr& expression : expressions) addresses.push_back(&expression);
  return addresses;
}

/// Those of the operator itself.
std::vector<ExpressionPtr*> expressionsOf(Operator& op) {
  std::vector<ExpressionPtr*> addresses;
  forEachExpression(op, [&](ExpressionPtr& expression) { addresses.push_back(&expression); });
  return addresses;
}

class Decorrelator {
 public:
  Decorrelator(Plan& plan, const UnitSet& outer, Domain& domain) : plan_(plan), outer_(outer), domain_(domain) {}

  Correlations push(OperatorPtr& op);
  Correlations pushGroups(Aggregation& aggregation);

 private:
  Correlations pushSelection(Selection& selection);
  Correlations pushInnerJoin(OperatorPtr& op);
  Correlations pushJoin(Join& join);
  Correlations pushFullJoin(OperatorPtr& op);
  Correlations pushUnion(OperatorPtr& op);
  Correlations pushRecursion(OperatorPtr& op);
  Correlations pushWorking(WorkingScan& scan);
  [[nodiscard]] bool belongsToOuter(Operator& op) const;
  [[nodiscard]] std::vector<Iu> outerUnits(Operator& op) const;
  void addWidened(const Operator& op, std::vector<Iu>& units) const;
  /// The input's rows, and as further values which values of the units they belong to.
  void addUnits(OperatorPtr& input, std::vector<ExpressionPtr>& values, const std::vector<Iu>& units);
  Correlations pushWindow(Window& window);
  Correlations pushLimit(OperatorPtr& op);
  Correlations pushOneGroup(OperatorPtr& op);
  /// The correlated conditions over the input's rows become correlations, as far as they can: what is held equal is not
  /// NULL then.
  void takeEqualities(Predicates& conditions, OperatorPtr& input, Correlations& correlations);
  bool takeEquality(ExpressionPtr& condition, OperatorPtr& input, Correlations& correlations);
  Iu unitOf(ExpressionPtr expression, OperatorPtr& input);
  void substitute(ExpressionPtr& expression, Correlations& correlations, OperatorPtr& input);
  void substituteAll(const std::vector<ExpressionPtr*>& expressions, Correlations& correlations, OperatorPtr& input);
  void replaceOuter(ExpressionPtr& expression, const Correlations& correlations) const;
  void addDomain(std::vector<Iu> units, Correlations& correlations, OperatorPtr& input);
  static bool isKnown(const Correlations& correlations, Iu unit);
  void readLeft(OperatorPtr& right, const Correlations& correlations) const;
  [[nodiscard]] std::vector<Iu> outerUnits(const Expression& expression) const;
  /// Correlations of single units: those that are others become conditions.
  Correlations ofUnits(Correlations correlations, const std::vector<Iu>& units, OperatorPtr& input);

  /// A recursion whose rows have columns of outer units by now.
  struct Widened {
    const Recursion* recursion;
    const std::vector<Iu>& units;
    size_t first;  ///< of its columns
  };

  Plan& plan_;
  const UnitSet& outer_;
  Domain& domain_;
  std::vector<Widened> recursions_;  ///< around the tree at hand
};

Correlation* find(Correlations& correlations, const Expression& outer) {
  const auto found = std::ranges::find_if(
      correlations, [&](const Correlation& correlation) { return correlation.outer->equals(outer); });
  return found == correlations.end() ? nullptr : &*found;
}

/// The correlation's local unit is as good as the outer column itself. One that is not, because equal values differ
/// after all, is good where it is compared only.
bool standsFor(const Correlation& correlation, bool is_compared_only) {
  const Expression& outer = *correlation.outer;
  if (outer.kind != Expression::Kind::Column || outer.type != correlation.local->type) return false;
  return isIdentifiedByEquality(outer.type) || (correlation.is_null_safe && is_compared_only);
}

/// The identity of a column.
bool isIdentity(const Expression& expression) {
  return expression.kind == Expression::Kind::ArrayCall && expression.function == jsonFunctionNamed("$bytes") &&
         expression.children[0]->kind == Expression::Kind::Column;
}

/// Every place where the expression reads the unit is an operand of a comparison.
bool isComparedOnly(const Expression& expression, Iu unit, bool is_operand = false) {
  if (expression.kind == Expression::Kind::Column) return expression.iu != unit || is_operand;
  const bool compares = isComparison(expression);
  return std::ranges::all_of(expression.children,
                             [&](const ExpressionPtr& child) { return isComparedOnly(*child, unit, compares); });
}

std::vector<Iu> Decorrelator::outerUnits(const Expression& expression) const {
  std::vector<Iu> read, result;
  expression.collectUnits(read);
  for (const Iu unit : read)
    if (outer_.contains(unit) && std::ranges::find(result, unit) == result.end()) result.push_back(unit);
  return result;
}

void Decorrelator::replaceOuter(ExpressionPtr& expression, const Correlations& correlations) const {
  Substitution substitution;
  std::vector<ExpressionPtr> columns;
  for (const Correlation& correlation : correlations) {
    const bool is_column = correlation.outer->kind == Expression::Kind::Column;
    if (isIdentity(*correlation.outer)) {
      const Expression& outer = *correlation.outer->children[0];
      columns.push_back(ofIdentity(Expression::column(correlation.local), outer.type));
      substitution.add(outer.iu, *columns.back());
      continue;
    }
    if (!is_column || !standsFor(correlation, isComparedOnly(*expression, correlation.outer->iu))) continue;
    columns.push_back(Expression::column(correlation.local));
    substitution.add(correlation.outer->iu, *columns.back());
  }
  substitution.apply(expression);
  widenNullability(*expression);
}

/// What the input's rows are equal to already goes with the units: not all of their values with all rows.
void Decorrelator::addDomain(std::vector<Iu> units, Correlations& correlations, OperatorPtr& input) {
  Correlations known = std::exchange(correlations, {});
  for (const Correlation& correlation : known)
    for (const Iu unit : outerUnits(*correlation.outer))
      if (std::ranges::find(units, unit) == units.end()) units.push_back(unit);
  std::vector<Iu> copies;
  auto join = std::make_unique<Join>();
  join->inputs.push_back(domain_.values(units, copies));
  join->inputs.push_back(std::move(input));
  for (size_t i = 0; i < units.size(); ++i)
    correlations.push_back({identityOf(Expression::column(units[i])), copies[i], true});
  for (Correlation& correlation : known) {
    replaceOuter(correlation.outer, correlations);
    join->conditions.push_back(
        sameValue(std::move(correlation.outer), Expression::column(correlation.local), correlation.is_null_safe));
  }
  input = std::move(join);
}

/// What is read of the outer units, over the input's rows, becomes what they are equal to: values of the domain where
/// nothing else is. Failure: 0A000.
void Decorrelator::substitute(ExpressionPtr& expression, Correlations& correlations, OperatorPtr& input) {
  if (!readsAny(*expression, outer_)) return;
  replaceOuter(expression, correlations);
  const std::vector<Iu> missing = outerUnits(*expression);
  if (missing.empty()) return;
  addDomain(missing, correlations, input);
  replaceOuter(expression, correlations);
  if (readsAny(*expression, outer_))
    refuse("a correlated subquery that computes with values of which equal ones may differ");
}

/// The same for expressions over the same input: of one domain for each there would be all combinations.
void Decorrelator::substituteAll(const std::vector<ExpressionPtr*>& expressions, Correlations& correlations,
                                 OperatorPtr& input) {
  std::vector<Iu> missing;
  for (ExpressionPtr* const expression : expressions) {
    if (!readsAny(**expression, outer_)) continue;
    replaceOuter(*expression, correlations);
    for (const Iu unit : outerUnits(**expression))
      if (std::ranges::find(missing, unit) == missing.end()) missing.push_back(unit);
  }
  if (!missing.empty()) addDomain(missing, correlations, input);
  for (ExpressionPtr* const expression : expressions) substitute(*expression, correlations, input);
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
  substituteAll(addressesOf(conjuncts), correlations, selection.inputs[0]);
  selection.conditions = std::move(conjuncts);
  return correlations;
}

/// The left input's rows say what the outer unit is.
bool Decorrelator::isKnown(const Correlations& correlations, Iu unit) {
  return std::ranges::any_of(correlations, [&](const Correlation& correlation) {
    const Expression& outer = isIdentity(*correlation.outer) ? *correlation.outer->children[0] : *correlation.outer;
    return outer.kind == Expression::Kind::Column && outer.iu == unit &&
           (isIdentity(*correlation.outer) || standsFor(correlation, false));
  });
}

/// The right input of a dependent join reads of the left one's rows what these say of the outer ones.
void Decorrelator::readLeft(OperatorPtr& right, const Correlations& correlations) const {
  forEachOperator(right, [&](OperatorPtr& op) {
    forEachExpression(*op, [&](ExpressionPtr& expression) {
      if (readsAny(*expression, outer_)) replaceOuter(expression, correlations);
    });
  });
}

/// Conditions that are equalities with computed sides are tested above the join, where these can be computed.
Correlations Decorrelator::pushInnerJoin(OperatorPtr& op) {
  auto& join = static_cast<Join&>(*op);
  Correlations correlations = push(join.inputs[0]);
  if (join.is_dependent) readLeft(join.inputs[1], correlations);
  for (Correlation& other : push(join.inputs[1])) {
    if (const Correlation* known = find(correlations, *other.outer))
      join.conditions.push_back(sameValue(Expression::column(known->local), Expression::column(other.local),
                                          known->is_null_safe || other.is_null_safe));
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
  substituteAll(addressesOf(correlated), correlations, op);
  op = selected(std::move(op), std::move(correlated));
  return correlations;
}

/// Rows of the left input are there whatever the right one has: it says alone to which outer rows they belong.
Correlations Decorrelator::pushJoin(Join& join) {
  Correlations correlations = push(join.inputs[0]);
  if (join.is_dependent) {
    std::vector<Iu> missing;
    for (const Iu unit : outerUnits(*join.inputs[1]))
      if (!isKnown(correlations, unit)) missing.push_back(unit);
    if (!missing.empty()) addDomain(missing, correlations, join.inputs[0]);
    readLeft(join.inputs[1], correlations);
  }
  for (Correlation& other : push(join.inputs[1])) {
    if (const Correlation* known = find(correlations, *other.outer)) {
      join.conditions.push_back(sameValue(Expression::column(known->local), Expression::column(other.local),
                                          known->is_null_safe || other.is_null_safe));
      continue;
    }
    substitute(other.outer, correlations, join.inputs[0]);
    join.conditions.push_back(sameValue(std::move(other.outer), Expression::column(other.local), other.is_null_safe));
  }
  std::vector<ExpressionPtr*> expressions = addressesOf(join.conditions);
  if (join.compared) expressions.push_back(&join.compared);
  substituteAll(expressions, correlations, join.inputs[0]);
  return correlations;
}

/// Both inputs say to which outer rows theirs belong, and so does whichever has a row above the join.
Correlations Decorrelator::pushFullJoin(OperatorPtr& op) {
  auto& join = static_cast<Join&>(*op);
  const std::vector<Iu> units = outerUnits(join);
  Correlations left = ofUnits(push(join.inputs[0]), units, join.inputs[0]);
  Correlations right = ofUnits(push(join.inputs[1]), units, join.inputs[1]);
  substituteAll(addressesOf(join.conditions), left, join.inputs[0]);
  Correlations result;
  auto map = std::make_unique<Map>();
  for (const Iu unit : units) {
    ExpressionPtr identity = identityOf(Expression::column(unit));
    const Iu sides[] = {find(left, *identity)->local, find(right, *identity)->local};
    join.conditions.push_back(sameValue(Expression::column(sides[0]), Expression::column(sides[1]), true));
    auto either = std::make_unique<Expression>();
    either->kind = Expression::Kind::Coalesce;
    either->type = identity->type;
    for (const size_t side : {size_t{0}, size_t{1}}) {
      auto& extended = side == 0 ? join.left_extended : join.null_extended;
      extended.emplace_back(sides[side], plan_.makeUnit(unit->name, identity->type, true));
      either->children.push_back(Expression::column(extended.back().second));
    }
    const Iu local = plan_.makeUnit(unit->name, identity->type, true);
    map->computed.push_back({local, std::move(either)});
    result.push_back({std::move(identity), local, true});
  }
  map->inputs.push_back(std::move(op));
  op = std::move(map);
  return result;
}

Correlations Decorrelator::pushGroups(Aggregation& aggregation) {
  Correlations correlations = push(aggregation.inputs[0]);
  std::vector<ExpressionPtr*> expressions;
  for (Aggregation::Key& key : aggregation.keys) expressions.push_back(&key.expression);
  for (Aggregation::Aggregate& aggregate : aggregation.aggregates)
    for (ExpressionPtr* argument : {&aggregate.argument, &aggregate.second})
      if (*argument) expressions.push_back(argument);
  substituteAll(expressions, correlations, aggregation.inputs[0]);
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

/// Rows of other outer rows are another partition.
Correlations Decorrelator::pushWindow(Window& window) {
  Correlations correlations = push(window.inputs[0]);
  substituteAll(expressionsOf(window), correlations, window.inputs[0]);
  for (const Correlation& correlation : correlations) window.partition.push_back(Expression::column(correlation.local));
  return correlations;
}

/// Rows are numbered for each outer row in the order in which the limit counts them.
Correlations Decorrelator::pushLimit(OperatorPtr& op) {
  auto& limit = static_cast<Limit&>(*op);
  for (const ExpressionPtr* count : {&limit.limit, &limit.offset})
    if (*count && (*count)->isVolatile()) refuse("a volatile LIMIT in a correlated subquery");
  auto window = std::make_unique<Window>();
  window->inputs.push_back(std::move(limit.inputs[0]));
  OperatorPtr* ordered = &window->inputs[0];
  while ((*ordered)->kind == Kind::Map) ordered = &(*ordered)->inputs[0];
  if ((*ordered)->kind == Kind::Sort) {
    auto& sort = static_cast<Sort&>(**ordered);
    if (sort.limit || sort.offset) refuse("LIMIT in a correlated subquery");
    window->order = std::move(sort.keys);
    OperatorPtr below = std::move(sort.inputs[0]);
    *ordered = std::move(below);
  }
  const Iu number = plan_.makeUnit("row_number", Type::of(TypeKind::Bigint), false);
  window->functions.push_back({number, WindowFunctionId::RowNumber, {}, {}, {}});
  const ExpressionPtr count = limit.limit ? checkedLimit(std::move(limit.limit)) : nullptr;
  const ExpressionPtr offset = limit.offset ? checkedOffset(std::move(limit.offset)) : nullptr;
  Predicates conditions = limitConditions(number, number, count.get(), offset.get());
  Correlations correlations = pushWindow(*window);
  op = selected(std::move(window), std::move(conditions));
  return correlations;
}

Correlations Decorrelator::ofUnits(Correlations correlations, const std::vector<Iu>& units, OperatorPtr& input) {
  Correlations result;
  std::vector<Iu> missing;
  for (const Iu unit : units) {
    const ExpressionPtr identity = identityOf(Expression::column(unit));
    const auto found = std::ranges::find_if(correlations, [&](const Correlation& correlation) {
      return correlation.outer->equals(*identity) && (correlation.is_null_safe || standsFor(correlation, false));
    });
    if (found == correlations.end()) {
      missing.push_back(unit);
      continue;
    }
    result.push_back(std::move(*found));
    correlations.erase(found);
  }
  if (!missing.empty()) addDomain(missing, result, input);
  Predicates conditions;
  for (Correlation& other : correlations) {
    substitute(other.outer, result, input);
    conditions.push_back(sameValue(std::move(other.outer), Expression::column(other.local), other.is_null_safe));
  }
  if (!conditions.empty()) input = selected(std::move(input), std::move(conditions));
  return result;
}

/// A group that is there for each value of the domain, whether it has rows or not.
Correlations Decorrelator::pushOneGroup(OperatorPtr& op) {
  auto& groups = static_cast<Aggregation&>(*op);
  Correlations inner = pushGroups(groups);
  std::vector<Iu> units;
  for (const Correlation& correlation : inner)
    for (const Iu unit : outerUnits(*correlation.outer))
      if (std::ranges::find(units, unit) == units.end()) units.push_back(unit);
  std::vector<Iu> copies;
  auto join = std::make_unique<Join>();
  join->join_kind = JoinKind::LeftOuter;
  join->inputs.push_back(domain_.values(units, copies));
  Correlations correlations;
  for (size_t i = 0; i < units.size(); ++i) correlations.push_back({Expression::column(units[i]), copies[i], true});
  for (Correlation& correlation : inner) {
    substitute(correlation.outer, correlations, join->inputs[0]);
    join->conditions.push_back(
        sameValue(std::move(correlation.outer), Expression::column(correlation.local), correlation.is_null_safe));
  }
  join->inputs.push_back(std::move(op));
  auto map = std::make_unique<Map>();
  map->computed = extendGroups(plan_, *join, groups);
  map->inputs.push_back(std::move(join));
  op = std::move(map);
  return correlations;
}

void Decorrelator::addWidened(const Operator& op, std::vector<Iu>& units) const {
  for (const OperatorPtr& input : op.inputs) addWidened(*input, units);
  if (op.kind != Kind::WorkingScan) return;
  for (const Widened& widened : recursions_)
    if (widened.recursion == static_cast<const WorkingScan&>(op).recursion)
      units.insert(units.end(), widened.units.begin(), widened.units.end());
}

/// Those that the tree reads, or that working rows in it belong to.
std::vector<Iu> Decorrelator::outerUnits(Operator& op) const {
  std::vector<Iu> units;
  for (const Iu unit : freeUnits(op))
    if (outer_.contains(unit)) units.push_back(unit);
  addWidened(op, units);
  std::ranges::sort(units, {}, &InformationUnit::id);
  units.erase(std::ranges::unique(units).begin(), units.end());
  return units;
}

void Decorrelator::addUnits(OperatorPtr& input, std::vector<ExpressionPtr>& values, const std::vector<Iu>& units) {
  Correlations own = ofUnits(push(input), units, input);
  for (ExpressionPtr& value : values) substitute(value, own, input);
  for (const Iu unit : units)
    values.push_back(Expression::column(find(own, *identityOf(Expression::column(unit)))->local));
}

/// Each input gets the same outer units as further columns.
Correlations Decorrelator::pushUnion(OperatorPtr& op) {
  auto& node = static_cast<Union&>(*op);
  const std::vector<Iu> units = outerUnits(node);
  for (size_t i = 0; i < node.inputs.size(); ++i) addUnits(node.inputs[i], node.values[i], units);
  Correlations result;
  for (const Iu unit : units) {
    ExpressionPtr identity = identityOf(Expression::column(unit));
    node.columns.push_back(plan_.makeUnit(unit->name, identity->type, true));
    result.push_back({std::move(identity), node.columns.back(), true});
  }
  return result;
}

/// The rows of all outer rows at once: each says which one it belongs to, and so do those that are made from it.
Correlations Decorrelator::pushRecursion(OperatorPtr& op) {
  auto& recursion = static_cast<Recursion&>(*op);
  const std::vector<Iu> units = outerUnits(recursion);
  const size_t first = recursion.columns.size();
  Correlations result;
  for (const Iu unit : units) {
    ExpressionPtr identity = identityOf(Expression::column(unit));
    recursion.columns.push_back(plan_.makeUnit(unit->name, identity->type, true));
    result.push_back({std::move(identity), recursion.columns.back(), true});
  }
  addUnits(recursion.inputs[0], recursion.values[0], units);
  recursions_.push_back({&recursion, units, first});
  addUnits(recursion.inputs[1], recursion.values[1], units);
  recursions_.pop_back();
  if (!freeUnits(recursion).empty() || readsWorkingRows(recursion)) return result;
  // What is above knows the columns by their units.
  const std::vector<Iu> seen = recursion.columns;
  for (Iu& column : recursion.columns) column = plan_.makeUnit(column->name, column->type, column->nullable);
  op = domain_.once(std::move(op), seen);
  return result;
}

Correlations Decorrelator::pushWorking(WorkingScan& scan) {
  Correlations result;
  for (const Widened& widened : recursions_) {
    if (widened.recursion != scan.recursion) continue;
    for (size_t i = 0; i < widened.units.size(); ++i) {
      ExpressionPtr identity = identityOf(Expression::column(widened.units[i]));
      const Iu copy = plan_.makeUnit(widened.units[i]->name, identity->type, true);
      scan.columns.push_back({widened.first + i, copy});
      result.push_back({std::move(identity), copy, true});
    }
  }
  return result;
}

/// It reads outer units, or rows that belong to outer rows.
bool Decorrelator::belongsToOuter(Operator& op) const {
  if (readsOuter(op, outer_)) return true;
  std::vector<Iu> widened;
  addWidened(op, widened);
  return !widened.empty();
}

Correlations Decorrelator::push(OperatorPtr& op) {
  if (!belongsToOuter(*op)) return {};
  switch (op->kind) {
    case Kind::Selection:
      return pushSelection(static_cast<Selection&>(*op));
    case Kind::Join:
      if (static_cast<Join&>(*op).join_kind == JoinKind::Inner) return pushInnerJoin(op);
      if (static_cast<Join&>(*op).join_kind == JoinKind::FullOuter) return pushFullJoin(op);
      return pushJoin(static_cast<Join&>(*op));
    case Kind::Aggregation:
      if (static_cast<Aggregation&>(*op).keys.empty()) return pushOneGroup(op);
      return pushGroups(static_cast<Aggregation&>(*op));
    case Kind::Union:
      return pushUnion(op);
    case Kind::Recursion:
      return pushRecursion(op);
    case Kind::WorkingScan:
      return pushWorking(static_cast<WorkingScan&>(*op));
    case Kind::Window:
      return pushWindow(static_cast<Window&>(*op));
    case Kind::Sort:
      if (static_cast<Sort&>(*op).limit || static_cast<Sort&>(*op).offset) refuse("LIMIT in a correlated subquery");
      break;
    case Kind::Map:
    case Kind::ProjectSet:
      break;
    case Kind::Limit:
      return pushLimit(op);
    default:
      refuse("this kind of correlated subquery");
  }
  Correlations correlations = push(op->inputs[0]);
  substituteAll(expressionsOf(*op), correlations, op->inputs[0]);
  return correlations;
}

}  // namespace

ExpressionPtr identityOf(ExpressionPtr value) {
  if (isIdentifiedByEquality(value->type)) return value;
  std::vector<ExpressionPtr> arguments;
  arguments.push_back(std::move(value));
  return Expression::arrayCall(jsonFunctionNamed("$bytes"), Type::of(TypeKind::Bytea), std::move(arguments));
}

ExpressionPtr ofIdentity(ExpressionPtr identity, Type type) {
  if (identity->type == type) return identity;
  std::vector<ExpressionPtr> arguments;
  arguments.push_back(std::move(identity));
  return Expression::arrayCall(jsonFunctionNamed("$of_bytes"), type, std::move(arguments));
}

ExpressionPtr conditionOf(const Correlation& correlation) {
  return sameValue(correlation.outer->clone(), Expression::column(correlation.local), correlation.is_null_safe);
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
      if (join.join_kind == JoinKind::FullOuter) return;
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

std::vector<Correlation> decorrelate(Plan& plan, OperatorPtr& op, const UnitSet& outer, Domain& domain) {
  return Decorrelator(plan, outer, domain).push(op);
}

std::vector<Correlation> decorrelateGroups(Plan& plan, Aggregation& aggregation, const UnitSet& outer, Domain& domain) {
  return Decorrelator(plan, outer, domain).pushGroups(aggregation);
}

Iu extendedUnit(Plan& plan, Join& join, Iu below) {
  for (const auto& [low, high] : join.null_extended)
    if (low == below) return high;
  const Iu above = plan.makeUnit(below->name, below->type, true);
  join.null_extended.emplace_back(below, above);
  return above;
}

std::vector<Map::Computed> extendGroups(Plan& plan, Join& join, Aggregation& groups) {
  std::vector<Map::Computed> values;
  for (Aggregation::Aggregate& aggregate : groups.aggregates) {
    const Iu seen = std::exchange(aggregate.iu, plan.makeUnit(aggregate.iu->name, aggregate.iu->type, true));
    ExpressionPtr value = Expression::column(extendedUnit(plan, join, aggregate.iu));
    if (isCount(aggregate.function)) {
      auto count = std::make_unique<Expression>();
      count->kind = Expression::Kind::Coalesce;
      count->type = seen->type;
      count->nullable = false;
      count->children.push_back(std::move(value));
      count->children.push_back(Expression::constant(Value::fromInt(seen->type, 0)));
      value = std::move(count);
    }
    values.push_back({seen, std::move(value)});
  }
  return values;
}

}  // namespace gnomon::sql
