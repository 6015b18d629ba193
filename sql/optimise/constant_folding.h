#pragma once

#include <optional>

#include "sql/algebra/expression.h"

namespace gnomon::sql {

/// The value of a call with constant arguments: comparisons and arithmetic on integers, scaled decimals, dates,
/// timestamps and intervals, and equality of texts. None: another function, or one that would raise an error, which is
/// then raised where and when the expression is evaluated.
std::optional<Value> foldCall(const Expression& call);

/// -1, 0, 1: the order of two values, neither NULL, as comparisons see it; char(n) without its trailing blanks. None:
/// of types that are not compared here.
std::optional<int> compareValues(const Value& left, const Value& right);
/// Whether the comparison function is TRUE for values in this order.
bool comparisonHolds(FunctionId function, int order);

/// The value of a cast of a constant that is not a text; none when it would raise an error.
std::optional<Value> foldCast(const Expression& cast);

/// Puts a comparison with a constant in the form that is cheapest to evaluate, with the same result for every input:
/// the constant on the right, of two columns the earlier unit on the left; no widening cast of a date or an integer on
/// the left; the constant at the left's decimal scale.
void normaliseComparison(Expression& comparison);

}  // namespace gnomon::sql
