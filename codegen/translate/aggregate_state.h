#pragma once

#include "codegen/translate/pipeline.h"
#include "codegen/translate/tuple_layout.h"
#include "sql/algebra/operator.h"

namespace gnomon::codegen {

/// One aggregate function's state in a group's row: how it is updated, merged with another worker's, and read.
///
/// A zeroed state is the state before any row.
/// Shape by function: count: i64. sum: the sum, and `seen` when it may be NULL. avg: sum and count. min, max: value and
/// `seen`. Sums of Big numerics: a BigAccumulator. bit_or, bit_xor: the bits so far; bit_and: the bits that one of
/// the values lacked; `seen`. string_agg, array_agg: a CollectedText, CollectedValues (codegen/runtime/collected.h).
/// Variances and regressions: see aggregate_moments.h.
class AggregateState {
 public:
  /// `may_be_empty`: a group can have no row at all (no keys).
  AggregateState(const sql::Aggregation::Aggregate& aggregate, bool may_be_empty, TupleLayout& layout);

  /// Adds a row with these arguments (any value for those that it has not).
  void update(Pipeline& pipeline, const TupleLayout& layout, ir::Value group, const SqlValue& argument,
              const SqlValue& second) const;
  /// Adds the state in row `from` to the one in `group`; strings it takes over are in the execution's arenas already.
  void merge(CodeContext& context, const TupleLayout& layout, ir::Value group, ir::Value from) const;
  /// Where generated code updates it again and again, it may lie on the stack meanwhile, from where the compiler takes
  /// it into registers.
  [[nodiscard]] bool fitsRegisters() const { return !is_big_ && !isMoments() && !isCollected(); }
  void copy(CodeContext& context, const TupleLayout& layout, ir::Value from, ir::Value to) const;
  /// The aggregate's value.
  [[nodiscard]] SqlValue result(CodeContext& context, const TupleLayout& layout, ir::Value group) const;

 private:
  [[nodiscard]] bool isCollected() const {
    return sql::dependsOnOrder(aggregate_.function) || sql::isOrderedSet(aggregate_.function);
  }
  void collect(Pipeline& pipeline, const TupleLayout& layout, ir::Value group, const SqlValue& argument,
               const SqlValue& second) const;
  [[nodiscard]] SqlValue collected(CodeContext& context, const TupleLayout& layout, ir::Value group) const;
  [[nodiscard]] bool isSum() const;
  [[nodiscard]] bool isBits() const;
  /// C++ keeps the state, whose address this is.
  [[nodiscard]] bool isMoments() const;
  [[nodiscard]] ir::Value momentsAt(CodeContext& context, const TupleLayout& layout, ir::Value group) const {
    return context.builder.ptrAdd(group, layout.offset(value_));
  }
  void updateWith(Pipeline& pipeline, const TupleLayout& layout, ir::Value group, const SqlValue& argument,
                  const SqlValue& second) const;
  void addBits(CodeContext& context, const TupleLayout& layout, ir::Value group, ir::Value addend) const;
  void addToSum(CodeContext& context, const TupleLayout& layout, ir::Value group, const SqlValue& addend) const;
  void addToCount(CodeContext& context, const TupleLayout& layout, ir::Value group, ir::Value addend) const;
  void takeExtreme(CodeContext& context, const TupleLayout& layout, ir::Value group, const SqlValue& candidate,
                   bool copy_string) const;
  void markSeen(CodeContext& context, const TupleLayout& layout, ir::Value group) const;
  [[nodiscard]] SqlValue widened(CodeContext& context, const SqlValue& argument) const;
  [[nodiscard]] SqlValue average(CodeContext& context, const TupleLayout& layout, ir::Value group,
                                 ir::Value count) const;

  static constexpr size_t kNone = SIZE_MAX;
  const sql::Aggregation::Aggregate& aggregate_;
  sql::Type sum_type_;  ///< how the sum is held
  bool is_big_ = false;
  size_t value_ = kNone;
  size_t count_ = kNone;
  size_t seen_ = kNone;
};

}  // namespace gnomon::codegen
