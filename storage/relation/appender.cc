#include "storage/relation/appender.h"

#include "storage/page_change.h"
#include "storage/row_record.h"

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
    const LeafHeader before = leaf_->header();
    const uint32_t rows = leaf_->append(TupleId{first.value + done}, values + done * columns,
                                        null_flags + done * columns, row_count - done, bytes);
    if (rows == 0) {
      guard = makeRoom(std::move(guard), values + done * columns, null_flags + done * columns);
      continue;
    }
    // Before the record: a checkpoint that is taken behind it has it.
    relation_.next_tuple_id_.store(first.value + done + rows, std::memory_order_release);
    try {
      logAppended(guard, before, rows);
    } catch (...) {
      // What lies behind the tuples is nothing.
      *reinterpret_cast<LeafHeader*>(guard.page()) = before;
      relation_.next_tuple_id_.store(first.value + done, std::memory_order_release);
      throw;
    }
    relation_.tuple_count_.fetch_add(rows, std::memory_order_relaxed);
    relation_.variable_bytes_.fetch_add(bytes, std::memory_order_relaxed);
    // The tuples are counted: what it throws leaves them to be truncated.
    if (observer_) observer_->onAppended(guard.frame(), TupleId{first.value + done}, rows);
    done += rows;
  }
  return first;
}

void RelationAppender::logAppended(const ExclusiveGuard& leaf, const LeafHeader& before, uint32_t rows) {
  constexpr uint64_t kUndoBytes = 96;
  const LeafHeader& header = leaf_->header();
  const uint32_t row = before.tuple_count;
  const TupleId first = leaf_->tupleId(row);
  PageChange change(relation_.buffers_, relation_.id(), record_types::kRowsAppended);
  change.undoTakes(kUndoBytes);
  change.mean(RowRange{first, rows}.view());
  change.change(leaf.frame());
  change.write(header.tuple_count);
  change.tupleIds(row, rows, first.value);
  leaf_->describeRows(row, rows, change);
  if (header.variable_begin != before.variable_begin) {
    change.write(header.variable_begin);
    change.write(leaf.page() + header.variable_begin, before.variable_begin - header.variable_begin);
  }
  change.finish();
}

ExclusiveGuard RelationAppender::makeRoom(ExclusiveGuard current, const Datum* values, const uint8_t* null_flags) {
  const uint64_t row_bytes = variableBytes(relation_.schema(), values, null_flags);
  const uint64_t page_bytes = current.frame().pageBytes();
  const bool is_newest = leaf_->header().schema_version == relation_.schema().version();
  const uint64_t string_bytes = leaf_->stringBytes(page_bytes);
  const uint32_t capacity = is_newest ? leaf_->betterCapacity(page_bytes, row_bytes) : 0;
  if (capacity != 0) {
    PageChange change(relation_.buffers_, relation_.id());
    change.prepare(kPageBytesMin);
    change.change(current.frame());
    for (const Leaf::ArrayMove& move : leaf_->movesFor(capacity))
      change.operation(PageOperation::Move, {move.from, move.to, move.bytes});
    leaf_->changeCapacity(capacity);
    change.write(leaf_->header().capacity);
    change.write(leaf_->header().fixed_end);
    return current;
  }
  if (!is_newest && changeVersion(current, row_bytes)) {
    relation_.variable_bytes_.fetch_add(leaf_->stringBytes(page_bytes) - string_bytes, std::memory_order_relaxed);
    return current;
  }
  // The tree takes its own latches.
  current.releaseUnchanged();
  return addLeaf(row_bytes);
}

bool RelationAppender::changeVersion(const ExclusiveGuard& leaf, uint64_t row_bytes) {
  PageChange change(relation_.buffers_, relation_.id());
  change.prepare(PageChange::imageBytes(leaf.frame()));
  if (!leaf_->changeVersion(leaf.frame().pageBytes(), row_bytes)) return false;
  change.image(leaf.frame());
  return true;
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
