#include "codegen/translate/value_operations.h"

#include <bit>
#include <limits>

#include "codegen/runtime/array_functions.h"
#include "codegen/runtime/datetime_runtime.h"
#include "codegen/runtime/expression_support.h"
#include "codegen/runtime/json_functions.h"
#include "codegen/runtime/math_runtime.h"
#include "codegen/runtime/numeric_runtime.h"
#include "codegen/runtime/string_compare.h"
#include "codegen/translate/expression_array.h"
#include "codegen/translate/expression_comparison.h"
#include "codegen/translate/expression_values.h"
#include "sql/types/value.h"

namespace gnomon::codegen {
namespace {

using sql::Physical;

ir::Value boundedLength(CodeContext& context, ir::Value lo) {
  return context.builder.bitAnd(lo, context.builder.constU64(UINT32_MAX));
}

/// Short strings hash by their two halves; of long ones the second half is an address and is replaced by a hash.
ir::Value hashText(CodeContext& context, ir::Value seed, const SqlValue& value) {
  ir::Builder& builder = context.builder;
  if (stringBytesMax(value.type) <= StringValue::kPrefixBytes) return builder.hash64(seed, value.lo);
  if (fitsInline(value.type)) return builder.hash64(builder.hash64(seed, value.lo), value.hi);
  const ir::Value is_short = builder.icmp(ir::IntPredicate::Ule, boundedLength(context, value.lo),
                                          builder.constI64(StringValue::kInlineBytesMax));
  const ir::Block start = builder.currentBlock();
  const ir::Block lengthy = builder.createBlock();
  const ir::Block done = builder.createBlock();
  builder.condBr(is_short, done, lengthy);
  builder.setBlock(lengthy);
  const ir::Value bytes_hash = builder.call(RUNTIME_FUNCTION(rt::hashString), {value.lo, value.hi});
  builder.br(done);
  builder.setBlock(done);
  const ir::Value rest = builder.phi(ir::Type::I64, {{value.hi, start}, {bytes_hash, lengthy}});
  return builder.hash64(builder.hash64(seed, value.lo), rest);
}

ir::Value hashFloat(CodeContext& context, ir::Value seed, ir::Value number) {
  ir::Builder& builder = context.builder;
  const ir::Value unsigned_zero = builder.fadd(number, builder.constF64(0));
  const ir::Value nan = builder.constF64(std::numeric_limits<double>::quiet_NaN());
  return builder.hashCombine(seed, builder.select(builder.isNan(number), nan, unsigned_zero));
}

ir::Value hashPresent(CodeContext& context, ir::Value seed, const SqlValue& value) {
  ir::Builder& builder = context.builder;
  switch (value.type.physical()) {
    case Physical::Float32:
    case Physical::Float64:
      return hashFloat(context, seed, value.lo);
    case Physical::Interval:
      return builder.hash64(seed, builder.call(RUNTIME_FUNCTION(rt::hashInterval), {value.lo, value.hi}));
    case Physical::String:
      if (value.type.isComposed())
        return builder.hash64(seed, builder.call(RUNTIME_FUNCTION(rt::hashComposed),
                                                 {typeConstant(context, value.type), value.lo, value.hi}));
      if (value.type.kind == sql::TypeKind::Jsonb)
        return builder.hash64(seed, builder.call(RUNTIME_FUNCTION(rt::hashJsonb), {value.lo, value.hi}));
      if (value.type.isBig())
        return builder.hash64(seed, builder.call(RUNTIME_FUNCTION(rt::hashNumeric), {value.lo, value.hi}));
      if (value.type.kind == sql::TypeKind::Char)
        return builder.hash64(seed, builder.call(RUNTIME_FUNCTION(rt::hashChar), {value.lo, value.hi}));
      return hashText(context, seed, value);
    default:
      return builder.hashCombine(seed, value.lo);
  }
}

/// a > b minus a < b.
ir::Value threeWay(CodeContext& context, ir::Value is_greater, ir::Value is_less) {
  return context.builder.sub(context.builder.zext(is_greater, ir::Type::I32),
                             context.builder.zext(is_less, ir::Type::I32));
}

uint128 bitsOf(const sql::Value& value) {
  return (uint128{value.hi} << 64) | value.lo;
}

}  // namespace

ir::Value equalValues(CodeContext& context, const SqlValue& a, const SqlValue& b) {
  return emitComparison(context, sql::FunctionId::Equal, a, b);
}

ir::Value notDistinctValues(CodeContext& context, const SqlValue& a, const SqlValue& b) {
  ir::Builder& builder = context.builder;
  const ir::Value equal = equalValues(context, a, b);
  if (!a.isNullable() && !b.isNullable()) return equal;
  const ir::Value a_null = isNull(context, a);
  const ir::Value b_null = isNull(context, b);
  const ir::Value neither = builder.bitNot(builder.bitOr(a_null, b_null));
  return builder.bitOr(builder.bitAnd(a_null, b_null), builder.bitAnd(neither, equal));
}

ir::Value compareValues(CodeContext& context, const SqlValue& a, const SqlValue& b) {
  ir::Builder& builder = context.builder;
  switch (a.type.physical()) {
    case Physical::Bool:
      return threeWay(context, a.lo, b.lo);
    case Physical::Int16:
    case Physical::Int32:
    case Physical::Int64:
    case Physical::Int128:
      return threeWay(context, builder.sgt(a.lo, b.lo), builder.slt(a.lo, b.lo));
    case Physical::Float32:
    case Physical::Float64:
      return builder.call(RUNTIME_FUNCTION(rt::compareDoubles), {a.lo, b.lo});
    case Physical::Interval:
      return builder.call(RUNTIME_FUNCTION(rt::compareIntervals), {a.lo, a.hi, b.lo, b.hi});
    case Physical::String:
      break;
  }
  if (a.type.isComposed())
    return builder.call(RUNTIME_FUNCTION(rt::compareComposed), {typeConstant(context, a.type), a.lo, a.hi, b.lo, b.hi});
  if (a.type.kind == sql::TypeKind::Jsonb)
    return builder.call(RUNTIME_FUNCTION(rt::compareJsonb), {a.lo, a.hi, b.lo, b.hi});
  if (a.type.isBig()) return builder.call(RUNTIME_FUNCTION(rt::compareNumeric), {a.lo, a.hi, b.lo, b.hi});
  if (a.type.kind == sql::TypeKind::Char)
    return builder.call(RUNTIME_FUNCTION(rt::compareChars), {a.lo, a.hi, b.lo, b.hi});
  return builder.call(RUNTIME_FUNCTION(rt::compareStrings), {a.lo, a.hi, b.lo, b.hi});
}

ir::Value hashValue(CodeContext& context, ir::Value seed, const SqlValue& value) {
  const ir::Value present = hashPresent(context, seed, value);
  if (!value.isNullable()) return present;
  constexpr uint64_t kNullHash = 0x6e756c6c6e756c6cULL;
  const ir::Value absent = context.builder.hash64(seed, context.builder.constU64(kNullHash));
  return context.builder.select(value.is_null, absent, present);
}

SqlValue constantValue(CodeContext& context, const sql::Value& value) {
  if (value.is_null) return nullValue(context, value.type);
  ir::Builder& builder = context.builder;
  switch (value.type.physical()) {
    case Physical::String: {
      const StringValue text = context.resources.internString(value.bytes);
      return {value.type, builder.constU64(text.lo()), builder.constU64(text.hi()), {}};
    }
    case Physical::Interval:
      return {value.type, builder.constU64(value.lo), builder.constU64(value.hi), {}};
    case Physical::Float32:
    case Physical::Float64:
      return {value.type, builder.constF64(std::bit_cast<double>(value.lo)), {}, {}};
    case Physical::Bool:
      return {value.type, builder.constI1(value.lo != 0), {}, {}};
    case Physical::Int128:
      return {value.type, builder.constI128(static_cast<int128>(bitsOf(value))), {}, {}};
    default:
      return {value.type, builder.constant(irTypeOf(value.type), uint128{value.lo}), {}, {}};
  }
}

SqlValue parameterValue(CodeContext& context, const sql::Type& type, uint32_t number) {
  ir::Builder& builder = context.builder;
  const ir::Value slots =
      builder.load(ir::Type::Ptr, context.global, static_cast<int64_t>(offsetof(GlobalState, parameters)));
  const auto base = static_cast<int64_t>(sizeof(ParameterSlot) * number);
  SqlValue value{type, builder.load(irTypeOf(type), slots, base), {}, {}};
  if (isPairType(type))
    value.hi = builder.load(ir::Type::I64, slots, base + static_cast<int64_t>(offsetof(ParameterSlot, hi)));
  const ir::Value null_word =
      builder.load(ir::Type::I64, slots, base + static_cast<int64_t>(offsetof(ParameterSlot, is_null)));
  value.is_null = builder.ne(null_word, builder.constI64(0));
  return value;
}

SqlValue copyValue(CodeContext& context, const SqlValue& value, ir::Value arena) {
  ir::Builder& builder = context.builder;
  if (value.type.physical() != Physical::String) return value;
  if (value.is_durable || fitsInline(value.type)) return value;
  if (builder.isConstant(value.lo) && builder.isConstant(value.hi)) return value;
  const ir::Value is_long = builder.icmp(ir::IntPredicate::Ugt, boundedLength(context, value.lo),
                                         builder.constI64(StringValue::kInlineBytesMax));
  const ir::Value storage = builder.lshr(value.hi, builder.constI64(StringValue::kStorageShift));
  const ir::Value is_transient =
      builder.eq(storage, builder.constI64(static_cast<int64_t>(StringValue::Storage::Transient)));
  const ir::Block copy = builder.createBlock();
  const ir::Block done = builder.createBlock();
  const SqlValue present{value.type, value.lo, value.hi, {}};
  ValueMerge merge(context, value.type, done);
  builder.condBr(builder.bitAnd(is_long, is_transient), copy, done);
  merge.addEdge(present);
  builder.setBlock(copy);
  merge.branchWith(
      pairResult(context, value.type, builder.call(RUNTIME_FUNCTION(rt::copyIntoArena), {value.lo, value.hi, arena})));
  SqlValue result = merge.finish();
  result.lo = value.lo;  // length and prefix do not change
  result.is_null = value.is_null;
  return result;
}

SqlValue selectValue(CodeContext& context, ir::Value condition, const SqlValue& if_true, const SqlValue& if_false) {
  ir::Builder& builder = context.builder;
  SqlValue result{if_true.type, builder.select(condition, if_true.lo, if_false.lo), {}, {}};
  if (if_true.isPair()) result.hi = builder.select(condition, if_true.hi, if_false.hi);
  if (if_true.isNullable() || if_false.isNullable())
    result.is_null = builder.select(condition, isNull(context, if_true), isNull(context, if_false));
  return result;
}

uint32_t materialisedBytes(const sql::Type& type) {
  switch (type.physical()) {
    case Physical::Bool:
      return 1;
    case Physical::Int16:
      return 2;
    case Physical::Int32:
    case Physical::Float32:
      return 4;
    case Physical::Int64:
    case Physical::Float64:
      return 8;
    case Physical::Int128:
    case Physical::String:
    case Physical::Interval:
      return 16;
  }
  return 0;
}

SqlValue loadValue(CodeContext& context, const sql::Type& type, ir::Value pointer, int64_t offset) {
  ir::Builder& builder = context.builder;
  if (type.physical() == Physical::Float32) return {type, builder.loadF32(pointer, offset), {}, {}};
  SqlValue value{type, builder.load(irTypeOf(type), pointer, offset), {}, {}};
  if (isPairType(type)) value.hi = builder.load(ir::Type::I64, pointer, offset + 8);
  return value;
}

void storeValue(CodeContext& context, const SqlValue& value, ir::Value pointer, int64_t offset) {
  ir::Builder& builder = context.builder;
  if (value.type.physical() == Physical::Float32) {
    builder.storeF32(value.lo, pointer, offset);
    return;
  }
  builder.store(value.lo, pointer, offset);
  if (value.isPair()) builder.store(value.hi, pointer, offset + 8);
}

DatumWords datumWords(CodeContext& context, const SqlValue& value) {
  ir::Builder& b = context.builder;
  ir::Value lo = value.lo;
  ir::Value hi = value.hi;
  switch (irTypeOf(value.type)) {
    case ir::Type::I1:
      lo = b.zext(lo, ir::Type::I64);
      break;
    case ir::Type::I16:
    case ir::Type::I32:
      lo = b.sext(lo, ir::Type::I64);
      break;
    case ir::Type::F64:
      lo = b.bitcast(lo, ir::Type::I64);
      break;
    case ir::Type::I128:
      hi = b.hi64(lo);
      lo = b.lo64(lo);
      break;
    default:
      break;
  }
  return {lo, hi.isValid() ? hi : b.constI64(0)};
}

void storeDatum(CodeContext& context, const SqlValue& value, ir::Value pointer, int64_t offset) {
  const bool is_wide = value.isPair() || irTypeOf(value.type) == ir::Type::I128;
  const DatumWords words = datumWords(context, value);
  context.builder.store(words.lo, pointer, offset);
  if (is_wide) context.builder.store(words.hi, pointer, offset + 8);
}

void storeNullFlag(CodeContext& context, const SqlValue& value, ir::Value pointer, int64_t offset) {
  ir::Builder& b = context.builder;
  b.store(value.isNullable() ? b.zext(value.is_null, ir::Type::I8) : b.constI8(0), pointer, offset);
}

}  // namespace gnomon::codegen
