#include "storage/relation/editor.h"

#include <algorithm>

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

bool RelationEditor::markDeleted(TupleId id) {
  ExclusiveGuard guard = lockLeaf(id);
  uint32_t row;
  if (!leaf_->findLive(id, row)) {
    guard.releaseUnchanged();
    return false;
  }
  if (observer_) observer_->beforeDelete(guard.frame(), id);
  leaf_->markDeleted(id);
  guard.markDirty();
  relation_.deleted_count_.fetch_add(1, std::memory_order_relaxed);
  return true;
}

bool RelationEditor::unmarkDeleted(TupleId id) {
  ExclusiveGuard guard = lockLeaf(id);
  if (!leaf_->unmarkDeleted(id)) {
    guard.releaseUnchanged();
    return false;
  }
  guard.markDirty();
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
  const bool is_last = next_first_id_ == UINT64_MAX;
  try {
    LeafUpdate done = leaf_->update(row, change, guard.frame().pageBytes(), is_last);
    if (done.page_bytes_needed == 0) {
      guard.markDirty();
      if (done.is_rearranged) ++relation_.layout_changes_;
    } else {
      // Room for the larger page comes from pages that nobody holds.
      const uint64_t tuple_bytes = leaf_->tupleBytesWith(row, change);
      guard.releaseUnchanged();
      done = moveAndUpdate(id, change, done, tuple_bytes);
    }
    relation_.variable_bytes_.fetch_add(static_cast<uint64_t>(done.string_bytes_added), std::memory_order_relaxed);
  } catch (...) {
    if (observer_) observer_->onFailure();
    throw;
  }
  return true;
}

LeafUpdate RelationEditor::moveAndUpdate(TupleId id, const TupleChange& change, const LeafUpdate& tried,
                                         uint64_t tuple_bytes) {
  const RelationSchema& schema = relation_.schema();
  RelationTree& tree = *relation_.tree_;
  const SizeClass size_class = leafSizeClass(tried.page_bytes_needed, tuple_bytes);
  ExclusiveGuard fresh = relation_.buffers_.allocate(size_class, relation_.id(), PageType::RelationLeaf);
  LeafUpdate done;
  try {
    uint64_t next_first_id;
    // This thread is the only one to change the leaf: it is as it was, and readers may look at it meanwhile.
    const SharedGuard before = tree.findLeaf(id, next_first_id);
    Leaf::copy(before.page(), before.frame().pageBytes(), fresh.page(), fresh.frame().pageBytes(), schema);
    Leaf leaf(fresh.page(), schema);
    uint32_t row;
    CHECK(leaf.findLive(id, row), "R2");
    const bool is_last = next_first_id == UINT64_MAX;
    done = leaf.update(row, change, fresh.frame().pageBytes(), is_last);
    CHECK(done.page_bytes_needed == 0, "R1");
  } catch (...) {
    relation_.buffers_.free(std::move(fresh));
    throw;
  }
  tree.replaceLeaf(id, std::move(fresh));
  ++relation_.layout_changes_;
  return done;
}

}  // namespace gnomon::storage
