#include <algorithm>
#include <memory>
#include <string>
#include <vector>

#include "codegen/runtime/expression_support.h"
#include "codegen/translate/expression_comparison.h"
#include "codegen/translate/expression_decimal.h"
#include "codegen/translate/expression_translator.h"
#include "codegen/translate/expression_values.h"
#include "codegen/translate/value_operations.h"
#include "sql/types/text.h"

/// x IN (a, b, ...): chains of comparisons for short lists, sets built once for long lists of constants.
namespace gnomon::codegen {
namespace {

using sql::Expression;
using sql::FunctionId;
using sql::Type;
using sql::TypeKind;

constexpr size_t kChainMax = 8;
constexpr uint64_t kBitmapBitsMax = 4096;

bool isScaled(const Type& type) {
  return type.isInteger() || (type.kind == TypeKind::Numeric && !type.isBig());
}

/// x and the constants as scaled 128-bit integers of one scale: integers, dates, timestamps, decimals. Constants that
/// have more digits after the point than x equal nothing and are left out. False: not such a list.
bool collectIntegers(CodeContext& context, const SqlValue& x, const std::vector<SqlValue>& items,
                     std::vector<int128>& members) {
  const bool is_point = x.type.kind == TypeKind::Date || x.type.kind == TypeKind::Timestamp ||
                        x.type.kind == TypeKind::TimestampTz || x.type.kind == TypeKind::Time;
  if (!is_point && !isScaled(x.type)) return false;
  for (const SqlValue& item : items) {
    if (is_point ? item.type.kind != x.type.kind : !isScaled(item.type)) return false;
    if (!context.builder.isConstant(item.lo) || item.type.may_be_nan != 0) return false;
    auto bits = static_cast<int128>(context.builder.function().at(item.lo).constant());
    if (bitsOf(context.builder.typeOf(item.lo)) <= 64) bits = static_cast<int64_t>(bits);
    for (unsigned scale = item.type.scale; scale < x.type.scale; ++scale)
      if (__builtin_mul_overflow(bits, int128{10}, &bits)) return false;
    bool is_exact = true;
    for (unsigned scale = item.type.scale; scale > x.type.scale && is_exact; --scale) {
      is_exact = bits % 10 == 0;
      bits /= 10;
    }
    if (is_exact) members.push_back(bits);
  }
  return true;
}

/// A bit per number between the least and the greatest: one load and a shift.
ir::Value inBitmap(CodeContext& context, ir::Value value, const std::vector<int64_t>& members) {
  ir::Builder& builder = context.builder;
  const auto [least, greatest] = std::ranges::minmax(members);
  const uint64_t range = static_cast<uint64_t>(greatest) - static_cast<uint64_t>(least);
  auto bitmap = std::make_unique<std::vector<uint64_t>>(range / 64 + 1);
  for (const int64_t member : members) {
    const uint64_t bit = static_cast<uint64_t>(member) - static_cast<uint64_t>(least);
    (*bitmap)[bit / 64] |= uint64_t{1} << (bit % 64);
  }
  const auto* words = context.resources.keep(std::move(bitmap));
  const ir::Value bit = builder.sub(value, builder.constI64(least));
  const ir::Value is_within = builder.icmp(ir::IntPredicate::Ule, bit, builder.constU64(range));
  const ir::Value safe = builder.select(is_within, bit, builder.constI64(0));
  const ir::Value address =
      builder.ptrIndex(builder.constPtr(words->data()), builder.lshr(safe, builder.constI64(6)), 8);
  const ir::Value word = builder.lshr(builder.load(ir::Type::I64, address), builder.bitAnd(safe, builder.constI64(63)));
  return builder.bitAnd(is_within, builder.trunc(word, ir::Type::I1));
}

ir::Value inIntegers(CodeContext& context, const SqlValue& x, const std::vector<int128>& members) {
  ir::Builder& builder = context.builder;
  if (members.empty()) return builder.constI1(false);
  if (builder.typeOf(x.lo) == ir::Type::I128) {
    const auto* set = context.resources.keep(std::make_unique<rt::WideSet>(members));
    return builder.call(RUNTIME_FUNCTION(rt::containsWide), {builder.constPtr(set), x.lo});
  }
  std::vector<int64_t> narrow;
  for (const int128 member : members)
    if (member == static_cast<int64_t>(member)) narrow.push_back(static_cast<int64_t>(member));
  if (narrow.empty()) return builder.constI1(false);
  const ir::Value value = builder.sext(x.lo, ir::Type::I64);
  const auto [least, greatest] = std::ranges::minmax(narrow);
  if (static_cast<uint64_t>(greatest) - static_cast<uint64_t>(least) < kBitmapBitsMax)
    return inBitmap(context, value, narrow);
  const auto* set = context.resources.keep(std::make_unique<rt::IntegerSet>(narrow));
  return builder.call(RUNTIME_FUNCTION(rt::containsInteger), {builder.constPtr(set), value});
}

/// Strings of one kind (char(n) with char(n), all others among themselves). Invalid: not such a list.
ir::Value inStrings(CodeContext& context, const SqlValue& x, const std::vector<SqlValue>& items) {
  if (!x.type.isByteString()) return {};
  const bool is_char = x.type.kind == TypeKind::Char;
  std::vector<std::string> members;
  for (const SqlValue& item : items) {
    StringValue storage;
    const auto text = constantText(context, item, storage);
    const bool is_alike = item.type.kind == TypeKind::Unknown || (item.type.kind == TypeKind::Char) == is_char;
    if (!text || !item.type.isByteString() || !is_alike) return {};
    members.emplace_back(*text);
  }
  ir::Builder& builder = context.builder;
  const auto* set = context.resources.keep(std::make_unique<rt::StringSet>(members, is_char));
  return builder.call(RUNTIME_FUNCTION(rt::containsString), {builder.constPtr(set), x.lo, x.hi});
}

/// I1 for a long list of constants; invalid when there is no set for their types.
ir::Value inSet(CodeContext& context, const SqlValue& x, const std::vector<SqlValue>& constants) {
  std::vector<int128> members;
  if (collectIntegers(context, x, constants, members)) return inIntegers(context, x, members);
  return inStrings(context, x, constants);
}

}  // namespace

SqlValue ExpressionTranslator::translateInList(const Expression& expression) {
  ir::Builder& builder = context_.builder;
  const SqlValue x = translate(*expression.children[0]);
  if (isNullConstant(context_, x)) return nullValue(context_, expression.type);
  const SqlValue present{x.type, x.lo, x.hi, {}};
  std::vector<SqlValue> constants;
  std::vector<SqlValue> others;
  ir::Value null_item;
  for (size_t i = 1; i < expression.children.size(); ++i) {
    const SqlValue item = translate(*expression.children[i]);
    null_item = anyNull(context_, {null_item, item.is_null});
    if (isNullConstant(context_, item)) continue;
    const bool is_constant = builder.isConstant(item.lo) && (!item.isPair() || builder.isConstant(item.hi));
    (is_constant && !item.isNullable() ? constants : others).push_back(item);
  }
  ir::Value found = builder.constI1(false);
  if (const ir::Value in_set = constants.size() > kChainMax ? inSet(context_, present, constants) : ir::Value{};
      in_set.isValid())
    found = in_set;
  else
    others.insert(others.end(), constants.begin(), constants.end());
  for (const SqlValue& item : others) {
    ir::Value equal = emitComparison(context_, FunctionId::Equal, present, {item.type, item.lo, item.hi, {}});
    if (item.isNullable()) equal = builder.bitAnd(equal, builder.bitNot(item.is_null));
    found = builder.bitOr(found, equal);
  }
  // NULL IN (...) is NULL; otherwise a match decides, and without one a NULL among the items leaves it open.
  SqlValue result{expression.type, found, {}, {}};
  if (null_item.isValid()) result.is_null = builder.bitAnd(null_item, builder.bitNot(found));
  if (x.isNullable()) result.is_null = anyNull(context_, {result.is_null, x.is_null});
  return result;
}

}  // namespace gnomon::codegen
