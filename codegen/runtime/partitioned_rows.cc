#include "codegen/runtime/partitioned_rows.h"

#include <vector>

namespace gnomon::codegen {

PartitionedRows::PartitionedRows(Arena& arena, uint64_t row_bytes, SpillArea* area) : area_(area) {
  rows_.open(&arena, row_bytes);
  if (area_ == nullptr) return;
  rows_.owner = this;
  // Rows with strings may be much larger than they look.
  constexpr uint64_t kRowsWithStringsMax = 64;
  if (!area_->format().strings.empty()) rows_.chunk_rows_max = kRowsWithStringsMax;
}

void PartitionedRows::makeRoom() {
  if (area_->isFull()) spill();
}

void PartitionedRows::spill() {
  std::vector<char*> rows;
  rows.reserve(rows_.rowCount());
  rows_.listInto(rows);
  runs_.resize(HashPartitioning::kPartitions);
  spillPartitions(rows, kFirstPartitioning, area_->file(), runs_);
  rows_.clear();
  area_->clear();
}

}  // namespace gnomon::codegen
