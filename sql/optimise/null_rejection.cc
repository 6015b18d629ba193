#include "sql/optimise/null_rejection.h"

#include <algorithm>

namespace gnomon::sql {
namespace {

using Kind = Expression::Kind;

bool isNull(const Expression& expression, const UnitSet& units);
bool isNotFalse(const Expression& expression, const UnitSet& units);

bool any(const Expression& expression, const UnitSet& units, bool (*holds)(const Expression&, const UnitSet&)) {
  return std::ranges::any_of(expression.children, [&](const ExpressionPtr& child) { return holds(*child, units); });
}

bool all(const Expression& expression, const UnitSet& units, bool (*holds)(const Expression&, const UnitSet&)) {
  return std::ranges::all_of(expression.children, [&](const ExpressionPtr& child) { return holds(*child, units); });
}

/// The value is surely NULL when the units are. Every call is strict.
bool isNull(const Expression& expression, const UnitSet& units) {
  switch (expression.kind) {
    case Kind::Constant:
      return expression.value.is_null;
    case Kind::Column:
      return units.contains(expression.iu);
    case Kind::Call:
      return any(expression, units, isNull);
    case Kind::Cast:
    case Kind::Not:
    case Kind::InList:
      return isNull(*expression.children[0], units);
    case Kind::And:
    case Kind::Or:
    case Kind::Coalesce:
    case Kind::Greatest:
    case Kind::Least:
      return all(expression, units, isNull);
    default:
      return false;
  }
}

bool isNotTrue(const Expression& expression, const UnitSet& units) {
  if (isNull(expression, units)) return true;
  switch (expression.kind) {
    case Kind::Constant:
      return isRejectingConstant(expression);
    case Kind::And:
      return any(expression, units, isNotTrue);
    case Kind::Or:
      return all(expression, units, isNotTrue);
    case Kind::Not:
    case Kind::IsFalse:
      return isNotFalse(*expression.children[0], units);
    case Kind::IsTrue:
      return isNotTrue(*expression.children[0], units);
    case Kind::AnyOf:
      return isNull(*expression.children[0], units) || isNull(*expression.children[1], units);
    case Kind::IsNotNull:
      return isNull(*expression.children[0], units);
    default:
      return false;
  }
}

bool isNotFalse(const Expression& expression, const UnitSet& units) {
  if (isNull(expression, units)) return true;
  switch (expression.kind) {
    case Kind::Constant:
      return isTrueConstant(expression);
    case Kind::And:
      return all(expression, units, isNotFalse);
    case Kind::Or:
      return any(expression, units, isNotFalse);
    case Kind::Not:
    case Kind::IsNotTrue:
      return isNotTrue(*expression.children[0], units);
    case Kind::IsNotFalse:
      return isNotFalse(*expression.children[0], units);
    case Kind::IsNull:
      return isNull(*expression.children[0], units);
    default:
      return false;
  }
}

}  // namespace

bool rejectsNulls(const Expression& predicate, const UnitSet& units) {
  return isNotTrue(predicate, units);
}

}  // namespace gnomon::sql
