#include "codegen/translate/expression_cast.h"

#include "base/sql_error.h"
#include "codegen/runtime/array_functions.h"
#include "codegen/runtime/cast_runtime.h"
#include "codegen/runtime/expression_support.h"
#include "codegen/runtime/json_functions.h"
#include "codegen/runtime/numeric_runtime.h"
#include "codegen/runtime/string_functions.h"
#include "codegen/translate/expression_array.h"
#include "codegen/translate/expression_decimal.h"
#include "codegen/translate/expression_text_cast.h"
#include "codegen/translate/expression_values.h"
#include "codegen/translate/value_operations.h"
#include "sql/types/decimal.h"

namespace gnomon::codegen {
namespace {

using sql::NumericForm;
using sql::Type;
using sql::TypeKind;

[[noreturn]] void throwNoCast(const Type& from, const Type& to) {
  throwNotSupported("cast of " + from.name() + " to " + to.name());
}

TrapCode rangeTrap(const Type& integer) {
  switch (integer.kind) {
    case TypeKind::Smallint:
      return TrapCode::SmallintOutOfRange;
    case TypeKind::Integer:
      return TrapCode::IntegerOutOfRange;
    default:
      return TrapCode::BigintOutOfRange;
  }
}

/// An integer of any width as an integer type, its range checked.
SqlValue fitInteger(CodeContext& context, ir::Value value, const Type& target) {
  ir::Builder& builder = context.builder;
  const ir::Type held = builder.typeOf(value);
  const ir::Type wanted = irTypeOf(target);
  if (bitsOf(wanted) >= bitsOf(held)) return {target, builder.sext(value, wanted), {}, {}};
  const ir::Value narrow = builder.trunc(value, wanted);
  builder.trapIf(builder.ne(builder.sext(narrow, held), value), rangeTrap(target));
  return {target, narrow, {}, {}};
}

SqlValue floatToInteger(CodeContext& context, const SqlValue& value, const Type& target) {
  const bool is_real = value.type.kind == TypeKind::Real;
  const auto& convert = [&]() -> const RuntimeFunction& {
    switch (target.kind) {
      case TypeKind::Smallint:
        return is_real ? RUNTIME_FUNCTION(rt::realToSmallint) : RUNTIME_FUNCTION(rt::doubleToSmallint);
      case TypeKind::Integer:
        return is_real ? RUNTIME_FUNCTION(rt::realToInteger) : RUNTIME_FUNCTION(rt::doubleToInteger);
      default:
        return is_real ? RUNTIME_FUNCTION(rt::realToBigint) : RUNTIME_FUNCTION(rt::doubleToBigint);
    }
  }();
  return {target, context.builder.call(convert, {value.lo}), {}, {}};
}

SqlValue numericToInteger(CodeContext& context, const SqlValue& value, const Type& target) {
  ir::Builder& builder = context.builder;
  if (value.type.isBig()) {
    const RuntimeFunction& convert = target.kind == TypeKind::Smallint  ? RUNTIME_FUNCTION(rt::numericToSmallint)
                                     : target.kind == TypeKind::Integer ? RUNTIME_FUNCTION(rt::numericToInteger)
                                                                        : RUNTIME_FUNCTION(rt::numericToBigint);
    return {target, builder.call(convert, {value.lo, value.hi}), {}, {}};
  }
  if (value.type.form == NumericForm::Small) {
    const unsigned scale = value.type.scale;
    return fitInteger(context, scale == 0 ? value.lo : dropDigits(context, value.lo, scale), target);
  }
  const RuntimeFunction& convert = target.kind == TypeKind::Smallint  ? RUNTIME_FUNCTION(rt::decimalToSmallint)
                                   : target.kind == TypeKind::Integer ? RUNTIME_FUNCTION(rt::decimalToInteger)
                                                                      : RUNTIME_FUNCTION(rt::decimalToBigint);
  return {target, builder.call(convert, {value.lo, builder.constI32(value.type.scale)}), {}, {}};
}

/// From an integer, or another type of such numbers.
SqlValue toOid(CodeContext& context, const SqlValue& value, const Type& target) {
  ir::Builder& builder = context.builder;
  if (value.type.isOid()) return retyped(value, target);
  if (value.type.kind == TypeKind::Bigint)
    return {target, builder.call(RUNTIME_FUNCTION(rt::bigintToOid), {value.lo}), {}, {}};
  if (!value.type.isInteger()) throwNoCast(value.type, target);
  return {target, builder.zext(builder.sext(value.lo, ir::Type::I32), ir::Type::I64), {}, {}};
}

SqlValue toInteger(CodeContext& context, const SqlValue& value, const Type& target) {
  if (value.type.isOid()) {
    // An integer of the same bits.
    if (target.kind == TypeKind::Bigint) return retyped(value, target);
    return {target, context.builder.trunc(value.lo, ir::Type::I32), {}, {}};
  }
  if (value.type.isInteger()) return fitInteger(context, value.lo, target);
  if (value.type.isFloat()) return floatToInteger(context, value, target);
  if (value.type.kind == TypeKind::Numeric) return numericToInteger(context, value, target);
  if (value.type.kind == TypeKind::Boolean) return {target, context.builder.zext(value.lo, irTypeOf(target)), {}, {}};
  throwNoCast(value.type, target);
}

/// A decimal is divided exactly rounded in line when both parts are exact doubles.
ir::Value decimalAsDouble(CodeContext& context, const SqlValue& value) {
  constexpr unsigned kExactDigits = 15;
  ir::Builder& builder = context.builder;
  if (value.type.precision <= kExactDigits && value.type.scale <= kExactDigits) {
    const ir::Value whole = builder.sitofp(value.lo);
    if (value.type.scale == 0) return whole;
    return builder.fdiv(whole, builder.constF64(static_cast<double>(sql::powerOfTen(value.type.scale))));
  }
  return builder.call(RUNTIME_FUNCTION(rt::decimalToDouble),
                      {decimalBits(context, value), builder.constI32(value.type.scale)});
}

SqlValue toDouble(CodeContext& context, const SqlValue& value, const Type& target) {
  ir::Builder& builder = context.builder;
  if (value.type.isFloat()) return retyped(value, target);
  if (value.type.isInteger()) return {target, builder.sitofp(value.lo), {}, {}};
  if (value.type.isBig())
    return {target, builder.call(RUNTIME_FUNCTION(rt::numericToDouble), {value.lo, value.hi}), {}, {}};
  if (value.type.kind == TypeKind::Numeric) return {target, decimalAsDouble(context, value), {}, {}};
  throwNoCast(value.type, target);
}

SqlValue toReal(CodeContext& context, const SqlValue& value, const Type& target) {
  ir::Builder& builder = context.builder;
  switch (value.type.kind) {
    case TypeKind::Real:
      return retyped(value, target);
    case TypeKind::Double:
      return {target, builder.call(RUNTIME_FUNCTION(rt::doubleToReal), {value.lo}), {}, {}};
    case TypeKind::Smallint:
    case TypeKind::Integer:
      return {target, builder.roundToFloat(builder.sitofp(value.lo)), {}, {}};
    case TypeKind::Bigint:
      return {target, builder.call(RUNTIME_FUNCTION(rt::bigintToReal), {value.lo}), {}, {}};
    case TypeKind::Numeric:
      break;
    default:
      throwNoCast(value.type, target);
  }
  if (value.type.isBig())
    return {target, builder.call(RUNTIME_FUNCTION(rt::numericToReal), {value.lo, value.hi}), {}, {}};
  return {target,
          builder.call(RUNTIME_FUNCTION(rt::decimalToReal),
                       {decimalBits(context, value), builder.constI32(value.type.scale)}),
          {},
          {}};
}

SqlValue withNumericModifier(CodeContext& context, const SqlValue& big, const Type& target) {
  ir::Builder& builder = context.builder;
  if (target.typmod < 0 || big.type.typmod == target.typmod) return retyped(big, target);
  return pairResult(context, target,
                    builder.call(RUNTIME_FUNCTION(rt::fitNumeric),
                                 {big.lo, big.hi, builder.constI32(target.typmod), context.scratchArena()}));
}

SqlValue toBigNumeric(CodeContext& context, const SqlValue& value, const Type& target) {
  ir::Builder& builder = context.builder;
  if (value.type.isFloat()) {
    const RuntimeFunction& convert =
        value.type.kind == TypeKind::Real ? RUNTIME_FUNCTION(rt::realToNumeric) : RUNTIME_FUNCTION(rt::doubleToNumeric);
    return pairResult(context, target,
                      builder.call(convert, {value.lo, builder.constI32(target.typmod), context.scratchArena()}));
  }
  return withNumericModifier(context, toBig(context, value), target);
}

/// An I128 at target's scale and within its precision, in target's form.
SqlValue narrowed(CodeContext& context, const Type& target, ir::Value wide) {
  const bool is_small = target.form == NumericForm::Small;
  return {target, is_small ? context.builder.trunc(wide, ir::Type::I64) : wide, {}, {}};
}

/// numeric(p, s) of a decimal or integer that may not fit: 22003 for a declared type, DecimalOverflow for a derived
/// one.
SqlValue fitDecimalChecked(CodeContext& context, const SqlValue& value, const Type& target) {
  ir::Builder& builder = context.builder;
  const ir::Value from_scale = builder.constI32(value.type.scale);
  const ir::Value to_scale = builder.constI32(target.scale);
  if (target.isCheckedDecimal())
    return narrowed(
        context, target,
        builder.call(RUNTIME_FUNCTION(rt::rescaleDecimal), {decimalBits(context, value), from_scale, to_scale}));
  return narrowed(context, target,
                  builder.call(RUNTIME_FUNCTION(rt::fitDecimal), {decimalBits(context, value), from_scale,
                                                                  builder.constI32(target.precision), to_scale}));
}

SqlValue decimalToDecimal(CodeContext& context, const SqlValue& value, const Type& target) {
  ir::Builder& builder = context.builder;
  const Type& from = value.type;
  const bool fits = fitsDecimal(from, target);
  if (from.scale <= target.scale) {
    if (fits || target.isCheckedDecimal()) return raiseDecimal(context, value, target);
    return fitDecimalChecked(context, value, target);
  }
  if (fits && from.form == NumericForm::Small) {
    const ir::Value rounded = dropDigits(context, value.lo, unsigned{from.scale} - target.scale);
    return {target, target.form == NumericForm::Small ? rounded : builder.sext(rounded, ir::Type::I128), {}, {}};
  }
  return fitDecimalChecked(context, value, target);
}

SqlValue toDecimal(CodeContext& context, const SqlValue& value, const Type& target) {
  ir::Builder& builder = context.builder;
  const ir::Value precision = builder.constI32(target.precision);
  const ir::Value scale = builder.constI32(target.scale);
  if (value.type.isInteger()) return decimalToDecimal(context, integerAsDecimal(context, value), target);
  if (value.type.isFloat()) {
    const RuntimeFunction& convert =
        value.type.kind == TypeKind::Real ? RUNTIME_FUNCTION(rt::realToDecimal) : RUNTIME_FUNCTION(rt::doubleToDecimal);
    return narrowed(context, target, builder.call(convert, {value.lo, precision, scale}));
  }
  if (value.type.isBig())
    return narrowed(context, target,
                    builder.call(RUNTIME_FUNCTION(rt::numericToDecimal), {value.lo, value.hi, precision, scale}));
  if (value.type.kind == TypeKind::Numeric) return decimalToDecimal(context, value, target);
  throwNoCast(value.type, target);
}

SqlValue toDate(CodeContext& context, const SqlValue& value, const Type& target) {
  if (value.type.kind == TypeKind::TimestampTz)
    return {target, context.builder.call(RUNTIME_FUNCTION(rt::utcToDate), {value.lo}), {}, {}};
  if (value.type.kind != TypeKind::Timestamp) throwNoCast(value.type, target);
  return {target, context.builder.call(RUNTIME_FUNCTION(rt::timestampToDate), {value.lo}), {}, {}};
}

/// Rounded to the target's digits after the second.
SqlValue fitPoint(CodeContext& context, ir::Value point, const Type& target) {
  ir::Builder& builder = context.builder;
  if (target.typmod >= 0)
    point = builder.call(RUNTIME_FUNCTION(rt::fitTimestamp), {point, builder.constI32(target.typmod)});
  return {target, point, {}, {}};
}

/// To a timestamp with or without time zone.
SqlValue toTimestamp(CodeContext& context, const SqlValue& value, const Type& target) {
  ir::Builder& builder = context.builder;
  const bool has_zone = target.kind == TypeKind::TimestampTz;
  if (value.type.kind == target.kind)
    return target.typmod == value.type.typmod ? retyped(value, target) : fitPoint(context, value.lo, target);
  if (value.type.kind == TypeKind::Date && has_zone)
    return fitPoint(context, builder.call(RUNTIME_FUNCTION(rt::dateToUtc), {value.lo}), target);
  if (value.type.kind == TypeKind::Date)
    return {target, builder.call(RUNTIME_FUNCTION(rt::dateToTimestamp), {value.lo}), {}, {}};
  if (value.type.kind == TypeKind::Timestamp && has_zone)
    return fitPoint(context, builder.call(RUNTIME_FUNCTION(rt::localToUtc), {value.lo}), target);
  if (value.type.kind != TypeKind::TimestampTz) throwNoCast(value.type, target);
  return fitPoint(context, builder.call(RUNTIME_FUNCTION(rt::utcToLocal), {value.lo}), target);
}

SqlValue toTime(CodeContext& context, const SqlValue& value, const Type& target) {
  ir::Builder& builder = context.builder;
  switch (value.type.kind) {
    case TypeKind::Time:
      return target.typmod == value.type.typmod ? retyped(value, target) : fitPoint(context, value.lo, target);
    case TypeKind::Interval:
      return fitPoint(context, builder.call(RUNTIME_FUNCTION(rt::intervalToTime), {value.lo}), target);
    case TypeKind::Timestamp:
    case TypeKind::TimestampTz:
      break;
    default:
      throwNoCast(value.type, target);
  }
  const ir::Value flag = builder.allocaBytes(1);
  const ir::Value has_zone = builder.constI1(value.type.kind == TypeKind::TimestampTz);
  SqlValue result =
      fitPoint(context, builder.call(RUNTIME_FUNCTION(rt::timestampToTime), {value.lo, has_zone, flag}), target);
  result.is_null = builder.load(ir::Type::I1, flag);
  return result;
}

SqlValue toInterval(CodeContext& context, const SqlValue& value, const Type& target) {
  ir::Builder& builder = context.builder;
  if (value.type.kind == TypeKind::Time) {
    const SqlValue interval{Type::of(TypeKind::Interval), value.lo, builder.constI64(0), {}};
    return toInterval(context, interval, target);
  }
  if (value.type.kind != TypeKind::Interval) throwNoCast(value.type, target);
  if (target.typmod < 0 || target.typmod == value.type.typmod) return retyped(value, target);
  return pairResult(
      context, target,
      builder.call(RUNTIME_FUNCTION(rt::fitInterval), {value.lo, value.hi, builder.constI32(target.typmod)}));
}

SqlValue toBoolean(CodeContext& context, const SqlValue& value, const Type& target) {
  if (!value.type.isInteger()) throwNoCast(value.type, target);
  return {target, context.builder.ne(value.lo, context.builder.zero(irTypeOf(value.type))), {}, {}};
}

SqlValue toArray(CodeContext& context, const SqlValue& value, const Type& target, bool is_explicit) {
  if (value.type.isVector()) {
    const SqlValue array = retyped(value, value.type.vectorArray());
    return array.type.kind == target.kind ? retyped(array, target) : toArray(context, array, target, is_explicit);
  }
  if (!value.type.isArray()) throwNoCast(value.type, target);
  ir::Builder& builder = context.builder;
  return pairResult(context, target,
                    builder.call(RUNTIME_FUNCTION(rt::castArray),
                                 {typeConstant(context, value.type.element()), typeConstant(context, target.element()),
                                  builder.constI1(is_explicit), value.lo, value.hi, context.scratchArena()}));
}

SqlValue castByValue(CodeContext& context, const SqlValue& value, const Type& target, bool is_explicit) {
  ir::Builder& builder = context.builder;
  const ir::Value slot = builder.allocaBytes(sizeof(ParameterSlot));
  storeDatum(context, value, slot, 0);
  builder.call(RUNTIME_FUNCTION(rt::castAny), {typeConstant(context, value.type), typeConstant(context, target),
                                               builder.constI1(is_explicit), slot, context.scratchArena()});
  return loadSlot(context, target, slot);
}

/// Between json and jsonb, and from a jsonb that is a boolean or a number.
SqlValue fromJson(CodeContext& context, const SqlValue& value, const Type& target) {
  ir::Builder& builder = context.builder;
  if (value.type.kind == target.kind) return retyped(value, target);
  if (target.kind == TypeKind::Json)
    return retyped(convertToText(context, value, Type::of(TypeKind::Text), false), target);
  if (target.kind == TypeKind::Jsonb) return convertFromText(context, value, target);
  if (value.type.kind != TypeKind::Jsonb) throwNoCast(value.type, target);
  if (target.kind == TypeKind::Boolean)
    return {target, builder.call(RUNTIME_FUNCTION(rt::jsonbToBoolean), {value.lo, value.hi}), {}, {}};
  const SqlValue number =
      pairResult(context, Type::bigNumeric(),
                 builder.call(RUNTIME_FUNCTION(rt::jsonbToNumeric),
                              {typeConstant(context, target), value.lo, value.hi, context.scratchArena()}));
  return convertValue(context, number, target, true);
}

SqlValue convertPresent(CodeContext& context, const SqlValue& value, const Type& target, bool is_explicit) {
  if (keepsBits(value.type, target)) return retyped(value, target);
  if (value.type.may_be_nan != 0) return convertPresent(context, toBig(context, value), target, is_explicit);
  // Its text has the number of its network's bits, which its output leaves out.
  const bool is_address = value.type.kind == TypeKind::Inet && target.isString();
  const bool is_ordered = value.type.isOrderedBytes() ? !target.isString() : target.isOrderedBytes();
  const bool is_money = value.type.kind == TypeKind::Money ? !target.isString() : target.kind == TypeKind::Money;
  const bool is_acl_item = target.kind == TypeKind::AclItem && value.type.kind != TypeKind::AclItem;
  if (is_address || is_acl_item || ((is_ordered || is_money) && !value.type.isString()))
    return castByValue(context, value, target, is_explicit);
  if (target.isString()) return convertToText(context, value, target, is_explicit);
  if (value.type.isString()) return convertFromText(context, value, target);
  if (value.type.kind == TypeKind::Json || value.type.kind == TypeKind::Jsonb) return fromJson(context, value, target);
  if (target.isArray()) return toArray(context, value, target, is_explicit);
  if (target.isOid()) return toOid(context, value, target);
  switch (target.kind) {
    case TypeKind::Boolean:
      return toBoolean(context, value, target);
    case TypeKind::Smallint:
    case TypeKind::Integer:
    case TypeKind::Bigint:
      return toInteger(context, value, target);
    case TypeKind::Real:
      return toReal(context, value, target);
    case TypeKind::Double:
      return toDouble(context, value, target);
    case TypeKind::Numeric:
      return target.isBig() ? toBigNumeric(context, value, target) : toDecimal(context, value, target);
    case TypeKind::Date:
      return toDate(context, value, target);
    case TypeKind::Timestamp:
    case TypeKind::TimestampTz:
      return toTimestamp(context, value, target);
    case TypeKind::Time:
      return toTime(context, value, target);
    case TypeKind::Interval:
      return toInterval(context, value, target);
    default:
      throwNoCast(value.type, target);
  }
}

}  // namespace

SqlValue convertValue(CodeContext& context, const SqlValue& value, const Type& target, bool is_explicit) {
  if (value.type == target) return value;
  if (isNullConstant(context, value)) return nullValue(context, target);
  SqlValue result = value.type.kind == target.kind && target.kind == TypeKind::Boolean
                        ? retyped(value, target)
                        : convertPresent(context, value, target, is_explicit);
  result.type = target;
  // Some conversions make NULLs of their own.
  result.is_null = anyNull(context, {value.is_null, result.is_null});
  return result;
}

namespace {

/// The value only gets another name: strings without a shorter limit, types without a modifier to apply.
bool isRelabelling(const Type& from, const Type& to) {
  if (from.isString() && to.isString()) {
    if (to.kind == TypeKind::Char) return to.typmod < 4;
    if (to.kind == TypeKind::AclItem) return from.kind == TypeKind::AclItem;
    if (from.kind == TypeKind::Char) return false;
    if (to.kind == TypeKind::Name || to.kind == TypeKind::InternalChar || from.kind == TypeKind::InternalChar)
      return false;
    return to.kind != TypeKind::Varchar || to.typmod < 4 ||
           (from.kind == TypeKind::Varchar && from.typmod >= 4 && from.typmod <= to.typmod);
  }
  return from.kind == to.kind && from.kind != TypeKind::Numeric && to.typmod < 0;
}

}  // namespace

bool isInlineCast(const Type& from, const Type& to) {
  if (from == to || isRelabelling(from, to)) return true;
  if (keepsBits(from, to)) return true;
  if (from.may_be_nan != 0) return false;
  if (from.isBig() && to.isBig()) return to.typmod < 0;
  if (from.isInteger() && to.isInteger()) return to.kind >= from.kind;
  if (from.isOid() && to.isOid()) return true;
  if (from.isInteger() && to.kind == TypeKind::Double) return true;
  if (from.isInteger() && to.kind == TypeKind::Boolean) return true;
  if (from.kind == TypeKind::Boolean && to.isInteger()) return true;
  if (from.kind == TypeKind::Real && to.kind == TypeKind::Double) return true;
  if (to.kind == TypeKind::Numeric && !to.isBig() && (from.isInteger() || from.kind == TypeKind::Numeric)) {
    if (from.isBig() || to.isCheckedDecimal()) return false;
    const Type decimal = from.isInteger() ? integerDecimalType(from) : from;
    return fitsDecimal(decimal, to) && (decimal.scale <= to.scale || decimal.form == NumericForm::Small);
  }
  return false;
}

}  // namespace gnomon::codegen
