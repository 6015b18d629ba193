#include "storage/relation/appender.h"

#include "storage/page_change.h"
#include "storage/row_record.h"

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
  relation_.noteNans(values, null_flags, row_count);
  const std::scoped_lock appending(relation_.append_mutex_);
  const TupleId first = relation_.nextTupleId();
  if (row_count == 0) return first;
  const size_t columns = relation_.schema().size();
  ExclusiveGuard guard = currentLeaf();
  for (size_t done = 0; done < row_count;) {
    const TupleId id{first.value + done};
    uint64_t bytes = 0;
    Leaf& leaf = *position().leaf;
    const LeafHeader before = leaf.header();
    const uint32_t rows = leaf.append(id, values + done * columns, null_flags + done * columns, row_count - done,
                                      guard.frame().pageBytes(), bytes);
    if (rows == 0) {
      guard = makeRoom(std::move(guard), values + done * columns, null_flags + done * columns);
      continue;
    }
    // Before the record: a checkpoint that is taken behind it has it.
    relation_.next_tuple_id_.store(id.value + rows, std::memory_order_release);
    try {
      logAppended(guard, before, rows);
    } catch (...) {
      // What lies behind the tuples is nothing.
      *reinterpret_cast<LeafHeader*>(guard.page()) = before;
      relation_.next_tuple_id_.store(id.value, std::memory_order_release);
      throw;
    }
    if (epoch_ != 0) {
      leaf.enterEpoch(epoch_);
      leaf.flagVirtual(before.tuple_count, rows, tuple_id_flags::kVirtuallyCreated);
    }
    relation_.tuple_count_.fetch_add(rows, std::memory_order_relaxed);
    relation_.variable_bytes_.fetch_add(bytes, std::memory_order_relaxed);
    relation_.tail_end_ = id.value + rows;
    try {
      if (observer_) observer_->onAppended(guard.frame(), id, rows);
    } catch (...) {
      takeBack(guard, before.tuple_count, rows);
      throw;
    }
    done += rows;
  }
  return first;
}

void RelationAppender::logAppended(const ExclusiveGuard& guard, const LeafHeader& before, uint32_t rows) {
  const Leaf& leaf = *position().leaf;
  const LeafHeader& header = leaf.header();
  const uint32_t row = before.tuple_count;
  const TupleId first = leaf.tupleId(row);
  PageChange change(relation_.buffers_, relation_.id(), record_types::kRowsAppended);
  change.undoTakes(RowRange::kRecordBytesMax);
  change.mean(RowRange{first, rows}.view());
  change.change(guard.frame());
  change.write(header.tuple_count);
  change.tupleIds(row, rows, first.value);
  leaf.describeRows(row, rows, change);
  if (header.variable_begin != before.variable_begin) {
    change.write(header.variable_begin);
    change.write(guard.page() + header.variable_begin, before.variable_begin - header.variable_begin);
  }
  change.finish();
}

/// Flags rows deleted that have just been appended, in the room that was reserved for undoing that.
void RelationAppender::takeBack(const ExclusiveGuard& guard, uint32_t row, uint32_t rows) {
  Leaf& leaf = *position().leaf;
  PageLog& log = relation_.buffers_.log();
  std::optional<PageLog::Scope> undoing;
  if (const PageLog::Scope* scope = log.scope()) undoing.emplace(log, scope->writer(), wal::LogPosition{});
  PageChange change(relation_.buffers_, relation_.id(), record_types::kRowsDeleted);
  change.mean(RowRange{leaf.tupleId(row), rows}.view());
  change.change(guard.frame());
  change.operation(PageOperation::DeleteRows, {row, rows});
  change.finish();
  leaf.markRowsDeleted(row, rows);
  relation_.deleted_count_.fetch_add(rows, std::memory_order_relaxed);
}

ExclusiveGuard RelationAppender::makeRoom(ExclusiveGuard current, const Datum* values, const uint8_t* null_flags) {
  Leaf& leaf = *position().leaf;
  const uint64_t row_bytes = variableBytes(relation_.schema(), values, null_flags);
  const uint64_t page_bytes = current.frame().pageBytes();
  const bool is_newest = leaf.header().schema_version == relation_.schema().version();
  const uint64_t string_bytes = leaf.stringBytes(page_bytes);
  const uint32_t capacity = is_newest ? leaf.betterCapacity(page_bytes, row_bytes) : 0;
  if (capacity != 0) changeCapacity(current, capacity);
  if (capacity != 0 || (!is_newest && changeVersion(current, row_bytes))) {
    relation_.tree_->noteLayoutChange();
    remember(current);
    relation_.variable_bytes_.fetch_add(leaf.stringBytes(page_bytes) - string_bytes, std::memory_order_relaxed);
    return current;
  }
  // The tree takes its own latches.
  current.releaseUnchanged();
  return addLeaf(row_bytes);
}

void RelationAppender::changeCapacity(const ExclusiveGuard& guard, uint32_t capacity) {
  Leaf& leaf = *position().leaf;
  PageChange change(relation_.buffers_, relation_.id());
  change.prepare(kPageBytesMin);
  change.change(guard.frame());
  for (const Leaf::ArrayMove& move : leaf.movesFor(capacity))
    change.operation(PageOperation::Move, {move.from, move.to, move.bytes});
  leaf.changeCapacity(capacity);
  change.write(leaf.header().capacity);
  change.write(leaf.header().fixed_end);
}

bool RelationAppender::changeVersion(const ExclusiveGuard& guard, uint64_t row_bytes) {
  PageChange change(relation_.buffers_, relation_.id());
  change.prepare(PageChange::imageBytes(guard.frame()));
  if (!position().leaf->changeVersion(guard.frame().pageBytes(), row_bytes)) return false;
  change.image(guard.frame());
  return true;
}

ExclusiveGuard RelationAppender::addLeaf(uint64_t row_variable_bytes) {
  const RelationSchema& schema = relation_.schema();
  const uint64_t bytes = leafFixedBytes(schema, schema.version(), 1) + row_variable_bytes;
  SizeClass size_class = leafSizeClass(bytes, bytes);
  // A leaf for one outsized tuple begins with one slot; makeRoom adds more if there is room for others.
  uint32_t capacity = 1;
  if (const SizeClass usual = relation_.nextLeafClass(); size_class <= usual) {
    size_class = usual;
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
