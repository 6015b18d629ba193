#pragma once

#include <optional>
#include <span>

#include "sql/functions/function_registry.h"
#include "sql/types/type.h"
#include "sql/types/value.h"

namespace gnomon::sql {

/// Which numeric types operations have: static scales wherever PostgreSQL's display scale follows from the types alone,
/// Big where it depends on the values. `unlimited`: what would need over 38 digits is Big instead of checked Wide.
///
/// Rules (p, s: precision and scale of the arguments):
///   N1  one Big argument makes everything Big, and so does one that may be NaN, but for those that are chosen among
///   N2  add, subtract: scale max(s1, s2), digits before the point max(p1 - s1, p2 - s2) + 1
///   N3  multiply: p1 + p2, s1 + s2
///   N4  modulo: scale max(s1, s2); negate, absolute: unchanged
///   N5  round(x), trunc(x), ceil, floor: scale 0; with a constant n >= 0: scale n; with any other n: Big
///   N6  divide, power, sqrt, exp, ln, log: Big
class NumericTyping {
 public:
  explicit NumericTyping(bool unlimited) : unlimited_(unlimited) {}

  /// The numeric type of a call by the signature's rule. `arguments`: their types, all Numeric where the signature says
  /// so; `digits`: the second argument of Digits when it is a constant.
  [[nodiscard]] Type result(ResultRule rule, std::span<const Type> arguments, std::optional<int64_t> digits) const;
  /// sum, avg, min, max over an argument of this type (bigint or numeric for sum; min, max: numeric).
  [[nodiscard]] Type aggregate(AggregateId function, Type argument) const;
  /// The one type for values that meet in a column (CASE, COALESCE, VALUES): equal scales stay, others become Big.
  [[nodiscard]] Type common(Type left, Type right) const;

  /// The type in which a value of this type becomes a numeric without modifier: decimal(10,0) for integer.
  static Type fromKind(Type source);
  /// A numeric constant with the precision of its digits; Big when that is over 38. NULL: one digit.
  static Value constant(const Value& big);

 private:
  [[nodiscard]] Type limited(int precision, int scale) const;

  const bool unlimited_;
};

}  // namespace gnomon::sql
