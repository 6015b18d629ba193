#include "sql/functions/numeric_typing.h"

#include <algorithm>

#include "base/assert.h"
#include "sql/types/big_numeric.h"
#include "sql/types/decimal.h"

namespace gnomon::sql {
namespace {

int integerDigits(Type type) {
  return type.precision - type.scale;
}

/// What is computed from values that may be NaN is Big, too.
bool isAsBig(Type type) {
  return type.isBig() || type.may_be_nan != 0;
}

bool anyBig(std::span<const Type> types) {
  return std::ranges::any_of(types, isAsBig);
}

constexpr unsigned kSmallintDigits = 5;
constexpr unsigned kIntegerDigits = 10;
constexpr unsigned kBigintDigits = 19;

}  // namespace

Type NumericTyping::limited(int precision, int scale) const {
  if (scale < 0) return Type::bigNumeric();
  precision = std::max({precision, scale, 1});
  if (unlimited_ && precision > static_cast<int>(Type::kWideDigitsMax)) return Type::bigNumeric();
  return Type::decimal(static_cast<unsigned>(precision), static_cast<unsigned>(scale));
}

Type NumericTyping::result(ResultRule rule, std::span<const Type> arguments, std::optional<int64_t> digits) const {
  if (anyBig(arguments) || rule == ResultRule::Big || rule == ResultRule::Quotient) return Type::bigNumeric();
  const Type left = arguments[0];
  const Type right = arguments.size() > 1 ? arguments[1] : left;
  const int scale = std::max(left.scale, right.scale);
  const int before_point = std::max(integerDigits(left), integerDigits(right));
  switch (rule) {
    case ResultRule::Sum:
      return limited(before_point + scale + 1, scale);
    case ResultRule::Product:
      return limited(left.precision + right.precision, left.scale + right.scale);
    case ResultRule::Remainder:
      return limited(before_point + scale, scale);
    case ResultRule::Same:
      return limited(left.precision, left.scale);
    case ResultRule::Integral:
      return limited(integerDigits(left) + 1, 0);
    case ResultRule::Digits:
      if (!digits || *digits < 0 || *digits > static_cast<int64_t>(Type::kScaleMax)) return Type::bigNumeric();
      return limited(integerDigits(left) + static_cast<int>(*digits) + 1, static_cast<int>(*digits));
    case ResultRule::Sign:
      return limited(1, 0);
    default:
      return Type::bigNumeric();
  }
}

Type NumericTyping::aggregate(AggregateId function, Type argument) const {
  static constexpr int kCountDigits = 10;
  const int digits_max = static_cast<int>(Type::kWideDigitsMax);
  const bool chooses = function != AggregateId::Average && function != AggregateId::Sum;
  if (function == AggregateId::Average || argument.isBig() || (!chooses && isAsBig(argument)))
    return Type::bigNumeric();
  if (function == AggregateId::Sum) {
    if (argument.kind == TypeKind::Bigint) return limited(digits_max, 0);
    return limited(argument.precision + kCountDigits <= digits_max ? digits_max : digits_max + 1, argument.scale);
  }
  return limited(argument.precision, argument.scale).withNan(argument.may_be_nan != 0);
}

Type NumericTyping::common(Type left, Type right) const {
  const bool may_be_nan = left.may_be_nan != 0 || right.may_be_nan != 0;
  if (may_be_nan)
    return left.form == right.form && left.scale == right.scale
               ? limited(std::max(left.precision, right.precision), left.scale).withNan(true)
               : Type::bigNumeric();
  if (left.isBig() || right.isBig() || left.scale != right.scale) return Type::bigNumeric();
  return limited(std::max(left.precision, right.precision), left.scale);
}

Type NumericTyping::fromKind(Type source) {
  switch (source.kind) {
    case TypeKind::Smallint:
      return Type::decimal(kSmallintDigits, 0);
    case TypeKind::Integer:
      return Type::decimal(kIntegerDigits, 0);
    case TypeKind::Bigint:
      return Type::decimal(kBigintDigits, 0);
    case TypeKind::Numeric:
      source.typmod = -1;
      return source;
    default:
      return Type::bigNumeric();
  }
}

Value NumericTyping::constant(const Value& big) {
  ASSERT(big.type.isBig(), "a Big numeric");
  if (big.is_null) return Value::null(Type::decimal(1, 0));
  const BigNumeric number = BigNumeric::decode(big.bytes);
  int128 scaled = 0;
  if (number.scale() > Type::kScaleMax || !number.toScaled(number.scale(), scaled)) return big;
  const unsigned precision = std::max({countDigits(scaled), number.scale(), 1u});
  if (precision > Type::kWideDigitsMax) return big;
  return Value::fromInt128(Type::decimal(precision, number.scale()), scaled);
}

}  // namespace gnomon::sql
