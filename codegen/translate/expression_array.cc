#include "codegen/translate/expression_array.h"

#include <algorithm>
#include <bit>
#include <memory>

#include "codegen/runtime/array_functions.h"
#include "codegen/runtime/datetime_runtime.h"
#include "codegen/translate/expression_comparison.h"
#include "codegen/translate/expression_values.h"
#include "codegen/translate/value_operations.h"
#include "sql/algebra/expression_text.h"

namespace gnomon::codegen {
namespace {

using sql::FunctionId;
using sql::Type;

constexpr int64_t kHigh = offsetof(ParameterSlot, hi);
constexpr int64_t kNull = offsetof(ParameterSlot, is_null);

/// Comparisons of values of the element's own type need no code of their own.
bool isPlainComparison(const sql::Expression& expression, const SqlValue& value, const Type& element) {
  if (!isComparison(expression.function)) return false;
  if (value.type.kind == sql::TypeKind::Numeric && !value.type.isBig()) return false;
  return value.type.kind == element.kind;
}

}  // namespace

void storeSlot(CodeContext& context, const SqlValue& value, ir::Value slots, int64_t offset) {
  ir::Builder& b = context.builder;
  storeDatum(context, value, slots, offset);
  b.store(value.isNullable() ? b.zext(value.is_null, ir::Type::I64) : b.constI64(0), slots, offset + kNull);
}

SqlValue loadSlot(CodeContext& context, const Type& type, ir::Value slot) {
  ir::Builder& b = context.builder;
  SqlValue value{type, b.load(irTypeOf(type), slot), {}, {}};
  if (isPairType(type)) value.hi = b.load(ir::Type::I64, slot, kHigh);
  value.is_null = b.ne(b.load(ir::Type::I64, slot, kNull), b.constI64(0));
  return value;
}

ir::Value typeConstant(CodeContext& context, const Type& type) {
  return context.builder.constU64(std::bit_cast<uint64_t>(type));
}

namespace {

SqlValue emitSubscript(CodeContext& context, const Type& type, const SqlValue& array, const SqlValue& subscript) {
  ir::Builder& b = context.builder;
  ir::Value is_null = array.isNullable() ? array.is_null : subscript.is_null;
  if (array.isNullable() && subscript.isNullable()) is_null = b.bitOr(array.is_null, subscript.is_null);
  return emitUnlessNull(context, is_null, type, [&] {
    const Type element = array.type.element();
    if (element.physical() == sql::Physical::Int32) {
      const ir::Value bits = b.call(RUNTIME_FUNCTION(rt::int32Subscript), {array.lo, array.hi, subscript.lo});
      return SqlValue{type, b.trunc(bits, irTypeOf(type)), {}, b.eq(bits, b.constU64(rt::kNoElement))};
    }
    const ir::Value slot = b.allocaBytes(sizeof(ParameterSlot));
    b.call(RUNTIME_FUNCTION(rt::arraySubscript),
           {typeConstant(context, element), array.lo, array.hi, subscript.lo, slot});
    return loadSlot(context, type, slot);
  });
}

SqlValue emitComparableMoment(CodeContext& context, const Type& type, const SqlValue& value) {
  const RuntimeFunction& function = value.type.kind == sql::TypeKind::Date ? RUNTIME_FUNCTION(rt::comparableDateToUtc)
                                                                           : RUNTIME_FUNCTION(rt::comparableLocalToUtc);
  return emitUnlessNull(context, value.is_null, type,
                        [&] { return SqlValue{type, context.builder.call(function, {value.lo}), {}, {}}; });
}

}  // namespace

SqlValue emitArrayCall(CodeContext& context, FunctionId function, const Type& type,
                       std::span<const SqlValue> arguments) {
  if (function == FunctionId::ArraySubscript && arguments.size() == 2)
    return emitSubscript(context, type, arguments[0], arguments[1]);
  if (sql::isComparableMoment(function)) return emitComparableMoment(context, type, arguments[0]);
  ir::Builder& b = context.builder;
  auto call = std::make_unique<ArrayCall>(ArrayCall{function, type, {}, context.resources.bytea_output});
  for (const SqlValue& argument : arguments) call->arguments.push_back(argument.type);
  const ir::Value slots = b.allocaBytes(sizeof(ParameterSlot) * std::max<size_t>(arguments.size(), 1));
  for (size_t i = 0; i < arguments.size(); ++i)
    storeSlot(context, arguments[i], slots, static_cast<int64_t>(sizeof(ParameterSlot) * i));
  const ir::Value kept = b.constPtr(context.resources.keep(std::move(call)));
  if (function == sql::kCallRoutine) {
    context.resources.asks_session = true;
    const ir::Value session = b.load(ir::Type::Ptr, context.global, offsetof(GlobalState, session));
    b.call(RUNTIME_FUNCTION(rt::callRoutine), {session, kept, slots, context.scratchArena()});
  } else {
    b.call(RUNTIME_FUNCTION(rt::callArrayFunction), {kept, slots, context.scratchArena()});
  }
  return loadSlot(context, type, slots);
}

ir::Value emitArraySize(CodeContext& context, const SqlValue& array) {
  return context.builder.call(RUNTIME_FUNCTION(rt::arraySize), {array.lo, array.hi});
}

SqlValue emitElement(CodeContext& context, const SqlValue& array, ir::Value index) {
  ir::Builder& b = context.builder;
  const Type element = array.type.element();
  const ir::Value slot = b.allocaBytes(sizeof(ParameterSlot));
  b.call(RUNTIME_FUNCTION(rt::arrayElement), {typeConstant(context, element), array.lo, array.hi, index, slot});
  return loadSlot(context, element, slot);
}

SqlValue emitAnyOf(CodeContext& context, const sql::Expression& expression, const SqlValue& value,
                   const SqlValue& array, const std::function<SqlValue(const SqlValue&)>& compare) {
  ir::Builder& b = context.builder;
  const Type element = array.type.element();
  const Type boolean = Type::of(sql::TypeKind::Boolean);
  const bool is_any = expression.kind == sql::Expression::Kind::AnyOf;
  if (isPlainComparison(expression, value, element)) {
    const DatumWords words = datumWords(context, value);
    const ir::Value answer =
        b.call(RUNTIME_FUNCTION(rt::compareWithElements),
               {typeConstant(context, element), b.constI32(static_cast<int32_t>(expression.function)),
                b.constI1(is_any), words.lo, words.hi, array.lo, array.hi});
    return {boolean, b.eq(answer, b.constI32(1)), {}, b.eq(answer, b.constI32(2))};
  }
  // for index in 0 .. size: leave with is_any when the element decides; NULLs on the way make the end unknown.
  const ir::Value size = emitArraySize(context, array);
  const ir::Value unknown = b.allocaBytes(1);
  b.store(b.constI8(0), unknown);
  const ir::Block before = b.currentBlock();
  const ir::Block header = b.createBlock();
  const ir::Block body = b.createBlock();
  const ir::Block next = b.createBlock();
  const ir::Block done = b.createBlock();
  b.br(header);
  b.setBlock(header);
  const ir::Value index = b.phi(ir::Type::I64);
  b.addIncoming(index, b.constI64(0), before);
  b.condBr(b.icmp(ir::IntPredicate::Ult, index, size), body, done);
  b.setBlock(body);
  SqlValue item = emitElement(context, array, index);
  const ir::Value is_null = item.is_null;
  item.is_null = {};
  SqlValue answer = emitUnlessNull(context, is_null, boolean, [&] { return compare(item); });
  answer.is_null = isNull(context, answer);
  const ir::Value flag = b.load(ir::Type::I8, unknown);
  b.store(b.bitOr(flag, b.zext(answer.is_null, ir::Type::I8)), unknown);
  const ir::Value decides = b.bitAnd(b.bitNot(answer.is_null), is_any ? answer.lo : b.bitNot(answer.lo));
  const ir::Block decided = b.currentBlock();
  b.condBr(decides, done, next);
  b.setBlock(next);
  b.addIncoming(index, b.add(index, b.constI64(1)), next);
  b.br(header);
  b.setBlock(done);
  const ir::Value early = b.phi(ir::Type::I1, {{b.constI1(false), header}, {b.constI1(true), decided}});
  const ir::Value saw_null = b.ne(b.load(ir::Type::I8, unknown), b.constI8(0));
  return {boolean, b.select(early, b.constI1(is_any), b.constI1(!is_any)), {}, b.bitAnd(b.bitNot(early), saw_null)};
}

}  // namespace gnomon::codegen
