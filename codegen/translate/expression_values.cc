#include "codegen/translate/expression_values.h"

namespace gnomon::codegen {

bool isPairType(const sql::Type& type) {
  const sql::Physical physical = type.physical();
  return physical == sql::Physical::String || physical == sql::Physical::Interval;
}

SqlValue zeroValue(CodeContext& context, const sql::Type& type) {
  const ir::Value zero = context.builder.zero(irTypeOf(type));
  return {type, zero, isPairType(type) ? zero : ir::Value{}, {}};
}

SqlValue nullValue(CodeContext& context, const sql::Type& type) {
  SqlValue value = zeroValue(context, type);
  value.is_null = context.builder.constI1(true);
  return value;
}

SqlValue pairResult(CodeContext& context, const sql::Type& type, ir::Value result) {
  return {type, context.builder.lo64(result), context.builder.hi64(result), {}};
}

ir::Value isNull(CodeContext& context, const SqlValue& value) {
  return value.isNullable() ? value.is_null : context.builder.constI1(false);
}

ir::Value anyNull(CodeContext& context, std::initializer_list<ir::Value> flags) {
  ir::Value any;
  for (const ir::Value flag : flags) {
    if (!flag.isValid()) continue;
    any = any.isValid() ? context.builder.bitOr(any, flag) : flag;
  }
  return any;
}

ir::Value isTrue(CodeContext& context, const SqlValue& value) {
  if (!value.isNullable()) return value.lo;
  return context.builder.bitAnd(value.lo, context.builder.bitNot(value.is_null));
}

ir::Value isFalse(CodeContext& context, const SqlValue& value) {
  const ir::Value is_not = context.builder.bitNot(value.lo);
  if (!value.isNullable()) return is_not;
  return context.builder.bitAnd(is_not, context.builder.bitNot(value.is_null));
}

bool isNullConstant(const CodeContext& context, const SqlValue& value) {
  return value.isNullable() && constantInteger(context, value.is_null).value_or(0) != 0;
}

std::optional<int64_t> constantInteger(const CodeContext& context, ir::Value value) {
  if (!value.isValid() || !context.builder.isConstant(value)) return {};
  return static_cast<int64_t>(context.builder.function().at(value).immediate);
}

std::optional<std::string_view> constantText(const CodeContext& context, const SqlValue& value, StringValue& storage) {
  const auto lo = constantInteger(context, value.lo);
  const auto hi = constantInteger(context, value.hi);
  if (!lo || !hi) return {};
  storage = StringValue(static_cast<uint64_t>(*lo), static_cast<uint64_t>(*hi));
  return storage.view();
}

void ValueMerge::branchWith(const SqlValue& value) {
  addEdge(value);
  context_.builder.br(target_);
}

void ValueMerge::addEdge(const SqlValue& value) {
  edges_.push_back({context_.builder.currentBlock(), value});
}

SqlValue ValueMerge::finish() {
  ir::Builder& builder = context_.builder;
  builder.setBlock(target_);
  bool is_nullable = false;
  for (const Edge& edge : edges_) is_nullable |= edge.value.isNullable();
  SqlValue merged{type_, builder.phi(irTypeOf(type_)), {}, {}};
  if (isPairType(type_)) merged.hi = builder.phi(ir::Type::I64);
  if (is_nullable) merged.is_null = builder.phi(ir::Type::I1);
  for (const Edge& edge : edges_) {
    builder.addIncoming(merged.lo, edge.value.lo, edge.from);
    if (merged.hi.isValid()) builder.addIncoming(merged.hi, edge.value.hi, edge.from);
    if (is_nullable) builder.addIncoming(merged.is_null, isNull(context_, edge.value), edge.from);
  }
  return merged;
}

}  // namespace gnomon::codegen
