#pragma once

#include <initializer_list>
#include <optional>
#include <string_view>

#include "base/string_value.h"
#include "codegen/translate/code_context.h"

/// Small pieces that the emission of all expressions shares.
namespace gnomon::codegen {

/// A value held in lo and hi.
[[nodiscard]] bool isPairType(const sql::Type& type);
/// The zero of a type, never NULL, and a NULL.
SqlValue zeroValue(CodeContext& context, const sql::Type& type);
SqlValue nullValue(CodeContext& context, const sql::Type& type);
/// A 16-byte result of a runtime function (StringValue, Pair) as a value.
SqlValue pairResult(CodeContext& context, const sql::Type& type, ir::Value result);
/// The value under another type of the same shape.
[[nodiscard]] inline SqlValue retyped(SqlValue value, const sql::Type& type) {
  value.type = type;
  return value;
}

/// I1: is NULL (a constant where that is known).
ir::Value isNull(CodeContext& context, const SqlValue& value);
/// The null flag of a strict function: invalid when no argument can be NULL.
ir::Value anyNull(CodeContext& context, std::initializer_list<ir::Value> flags);
/// I1 of a boolean: TRUE; FALSE. NULL is neither.
ir::Value isTrue(CodeContext& context, const SqlValue& value);
ir::Value isFalse(CodeContext& context, const SqlValue& value);

/// What the builder knows to be constant, read back. Nothing when it is not.
[[nodiscard]] bool isNullConstant(const CodeContext& context, const SqlValue& value);
[[nodiscard]] std::optional<int64_t> constantInteger(const CodeContext& context, ir::Value value);
/// The bytes of a constant string; `storage` holds short ones, the program's resources long ones.
[[nodiscard]] std::optional<std::string_view> constantText(const CodeContext& context, const SqlValue& value,
                                                           StringValue& storage);

/// Merges the values of one type that several blocks end with.
///
/// Use: enter every edge with addEdge (the builder stands in the edge's block, which then branches to the merge block),
/// then finish() in the merge block. Merged values keep null flags only when an edge has one.
class ValueMerge {
 public:
  ValueMerge(CodeContext& context, const sql::Type& type, ir::Block target)
      : context_(context), type_(type), target_(target) {}
  /// Ends the current block with a branch to the merge block.
  void branchWith(const SqlValue& value);
  /// The current block has, or will get, a branch of its own to the merge block.
  void addEdge(const SqlValue& value);
  /// Sets the builder to the merge block.
  SqlValue finish();

 private:
  struct Edge {
    ir::Block from;
    SqlValue value;
  };
  CodeContext& context_;
  sql::Type type_;
  ir::Block target_;
  std::vector<Edge> edges_;
};

/// Emits `emit` (which returns a SqlValue of `type`) for rows where `null` does not hold; the result is NULL elsewhere.
template <typename Emit>
SqlValue emitUnlessNull(CodeContext& context, ir::Value null, const sql::Type& type, Emit&& emit) {
  if (!null.isValid()) return emit();
  if (const auto known = constantInteger(context, null)) return *known == 0 ? emit() : nullValue(context, type);
  ir::Builder& builder = context.builder;
  const ir::Block compute = builder.createBlock();
  const ir::Block done = builder.createBlock();
  ValueMerge merge(context, type, done);
  builder.condBr(null, done, compute);
  merge.addEdge(nullValue(context, type));
  builder.setBlock(compute);
  merge.branchWith(emit());
  return merge.finish();
}

}  // namespace gnomon::codegen
