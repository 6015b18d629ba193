#include <algorithm>

#include "base/sql_error.h"
#include "codegen/runtime/numeric_runtime.h"
#include "codegen/translate/expression_arithmetic.h"
#include "codegen/translate/expression_cast.h"
#include "codegen/translate/expression_decimal.h"
#include "codegen/translate/expression_values.h"
#include "codegen/translate/value_operations.h"

namespace gnomon::codegen {
namespace {

using sql::FunctionId;
using sql::NumericForm;
using sql::Type;
using sql::TypeKind;

/// The scaled integer of an I128 in the form of `type`.
SqlValue fromInt128(CodeContext& context, const Type& type, ir::Value wide) {
  return {type, type.form == NumericForm::Small ? context.builder.trunc(wide, ir::Type::I64) : wide, {}, {}};
}

SqlValue asDecimal(CodeContext& context, const SqlValue& value) {
  return value.type.isInteger() ? integerAsDecimal(context, value) : value;
}

SqlValue addDecimals(CodeContext& context, FunctionId function, const Type& type, const SqlValue& a,
                     const SqlValue& b) {
  ir::Builder& builder = context.builder;
  const ir::Value left = raiseDecimal(context, a, type).lo;
  const ir::Value right = raiseDecimal(context, b, type).lo;
  const bool is_add = function == FunctionId::Add;
  if (type.isCheckedDecimal())
    return {type,
            is_add ? builder.addTrap(left, right, TrapCode::DecimalOverflow)
                   : builder.subTrap(left, right, TrapCode::DecimalOverflow),
            {},
            {}};
  return {type, is_add ? builder.add(left, right) : builder.sub(left, right), {}, {}};
}

SqlValue multiplyDecimals(CodeContext& context, const Type& type, const SqlValue& a, const SqlValue& b) {
  ir::Builder& builder = context.builder;
  if (type.scale != a.type.scale + b.type.scale)
    throwNotSupported("multiplication of numerics into another scale than the sum of theirs");
  const bool both_small = a.type.form == NumericForm::Small && b.type.form == NumericForm::Small;
  if (type.form == NumericForm::Small && both_small) return {type, builder.mul(a.lo, b.lo), {}, {}};
  if (both_small) return {type, builder.mulWide(a.lo, b.lo), {}, {}};
  const ir::Value left = decimalBits(context, a);
  const ir::Value right = decimalBits(context, b);
  if (type.isCheckedDecimal()) return {type, builder.mulTrap(left, right, TrapCode::DecimalOverflow), {}, {}};
  return fromInt128(context, type, builder.mul(left, right));
}

/// The remainder has the greater scale; its magnitude is below both operands'.
SqlValue moduloDecimals(CodeContext& context, const Type& type, const SqlValue& a, const SqlValue& b) {
  ir::Builder& builder = context.builder;
  const Type common = commonDecimal(a.type, b.type);
  if (!common.isBig() && common.scale == type.scale) {
    const ir::Value rest = builder.sremTrap(raiseDecimal(context, a, common).lo, raiseDecimal(context, b, common).lo);
    return fromInt128(context, type, common.form == NumericForm::Small ? builder.sext(rest, ir::Type::I128) : rest);
  }
  const unsigned scale = std::max(a.type.scale, b.type.scale);
  const ir::Value rest =
      builder.call(RUNTIME_FUNCTION(rt::moduloDecimals), {decimalBits(context, a), builder.constI32(a.type.scale),
                                                          decimalBits(context, b), builder.constI32(b.type.scale)});
  Type exact = type;
  exact.form = NumericForm::Wide;
  exact.scale = scale & 31;
  exact.typmod = -1;
  return convertValue(context, {exact, rest, {}, {}}, type, false);
}

SqlValue negateDecimal(CodeContext& context, const Type& type, const SqlValue& a) {
  ir::Builder& builder = context.builder;
  const ir::Value value = raiseDecimal(context, a, type).lo;
  if (type.isCheckedDecimal()) return {type, builder.negTrap(value, TrapCode::DecimalOverflow), {}, {}};
  return {type, builder.neg(value), {}, {}};
}

/// Big division's digits, brought into the scaled type the binder asked for (it asks for Big as a rule).
SqlValue viaBig(CodeContext& context, FunctionId function, const Type& type, std::span<const SqlValue> arguments) {
  const SqlValue exact = emitBigArithmetic(context, function, Type::bigNumeric(), arguments);
  return convertValue(context, exact, type, false);
}

/// ceil, floor, round, trunc; the number of digits to keep is constant, or all work is left to Big.
SqlValue roundDecimal(CodeContext& context, FunctionId function, const Type& type,
                      std::span<const SqlValue> arguments) {
  ir::Builder& builder = context.builder;
  const SqlValue value = asDecimal(context, arguments[0]);
  const bool has_digits = arguments.size() > 1;
  const auto digits = has_digits ? constantInteger(context, arguments[1].lo) : std::optional<int64_t>(0);
  if (!digits) return viaBig(context, function, type, arguments);
  const auto result_scale = static_cast<unsigned>(std::max<int64_t>(*digits, 0));
  if (*digits >= value.type.scale) return convertValue(context, value, type, false);
  const ir::Value wide = decimalBits(context, value);
  const ir::Value scale = builder.constI32(value.type.scale);
  const ir::Value to = builder.constI32(static_cast<int32_t>(std::max<int64_t>(*digits, -100)));
  ir::Value result;
  switch (function) {
    case FunctionId::Ceil:
      result = builder.call(RUNTIME_FUNCTION(rt::ceilingDecimal), {wide, scale});
      break;
    case FunctionId::Floor:
      result = builder.call(RUNTIME_FUNCTION(rt::floorDecimal), {wide, scale});
      break;
    case FunctionId::Round:
      if (value.type.form == NumericForm::Small && *digits >= 0) {
        const ir::Value rounded = dropDigits(context, value.lo, value.type.scale - result_scale);
        result = builder.sext(rounded, ir::Type::I128);
        break;
      }
      result = builder.call(RUNTIME_FUNCTION(rt::roundDecimal), {wide, scale, to});
      break;
    default:
      result = builder.call(RUNTIME_FUNCTION(rt::truncateDecimal), {wide, scale, to});
      break;
  }
  const Type exact = Type::decimal(Type::kWideDigitsMax, result_scale);
  if (type.scale == result_scale) return fromInt128(context, type, result);
  return convertValue(context, {exact, result, {}, {}}, type, false);
}

SqlValue signOfDecimal(CodeContext& context, const Type& type, const SqlValue& a) {
  ir::Builder& builder = context.builder;
  const ir::Value zero = builder.zero(builder.typeOf(a.lo));
  const ir::Value sign = builder.sub(builder.zext(builder.sgt(a.lo, zero), ir::Type::I64),
                                     builder.zext(builder.slt(a.lo, zero), ir::Type::I64));
  return raiseDecimal(context, {Type::decimal(1, 0), sign, {}, {}}, type);
}

/// Two Big arguments and the arena; null: not one of these functions.
const RuntimeFunction* binaryBig(FunctionId function) {
  switch (function) {
    case FunctionId::Add:
      return &RUNTIME_FUNCTION(rt::addNumeric);
    case FunctionId::Subtract:
      return &RUNTIME_FUNCTION(rt::subtractNumeric);
    case FunctionId::Multiply:
      return &RUNTIME_FUNCTION(rt::multiplyNumeric);
    case FunctionId::Divide:
      return &RUNTIME_FUNCTION(rt::divideNumeric);
    case FunctionId::Modulo:
      return &RUNTIME_FUNCTION(rt::moduloNumeric);
    case FunctionId::Power:
      return &RUNTIME_FUNCTION(rt::powerNumeric);
    case FunctionId::Logarithm:
      return &RUNTIME_FUNCTION(rt::logarithmBaseNumeric);
    default:
      return nullptr;
  }
}

const RuntimeFunction* unaryBig(FunctionId function) {
  switch (function) {
    case FunctionId::Negate:
      return &RUNTIME_FUNCTION(rt::negateNumeric);
    case FunctionId::Absolute:
      return &RUNTIME_FUNCTION(rt::absoluteNumeric);
    case FunctionId::Ceil:
      return &RUNTIME_FUNCTION(rt::ceilingNumeric);
    case FunctionId::Floor:
      return &RUNTIME_FUNCTION(rt::floorNumeric);
    case FunctionId::Sign:
      return &RUNTIME_FUNCTION(rt::signNumeric);
    case FunctionId::SquareRoot:
      return &RUNTIME_FUNCTION(rt::squareRootNumeric);
    case FunctionId::Exponential:
      return &RUNTIME_FUNCTION(rt::exponentialNumeric);
    case FunctionId::NaturalLogarithm:
      return &RUNTIME_FUNCTION(rt::naturalLogarithmNumeric);
    case FunctionId::Logarithm:
      return &RUNTIME_FUNCTION(rt::logarithmNumeric);
    default:
      return nullptr;
  }
}

bool isScaled(const SqlValue& value) {
  return !value.type.isBig();
}

/// Decimals divide without being made Big first.
SqlValue divideScaled(CodeContext& context, const Type& type, const SqlValue& left, const SqlValue& right) {
  const SqlValue a = asDecimal(context, left);
  const SqlValue b = asDecimal(context, right);
  ir::Builder& builder = context.builder;
  return pairResult(context, type,
                    builder.call(RUNTIME_FUNCTION(rt::divideDecimals),
                                 {decimalBits(context, a), builder.constI32(a.type.scale), decimalBits(context, b),
                                  builder.constI32(b.type.scale), context.scratchArena()}));
}

/// round and trunc to a number of digits.
SqlValue roundBig(CodeContext& context, FunctionId function, const Type& type, std::span<const SqlValue> arguments) {
  ir::Builder& builder = context.builder;
  const SqlValue value = toBig(context, arguments[0]);
  const ir::Value digits = arguments.size() > 1
                               ? convertValue(context, arguments[1], Type::of(TypeKind::Integer), false).lo
                               : builder.constI32(0);
  const RuntimeFunction& round =
      function == FunctionId::Round ? RUNTIME_FUNCTION(rt::roundNumeric) : RUNTIME_FUNCTION(rt::truncateNumeric);
  return pairResult(context, type, builder.call(round, {value.lo, value.hi, digits, context.scratchArena()}));
}

}  // namespace

SqlValue emitDecimalArithmetic(CodeContext& context, FunctionId function, const Type& type,
                               std::span<const SqlValue> arguments) {
  for (const SqlValue& argument : arguments) {
    if (!argument.type.isInteger() && argument.type.kind != TypeKind::Numeric)
      throwNotSupported(describeCall(function, arguments));
    if (argument.type.isBig()) return viaBig(context, function, type, arguments);
  }
  const SqlValue a = asDecimal(context, arguments[0]);
  const SqlValue b = arguments.size() > 1 ? asDecimal(context, arguments[1]) : SqlValue{};
  switch (function) {
    case FunctionId::Add:
    case FunctionId::Subtract:
      return addDecimals(context, function, type, a, b);
    case FunctionId::Multiply:
      return multiplyDecimals(context, type, a, b);
    case FunctionId::Modulo:
      return moduloDecimals(context, type, a, b);
    case FunctionId::Negate:
      return negateDecimal(context, type, a);
    case FunctionId::Absolute: {
      const SqlValue same = raiseDecimal(context, a, type);
      const ir::Value is_negative = context.builder.slt(same.lo, context.builder.zero(irTypeOf(type)));
      return selectValue(context, is_negative, negateDecimal(context, type, a), same);
    }
    case FunctionId::Ceil:
    case FunctionId::Floor:
    case FunctionId::Round:
    case FunctionId::Truncate:
      return roundDecimal(context, function, type, arguments);
    case FunctionId::Sign:
      return signOfDecimal(context, type, a);
    default:
      return viaBig(context, function, type, arguments);
  }
}

SqlValue emitBigArithmetic(CodeContext& context, FunctionId function, const Type& type,
                           std::span<const SqlValue> arguments) {
  for (const SqlValue& argument : arguments)
    if (!argument.type.isInteger() && argument.type.kind != TypeKind::Numeric)
      throwNotSupported(describeCall(function, arguments));
  if (function == FunctionId::Round || function == FunctionId::Truncate)
    return roundBig(context, function, type, arguments);
  ir::Builder& builder = context.builder;
  if (arguments.size() == 2) {
    if (function == FunctionId::Divide && isScaled(arguments[0]) && isScaled(arguments[1]))
      return divideScaled(context, type, arguments[0], arguments[1]);
    const SqlValue a = toBig(context, arguments[0]);
    const SqlValue b = toBig(context, arguments[1]);
    if (const RuntimeFunction* binary = binaryBig(function))
      return pairResult(context, type, builder.call(*binary, {a.lo, a.hi, b.lo, b.hi, context.scratchArena()}));
  }
  if (arguments.size() == 1) {
    const SqlValue a = toBig(context, arguments[0]);
    if (const RuntimeFunction* unary = unaryBig(function))
      return pairResult(context, type, builder.call(*unary, {a.lo, a.hi, context.scratchArena()}));
  }
  throwNotSupported(describeCall(function, arguments));
}

}  // namespace gnomon::codegen
