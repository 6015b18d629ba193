#include "storage/relation/scan.h"

namespace gnomon::storage {

bool RelationScan::next(LeafView& leaf) {
  for (;;) {
    // Before the next latch: a thread that waits holds nothing.
    leaf.release();
    SharedGuard guard;
    {
      const std::scoped_lock lock(mutex_);
      if (next_id_ >= bound_.value) return false;
      uint64_t next_first_id;
      guard = relation_.tree().findLeaf(TupleId{next_id_}, next_first_id);
      ASSERT(next_first_id > next_id_, "I2");
      next_id_ = next_first_id;
    }
    leaf.attach(std::move(guard), relation_.schema(), bound_);
    if (leaf.rowCount() > 0) return true;
  }
}

bool RowCursor::next() {
  if (started_) ++row_;
  started_ = true;
  for (;;) {
    for (; leaf_.holds() && row_ < leaf_.access().row_end; ++row_)
      if (!leaf_.isDeleted(row_)) return true;
    row_ = 0;
    if (!scan_.next(leaf_)) return false;
  }
}

}  // namespace gnomon::storage
