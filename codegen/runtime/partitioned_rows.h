#pragma once

#include "codegen/runtime/row_buffer.h"
#include "codegen/runtime/runtime_object.h"
#include "codegen/runtime/spill_area.h"

namespace gnomon::codegen {

/// One worker's rows of one side of a hash join. Where they find no room, they are written out by their hashes, which
/// lie at byte 8. Threads: one.
class PartitionedRows final : public RuntimeObject, private RowBufferOwner {
 public:
  /// The first cut of a join's rows. The directory of a join table is entered by the hash's top bits, and its entries'
  /// tags are made of the lowest: neither is the same for all rows of a partition.
  static constexpr HashPartitioning kFirstPartitioning{4};

  /// `area`: null: all stays in memory.
  PartitionedRows(Arena& arena, uint64_t row_bytes, SpillArea* area);

  /// Generated code appends to it. A row's strings are copied after it was appended.
  [[nodiscard]] RowBuffer& rows() { return rows_; }
  void spill();
  [[nodiscard]] bool hasSpilled() const { return !runs_.empty(); }
  /// By partition.
  [[nodiscard]] const PartitionRuns& runs() const { return runs_; }
  [[nodiscard]] SpillArea* area() const { return area_; }

 private:
  void makeRoom() override;

  RowBuffer rows_;
  SpillArea* const area_;
  PartitionRuns runs_;
};

}  // namespace gnomon::codegen
