#include "codegen/translate/expression_bytea.h"

#include <algorithm>
#include <vector>

#include "base/sql_error.h"
#include "codegen/runtime/bytea_functions.h"
#include "codegen/runtime/digest_functions.h"
#include "codegen/runtime/string_functions.h"
#include "codegen/translate/expression_arithmetic.h"
#include "codegen/translate/expression_string.h"
#include "codegen/translate/expression_values.h"

namespace gnomon::codegen {
namespace {

using sql::FunctionId;
using sql::Type;
using sql::TypeKind;
using Arguments = std::span<const SqlValue>;

/// How a function is called: each string as lo and hi, each integer as it is, then the arena if it allocates.
struct ByteaCall {
  const RuntimeFunction* function = nullptr;
  bool has_arena = false;
};

/// What bytea and strings have under one name, for bytea.
ByteaCall sharedFunction(FunctionId function, size_t argument_count) {
  switch (function) {
    case FunctionId::Concat:
      return {&RUNTIME_FUNCTION(rt::concatStrings), true};
    case FunctionId::Length:
    case FunctionId::OctetLength:
      return {&RUNTIME_FUNCTION(rt::octetLengthString)};
    case FunctionId::Substring:
      if (argument_count == 2) return {&RUNTIME_FUNCTION(rt::substringBytesFrom)};
      return {&RUNTIME_FUNCTION(rt::substringBytesFor)};
    case FunctionId::Position:
      return {&RUNTIME_FUNCTION(rt::positionBytes)};
    case FunctionId::TrimBoth:
      return {&RUNTIME_FUNCTION(rt::trimBytesBoth)};
    case FunctionId::TrimLeft:
      return {&RUNTIME_FUNCTION(rt::trimBytesLeft)};
    case FunctionId::TrimRight:
      return {&RUNTIME_FUNCTION(rt::trimBytesRight)};
    default:
      return {};
  }
}

ByteaCall overlayFunction(bool of_bytes, size_t argument_count) {
  if (argument_count == 3)
    return {of_bytes ? &RUNTIME_FUNCTION(rt::overlayBytes) : &RUNTIME_FUNCTION(rt::overlayString), true};
  return {of_bytes ? &RUNTIME_FUNCTION(rt::overlayBytesFor) : &RUNTIME_FUNCTION(rt::overlayStringFor), true};
}

ByteaCall conversionFunction(FunctionId function) {
  switch (function) {
    case FunctionId::Encode:
      return {&RUNTIME_FUNCTION(rt::encodeBytes), true};
    case FunctionId::Decode:
      return {&RUNTIME_FUNCTION(rt::decodeBytes), true};
    case FunctionId::Convert:
      return {&RUNTIME_FUNCTION(rt::convertBytes), true};
    case FunctionId::ConvertFrom:
      return {&RUNTIME_FUNCTION(rt::convertFrom), true};
    case FunctionId::ConvertTo:
      return {&RUNTIME_FUNCTION(rt::convertTo), true};
    case FunctionId::EncodedLength:
      return {&RUNTIME_FUNCTION(rt::encodedLength)};
    case FunctionId::Md5:
      return {&RUNTIME_FUNCTION(rt::md5Text), true};
    case FunctionId::Sha224:
      return {&RUNTIME_FUNCTION(rt::sha224Bytes), true};
    case FunctionId::Sha256:
      return {&RUNTIME_FUNCTION(rt::sha256Bytes), true};
    case FunctionId::Sha384:
      return {&RUNTIME_FUNCTION(rt::sha384Bytes), true};
    case FunctionId::Sha512:
      return {&RUNTIME_FUNCTION(rt::sha512Bytes), true};
    default:
      return {};
  }
}

ByteaCall bitFunction(FunctionId function) {
  switch (function) {
    case FunctionId::BitLength:
      return {&RUNTIME_FUNCTION(rt::bitLength)};
    case FunctionId::BitCount:
      return {&RUNTIME_FUNCTION(rt::bitCount)};
    case FunctionId::GetByte:
      return {&RUNTIME_FUNCTION(rt::getByte)};
    case FunctionId::SetByte:
      return {&RUNTIME_FUNCTION(rt::setByte), true};
    case FunctionId::GetBit:
      return {&RUNTIME_FUNCTION(rt::getBit)};
    case FunctionId::SetBit:
      return {&RUNTIME_FUNCTION(rt::setBit), true};
    default:
      return {};
  }
}

ByteaCall callOf(FunctionId function, Arguments arguments) {
  const bool of_bytes = arguments[0].type.kind == TypeKind::Bytea;
  if (function <= FunctionId::Initcap) return sharedFunction(function, arguments.size());
  if (function == FunctionId::Overlay) return overlayFunction(of_bytes, arguments.size());
  const ByteaCall call = bitFunction(function);
  return call.function != nullptr ? call : conversionFunction(function);
}

}  // namespace

SqlValue emitByteaFunction(CodeContext& context, FunctionId function, const Type& type, Arguments arguments) {
  ir::Builder& builder = context.builder;
  if (function == FunctionId::Like) return emitLike(context, function, type, arguments);
  const ByteaCall call = callOf(function, arguments);
  if (call.function == nullptr) throwNotSupported(describeCall(function, arguments));
  std::vector<ir::Value> values;
  for (const SqlValue& argument : arguments) {
    values.push_back(argument.lo);
    if (argument.isPair()) values.push_back(argument.hi);
  }
  if (call.has_arena) values.push_back(context.scratchArena());
  const bool agrees = std::ranges::equal(
      values, call.function->parameters, {}, [&](ir::Value value) { return builder.typeOf(value); },
      [](const RuntimeFunction::Parameter& parameter) { return parameter.type; });
  if (!agrees) throwNotSupported(describeCall(function, arguments));
  const ir::Value result = builder.call(*call.function, values);
  if (type.isByteString()) return pairResult(context, type, result);
  return {type, result, {}, {}};
}

}  // namespace gnomon::codegen
