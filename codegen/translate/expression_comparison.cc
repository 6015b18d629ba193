#include "codegen/translate/expression_comparison.h"

#include <bit>
#include <cmath>
#include <string>

#include "base/sql_error.h"
#include "codegen/runtime/cast_runtime.h"
#include "codegen/runtime/datetime_runtime.h"
#include "codegen/runtime/numeric_runtime.h"
#include "codegen/runtime/string_compare.h"
#include "codegen/runtime/string_functions.h"
#include "codegen/translate/expression_cast.h"
#include "codegen/translate/expression_decimal.h"
#include "codegen/translate/expression_values.h"
#include "codegen/translate/value_operations.h"
#include "sql/algebra/rewrite.h"
#include "sql/types/date.h"
#include "sql/types/text.h"
#include "sql/types/timestamp.h"

namespace gnomon::codegen {
namespace {

using sql::FunctionId;
using sql::Physical;
using sql::Type;
using sql::TypeKind;

bool isEquality(FunctionId function) {
  return function == FunctionId::Equal || function == FunctionId::NotEqual;
}

ir::IntPredicate predicateOf(FunctionId function) {
  switch (function) {
    case FunctionId::Equal:
      return ir::IntPredicate::Eq;
    case FunctionId::NotEqual:
      return ir::IntPredicate::Ne;
    case FunctionId::Less:
      return ir::IntPredicate::Slt;
    case FunctionId::LessEqual:
      return ir::IntPredicate::Sle;
    case FunctionId::Greater:
      return ir::IntPredicate::Sgt;
    default:
      return ir::IntPredicate::Sge;
  }
}

ir::Value compareOrder(CodeContext& context, FunctionId function, ir::Value order) {
  return context.builder.icmp(predicateOf(function), order, context.builder.constI32(0));
}

ir::Value compareBooleans(CodeContext& context, FunctionId function, ir::Value a, ir::Value b) {
  ir::Builder& builder = context.builder;
  switch (function) {
    case FunctionId::Equal:
      return builder.bitNot(builder.bitXor(a, b));
    case FunctionId::NotEqual:
      return builder.bitXor(a, b);
    case FunctionId::Less:
      return builder.bitAnd(builder.bitNot(a), b);
    case FunctionId::LessEqual:
      return builder.bitOr(builder.bitNot(a), b);
    case FunctionId::Greater:
      return builder.bitAnd(a, builder.bitNot(b));
    default:
      return builder.bitOr(a, builder.bitNot(b));
  }
}

/// A constant that is known not to be NaN needs no further check.
bool isKnownNumber(CodeContext& context, ir::Value value) {
  if (!context.builder.isConstant(value)) return false;
  return !std::isnan(std::bit_cast<double>(context.builder.function().at(value).immediate));
}

/// a < b or a <= b with NaN above all numbers and equal to itself.
ir::Value floatBelow(CodeContext& context, bool or_equal, ir::Value a, ir::Value b) {
  ir::Builder& builder = context.builder;
  const ir::Value ordered = builder.fcmp(or_equal ? ir::FloatPredicate::Ole : ir::FloatPredicate::Olt, a, b);
  if (isKnownNumber(context, b)) return ordered;
  const ir::Value b_nan = builder.isNan(b);
  if (or_equal) return builder.bitOr(ordered, b_nan);
  if (isKnownNumber(context, a)) return builder.bitOr(ordered, b_nan);
  return builder.bitOr(ordered, builder.bitAnd(b_nan, builder.bitNot(builder.isNan(a))));
}

ir::Value compareFloats(CodeContext& context, FunctionId function, ir::Value a, ir::Value b) {
  ir::Builder& builder = context.builder;
  switch (function) {
    case FunctionId::Less:
      return floatBelow(context, false, a, b);
    case FunctionId::LessEqual:
      return floatBelow(context, true, a, b);
    case FunctionId::Greater:
      return builder.bitNot(floatBelow(context, true, a, b));
    case FunctionId::GreaterEqual:
      return builder.bitNot(floatBelow(context, false, a, b));
    default:
      break;
  }
  ir::Value equal = builder.fcmp(ir::FloatPredicate::Oeq, a, b);
  if (!isKnownNumber(context, a) && !isKnownNumber(context, b))
    equal = builder.bitOr(equal, builder.bitAnd(builder.isNan(a), builder.isNan(b)));
  return function == FunctionId::Equal ? equal : builder.bitNot(equal);
}

bool isShortConstant(CodeContext& context, const SqlValue& value) {
  const auto lo = constantInteger(context, value.lo);
  return lo && static_cast<uint32_t>(*lo) <= StringValue::kInlineBytesMax;
}

/// Byte equality: the halves in line, a call only for two long strings of one length and prefix at different places.
ir::Value equalBytes(CodeContext& context, const SqlValue& a, const SqlValue& b) {
  ir::Builder& builder = context.builder;
  const ir::Value same_low = builder.eq(a.lo, b.lo);
  if (stringBytesMax(a.type) <= StringValue::kPrefixBytes || stringBytesMax(b.type) <= StringValue::kPrefixBytes)
    return same_low;
  if (isShortConstant(context, a) || isShortConstant(context, b) || fitsInline(a.type) || fitsInline(b.type))
    return builder.bitAnd(same_low, builder.eq(a.hi, b.hi));
  const ir::Block start = builder.currentBlock();
  const ir::Block high = builder.createBlock();
  const ir::Block lengthy = builder.createBlock();
  const ir::Block done = builder.createBlock();
  builder.condBr(same_low, high, done);
  builder.setBlock(high);
  const ir::Value same_high = builder.eq(a.hi, b.hi);
  const ir::Value length = builder.bitAnd(a.lo, builder.constU64(UINT32_MAX));
  const ir::Value is_short =
      builder.icmp(ir::IntPredicate::Ule, length, builder.constI64(StringValue::kInlineBytesMax));
  builder.condBr(builder.bitOr(same_high, is_short), done, lengthy);
  builder.setBlock(lengthy);
  const ir::Value same_bytes = builder.call(RUNTIME_FUNCTION(rt::equalStrings), {a.lo, a.hi, b.lo, b.hi});
  builder.br(done);
  builder.setBlock(done);
  return builder.phi(ir::Type::I1, {{builder.constI1(false), start}, {same_high, high}, {same_bytes, lengthy}});
}

ir::Value equalChars(CodeContext& context, SqlValue a, SqlValue b) {
  if (a.type.kind == TypeKind::Char && b.type.kind == TypeKind::Char && a.type.typmod >= 4 &&
      a.type.typmod == b.type.typmod)
    return equalBytes(context, a, b);
  bool never_equal = false;
  if (padConstant(context, a.type, b, never_equal) || padConstant(context, b.type, a, never_equal))
    return never_equal ? context.builder.constI1(false) : equalBytes(context, a, b);
  return context.builder.call(RUNTIME_FUNCTION(rt::equalChars), {a.lo, a.hi, b.lo, b.hi});
}

SqlValue charAsText(CodeContext& context, const SqlValue& value) {
  if (value.type.kind != TypeKind::Char) return value;
  SqlValue text = pairResult(context, Type::of(TypeKind::Text),
                             context.builder.call(RUNTIME_FUNCTION(rt::charToText), {value.lo, value.hi}));
  text.is_null = value.is_null;
  return text;
}

/// char(n) compares as such with char(n) and with untyped literals, as text with text and varchar.
bool compareAsChars(const Type& a, const Type& b) {
  const bool a_fits = a.kind == TypeKind::Char || a.kind == TypeKind::Unknown;
  const bool b_fits = b.kind == TypeKind::Char || b.kind == TypeKind::Unknown;
  return a_fits && b_fits && (a.kind == TypeKind::Char || b.kind == TypeKind::Char);
}

ir::Value compareTexts(CodeContext& context, FunctionId function, const SqlValue& a, const SqlValue& b) {
  ir::Builder& builder = context.builder;
  const bool as_chars = compareAsChars(a.type, b.type);
  const SqlValue left = as_chars ? a : charAsText(context, a);
  const SqlValue right = as_chars ? b : charAsText(context, b);
  if (isEquality(function)) {
    const ir::Value equal = as_chars ? equalChars(context, left, right) : equalBytes(context, left, right);
    return function == FunctionId::Equal ? equal : builder.bitNot(equal);
  }
  const RuntimeFunction& order = as_chars ? RUNTIME_FUNCTION(rt::compareChars) : RUNTIME_FUNCTION(rt::compareStrings);
  return compareOrder(context, function, builder.call(order, {left.lo, left.hi, right.lo, right.hi}));
}

ir::Value compareNumerics(CodeContext& context, FunctionId function, const SqlValue& a, const SqlValue& b) {
  ir::Builder& builder = context.builder;
  const Type common = commonDecimal(a.type, b.type);
  if (!common.isBig())
    return builder.icmp(predicateOf(function), raiseDecimal(context, a, common).lo,
                        raiseDecimal(context, b, common).lo);
  const bool may_be_nan = a.type.may_be_nan != 0 || b.type.may_be_nan != 0;
  if (!a.type.isBig() && !b.type.isBig() && !may_be_nan) {
    const ir::Value order =
        builder.call(RUNTIME_FUNCTION(rt::compareDecimals), {decimalBits(context, a), builder.constI32(a.type.scale),
                                                             decimalBits(context, b), builder.constI32(b.type.scale)});
    return compareOrder(context, function, order);
  }
  const SqlValue left = toBig(context, a);
  const SqlValue right = toBig(context, b);
  if (isEquality(function)) {
    const ir::Value equal = builder.call(RUNTIME_FUNCTION(rt::equalNumeric), {left.lo, left.hi, right.lo, right.hi});
    return function == FunctionId::Equal ? equal : builder.bitNot(equal);
  }
  return compareOrder(context, function,
                      builder.call(RUNTIME_FUNCTION(rt::compareNumeric), {left.lo, left.hi, right.lo, right.hi}));
}

ir::Value compareIntervals(CodeContext& context, FunctionId function, const SqlValue& a, const SqlValue& b) {
  ir::Builder& builder = context.builder;
  if (isEquality(function)) {
    const ir::Value equal = builder.call(RUNTIME_FUNCTION(rt::equalIntervals), {a.lo, a.hi, b.lo, b.hi});
    return function == FunctionId::Equal ? equal : builder.bitNot(equal);
  }
  return compareOrder(context, function,
                      builder.call(RUNTIME_FUNCTION(rt::compareIntervals), {a.lo, a.hi, b.lo, b.hi}));
}

/// A date against a constant timestamp: against the day the timestamp lies in, or the next one. The infinities of both
/// types stand at the ends of their ranges, so they need no care beyond being mapped.
ir::Value compareDateWithDay(CodeContext& context, FunctionId function, ir::Value date, int64_t timestamp) {
  ir::Builder& builder = context.builder;
  const bool is_finite = sql::isFiniteTimestamp(timestamp);
  const bool is_midnight = !is_finite || sql::timestampTimeOfDay(timestamp) == 0;
  if (isEquality(function) && !is_midnight) return builder.constI1(function == FunctionId::NotEqual);
  int32_t day = timestamp > 0 ? sql::kDateInfinity : sql::kDateMinusInfinity;
  if (is_finite) day = sql::timestampDays(timestamp);
  const bool asks_next = function == FunctionId::Less || function == FunctionId::GreaterEqual;
  if (!is_midnight && asks_next) ++day;
  return builder.icmp(predicateOf(function), date, builder.constI32(day));
}

ir::Value compareDateWithTimestamp(CodeContext& context, FunctionId function, const SqlValue& date,
                                   const SqlValue& timestamp) {
  if (const auto known = constantInteger(context, timestamp.lo))
    return compareDateWithDay(context, function, date.lo, *known);
  constexpr int64_t kDaysMin = sql::kTimestampMin / sql::kMicrosecondsPerDay;
  constexpr int64_t kDaysMax = sql::kTimestampEnd / sql::kMicrosecondsPerDay;
  if (const auto known = constantInteger(context, date.lo); known && *known >= kDaysMin && *known < kDaysMax)
    return context.builder.icmp(predicateOf(function), context.builder.constI64(*known * sql::kMicrosecondsPerDay),
                                timestamp.lo);
  return compareOrder(context, function,
                      context.builder.call(RUNTIME_FUNCTION(rt::compareDateTimestamp), {date.lo, timestamp.lo}));
}

bool isDateTimestampPair(const Type& a, const Type& b) {
  return (a.kind == TypeKind::Date && b.kind == TypeKind::Timestamp) ||
         (a.kind == TypeKind::Timestamp && b.kind == TypeKind::Date);
}

}  // namespace

bool isComparison(FunctionId function) {
  return function >= FunctionId::Equal && function <= FunctionId::GreaterEqual;
}

bool padConstant(CodeContext& context, const Type& other, SqlValue& constant, bool& never_equal) {
  const int32_t width = sql::characterLimit(other.typmod);
  StringValue storage;
  const auto text = constantText(context, constant, storage);
  if (other.kind != TypeKind::Char || width < 0 || !text) return false;
  std::string padded(sql::trimBlanks(*text));
  const size_t characters = sql::countCharacters(padded);
  never_equal = characters > static_cast<size_t>(width);
  if (never_equal) return true;
  padded.append(static_cast<size_t>(width) - characters, ' ');
  const StringValue value = context.resources.internString(padded);
  constant.lo = context.builder.constU64(value.lo());
  constant.hi = context.builder.constU64(value.hi());
  return true;
}

ComparablePair makeComparable(CodeContext& context, const SqlValue& a, const SqlValue& b) {
  const Type& left = a.type;
  const Type& right = b.type;
  if (left == right || left.kind == TypeKind::Boolean || left.isByteString()) return {a, b};
  if (left.isInteger() && right.isInteger()) {
    const Type& wide = left.kind > right.kind ? left : right;
    return {convertValue(context, a, wide, false), convertValue(context, b, wide, false)};
  }
  if (left.isOid() && right.isInteger()) return {a, convertValue(context, b, Type::of(TypeKind::Bigint), false)};
  if (left.isOid() || left.isVector()) return {a, b};
  if (left.isFloat() || right.isFloat()) {
    const Type target = Type::of(TypeKind::Double);
    return {convertValue(context, a, target, false), convertValue(context, b, target, false)};
  }
  if (left.isNumber() && right.isNumber())
    return {left.isInteger() ? integerAsDecimal(context, a) : a, right.isInteger() ? integerAsDecimal(context, b) : b};
  return {a, b};
}

ir::Value emitComparison(CodeContext& context, FunctionId function, const SqlValue& first, const SqlValue& second) {
  const auto [a, b] = makeComparable(context, first, second);
  if (isDateTimestampPair(a.type, b.type)) {
    if (a.type.kind == TypeKind::Date) return compareDateWithTimestamp(context, function, a, b);
    return compareDateWithTimestamp(context, sql::mirrored(function), b, a);
  }
  if (a.type.isString() && b.type.isString()) return compareTexts(context, function, a, b);
  if (a.type.isVector() && b.type.isVector()) return compareTexts(context, function, a, b);
  if (a.type.isOid()) return context.builder.icmp(predicateOf(function), a.lo, b.lo);
  if (a.type.kind != b.type.kind) throwNotSupported("comparison of " + a.type.name() + " with " + b.type.name());
  const bool is_bytes = a.type.isByteString() || a.type.kind == TypeKind::Json || a.type.kind == TypeKind::JsonPath;
  if (is_bytes) return compareTexts(context, function, a, b);
  if (a.type.isComposed() || a.type.kind == TypeKind::Jsonb)
    return compareOrder(context, function, compareValues(context, a, b));
  if (a.type.kind == TypeKind::Numeric) return compareNumerics(context, function, a, b);
  switch (a.type.physical()) {
    case Physical::Bool:
      return compareBooleans(context, function, a.lo, b.lo);
    case Physical::Float32:
    case Physical::Float64:
      return compareFloats(context, function, a.lo, b.lo);
    case Physical::Interval:
      return compareIntervals(context, function, a, b);
    default:
      return context.builder.icmp(predicateOf(function), a.lo, b.lo);
  }
}

bool isInlineComparison(FunctionId function, const Type& a, const Type& b, bool with_constant) {
  if (a.isByteString() && b.isByteString()) {
    if (!isEquality(function)) return false;
    if (compareAsChars(a, b)) return (a == b && a.typmod >= 4) || (with_constant && (a.typmod >= 4 || b.typmod >= 4));
    return a.kind != TypeKind::Char && b.kind != TypeKind::Char;
  }
  if (isDateTimestampPair(a, b)) return with_constant;
  if (a.kind == TypeKind::Interval || b.kind == TypeKind::Interval) return false;
  if (a.isBig() || b.isBig() || a.isComposed() || a.isVector() || a.kind == TypeKind::Jsonb) return false;
  if (a.isFloat() != b.isFloat()) return false;
  if (a.isNumber() && b.isNumber() && (a.kind == TypeKind::Numeric || b.kind == TypeKind::Numeric))
    return !commonDecimal(a.isInteger() ? integerDecimalType(a) : a, b.isInteger() ? integerDecimalType(b) : b).isBig();
  return true;
}

}  // namespace gnomon::codegen
