#include "storage/relation/appender.h"

namespace gnomon::storage {

void RelationAppender::remember(const ExclusiveGuard& leaf) {
  frame_ = &leaf.frame();
  page_id_ = frame_->page_id.load();
  layout_changes_ = relation_.layout_changes_;
  Leaf::requireSound(frame_->page, frame_->pageBytes(), relation_.schema());
  leaf_.emplace(frame_->page, relation_.schema());
}

ExclusiveGuard RelationAppender::currentLeaf() {
  if (frame_ && layout_changes_ == relation_.layout_changes_) {
    ExclusiveGuard guard(*frame_);
    if (frame_->page_id.load() == page_id_) return guard;
    guard.releaseUnchanged();
  }
  frame_ = nullptr;
  uint64_t next_first_id;
  ExclusiveGuard guard = relation_.tree_->findLeafExclusive(relation_.nextTupleId(), next_first_id);
  remember(guard);
  return guard;
}

TupleId RelationAppender::appendBatch(const Datum* values, const uint8_t* null_flags, size_t row_count) {
  const TupleId first = relation_.nextTupleId();
  if (row_count == 0) return first;
  const size_t columns = relation_.schema().size();
  ExclusiveGuard guard = currentLeaf();
  for (size_t done = 0; done < row_count;) {
    uint64_t bytes = 0;
    const uint32_t rows = leaf_->append(TupleId{first.value + done}, values + done * columns,
                                        null_flags + done * columns, row_count - done, bytes);
    if (rows == 0) {
      guard = makeRoom(std::move(guard), values + done * columns, null_flags + done * columns);
      continue;
    }
    guard.markDirty();
    relation_.tuple_count_.fetch_add(rows, std::memory_order_relaxed);
    relation_.variable_bytes_.fetch_add(bytes, std::memory_order_relaxed);
    relation_.next_tuple_id_.store(first.value + done + rows, std::memory_order_release);
    // The tuples are counted: what it throws leaves them to be truncated.
    if (observer_) observer_->onAppended(guard.frame(), TupleId{first.value + done}, rows);
    done += rows;
  }
  return first;
}

ExclusiveGuard RelationAppender::makeRoom(ExclusiveGuard current, const Datum* values, const uint8_t* null_flags) {
  const uint64_t row_bytes = variableBytes(relation_.schema(), values, null_flags);
  const uint64_t page_bytes = current.frame().pageBytes();
  const bool is_newest = leaf_->header().schema_version == relation_.schema().version();
  const uint64_t string_bytes = leaf_->stringBytes(page_bytes);
  const uint32_t capacity = is_newest ? leaf_->betterCapacity(page_bytes, row_bytes) : 0;
  if (capacity != 0) leaf_->changeCapacity(capacity);
  if (capacity != 0 || (!is_newest && leaf_->changeVersion(page_bytes, row_bytes))) {
    current.markDirty();
    relation_.variable_bytes_.fetch_add(leaf_->stringBytes(page_bytes) - string_bytes, std::memory_order_relaxed);
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
  bool is_new = false;
  ExclusiveGuard guard = relation_.tree_->addLeaf(relation_.nextTupleId(), size_class, capacity, is_new);
  if (is_new) relation_.leaf_count_.fetch_add(1, std::memory_order_relaxed);
  remember(guard);
  return guard;
}

}  // namespace gnomon::storage
