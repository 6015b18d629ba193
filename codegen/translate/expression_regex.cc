#include "codegen/translate/expression_regex.h"

#include <memory>
#include <optional>
#include <vector>

#include "base/sql_error.h"
#include "codegen/runtime/regex_functions.h"
#include "codegen/translate/expression_values.h"

namespace gnomon::codegen {
namespace {

using sql::FunctionId;
using sql::Type;
using Arguments = std::span<const SqlValue>;

/// Which argument holds the flags; nothing: none does.
std::optional<size_t> flagsArgument(FunctionId function, Arguments arguments) {
  const auto isText = [&](size_t i) { return i < arguments.size() && arguments[i].type.isString(); };
  const size_t first = function == FunctionId::RegexReplace ? 3 : 2;
  for (size_t i = first; i < arguments.size(); ++i)
    if (isText(i)) return i;
  return {};
}

/// Regex*: compiled now, or a call that finds or compiles it.
ir::Value regexOf(CodeContext& context, FunctionId function, const SqlValue& pattern, const SqlValue& flags) {
  ir::Builder& builder = context.builder;
  StringValue pattern_storage, flags_storage;
  const auto known = constantText(context, pattern, pattern_storage);
  const auto known_flags = constantText(context, flags, flags_storage);
  if (known && known_flags) try {
      return builder.constPtr(
          context.resources.keep(std::make_unique<Regex>(*known, regexOptionsOf(function, *known_flags))));
    } catch (const SqlError&) {
      // Raised where a row evaluates it.
    }
  return builder.call(RUNTIME_FUNCTION(rt::compiledRegex),
                      {pattern.lo, pattern.hi, flags.lo, flags.hi, builder.constI16(static_cast<int16_t>(function))});
}

SqlValue textOrNull(CodeContext& context, const Type& type, ir::Value pair) {
  ir::Builder& builder = context.builder;
  const ir::Value lo = builder.lo64(pair);
  const ir::Value is_null = builder.eq(lo, builder.constU64(rt::kNoMatch));
  const ir::Value zero = builder.constI64(0);
  return {type, builder.select(is_null, zero, lo), builder.select(is_null, zero, builder.hi64(pair)), is_null};
}

SqlValue shortText(CodeContext& context, std::string_view text) {
  const StringValue value = StringValue::refer(text, StringValue::Storage::Persistent);
  return {
      Type::of(sql::TypeKind::Text), context.builder.constU64(value.lo()), context.builder.constU64(value.hi()), {}};
}

SqlValue emitSimilarPattern(CodeContext& context, const Type& type, Arguments arguments) {
  const SqlValue escape = arguments.size() > 1 ? arguments[1] : shortText(context, "\\");
  return pairResult(
      context, type,
      context.builder.call(RUNTIME_FUNCTION(rt::similarPattern),
                           {arguments[0].lo, arguments[0].hi, escape.lo, escape.hi, context.scratchArena()}));
}

/// The integers behind the pattern, or what they are when they are left out.
std::vector<ir::Value> integersOf(CodeContext& context, Arguments arguments, std::vector<int32_t> defaults) {
  std::vector<ir::Value> values;
  for (const SqlValue& argument : arguments)
    if (argument.type.isInteger()) values.push_back(argument.lo);
  for (size_t i = values.size(); i < defaults.size(); ++i) values.push_back(context.builder.constI32(defaults[i]));
  return values;
}

SqlValue emitReplace(CodeContext& context, const Type& type, Arguments arguments, ir::Value regex) {
  const bool has_flags_alone = arguments.size() == 4 && arguments[3].type.isString();
  std::vector<ir::Value> values{regex, arguments[0].lo, arguments[0].hi, arguments[2].lo, arguments[2].hi};
  if (!has_flags_alone)
    for (const ir::Value value : integersOf(context, arguments.subspan(3), {1, 1})) values.push_back(value);
  values.push_back(context.scratchArena());
  return pairResult(
      context, type,
      context.builder.call(
          has_flags_alone ? RUNTIME_FUNCTION(rt::regexReplaceByFlags) : RUNTIME_FUNCTION(rt::regexReplace), values));
}

}  // namespace

SqlValue emitRegexFunction(CodeContext& context, FunctionId function, const Type& type, Arguments arguments) {
  if (function == FunctionId::SimilarPattern) return emitSimilarPattern(context, type, arguments);
  ir::Builder& builder = context.builder;
  const auto flags = flagsArgument(function, arguments);
  const ir::Value regex = regexOf(context, function, arguments[1],
                                  flags                                        ? arguments[*flags]
                                  : function == FunctionId::RegexMatchCaseless ? shortText(context, "i")
                                                                               : shortText(context, ""));
  if (function == FunctionId::RegexReplace) return emitReplace(context, type, arguments, regex);
  std::vector<ir::Value> values{regex, arguments[0].lo, arguments[0].hi};
  const auto withIntegers = [&](std::vector<int32_t> defaults) {
    for (const ir::Value value : integersOf(context, arguments.subspan(2), std::move(defaults)))
      values.push_back(value);
    return values;
  };
  switch (function) {
    case FunctionId::RegexSubstring:
      return textOrNull(context, type, builder.call(RUNTIME_FUNCTION(rt::regexSubstring), values));
    case FunctionId::RegexMatchArray:
      values.push_back(context.scratchArena());
      return textOrNull(context, type, builder.call(RUNTIME_FUNCTION(rt::regexMatchArray), values));
    case FunctionId::RegexSplitArray:
      values.push_back(context.scratchArena());
      return pairResult(context, type, builder.call(RUNTIME_FUNCTION(rt::regexSplitArray), values));
    case FunctionId::RegexCount:
      return {type, builder.call(RUNTIME_FUNCTION(rt::regexCount), withIntegers({1})), {}, {}};
    case FunctionId::RegexPosition:
      return {type, builder.call(RUNTIME_FUNCTION(rt::regexPosition), withIntegers({1, 1, 0, 0})), {}, {}};
    case FunctionId::RegexSubstr:
      return textOrNull(context, type, builder.call(RUNTIME_FUNCTION(rt::regexSubstr), withIntegers({1, 1, 0})));
    default:
      return {type, builder.call(RUNTIME_FUNCTION(rt::regexMatches), values), {}, {}};
  }
}

}  // namespace gnomon::codegen
