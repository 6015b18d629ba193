#include "codegen/translate/expression_text_function.h"

#include <vector>

#include "base/sql_error.h"
#include "codegen/runtime/array_functions.h"
#include "codegen/runtime/collation_functions.h"
#include "codegen/runtime/text_functions.h"
#include "codegen/translate/expression_arithmetic.h"
#include "codegen/translate/expression_array.h"
#include "codegen/translate/expression_cast.h"
#include "codegen/translate/expression_values.h"

namespace gnomon::codegen {
namespace {

using sql::FunctionId;
using sql::Type;
using sql::TypeKind;

/// What the client would see: of char(n) all blanks, of a boolean one letter.
SqlValue outputText(CodeContext& context, const Type& type, const SqlValue& value) {
  if (value.type.isString()) return retyped(value, type);
  if (value.type.kind == TypeKind::Inet)
    return pairResult(
        context, type,
        context.builder.call(RUNTIME_FUNCTION(rt::anyToText),
                             {typeConstant(context, value.type), value.lo, value.hi,
                              context.builder.constI1(context.resources.bytea_output == sql::ByteaOutput::Escape),
                              context.scratchArena()}));
  if (value.type.kind != TypeKind::Boolean) return convertValue(context, value, type, true);
  ir::Builder& builder = context.builder;
  const StringValue yes = StringValue::refer("t", StringValue::Storage::Persistent);
  const StringValue no = StringValue::refer("f", StringValue::Storage::Persistent);
  return {type,
          builder.select(value.lo, builder.constU64(yes.lo()), builder.constU64(no.lo())),
          builder.select(value.lo, builder.constU64(yes.hi()), builder.constU64(no.hi())),
          {}};
}

const RuntimeFunction* calledBy(FunctionId function) {
  switch (function) {
    case FunctionId::ListEntry:
      return &RUNTIME_FUNCTION(rt::listEntry);
    case FunctionId::ConcatWithSeparator:
      return &RUNTIME_FUNCTION(rt::concatWithSeparator);
    case FunctionId::Format:
      return &RUNTIME_FUNCTION(rt::formatText);
    case FunctionId::QuoteIdentifier:
      return &RUNTIME_FUNCTION(rt::quoteIdentifier);
    case FunctionId::QuoteLiteral:
      return &RUNTIME_FUNCTION(rt::quoteLiteral);
    case FunctionId::Translate:
      return &RUNTIME_FUNCTION(rt::translateText);
    case FunctionId::CollationKey:
      return &RUNTIME_FUNCTION(rt::collationKey);
    case FunctionId::CollatedText:
      return &RUNTIME_FUNCTION(rt::collatedText);
    case FunctionId::LowerIn:
      return &RUNTIME_FUNCTION(rt::lowerIn);
    case FunctionId::UpperIn:
      return &RUNTIME_FUNCTION(rt::upperIn);
    case FunctionId::InitcapIn:
      return &RUNTIME_FUNCTION(rt::initcapIn);
    default:
      return nullptr;
  }
}

SqlValue hexadecimal(CodeContext& context, const Type& type, const SqlValue& number) {
  ir::Builder& builder = context.builder;
  const ir::Value bits =
      builder.typeOf(number.lo) == ir::Type::I64 ? number.lo : builder.zext(number.lo, ir::Type::I64);
  return pairResult(context, type, builder.call(RUNTIME_FUNCTION(rt::hexadecimalOf), {bits, context.scratchArena()}));
}

}  // namespace

SqlValue emitTextFunction(CodeContext& context, FunctionId function, const Type& type,
                          std::span<const SqlValue> arguments) {
  if (function == FunctionId::OutputText) return outputText(context, type, arguments[0]);
  if (function == FunctionId::ToHexadecimal) return hexadecimal(context, type, arguments[0]);
  const RuntimeFunction* called = calledBy(function);
  if (called == nullptr || called->parameters.size() != 2 * arguments.size() + 1)
    throwNotSupported(describeCall(function, arguments));
  std::vector<ir::Value> values;
  for (const SqlValue& argument : arguments) {
    const SqlValue text = argument.type.kind == TypeKind::Char
                              ? convertValue(context, argument, Type::of(TypeKind::Text), true)
                              : argument;
    values.insert(values.end(), {text.lo, text.hi});
  }
  values.push_back(context.scratchArena());
  return pairResult(context, type, context.builder.call(*called, values));
}

}  // namespace gnomon::codegen
