#include "storage/relation/editor.h"

#include <algorithm>

namespace gnomon::storage {

ExclusiveGuard RelationEditor::lockLeaf(TupleId id) {
  if (frame_ && first_id_ <= id && id.value < next_first_id_) {
    ExclusiveGuard guard(*frame_);
    if (layout_changes_ == relation_.tree_->layoutChanges() && frame_->page_id.load() == page_id_) return guard;
    guard.releaseUnchanged();
  }
  frame_ = nullptr;
  ExclusiveGuard guard = relation_.tree_->findLeafExclusive(id, next_first_id_);
  relation_.requireSound(guard);
  leaf_.emplace(guard.page(), relation_.schema());
  page_id_ = guard.frame().page_id.load();
  first_id_ = id;
  layout_changes_ = relation_.tree_->layoutChanges();
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

bool RelationEditor::visit(TupleId id, const std::function<void(Frame& frame)>& visit) {
  ExclusiveGuard guard = lockLeaf(id);
  uint32_t row;
  const bool is_live = leaf_->findLive(id, row);
  if (is_live) visit(guard.frame());
  guard.releaseUnchanged();
  return is_live;
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
  try {
    LeafUpdate done = updateInPlace(guard, row, change);
    while (done.page_bytes_needed != 0) {
      // Room for the larger page comes from pages that nobody holds.
      const uint64_t tuple_bytes = leaf_->tupleBytesWith(row, change);
      guard.releaseUnchanged();
      if (moveAndUpdate(id, change, done, tuple_bytes)) break;
      // Somebody else has moved it to a larger page.
      guard = lockLeaf(id);
      CHECK(leaf_->findLive(id, row), "R2");
      done = updateInPlace(guard, row, change);
    }
    relation_.variable_bytes_.fetch_add(static_cast<uint64_t>(done.string_bytes_added), std::memory_order_relaxed);
  } catch (...) {
    if (observer_) observer_->onFailure();
    throw;
  }
  return true;
}

LeafUpdate RelationEditor::updateInPlace(const ExclusiveGuard& guard, uint32_t row, const TupleChange& change) {
  const LeafUpdate done = leaf_->update(row, change, guard.frame().pageBytes(), next_first_id_ == UINT64_MAX);
  if (done.page_bytes_needed == 0) guard.markDirty();
  if (done.is_rearranged) relation_.tree_->noteLayoutChange();
  return done;
}

bool RelationEditor::moveAndUpdate(TupleId id, const TupleChange& change, LeafUpdate& done, uint64_t tuple_bytes) {
  const RelationSchema& schema = relation_.schema();
  for (;;) {
    const SizeClass size_class = leafSizeClass(done.page_bytes_needed, tuple_bytes);
    ExclusiveGuard fresh = relation_.buffers_.allocate(size_class, relation_.id(), PageType::RelationLeaf);
    const std::scoped_lock changing(relation_.structure_mutex_);
    // Others may have changed the leaf since it was let go, but not this tuple.
    bool is_larger_now = false;
    const auto fill = [&](const ExclusiveGuard& before, const ExclusiveGuard& to) {
      is_larger_now = before.frame().pageBytes() >= to.frame().pageBytes();
      if (is_larger_now) return false;
      Leaf::copy(before.page(), before.frame().pageBytes(), to.page(), to.frame().pageBytes(), schema);
      Leaf leaf(to.page(), schema);
      uint32_t row;
      CHECK(leaf.findLive(id, row), "R2");
      done = leaf.update(row, change, to.frame().pageBytes(), next_first_id_ == UINT64_MAX);
      return done.page_bytes_needed == 0;
    };
    if (relation_.tree_->replaceLeaf(id, std::move(fresh), fill)) return true;
    if (is_larger_now) return false;
  }
}

}  // namespace gnomon::storage
