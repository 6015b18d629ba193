#include <algorithm>
#include <cstring>
#include <memory>
#include <string>
#include <vector>

#include "base/sql_error.h"
#include "codegen/runtime/like_functions.h"
#include "codegen/runtime/string_compare.h"
#include "codegen/translate/expression_arithmetic.h"
#include "codegen/translate/expression_comparison.h"
#include "codegen/translate/expression_string.h"
#include "codegen/translate/expression_values.h"

namespace gnomon::codegen {
namespace {

using sql::FunctionId;
using sql::Type;
using sql::TypeKind;

/// The pattern taken apart, kept with the program; null: its error is raised where a row evaluates it.
const sql::LikePattern* buildPattern(CodeContext& context, std::string_view pattern, std::string_view escape,
                                     sql::LikeUnit unit) {
  try {
    return context.resources.keep(std::make_unique<sql::LikePattern>(pattern, escape, unit));
  } catch (const SqlError&) {
    return nullptr;
  }
}

/// The pattern is nothing but literal text and one % at its end.
bool isPlainPrefix(std::string_view pattern, std::string_view escape) {
  if (!pattern.ends_with('%')) return false;
  pattern.remove_suffix(1);
  return pattern.find_first_of("%_") == std::string_view::npos &&
         (escape.empty() || pattern.find(escape) == std::string_view::npos);
}

/// I1: the text begins with these bytes, 1 to 4 of them and none of them zero: they lie in its first half.
ir::Value beginsWith(CodeContext& context, const SqlValue& text, std::string_view bytes) {
  ir::Builder& builder = context.builder;
  uint32_t wanted = 0;
  std::memcpy(&wanted, bytes.data(), bytes.size());
  const auto bits = static_cast<unsigned>(8 * bytes.size());
  const uint64_t mask = ((uint64_t{1} << bits) - 1) << 32;
  // Bytes beyond a short text are zero and these are not, so the length need not be looked at.
  return builder.eq(builder.bitAnd(text.lo, builder.constU64(mask)), builder.constU64(uint64_t{wanted} << 32));
}

SqlValue matchRuntime(CodeContext& context, const Type& type, const sql::LikePattern* pattern, const SqlValue& text) {
  ir::Builder& builder = context.builder;
  return {type, builder.call(RUNTIME_FUNCTION(rt::likeMatch), {builder.constPtr(pattern), text.lo, text.hi}), {}, {}};
}

SqlValue matchConstant(CodeContext& context, const Type& type, const sql::LikePattern* pattern, const SqlValue& text,
                       bool is_plain_prefix) {
  ir::Builder& builder = context.builder;
  const std::string_view prefix = pattern->prefix();
  if (pattern->isExact()) {
    const StringValue wanted = context.resources.internString(prefix);
    const Type plain = Type::of(text.type.kind == TypeKind::Bytea ? TypeKind::Bytea : TypeKind::Text);
    const SqlValue constant{plain, builder.constU64(wanted.lo()), builder.constU64(wanted.hi()), {}};
    return {type, emitComparison(context, FunctionId::Equal, {plain, text.lo, text.hi, {}}, constant), {}, {}};
  }
  if (is_plain_prefix && prefix.empty()) return {type, builder.constI1(true), {}, {}};
  if (prefix.empty() || prefix.contains('\0')) return matchRuntime(context, type, pattern, text);
  const ir::Value begins = beginsWith(context, text, prefix.substr(0, std::min<size_t>(prefix.size(), 4)));
  if (is_plain_prefix && prefix.size() <= 4) return {type, begins, {}, {}};
  const ir::Block compare = builder.createBlock();
  const ir::Block done = builder.createBlock();
  ValueMerge merge(context, type, done);
  builder.condBr(begins, compare, done);
  merge.addEdge({type, builder.constI1(false), {}, {}});
  builder.setBlock(compare);
  merge.branchWith(matchRuntime(context, type, pattern, text));
  return merge.finish();
}

/// For a pattern that is only known when a row is evaluated.
const RuntimeFunction& matcherOf(sql::LikeUnit unit, bool has_escape) {
  switch (unit) {
    case sql::LikeUnit::Byte:
      return has_escape ? RUNTIME_FUNCTION(rt::likeBytesEscape) : RUNTIME_FUNCTION(rt::likeBytes);
    case sql::LikeUnit::CaselessCharacter:
      return has_escape ? RUNTIME_FUNCTION(rt::ilikeStringsEscape) : RUNTIME_FUNCTION(rt::ilikeStrings);
    case sql::LikeUnit::Character:
      break;
  }
  return has_escape ? RUNTIME_FUNCTION(rt::likeStringsEscape) : RUNTIME_FUNCTION(rt::likeStrings);
}

}  // namespace

SqlValue emitLike(CodeContext& context, FunctionId function, const Type& type, std::span<const SqlValue> arguments) {
  ir::Builder& builder = context.builder;
  for (const SqlValue& argument : arguments)
    if (!argument.type.isByteString()) throwNotSupported(describeCall(function, arguments));
  const sql::LikeUnit unit = arguments[0].type.kind == TypeKind::Bytea ? sql::LikeUnit::Byte
                             : function == FunctionId::ILike           ? sql::LikeUnit::CaselessCharacter
                                                                       : sql::LikeUnit::Character;
  const bool has_escape = arguments.size() > 2;
  const SqlValue& text = arguments[0];
  const SqlValue& like = arguments[1];
  StringValue pattern_storage;
  StringValue escape_storage;
  const auto pattern = constantText(context, like, pattern_storage);
  const auto escape = has_escape ? constantText(context, arguments[2], escape_storage) : std::string_view("\\");
  if (pattern && escape) {
    if (const sql::LikePattern* built = buildPattern(context, *pattern, *escape, unit)) {
      if (unit == sql::LikeUnit::CaselessCharacter) return matchRuntime(context, type, built, text);
      return matchConstant(context, type, built, text, isPlainPrefix(*pattern, *escape));
    }
  }
  const RuntimeFunction& match = matcherOf(unit, has_escape);
  std::vector<ir::Value> values{text.lo, text.hi, like.lo, like.hi};
  if (has_escape) values.insert(values.end(), {arguments[2].lo, arguments[2].hi});
  return {type, builder.call(match, values), {}, {}};
}

}  // namespace gnomon::codegen
