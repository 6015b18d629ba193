#include "sql/optimise/implication.h"

#include <algorithm>

#include "sql/algebra/rewrite.h"
#include "sql/optimise/constant_folding.h"
#include "sql/optimise/null_rejection.h"

namespace gnomon::sql {
namespace {

using Kind = Expression::Kind;

bool isValue(const Expression& expression) {
  return expression.kind == Kind::Constant && !expression.value.is_null;
}

/// A comparison with a constant on the right.
bool comparesWithValue(const Expression& expression) {
  return isComparison(expression) && isValue(*expression.children[1]);
}

/// Whether the claim is TRUE where `subject` has this value.
bool holdsFor(const Expression& claim, const Expression& subject, const Value& value) {
  const auto holds = [&](const ExpressionPtr& child) { return holdsFor(*child, subject, value); };
  switch (claim.kind) {
    case Kind::And:
      return std::ranges::all_of(claim.children, holds);
    case Kind::Or:
      return std::ranges::any_of(claim.children, holds);
    case Kind::IsNotNull:
      return claim.children[0]->equals(subject);
    case Kind::InList:
      if (!claim.children[0]->equals(subject)) return false;
      return std::any_of(claim.children.begin() + 1, claim.children.end(), [&](const ExpressionPtr& item) {
        return isValue(*item) && compareValues(value, item->value) == 0;
      });
    default: {
      if (!comparesWithValue(claim) || !claim.children[0]->equals(subject)) return false;
      const auto order = compareValues(value, claim.children[1]->value);
      return order && comparisonHolds(claim.function, *order);
    }
  }
}

/// Whether x `fact` y implies x `claim` z, where y and z are in this order.
bool rangeImplies(FunctionId fact, FunctionId claim, int order) {
  switch (fact) {
    case FunctionId::Greater:
    case FunctionId::GreaterEqual: {
      const bool is_above = order > 0 || (order == 0 && fact == FunctionId::Greater);
      if (claim == FunctionId::GreaterEqual) return order >= 0;
      return is_above && (claim == FunctionId::Greater || claim == FunctionId::NotEqual);
    }
    case FunctionId::Less:
    case FunctionId::LessEqual: {
      const bool is_below = order < 0 || (order == 0 && fact == FunctionId::Less);
      if (claim == FunctionId::LessEqual) return order <= 0;
      return is_below && (claim == FunctionId::Less || claim == FunctionId::NotEqual);
    }
    case FunctionId::NotEqual:
      return order == 0 && claim == FunctionId::NotEqual;
    default:
      return false;
  }
}

/// Whether the expression is NULL wherever `subject` is. Calls and casts are strict.
bool isNullWith(const Expression& expression, const Expression& subject) {
  if (expression.equals(subject)) return true;
  switch (expression.kind) {
    case Kind::Call:
      return std::ranges::any_of(expression.children,
                                 [&](const ExpressionPtr& child) { return isNullWith(*child, subject); });
    case Kind::Cast:
    case Kind::Not:
    case Kind::InList:
      return isNullWith(*expression.children[0], subject);
    default:
      return false;
  }
}

bool factImpliesComparison(const Expression& fact, const Expression& claim) {
  if (!comparesWithValue(fact) || !comparesWithValue(claim)) return false;
  if (!fact.children[0]->equals(*claim.children[0])) return false;
  const auto order = compareValues(fact.children[1]->value, claim.children[1]->value);
  return order && rangeImplies(fact.function, claim.function, *order);
}

bool factImpliesNotNull(const Expression& fact, const Expression& subject) {
  if (subject.kind == Kind::Column) return rejectsNulls(fact, {subject.iu});
  return isNullWith(fact, subject);
}

/// Looks for a proof, and gives up after a number of steps that predicates as people write them stay far below.
class Prover {
 public:
  bool implies(const std::vector<ExpressionPtr>& facts, const Expression& claim) {
    if (isTrueConstant(claim)) return true;
    if (std::ranges::any_of(facts, [&](const ExpressionPtr& fact) { return fact->equals(claim); })) return true;
    const auto isImplied = [&](const ExpressionPtr& child) { return implies(facts, *child); };
    if (claim.kind == Kind::And) return std::ranges::all_of(claim.children, isImplied);
    if (claim.kind == Kind::Or && std::ranges::any_of(claim.children, isImplied)) return true;
    return std::ranges::any_of(facts, [&](const ExpressionPtr& fact) { return factImplies(*fact, claim); });
  }

 private:
  static constexpr size_t kStepsMax = 100'000;

  bool take(size_t steps) {
    if (steps > steps_left_) steps_left_ = 0;
    if (steps_left_ == 0) return false;
    steps_left_ -= steps;
    return true;
  }

  bool factImplies(const Expression& fact, const Expression& claim) {
    if (!take(1)) return false;
    if (fact.equals(claim)) return true;
    const auto impliesClaim = [&](const ExpressionPtr& child) { return factImplies(*child, claim); };
    const auto isImplied = [&](const ExpressionPtr& child) { return factImplies(fact, *child); };
    if (fact.kind == Kind::Or && std::ranges::all_of(fact.children, impliesClaim)) return true;
    if (fact.kind == Kind::And && std::ranges::any_of(fact.children, impliesClaim)) return true;
    if (valuesImply(fact, claim)) return true;
    switch (claim.kind) {
      case Kind::And:
        return std::ranges::all_of(claim.children, isImplied);
      case Kind::Or:
        return std::ranges::any_of(claim.children, isImplied);
      case Kind::IsTrue:
      case Kind::IsNotFalse:
        return isImplied(claim.children[0]);
      case Kind::IsNotNull:
        return factImpliesNotNull(fact, *claim.children[0]);
      default:
        return factImpliesComparison(fact, claim);
    }
  }

  /// Of a fact that holds its subject to some values: the claim is TRUE for each of them.
  bool valuesImply(const Expression& fact, const Expression& claim) {
    const bool is_equality = isEquality(fact) && isValue(*fact.children[1]);
    if (!is_equality && fact.kind != Kind::InList) return false;
    const Expression& subject = *fact.children[0];
    if (!take((fact.children.size() - 1) * nodeCount(claim))) return false;
    return std::all_of(fact.children.begin() + 1, fact.children.end(), [&](const ExpressionPtr& item) {
      if (item->kind != Kind::Constant) return false;
      // A NULL in the list makes nothing TRUE.
      return item->value.is_null || holdsFor(claim, subject, item->value);
    });
  }

  size_t steps_left_ = kStepsMax;
};

}  // namespace

bool implies(const std::vector<ExpressionPtr>& facts, const Expression& claim) {
  return Prover().implies(facts, claim);
}

}  // namespace gnomon::sql
