#include "codegen/translate/expression_arithmetic.h"

#include <string>

#include "base/sql_error.h"
#include "codegen/runtime/math_runtime.h"
#include "codegen/translate/expression_cast.h"
#include "codegen/translate/expression_values.h"

namespace gnomon::codegen {
namespace {

using sql::FunctionId;
using sql::Type;
using sql::TypeKind;

TrapCode overflowTrap(const Type& type) {
  switch (type.kind) {
    case TypeKind::Smallint:
      return TrapCode::SmallintOutOfRange;
    case TypeKind::Integer:
      return TrapCode::IntegerOutOfRange;
    default:
      return TrapCode::BigintOutOfRange;
  }
}

/// Computes in line and leaves the exceptional results (infinite, and zero where it may be an underflow) to the runtime
/// function, which knows PostgreSQL's errors.
SqlValue checkedFloat(CodeContext& context, const Type& type, ir::Value quick, bool zero_is_suspect,
                      const RuntimeFunction& exact, ir::Value a, ir::Value b) {
  ir::Builder& builder = context.builder;
  const bool is_real = type.kind == TypeKind::Real;
  const ir::Value result = is_real ? builder.roundToFloat(quick) : quick;
  const ir::Value zero = builder.constF64(0);
  // x - x is 0 for finite numbers, NaN for the others.
  ir::Value is_plain = builder.fcmp(ir::FloatPredicate::Oeq, builder.fsub(result, result), zero);
  if (zero_is_suspect) is_plain = builder.bitAnd(is_plain, builder.fcmp(ir::FloatPredicate::One, result, zero));
  if (const auto known = constantInteger(context, is_plain); known && *known != 0) return {type, result, {}, {}};
  const ir::Block suspect = builder.createBlock();
  const ir::Block done = builder.createBlock();
  ValueMerge merge(context, type, done);
  builder.condBr(is_plain, done, suspect, ir::BranchWeight::Likely);
  merge.addEdge({type, result, {}, {}});
  builder.setBlock(suspect);
  merge.branchWith({type, builder.call(exact, {a, b}), {}, {}});
  return merge.finish();
}

const RuntimeFunction& exactFloat(FunctionId function, bool is_real) {
  switch (function) {
    case FunctionId::Add:
      return is_real ? RUNTIME_FUNCTION(rt::addReal) : RUNTIME_FUNCTION(rt::addDouble);
    case FunctionId::Subtract:
      return is_real ? RUNTIME_FUNCTION(rt::subtractReal) : RUNTIME_FUNCTION(rt::subtractDouble);
    case FunctionId::Multiply:
      return is_real ? RUNTIME_FUNCTION(rt::multiplyReal) : RUNTIME_FUNCTION(rt::multiplyDouble);
    default:
      return is_real ? RUNTIME_FUNCTION(rt::divideReal) : RUNTIME_FUNCTION(rt::divideDouble);
  }
}

/// One-argument functions of double precision; null: not one of them.
const RuntimeFunction* unaryFloat(FunctionId function) {
  switch (function) {
    case FunctionId::Ceil:
      return &RUNTIME_FUNCTION(rt::ceilingDouble);
    case FunctionId::Floor:
      return &RUNTIME_FUNCTION(rt::floorDouble);
    case FunctionId::Round:
      return &RUNTIME_FUNCTION(rt::roundDouble);
    case FunctionId::Truncate:
      return &RUNTIME_FUNCTION(rt::truncateDouble);
    case FunctionId::Sign:
      return &RUNTIME_FUNCTION(rt::signDouble);
    case FunctionId::SquareRoot:
      return &RUNTIME_FUNCTION(rt::squareRootDouble);
    case FunctionId::Exponential:
      return &RUNTIME_FUNCTION(rt::exponentialDouble);
    case FunctionId::NaturalLogarithm:
      return &RUNTIME_FUNCTION(rt::naturalLogarithmDouble);
    case FunctionId::Logarithm:
      return &RUNTIME_FUNCTION(rt::logarithmDouble);
    default:
      return nullptr;
  }
}

SqlValue absoluteFloat(CodeContext& context, const Type& type, ir::Value value) {
  ir::Builder& builder = context.builder;
  const ir::Value bits = builder.bitcast(value, ir::Type::I64);
  const ir::Value cleared = builder.bitAnd(bits, builder.constI64(INT64_MAX));
  return {type, builder.bitcast(cleared, ir::Type::F64), {}, {}};
}

}  // namespace

std::string describeCall(FunctionId function, std::span<const SqlValue> arguments) {
  std::string text = "function " + std::to_string(static_cast<unsigned>(function)) + " of (";
  for (size_t i = 0; i < arguments.size(); ++i) text += (i == 0 ? "" : ", ") + arguments[i].type.name();
  return text + ")";
}

SqlValue emitArithmetic(CodeContext& context, FunctionId function, const Type& type,
                        std::span<const SqlValue> arguments) {
  if (type.isInteger()) return emitIntegerArithmetic(context, function, type, arguments);
  if (type.isFloat()) return emitFloatArithmetic(context, function, type, arguments);
  if (type.isBig()) return emitBigArithmetic(context, function, type, arguments);
  if (type.kind == TypeKind::Numeric) return emitDecimalArithmetic(context, function, type, arguments);
  throwNotSupported(describeCall(function, arguments));
}

SqlValue emitIntegerArithmetic(CodeContext& context, FunctionId function, const Type& type,
                               std::span<const SqlValue> arguments) {
  ir::Builder& builder = context.builder;
  for (const SqlValue& argument : arguments)
    if (!argument.type.isInteger()) throwNotSupported(describeCall(function, arguments));
  const TrapCode trap = overflowTrap(type);
  const ir::Value a = convertValue(context, arguments[0], type, false).lo;
  const ir::Value b = arguments.size() > 1 ? convertValue(context, arguments[1], type, false).lo : ir::Value{};
  switch (function) {
    case FunctionId::Add:
      return {type, builder.addTrap(a, b, trap), {}, {}};
    case FunctionId::Subtract:
      return {type, builder.subTrap(a, b, trap), {}, {}};
    case FunctionId::Multiply:
      return {type, builder.mulTrap(a, b, trap), {}, {}};
    case FunctionId::Divide:
      return {type, builder.sdivTrap(a, b, trap), {}, {}};
    case FunctionId::Modulo:
      return {type, builder.sremTrap(a, b), {}, {}};
    case FunctionId::Negate:
      return {type, builder.negTrap(a, trap), {}, {}};
    case FunctionId::Absolute: {
      const ir::Value is_minimum = builder.eq(a, builder.constant(type.kind == TypeKind::Smallint  ? ir::Type::I16
                                                                  : type.kind == TypeKind::Integer ? ir::Type::I32
                                                                                                   : ir::Type::I64,
                                                                  uint128{1} << (bitsOf(irTypeOf(type)) - 1)));
      builder.trapIf(is_minimum, trap);
      return {type, builder.select(builder.slt(a, builder.zero(irTypeOf(type))), builder.neg(a), a), {}, {}};
    }
    default:
      throwNotSupported(describeCall(function, arguments));
  }
}

SqlValue emitFloatArithmetic(CodeContext& context, FunctionId function, const Type& type,
                             std::span<const SqlValue> arguments) {
  ir::Builder& builder = context.builder;
  const ir::Value a = convertValue(context, arguments[0], type, false).lo;
  const ir::Value b = arguments.size() > 1 ? convertValue(context, arguments[1], type, false).lo : ir::Value{};
  const bool is_real = type.kind == TypeKind::Real;
  const RuntimeFunction& exact = exactFloat(function, is_real);
  switch (function) {
    case FunctionId::Add:
      return checkedFloat(context, type, builder.fadd(a, b), false, exact, a, b);
    case FunctionId::Subtract:
      return checkedFloat(context, type, builder.fsub(a, b), false, exact, a, b);
    case FunctionId::Multiply:
      return checkedFloat(context, type, builder.fmul(a, b), true, exact, a, b);
    case FunctionId::Divide:
      return checkedFloat(context, type, builder.fdiv(a, b), true, exact, a, b);
    case FunctionId::Negate:
      return {type, builder.fneg(a), {}, {}};
    case FunctionId::Absolute:
      return absoluteFloat(context, type, a);
    case FunctionId::Power:
      if (!is_real) return {type, builder.call(RUNTIME_FUNCTION(rt::powerDouble), {a, b}), {}, {}};
      break;
    default:
      if (const RuntimeFunction* unary = unaryFloat(function); unary != nullptr && arguments.size() == 1 && !is_real)
        return {type, builder.call(*unary, {a}), {}, {}};
      break;
  }
  throwNotSupported(describeCall(function, arguments));
}

}  // namespace gnomon::codegen
