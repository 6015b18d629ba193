#include "codegen/translate/expression_string.h"

#include <algorithm>
#include <vector>

#include "base/sql_error.h"
#include "codegen/runtime/string_functions.h"
#include "codegen/translate/expression_arithmetic.h"
#include "codegen/translate/expression_cast.h"
#include "codegen/translate/expression_values.h"

namespace gnomon::codegen {
namespace {

using sql::FunctionId;
using sql::Type;
using sql::TypeKind;
using Arguments = std::span<const SqlValue>;

/// How a function is called: each string as lo and hi, each integer as int32, then the arena if it allocates.
struct StringCall {
  const RuntimeFunction* function = nullptr;
  bool has_arena = false;
};

StringCall oneArgument(FunctionId function) {
  switch (function) {
    case FunctionId::Length:
      return {&RUNTIME_FUNCTION(rt::lengthString)};
    case FunctionId::OctetLength:
      return {&RUNTIME_FUNCTION(rt::octetLengthString)};
    case FunctionId::Lower:
      return {&RUNTIME_FUNCTION(rt::lowerString), true};
    case FunctionId::Upper:
      return {&RUNTIME_FUNCTION(rt::upperString), true};
    case FunctionId::Initcap:
      return {&RUNTIME_FUNCTION(rt::initcapString), true};
    case FunctionId::Reverse:
      return {&RUNTIME_FUNCTION(rt::reverseString), true};
    case FunctionId::TrimBoth:
      return {&RUNTIME_FUNCTION(rt::trimBoth)};
    case FunctionId::TrimLeft:
      return {&RUNTIME_FUNCTION(rt::trimLeft)};
    case FunctionId::TrimRight:
      return {&RUNTIME_FUNCTION(rt::trimRight)};
    case FunctionId::Ascii:
      return {&RUNTIME_FUNCTION(rt::asciiString)};
    case FunctionId::Character:
      return {&RUNTIME_FUNCTION(rt::characterOf)};
    default:
      return {};
  }
}

StringCall twoArguments(FunctionId function) {
  switch (function) {
    case FunctionId::Concat:
      return {&RUNTIME_FUNCTION(rt::concatStrings), true};
    case FunctionId::Substring:
      return {&RUNTIME_FUNCTION(rt::substringFrom)};
    case FunctionId::Position:
      return {&RUNTIME_FUNCTION(rt::positionString)};
    case FunctionId::TrimBoth:
      return {&RUNTIME_FUNCTION(rt::trimBothSet)};
    case FunctionId::TrimLeft:
      return {&RUNTIME_FUNCTION(rt::trimLeftSet)};
    case FunctionId::TrimRight:
      return {&RUNTIME_FUNCTION(rt::trimRightSet)};
    case FunctionId::Left:
      return {&RUNTIME_FUNCTION(rt::leftString)};
    case FunctionId::Right:
      return {&RUNTIME_FUNCTION(rt::rightString)};
    case FunctionId::PadLeft:
      return {&RUNTIME_FUNCTION(rt::padLeft), true};
    case FunctionId::PadRight:
      return {&RUNTIME_FUNCTION(rt::padRight), true};
    case FunctionId::Repeat:
      return {&RUNTIME_FUNCTION(rt::repeatString), true};
    case FunctionId::StartsWith:
      return {&RUNTIME_FUNCTION(rt::startsWith)};
    default:
      return {};
  }
}

StringCall threeArguments(FunctionId function) {
  switch (function) {
    case FunctionId::Substring:
      return {&RUNTIME_FUNCTION(rt::substringFor)};
    case FunctionId::Replace:
      return {&RUNTIME_FUNCTION(rt::replaceString), true};
    case FunctionId::PadLeft:
      return {&RUNTIME_FUNCTION(rt::padLeft), true};
    case FunctionId::PadRight:
      return {&RUNTIME_FUNCTION(rt::padRight), true};
    case FunctionId::SplitPart:
      return {&RUNTIME_FUNCTION(rt::splitPart)};
    default:
      return {};
  }
}

StringCall callOf(FunctionId function, size_t argument_count) {
  if (argument_count == 1) return oneArgument(function);
  if (argument_count == 2) return twoArguments(function);
  if (argument_count == 3) return threeArguments(function);
  return {};
}

/// Appends the argument as the runtime takes it. False: of no type that string functions have.
bool appendArgument(CodeContext& context, FunctionId function, const SqlValue& argument,
                    std::vector<ir::Value>& values) {
  if (argument.type.isInteger()) {
    values.push_back(convertValue(context, argument, Type::of(TypeKind::Integer), false).lo);
    return true;
  }
  if (!argument.type.isString()) return false;
  // char(n) has functions of its own for its lengths; for all others PostgreSQL casts it to text.
  const bool is_cast = argument.type.kind == TypeKind::Char && function != FunctionId::OctetLength;
  const SqlValue text = is_cast ? convertValue(context, argument, Type::of(TypeKind::Text), true) : argument;
  values.push_back(text.lo);
  values.push_back(text.hi);
  return true;
}

/// What a string function's result is in registers: two halves of a string, or a number.
SqlValue resultOf(CodeContext& context, const Type& type, ir::Value result) {
  if (type.isString()) return pairResult(context, type, result);
  const ir::Type wanted = irTypeOf(type);
  return {type,
          bitsOf(wanted) > bitsOf(context.builder.typeOf(result)) ? context.builder.sext(result, wanted) : result,
          {},
          {}};
}

}  // namespace

SqlValue emitStringFunction(CodeContext& context, FunctionId function, const Type& type, Arguments arguments) {
  ir::Builder& builder = context.builder;
  if (function == FunctionId::Like || function == FunctionId::ILike)
    return emitLike(context, function, type, arguments);
  const StringCall call = callOf(function, arguments.size());
  if (call.function == nullptr) throwNotSupported(describeCall(function, arguments));
  std::vector<ir::Value> values;
  for (const SqlValue& argument : arguments)
    if (!appendArgument(context, function, argument, values)) throwNotSupported(describeCall(function, arguments));
  const bool is_padding = function == FunctionId::PadLeft || function == FunctionId::PadRight;
  if (is_padding && arguments.size() == 2) {
    const StringValue blank = StringValue::refer(" ", StringValue::Storage::Persistent);
    values.push_back(builder.constU64(blank.lo()));
    values.push_back(builder.constU64(blank.hi()));
  }
  if (call.has_arena) values.push_back(context.scratchArena());
  const auto& parameters = call.function->parameters;
  const bool agrees = std::ranges::equal(
      values, parameters, {}, [&](ir::Value value) { return builder.typeOf(value); },
      [](const RuntimeFunction::Parameter& parameter) { return parameter.type; });
  if (!agrees) throwNotSupported(describeCall(function, arguments));
  return resultOf(context, type, builder.call(*call.function, values));
}

}  // namespace gnomon::codegen
