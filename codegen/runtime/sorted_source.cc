#include "codegen/runtime/sorted_source.h"

#include <algorithm>

namespace gnomon::codegen {

bool SortedSource::next(Morsel& morsel) {
  const std::scoped_lock guard(mutex_);
  if (sorter_.isSpilled()) return readBatch(morsel);
  const std::vector<char*>& rows = sorter_.rows();
  if (row_ == rows.size()) return false;
  morsel.data = rows.data();
  morsel.begin = row_;
  morsel.end = std::min<uint64_t>(rows.size(), row_ + kMorselRows);
  row_ = morsel.end;
  return true;
}

bool SortedSource::readBatch(Morsel& morsel) {
  std::unique_ptr<Batch>& batch = batches_[morsel.worker];
  if (!batch) {
    batch = std::make_unique<Batch>(memory_);
    batch->rows.open(&batch->arena, sorter_.rowBytes());
  }
  batch->rows.clear();
  batch->arena.clear();
  batch->list.clear();
  sorter_.readNext(batch->rows, kBatchRows, cancel_);
  batch->rows.listInto(batch->list);
  morsel.data = batch->list.data();
  morsel.begin = 0;
  morsel.end = batch->list.size();
  return morsel.end != 0;
}

}  // namespace gnomon::codegen
