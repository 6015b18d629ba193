#include "sql/optimise/constant_folding.h"

#include <bit>

#include "base/sql_error.h"
#include "sql/algebra/rewrite.h"
#include "sql/types/big_numeric.h"
#include "sql/types/cast.h"
#include "sql/types/date.h"
#include "sql/types/decimal.h"
#include "sql/types/floating.h"
#include "sql/types/text.h"
#include "sql/types/timestamp.h"
#include "sql/types/timestamptz.h"

namespace gnomon::sql {
namespace {

using Kind = Expression::Kind;

int128 scaledValue(const Value& value) {
  return value.type.form == NumericForm::Small ? int128{value.asInt()} : value.asInt128();
}

Value decimalValue(Type type, int128 number) {
  return type.form == NumericForm::Small ? Value::fromInt(type, static_cast<int64_t>(number))
                                         : Value::fromInt128(type, number);
}

Interval intervalOf(const Value& value) {
  return Interval::fromBits(value.lo, value.hi);
}

Value intervalValue(Type type, Interval interval) {
  return {type, false, interval.lo(), interval.hi(), {}};
}

template <typename Number>
int order(const Number& left, const Number& right) {
  return left < right ? -1 : (right < left ? 1 : 0);
}

std::optional<int> compareDecimals(const Value& left, const Value& right) {
  if (left.type.may_be_nan != 0 || right.type.may_be_nan != 0) return std::nullopt;
  const unsigned scale = std::max(left.type.scale, right.type.scale);
  int128 one;
  int128 two;
  if (!rescale(scaledValue(left), left.type.scale, scale, one)) return std::nullopt;
  if (!rescale(scaledValue(right), right.type.scale, scale, two)) return std::nullopt;
  return order(one, two);
}

std::optional<Value> foldComparison(const Expression& call) {
  const Value& left = call.children[0]->value;
  const bool only_equality = call.function == FunctionId::Equal || call.function == FunctionId::NotEqual;
  if (!only_equality && left.type.isByteString()) return std::nullopt;
  if (left.type.isFloat() || left.type.isBig() || left.type.kind == TypeKind::Char) return std::nullopt;
  const auto order = compareValues(left, call.children[1]->value);
  if (!order) return std::nullopt;
  return Value::fromInt(Type::of(TypeKind::Boolean), comparisonHolds(call.function, *order) ? 1 : 0);
}

bool fitsInteger(TypeKind kind, int64_t number) {
  if (kind == TypeKind::Smallint) return number >= INT16_MIN && number <= INT16_MAX;
  if (kind == TypeKind::Integer) return number >= INT32_MIN && number <= INT32_MAX;
  return true;
}

std::optional<Value> foldIntegers(FunctionId function, Type type, int64_t left, int64_t right) {
  int64_t result = 0;
  bool overflow = false;
  switch (function) {
    case FunctionId::Add:
      overflow = __builtin_add_overflow(left, right, &result);
      break;
    case FunctionId::Subtract:
      overflow = __builtin_sub_overflow(left, right, &result);
      break;
    case FunctionId::Multiply:
      overflow = __builtin_mul_overflow(left, right, &result);
      break;
    default:
      return std::nullopt;
  }
  if (overflow || !fitsInteger(type.kind, result)) return std::nullopt;
  return Value::fromInt(type, result);
}

/// Scales must be those the result's type has, so that the result is displayed as it would be.
std::optional<Value> foldDecimals(FunctionId function, Type type, const Value& left, const Value& right) {
  if (!type.isFixedNumeric()) return std::nullopt;
  int128 one = scaledValue(left);
  int128 two = scaledValue(right);
  int128 result = 0;
  bool overflow = false;
  if (function == FunctionId::Multiply) {
    if (left.type.scale + right.type.scale != type.scale) return std::nullopt;
    overflow = __builtin_mul_overflow(one, two, &result);
  } else if (function == FunctionId::Add || function == FunctionId::Subtract) {
    if (std::max(left.type.scale, right.type.scale) != type.scale) return std::nullopt;
    if (!rescale(one, left.type.scale, type.scale, one)) return std::nullopt;
    if (!rescale(two, right.type.scale, type.scale, two)) return std::nullopt;
    overflow = function == FunctionId::Add ? __builtin_add_overflow(one, two, &result)
                                           : __builtin_sub_overflow(one, two, &result);
  } else {
    return std::nullopt;
  }
  const unsigned digits_max = type.form == NumericForm::Small ? Type::kSmallDigitsMax : Type::kWideDigitsMax;
  if (overflow || countDigits(result) > digits_max) return std::nullopt;
  return decimalValue(type, result);
}

std::optional<Value> foldWithInterval(const Expression& call, const Value& base, const Value& interval) {
  const bool adds = call.function == FunctionId::Add;
  if (call.type.kind == TypeKind::TimestampTz && base.type.kind == TypeKind::TimestampTz)
    return Value::fromInt(call.type, adds ? addIntervalToUtc(base.asInt(), intervalOf(interval))
                                          : subtractIntervalFromUtc(base.asInt(), intervalOf(interval)));
  if (call.type.kind != TypeKind::Timestamp) return std::nullopt;
  if (base.type.kind == TypeKind::Date) {
    const auto date = static_cast<int32_t>(base.asInt());
    return Value::fromInt(call.type, adds ? addIntervalToDate(date, intervalOf(interval))
                                          : subtractIntervalFromDate(date, intervalOf(interval)));
  }
  if (base.type.kind != TypeKind::Timestamp) return std::nullopt;
  return Value::fromInt(call.type, adds ? addInterval(base.asInt(), intervalOf(interval))
                                        : subtractInterval(base.asInt(), intervalOf(interval)));
}

std::optional<Value> foldTimes(const Expression& call, const Value& left, const Value& right) {
  const TypeKind one = left.type.kind;
  const TypeKind two = right.type.kind;
  const bool adds = call.function == FunctionId::Add;
  if (!adds && call.function != FunctionId::Subtract) return std::nullopt;
  if (one == TypeKind::Interval && two == TypeKind::Interval)
    return intervalValue(call.type, adds ? addIntervals(intervalOf(left), intervalOf(right))
                                         : subtractIntervals(intervalOf(left), intervalOf(right)));
  if (two == TypeKind::Interval) return foldWithInterval(call, left, right);
  if (one == TypeKind::Interval && adds) return foldWithInterval(call, right, left);
  if (one == TypeKind::Date && two == TypeKind::Integer && call.type.kind == TypeKind::Date)
    return Value::fromInt(call.type,
                          addDays(static_cast<int32_t>(left.asInt()), adds ? right.asInt() : -right.asInt()));
  if (one == TypeKind::Date && two == TypeKind::Date && !adds && call.type.kind == TypeKind::Integer)
    return Value::fromInt(call.type,
                          subtractDates(static_cast<int32_t>(left.asInt()), static_cast<int32_t>(right.asInt())));
  return std::nullopt;
}

std::optional<Value> foldArithmetic(const Expression& call) {
  const Value& left = call.children[0]->value;
  const Value& right = call.children[1]->value;
  if (left.type.isInteger() && right.type.kind == left.type.kind && call.type.kind == left.type.kind)
    return foldIntegers(call.function, call.type, left.asInt(), right.asInt());
  if (left.type.isFixedNumeric() && right.type.isFixedNumeric())
    return foldDecimals(call.function, call.type, left, right);
  return foldTimes(call, left, right);
}

/// A comparison of a date made a timestamp with a timestamp constant, on the date itself. False: not expressible.
bool compareAsDate(FunctionId& function, int64_t timestamp, int32_t& date) {
  if (!isFiniteTimestamp(timestamp)) return false;
  date = timestampDays(timestamp);
  if (timestampTimeOfDay(timestamp) == 0) return true;
  switch (function) {
    case FunctionId::Less:
    case FunctionId::LessEqual:
      function = FunctionId::LessEqual;
      return true;
    case FunctionId::Greater:
    case FunctionId::GreaterEqual:
      function = FunctionId::Greater;
      return true;
    default:
      return false;
  }
}

/// x::bigint < 5 as x < 5, x::timestamp < '...' as x < date '...'.
void removeWideningCast(Expression& comparison) {
  Expression& cast = *comparison.children[0];
  if (cast.kind != Kind::Cast) return;
  const Type from = cast.children[0]->type;
  const Value& bound = comparison.children[1]->value;
  Value narrowed;
  if (from.kind == TypeKind::Date && cast.type.kind == TypeKind::Timestamp && bound.type.kind == TypeKind::Timestamp &&
      cast.type.typmod < 0) {
    int32_t date;
    if (!compareAsDate(comparison.function, bound.asInt(), date)) return;
    narrowed = Value::fromInt(from, date);
  } else if (from.isInteger() && cast.type.isInteger() && from.kind < cast.type.kind &&
             bound.type.kind == cast.type.kind && fitsInteger(from.kind, bound.asInt())) {
    narrowed = Value::fromInt(from, bound.asInt());
  } else {
    return;
  }
  comparison.children[1] = Expression::constant(std::move(narrowed));
  ExpressionPtr input = std::move(cast.children[0]);
  comparison.children[0] = std::move(input);
}

/// The column the expression is, cast or not.
Iu columnOf(const Expression& expression) {
  const Expression& inner = expression.kind == Kind::Cast ? *expression.children[0] : expression;
  return inner.kind == Kind::Column ? inner.iu : nullptr;
}

bool standsReversed(const Expression& left, const Expression& right) {
  if (left.kind == Kind::Constant) return right.kind != Kind::Constant;
  const Iu one = columnOf(left);
  const Iu other = columnOf(right);
  return one != nullptr && other != nullptr && one->id > other->id;
}

void alignDecimalConstant(Expression& comparison) {
  const Type left = comparison.children[0]->type;
  const Value& bound = comparison.children[1]->value;
  if (left.kind != TypeKind::Numeric || left.form != NumericForm::Small) return;
  if (!bound.type.isFixedNumeric() || bound.type.may_be_nan != 0 || bound.type.scale >= left.scale) return;
  int128 result;
  if (!rescale(scaledValue(bound), bound.type.scale, left.scale, result)) return;
  if (countDigits(result) > Type::kSmallDigitsMax) return;
  const Type type = Type::decimal(std::max({1U, unsigned{left.scale}, countDigits(result)}), left.scale);
  comparison.children[1] = Expression::constant(decimalValue(type, result));
}

}  // namespace

bool comparisonHolds(FunctionId function, int order) {
  switch (function) {
    case FunctionId::Equal:
      return order == 0;
    case FunctionId::NotEqual:
      return order != 0;
    case FunctionId::Less:
      return order < 0;
    case FunctionId::LessEqual:
      return order <= 0;
    case FunctionId::Greater:
      return order > 0;
    default:
      return order >= 0;
  }
}

std::optional<int> compareValues(const Value& left, const Value& right) {
  if (left.type.isFixedNumeric() && right.type.isFixedNumeric()) return compareDecimals(left, right);
  if (left.type.isBig() && right.type.isBig()) return compareEncodedNumerics(left.bytes, right.bytes);
  if (left.type.isString() && right.type.isString() && left.type.kind != TypeKind::Char &&
      right.type.kind != TypeKind::Char)
    return order(left.bytes, right.bytes);
  if (left.type.kind != right.type.kind) return std::nullopt;
  switch (left.type.kind) {
    case TypeKind::Boolean:
    case TypeKind::Smallint:
    case TypeKind::Integer:
    case TypeKind::Bigint:
    case TypeKind::Money:
    case TypeKind::Date:
    case TypeKind::Timestamp:
    case TypeKind::TimestampTz:
    case TypeKind::Time:
      return order(left.asInt(), right.asInt());
    case TypeKind::Real:
    case TypeKind::Double:
      return compareDouble(std::bit_cast<double>(left.lo), std::bit_cast<double>(right.lo));
    case TypeKind::Interval:
      return compareIntervals(intervalOf(left), intervalOf(right));
    case TypeKind::Char:
      return order(trimBlanks(left.bytes), trimBlanks(right.bytes));
    case TypeKind::Bytea:
      return order(left.bytes, right.bytes);
    default:
      return std::nullopt;
  }
}

std::optional<Value> foldCall(const Expression& call) {
  for (const ExpressionPtr& argument : call.children)
    if (argument->kind != Kind::Constant || argument->value.is_null) return std::nullopt;
  if (call.children.size() != 2) return std::nullopt;
  try {
    return isComparison(call) ? foldComparison(call) : foldArithmetic(call);
  } catch (const SqlError&) {
    return std::nullopt;
  }
}

std::optional<Value> foldCast(const Expression& cast) {
  const Expression& input = *cast.children[0];
  if (input.kind != Kind::Constant || input.type.isString() || cast.type.isString()) return std::nullopt;
  if (input.value.is_null) return Value::null(cast.type);
  // The zone that a time gets is that of the day when it is executed.
  if (cast.type.kind == TypeKind::TimeTz && input.type.kind == TypeKind::Time) return std::nullopt;
  try {
    return castValue(input.value, cast.type, cast.is_explicit);
  } catch (const SqlError&) {
    return std::nullopt;
  }
}

void normaliseComparison(Expression& comparison) {
  if (standsReversed(*comparison.children[0], *comparison.children[1])) {
    std::swap(comparison.children[0], comparison.children[1]);
    comparison.function = mirrored(comparison.function);
  }
  const Expression& right = *comparison.children[1];
  if (right.kind != Kind::Constant || right.value.is_null || comparison.children[0]->kind == Kind::Constant) return;
  removeWideningCast(comparison);
  alignDecimalConstant(comparison);
}

}  // namespace gnomon::sql
