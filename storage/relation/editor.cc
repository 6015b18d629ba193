#include "storage/relation/editor.h"

#include <algorithm>

#include "storage/page_change.h"
#include "storage/row_record.h"

namespace gnomon::storage {

ExclusiveGuard RelationEditor::lockLeaf(TupleId id) {
  if (frame_ && first_id_ <= id && id.value < next_first_id_ && layout_changes_ == relation_.layout_changes_) {
    ExclusiveGuard guard(*frame_);
    if (frame_->page_id.load() == page_id_) return guard;
    guard.releaseUnchanged();
  }
  frame_ = nullptr;
  ExclusiveGuard guard = relation_.tree_->findLeafExclusive(id, next_first_id_);
  relation_.requireSound(guard);
  leaf_.emplace(guard.page(), relation_.schema());
  page_id_ = guard.frame().page_id.load();
  first_id_ = id;
  layout_changes_ = relation_.layout_changes_;
  frame_ = &guard.frame();
  return guard;
}

void RelationEditor::logFlag(const ExclusiveGuard& leaf, uint32_t row, wal::RecordType type) {
  constexpr uint64_t kUndoBytes = 96;
  PageChange change(relation_.buffers_, relation_.id(), type);
  change.undoTakes(kUndoBytes);
  change.mean(RowRange{leaf_->tupleId(row), 1}.view());
  change.change(leaf.frame());
  change.operation(type == record_types::kRowsDeleted ? PageOperation::DeleteRows : PageOperation::RestoreRows,
                   {row, 1});
  change.finish();
}

bool RelationEditor::markDeleted(TupleId id) {
  ExclusiveGuard guard = lockLeaf(id);
  uint32_t row;
  if (!leaf_->findLive(id, row)) {
    guard.releaseUnchanged();
    return false;
  }
  if (observer_) observer_->beforeDelete(guard.frame(), id);
  try {
    logFlag(guard, row, record_types::kRowsDeleted);
  } catch (...) {
    if (observer_) observer_->onFailure();
    throw;
  }
  leaf_->markDeleted(id);
  relation_.deleted_count_.fetch_add(1, std::memory_order_relaxed);
  return true;
}

bool RelationEditor::unmarkDeleted(TupleId id) {
  ExclusiveGuard guard = lockLeaf(id);
  uint32_t row;
  if (!leaf_->findDeleted(id, row)) {
    guard.releaseUnchanged();
    return false;
  }
  logFlag(guard, row, record_types::kRowsRestored);
  leaf_->unmarkDeleted(id);
  relation_.deleted_count_.fetch_sub(1, std::memory_order_relaxed);
  return true;
}

bool RelationEditor::update(TupleId id, const TupleChange& change) {
  ExclusiveGuard guard = lockLeaf(id);
  uint32_t row;
  if (!leaf_->findLive(id, row)) {
    guard.releaseUnchanged();
    return false;
  }
  if (observer_) observer_->beforeUpdate(guard.frame(), *leaf_, row, change);
  try {
    LeafUpdate done = updateRow(guard, row, change);
    if (done.page_bytes_needed != 0) {
      // Room for the larger page comes from pages that nobody holds.
      const uint64_t tuple_bytes = leaf_->tupleBytesWith(row, change);
      guard.releaseUnchanged();
      moveLeaf(id, done.page_bytes_needed, tuple_bytes);
      guard = lockLeaf(id);
      CHECK(leaf_->findLive(id, row), "R2");
      done = updateRow(guard, row, change);
      CHECK(done.page_bytes_needed == 0, "R1");
    }
    if (done.is_rearranged) ++relation_.layout_changes_;
    relation_.variable_bytes_.fetch_add(static_cast<uint64_t>(done.string_bytes_added), std::memory_order_relaxed);
  } catch (...) {
    if (observer_) observer_->onFailure();
    throw;
  }
  return true;
}

LeafUpdate RelationEditor::updateRow(const ExclusiveGuard& leaf, uint32_t row, const TupleChange& change) {
  const uint64_t page_bytes = leaf.frame().pageBytes();
  const bool is_last = next_first_id_ == UINT64_MAX;
  PageChange record(relation_.buffers_, relation_.id(), record_types::kRowUpdated);
  const RowBefore before(leaf_->tupleId(row), *leaf_, leaf.page(), row, relation_.schema(), change.columns);
  // Its own before-image, and what the row gets back.
  constexpr uint64_t kUndoBytes = 128;
  const uint64_t row_bytes = 2 * (before.view().size() + leaf_->tupleBytesWith(row, change));
  record.undoTakes(row_bytes + kUndoBytes);
  record.prepare(leaf_->needsRoom(row, change) ? PageChange::imageBytes(leaf.frame()) + row_bytes : row_bytes);
  record.mean(before.view());
  const LeafUpdate done = leaf_->update(row, change, page_bytes, is_last);
  if (done.page_bytes_needed != 0) return done;
  if (done.is_rearranged) {
    record.image(leaf.frame());
  } else {
    record.change(leaf.frame());
    leaf_->describeUpdate(row, change.columns, record);
  }
  return done;
}

void RelationEditor::moveLeaf(TupleId id, uint64_t page_bytes, uint64_t tuple_bytes) {
  const RelationSchema& schema = relation_.schema();
  RelationTree& tree = *relation_.tree_;
  const SizeClass size_class = leafSizeClass(page_bytes, tuple_bytes);
  ExclusiveGuard fresh = relation_.buffers_.allocate(size_class, relation_.id(), PageType::RelationLeaf);
  try {
    uint64_t next_first_id;
    // This thread is the only one to change the leaf: it is as it was, and readers may look at it meanwhile.
    const SharedGuard before = tree.findLeaf(id, next_first_id);
    Leaf::copy(before.page(), before.frame().pageBytes(), fresh.page(), fresh.frame().pageBytes(), schema);
  } catch (...) {
    relation_.buffers_.free(std::move(fresh));
    throw;
  }
  tree.replaceLeaf(id, std::move(fresh));
  ++relation_.layout_changes_;
}

}  // namespace gnomon::storage
