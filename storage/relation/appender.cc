#include "storage/relation/appender.h"

namespace gnomon::storage {

void RelationAppender::remember(const ExclusiveGuard& leaf) {
  Relation::AppendPosition& at = position();
  at.frame = nullptr;
  Frame& frame = leaf.frame();
  Leaf::requireSound(frame.page, frame.pageBytes(), relation_.schema());
  at.page_id = frame.page_id.load();
  at.layout_changes = relation_.tree_->layoutChanges();
  at.leaf.emplace(frame.page, relation_.schema());
  at.frame = &frame;
}

ExclusiveGuard RelationAppender::currentLeaf() {
  if (const Relation::AppendPosition& at = position(); at.frame) {
    ExclusiveGuard guard(*at.frame);
    if (at.layout_changes == relation_.tree_->layoutChanges() && at.frame->page_id.load() == at.page_id) return guard;
    guard.releaseUnchanged();
  }
  uint64_t next_first_id;
  ExclusiveGuard guard = relation_.tree_->findLeafExclusive(relation_.nextTupleId(), next_first_id);
  remember(guard);
  return guard;
}

TupleId RelationAppender::appendBatch(const Datum* values, const uint8_t* null_flags, size_t row_count) {
  const std::scoped_lock appending(relation_.append_mutex_);
  const TupleId first = relation_.nextTupleId();
  if (row_count == 0) return first;
  const size_t columns = relation_.schema().size();
  ExclusiveGuard guard = currentLeaf();
  for (size_t done = 0; done < row_count;) {
    const TupleId id{first.value + done};
    uint64_t bytes = 0;
    Leaf& leaf = *position().leaf;
    const uint32_t rows =
        leaf.append(id, values + done * columns, null_flags + done * columns, row_count - done, bytes);
    if (rows == 0) {
      guard = makeRoom(std::move(guard), values + done * columns, null_flags + done * columns);
      continue;
    }
    guard.markDirty();
    relation_.tuple_count_.fetch_add(rows, std::memory_order_relaxed);
    relation_.variable_bytes_.fetch_add(bytes, std::memory_order_relaxed);
    relation_.next_tuple_id_.store(id.value + rows, std::memory_order_release);
    relation_.tail_end_ = id.value + rows;
    try {
      if (observer_) observer_->onAppended(guard.frame(), id, rows);
    } catch (...) {
      for (uint32_t row = 0; row < rows; ++row) leaf.markDeleted(TupleId{id.value + row});
      relation_.deleted_count_.fetch_add(rows, std::memory_order_relaxed);
      throw;
    }
    done += rows;
  }
  return first;
}

ExclusiveGuard RelationAppender::makeRoom(ExclusiveGuard current, const Datum* values, const uint8_t* null_flags) {
  Leaf& leaf = *position().leaf;
  const uint64_t row_bytes = variableBytes(relation_.schema(), values, null_flags);
  const uint64_t page_bytes = current.frame().pageBytes();
  const bool is_newest = leaf.header().schema_version == relation_.schema().version();
  const uint64_t string_bytes = leaf.stringBytes(page_bytes);
  const uint32_t capacity = is_newest ? leaf.betterCapacity(page_bytes, row_bytes) : 0;
  if (capacity != 0) leaf.changeCapacity(capacity);
  if (capacity != 0 || (!is_newest && leaf.changeVersion(page_bytes, row_bytes))) {
    current.markDirty();
    relation_.tree_->noteLayoutChange();
    remember(current);
    relation_.variable_bytes_.fetch_add(leaf.stringBytes(page_bytes) - string_bytes, std::memory_order_relaxed);
    return current;
  }
  // The tree takes its own latches.
  current.releaseUnchanged();
  return addLeaf(row_bytes);
}

ExclusiveGuard RelationAppender::addLeaf(uint64_t row_variable_bytes) {
  const RelationSchema& schema = relation_.schema();
  const uint64_t bytes = leafFixedBytes(schema, schema.version(), 1) + row_variable_bytes;
  SizeClass size_class = leafSizeClass(bytes, bytes);
  // A leaf for one outsized tuple begins with one slot; makeRoom adds more if there is room for others.
  uint32_t capacity = 1;
  if (size_class <= schema.leafClass()) {
    size_class = schema.leafClass();
    capacity = leafCapacity(schema, pageBytes(size_class) - row_variable_bytes, relation_.averageVariableBytes());
  }
  const std::scoped_lock changing(relation_.structure_mutex_);
  bool is_new = false;
  ExclusiveGuard guard = relation_.tree_->addLeaf(relation_.nextTupleId(), size_class, capacity, is_new);
  if (is_new) relation_.leaf_count_.fetch_add(1, std::memory_order_relaxed);
  remember(guard);
  return guard;
}

}  // namespace gnomon::storage
