#include "codegen/translate/expression_mathematics.h"

#include <numbers>
#include <vector>

#include "base/sql_error.h"
#include "codegen/runtime/number_functions.h"
#include "codegen/runtime/trigonometry.h"
#include "codegen/translate/expression_arithmetic.h"
#include "codegen/translate/expression_cast.h"
#include "codegen/translate/expression_decimal.h"
#include "codegen/translate/expression_values.h"
#include "codegen/translate/value_operations.h"

namespace gnomon::codegen {
namespace {

using sql::FunctionId;
using sql::Type;
using sql::TypeKind;
using Arguments = std::span<const SqlValue>;

/// smallint is shifted as an integer: the amount counts modulo 32.
ir::Value shifted(ir::Builder& builder, FunctionId function, ir::Value value, ir::Value amount) {
  const ir::Type narrow = builder.typeOf(value);
  const ir::Type wide = narrow == ir::Type::I16 ? ir::Type::I32 : narrow;
  const ir::Value input = wide == narrow ? value : builder.sext(value, wide);
  const ir::Value by = wide == builder.typeOf(amount) ? amount : builder.sext(amount, wide);
  const ir::Value result = function == FunctionId::ShiftLeft ? builder.shl(input, by) : builder.ashr(input, by);
  return wide == narrow ? result : builder.trunc(result, narrow);
}

SqlValue emitBits(CodeContext& context, FunctionId function, const Type& type, Arguments arguments) {
  ir::Builder& builder = context.builder;
  const ir::Value a = convertValue(context, arguments[0], type, false).lo;
  if (function == FunctionId::BitNot) return {type, builder.bitNot(a), {}, {}};
  if (function == FunctionId::ShiftLeft || function == FunctionId::ShiftRight)
    return {type, shifted(builder, function, a, arguments[1].lo), {}, {}};
  const ir::Value b = convertValue(context, arguments[1], type, false).lo;
  const ir::Value result = function == FunctionId::BitAnd  ? builder.bitAnd(a, b)
                           : function == FunctionId::BitOr ? builder.bitOr(a, b)
                                                           : builder.bitXor(a, b);
  return {type, result, {}, {}};
}

/// Of double precision; null: not one of them.
const RuntimeFunction* trigonometric(FunctionId function) {
  switch (function) {
    case FunctionId::CubeRoot:
      return &RUNTIME_FUNCTION(rt::cubeRootDouble);
    case FunctionId::Degrees:
      return &RUNTIME_FUNCTION(rt::degreesDouble);
    case FunctionId::Radians:
      return &RUNTIME_FUNCTION(rt::radiansDouble);
    case FunctionId::Sine:
      return &RUNTIME_FUNCTION(rt::sineDouble);
    case FunctionId::Cosine:
      return &RUNTIME_FUNCTION(rt::cosineDouble);
    case FunctionId::Tangent:
      return &RUNTIME_FUNCTION(rt::tangentDouble);
    case FunctionId::Cotangent:
      return &RUNTIME_FUNCTION(rt::cotangentDouble);
    case FunctionId::ArcSine:
      return &RUNTIME_FUNCTION(rt::arcSineDouble);
    case FunctionId::ArcCosine:
      return &RUNTIME_FUNCTION(rt::arcCosineDouble);
    case FunctionId::ArcTangent:
      return &RUNTIME_FUNCTION(rt::arcTangentDouble);
    case FunctionId::ArcTangentOfQuotient:
      return &RUNTIME_FUNCTION(rt::arcTangentOfQuotient);
    default:
      return nullptr;
  }
}

const RuntimeFunction* ofDegrees(FunctionId function) {
  switch (function) {
    case FunctionId::SineOfDegrees:
      return &RUNTIME_FUNCTION(rt::sineOfDegrees);
    case FunctionId::CosineOfDegrees:
      return &RUNTIME_FUNCTION(rt::cosineOfDegrees);
    case FunctionId::TangentOfDegrees:
      return &RUNTIME_FUNCTION(rt::tangentOfDegrees);
    case FunctionId::CotangentOfDegrees:
      return &RUNTIME_FUNCTION(rt::cotangentOfDegrees);
    case FunctionId::ArcSineInDegrees:
      return &RUNTIME_FUNCTION(rt::arcSineInDegrees);
    case FunctionId::ArcCosineInDegrees:
      return &RUNTIME_FUNCTION(rt::arcCosineInDegrees);
    case FunctionId::ArcTangentInDegrees:
      return &RUNTIME_FUNCTION(rt::arcTangentInDegrees);
    case FunctionId::ArcTangentOfQuotientInDegrees:
      return &RUNTIME_FUNCTION(rt::arcTangentOfQuotientInDegrees);
    default:
      return nullptr;
  }
}

const RuntimeFunction* hyperbolic(FunctionId function) {
  switch (function) {
    case FunctionId::HyperbolicSine:
      return &RUNTIME_FUNCTION(rt::hyperbolicSine);
    case FunctionId::HyperbolicCosine:
      return &RUNTIME_FUNCTION(rt::hyperbolicCosine);
    case FunctionId::HyperbolicTangent:
      return &RUNTIME_FUNCTION(rt::hyperbolicTangent);
    case FunctionId::InverseHyperbolicSine:
      return &RUNTIME_FUNCTION(rt::inverseHyperbolicSine);
    case FunctionId::InverseHyperbolicCosine:
      return &RUNTIME_FUNCTION(rt::inverseHyperbolicCosine);
    case FunctionId::InverseHyperbolicTangent:
      return &RUNTIME_FUNCTION(rt::inverseHyperbolicTangent);
    default:
      return nullptr;
  }
}

SqlValue emitDouble(CodeContext& context, FunctionId function, const Type& type, Arguments arguments) {
  ir::Builder& builder = context.builder;
  if (function == FunctionId::Pi) return {type, builder.constF64(std::numbers::pi), {}, {}};
  const RuntimeFunction* called = trigonometric(function);
  if (called == nullptr) called = ofDegrees(function);
  if (called == nullptr) called = hyperbolic(function);
  if (called == nullptr || called->parameters.size() != arguments.size())
    throwNotSupported(describeCall(function, arguments));
  std::vector<ir::Value> values;
  for (const SqlValue& argument : arguments) values.push_back(convertValue(context, argument, type, false).lo);
  return {type, builder.call(*called, values), {}, {}};
}

/// gcd and lcm of integers.
SqlValue emitCommon(CodeContext& context, FunctionId function, const Type& type, Arguments arguments) {
  ir::Builder& builder = context.builder;
  const RuntimeFunction& called = function == FunctionId::GreatestCommonDivisor
                                      ? RUNTIME_FUNCTION(rt::commonDivisorInteger)
                                      : RUNTIME_FUNCTION(rt::commonMultipleInteger);
  const Type bigint = Type::of(TypeKind::Bigint);
  const ir::Value result =
      builder.call(called, {convertValue(context, arguments[0], bigint, false).lo,
                            convertValue(context, arguments[1], bigint, false).lo,
                            builder.constI64(type.kind == TypeKind::Integer ? INT32_MAX : INT64_MAX)});
  return {type, type.kind == TypeKind::Integer ? builder.trunc(result, ir::Type::I32) : result, {}, {}};
}

/// scale and min_scale: NULL of what is not finite.
SqlValue emitScale(CodeContext& context, FunctionId function, const Type& type, const SqlValue& number) {
  ir::Builder& builder = context.builder;
  const SqlValue big = toBig(context, number);
  const ir::Value scale = builder.call(function == FunctionId::ScaleOf ? RUNTIME_FUNCTION(rt::scaleOfNumeric)
                                                                       : RUNTIME_FUNCTION(rt::minimumScaleNumeric),
                                       {big.lo, big.hi});
  return {type, scale, {}, builder.slt(scale, builder.constI32(0))};
}

SqlValue emitWidthBucket(CodeContext& context, const Type& type, Arguments arguments) {
  ir::Builder& builder = context.builder;
  std::vector<ir::Value> values;
  const bool is_numeric = arguments[0].type.kind == TypeKind::Numeric;
  for (const SqlValue& argument : arguments.first(3)) {
    const SqlValue number = is_numeric ? toBig(context, argument) : argument;
    values.push_back(number.lo);
    if (is_numeric) values.push_back(number.hi);
  }
  values.push_back(arguments[3].lo);
  return {type,
          builder.call(is_numeric ? RUNTIME_FUNCTION(rt::widthBucketNumeric) : RUNTIME_FUNCTION(rt::widthBucketDouble),
                       values),
          {},
          {}};
}

SqlValue emitBig(CodeContext& context, FunctionId function, const Type& type, Arguments arguments) {
  ir::Builder& builder = context.builder;
  const RuntimeFunction& called =
      function == FunctionId::IntegralQuotient        ? RUNTIME_FUNCTION(rt::integralQuotientNumeric)
      : function == FunctionId::GreatestCommonDivisor ? RUNTIME_FUNCTION(rt::commonDivisorNumeric)
      : function == FunctionId::LeastCommonMultiple   ? RUNTIME_FUNCTION(rt::commonMultipleNumeric)
                                                      : RUNTIME_FUNCTION(rt::trimScaleNumeric);
  std::vector<ir::Value> values;
  for (const SqlValue& argument : arguments) {
    const SqlValue big = toBig(context, argument);
    values.insert(values.end(), {big.lo, big.hi});
  }
  values.push_back(context.scratchArena());
  return pairResult(context, type, builder.call(called, values));
}

}  // namespace

SqlValue emitNumberFunction(CodeContext& context, FunctionId function, const Type& type, Arguments arguments) {
  if (sql::isBitFunction(function)) return emitBits(context, function, type, arguments);
  if (function < FunctionId::IntegralQuotient) return emitDouble(context, function, type, arguments);
  switch (function) {
    case FunctionId::WidthBucket:
      return emitWidthBucket(context, type, arguments);
    case FunctionId::ScaleOf:
    case FunctionId::MinimumScale:
      return emitScale(context, function, type, arguments[0]);
    case FunctionId::Factorial:
      return pairResult(
          context, type,
          context.builder.call(RUNTIME_FUNCTION(rt::factorialNumeric), {arguments[0].lo, context.scratchArena()}));
    default:
      if (type.isInteger()) return emitCommon(context, function, type, arguments);
      return emitBig(context, function, type, arguments);
  }
}

}  // namespace gnomon::codegen
