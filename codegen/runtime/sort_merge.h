#pragma once

#include <memory>
#include <vector>

#include "base/cancel.h"
#include "codegen/runtime/row_comparator.h"
#include "codegen/runtime/spill_area.h"
#include "codegen/runtime/spill_file.h"

namespace gnomon::codegen {

/// Sorted runs as one sequence in order. More runs than may be read at once are first merged into fewer. Without an
/// order the runs follow one another. Threads: one at a time. Everything it is given outlives it.
class SortMerge {
 public:
  SortMerge(std::vector<SpilledRun> runs, SpillArea& area, const RowComparator& comparator, const CancelToken& cancel);

  /// Goes to the next row. False: there is none.
  bool advance();
  /// Copies the row; its strings are transient.
  void copyTo(RowBuffer& rows) const { current_->copyTo(rows); }

 private:
  void reduce(std::vector<SpilledRun>& runs, size_t fan_in);
  void open(std::span<SpilledRun> runs);
  [[nodiscard]] size_t fanIn() const;
  /// The order of the heap.
  [[nodiscard]] auto isLater() const {
    return [this](const SpillReader* left, const SpillReader* right) {
      return comparator_ && comparator_(right->row(), left->row());
    };
  }

  SpillArea& area_;
  const RowComparator& comparator_;
  const CancelToken& cancel_;
  std::vector<std::unique_ptr<SpillReader>> readers_;
  std::vector<SpillReader*> heap_;  ///< of those that have a row: the first in order on top
  SpillReader* current_ = nullptr;  ///< not in the heap
  uint64_t rows_until_poll_ = 0;
};

}  // namespace gnomon::codegen
