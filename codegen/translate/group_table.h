#pragma once

#include <functional>
#include <vector>

#include "codegen/executor/query_program.h"
#include "codegen/translate/pipeline.h"
#include "codegen/translate/spill_slots.h"
#include "codegen/translate/tuple_layout.h"

namespace gnomon::codegen {

/// A grouping of rows by keys: the code that finds or adds a group in a worker's table, and the step that brings the
/// workers' groups together. What a group holds besides its keys is the owner's: fields added to layout(), zero in a
/// new group.
///
/// Life: addKey and layout() fields; finish(); findGroup in any number of pipelines; addMergeStep; readGroups.
class GroupTable {
 public:
  /// Emits how the state in row `from` is added to the one in row `group`.
  using MergeState = std::function<void(CodeContext&, ir::Value group, ir::Value from)>;

  static constexpr uint32_t kHeaderBytes = 16;  ///< next row and hash, see runtime/aggregation_table.h

  explicit GroupTable(PlanTranslator& translator);

  void addKey(const sql::Type& type, bool nullable) { key_fields_.push_back(layout_.addField(type, nullable)); }
  [[nodiscard]] TupleLayout& layout() { return layout_; }
  [[nodiscard]] const TupleLayout& layout() const { return layout_; }
  /// Fixes the layout and adds the runtime structures to the program.
  void finish();
  /// Local: the arena of what groups refer to.
  [[nodiscard]] size_t arenaSlot() const { return spill_.arena_slot; }

  [[nodiscard]] ir::Value hashOf(Pipeline& pipeline, const std::vector<SqlValue>& keys) const;
  /// Emits the lookup; the group's row. Without keys there is one group. `hash`: of the keys, if it is known.
  ir::Value findGroup(Pipeline& pipeline, std::vector<SqlValue> keys, ir::Value hash = {});
  /// Local: LocalAggregation.
  [[nodiscard]] size_t localSlot() const { return local_slot_; }
  /// After the pipelines that fill the table.
  void addMergeStep(const MergeState& merge_state);
  /// Emits a pipeline over the finished groups: body(pipeline, group's row).
  void readGroups(const std::function<void(Pipeline&, ir::Value row)>& body);
  [[nodiscard]] SqlValue key(CodeContext& context, size_t number, ir::Value row) const {
    return layout_.load(context, key_fields_[number], row);
  }

 private:
  ir::Value addGroup(Pipeline& pipeline, ir::Value table, ir::Value hash, const std::vector<SqlValue>& keys);
  void emitKeyComparison(CodeContext& context, ir::Value group, const std::vector<SqlValue>& keys, ir::Block different);
  CodeUnit* emitMergeFunction(const MergeState& merge_state);
  void emitMergeBody(ir::Builder& builder, CodeContext& context, ir::Value row, const MergeState& merge_state);

  PlanTranslator& translator_;
  QueryProgram& program_;
  SpillSlots spill_;
  TupleLayout layout_{kHeaderBytes};
  std::vector<size_t> key_fields_;
  size_t global_slot_ = 0, local_slot_ = 0, source_slot_ = 0;
};

}  // namespace gnomon::codegen
