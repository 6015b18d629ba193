#include "txn/write_statement.h"

#include <spdlog/spdlog.h>

#include "base/string_value.h"
#include "txn/row_values.h"

namespace gnomon::txn {

WriteStatement::WriteStatement(Table& table, const CancelToken& cancel)
    : WriteStatement(table, table.write_lock_.acquire(TableLock::Mode::Exclusive, cancel)) {}

WriteStatement::WriteStatement(Table& table, TableLock::Guard write_guard, MemoryAccount* memory)
    : table_(table),
      write_guard_(std::move(write_guard)),
      bound_(table.readBound()),
      appender_(table.relation_),
      strings_(memory),
      counted_(bound_) {
  CHECK(write_guard_.holdsExclusive(table.write_lock_), "a writer holds the write lock");
  CHECK(table_.relation_.nextTupleId() == bound_, "X1");
}

WriteStatement::~WriteStatement() {
  if (!committed_) undo();
}

TupleId WriteStatement::appendBatch(const Datum* values, const uint8_t* null_flags, size_t row_count) {
  const TupleId first = appender_.appendBatch(values, null_flags, row_count);
  if (table_.statistics_) {
    table_.statistics_->onInsertBatch(first, values, null_flags, row_count);
    counted_ = TupleId{first.value + row_count};
  }
  const size_t columns = table_.schema().size();
  if (table_.indexes().empty()) return first;
  for (indexed_rows_ = 0; indexed_rows_ < row_count; ++indexed_rows_) {
    const size_t offset = indexed_rows_ * columns;
    for (const auto& index : table_.indexes())
      index->insert(table_.relation_, TupleId{first.value + indexed_rows_}, values + offset, null_flags + offset);
  }
  return first;
}

/// The value with its bytes in this statement's memory.
Datum WriteStatement::keepString(const Datum& value) {
  if (static_cast<uint32_t>(value.lo) <= StringValue::kInlineBytesMax) return value;
  const StringValue copy =
      StringValue::refer(strings_.copy(StringValue(value.lo, value.hi).view()), StringValue::Storage::Temporary);
  return {copy.lo(), copy.hi()};
}

void WriteStatement::saveBeforeImage(TupleId id, const storage::TupleChange& change) {
  storage::LeafView leaf;
  uint32_t row = 0;
  const bool found = table_.relation_.find(id, leaf, row);
  CHECK(found, "a statement changes tuples that it found");
  const size_t first = columns_.size();
  for (const uint32_t column : change.columns) {
    bool is_null = false;
    Datum value = leaf.value(column, row, is_null);
    if (table_.schema()[column].kind == storage::StoredKind::String) value = keepString(value);
    columns_.push_back(column);
    values_.push_back(value);
    null_flags_.push_back(is_null ? 1 : 0);
  }
  // Last: there may be no memory for all of the image.
  undo_.push_back({id, first, change.columns.size()});
}

bool WriteStatement::changesKey(const storage::TupleChange& change) const {
  for (const auto& index : table_.indexes())
    for (const uint32_t column : change.columns)
      if (index->hasColumn(column)) return true;
  return false;
}

void WriteStatement::replace(TupleId id, const storage::TupleChange& change) {
  const size_t column_count = table_.schema().size();
  std::vector<Datum> values(column_count);
  std::vector<uint8_t> null_flags(column_count);
  {
    storage::LeafView leaf;
    uint32_t row = 0;
    const bool found = table_.relation_.find(id, leaf, row);
    CHECK(found, "a statement changes tuples that it found");
    size_t next = 0;
    for (uint32_t column = 0; column < column_count; ++column) {
      bool is_null = false;
      if (next < change.columns.size() && change.columns[next] == column) {
        values[column] = change.values[next];
        null_flags[column] = change.null_flags[next++];
        continue;
      }
      values[column] = leaf.value(column, row, is_null);
      null_flags[column] = is_null ? 1 : 0;
      if (table_.schema()[column].kind == storage::StoredKind::String) values[column] = keepString(values[column]);
    }
  }
  remove(id);
  append(values.data(), null_flags.data());
}

void WriteStatement::update(TupleId id, const storage::TupleChange& change) {
  if (changesKey(change)) return replace(id, change);
  saveBeforeImage(id, change);
  bool changed = false;
  try {
    changed = table_.relation_.update(id, change);
  } catch (...) {
    undo_.pop_back();
    throw;
  }
  CHECK(changed, "a statement changes tuples that it found");
}

void WriteStatement::remove(TupleId id) {
  undo_.push_back({id, 0, 0});
  bool removed = false;
  try {
    removed = table_.relation_.markDeleted(id);
  } catch (...) {
    undo_.pop_back();
    throw;
  }
  CHECK(removed, "a statement deletes tuples that it found");
  removed_any_ = true;
}

// A before-image was there before, so there is room for it: restoring needs no page (Relation::update).
void WriteStatement::undo() {
  storage::Relation& relation = table_.relation_;
  const TupleId end = relation.nextTupleId();
  const bool has_erased = eraseAppendedEntries();
  const bool outnumbers = counted_.value - bound_.value > relation.tupleCount() / 2;
  if (!outnumbers) forgetAppended();
  relation.truncate(bound_);
  if (!has_erased) {
    // An entry that stays leads to a tuple that never is.
    relation.skipTo(end);
    table_.bound_.store(end.value, std::memory_order_release);
  }
  for (; !undo_.empty(); undo_.pop_back()) {
    const Undo& last = undo_.back();
    const size_t first = last.first_column;
    const bool restored =
        last.column_count == 0
            ? relation.unmarkDeleted(last.id)
            : relation.update(last.id,
                              {{columns_.data() + first, last.column_count}, &values_[first], &null_flags_[first]});
    CHECK(restored, "a before-image belongs to a tuple");
  }
  if (outnumbers) recount();
}

/// The sketches as they were, but for the rounding of large counters; the sample without the tuples, and smaller by as
/// many as it held of them: at most half.
void WriteStatement::forgetAppended() noexcept {
  if (counted_ == bound_) return;
  storage::RelationStatistics& statistics = *table_.statistics_;
  try {
    RowValues rows(table_.schema().size());
    for (TupleId id = bound_; id < counted_; ++id.value) {
      storage::LeafView leaf;
      uint32_t row = 0;
      if (!statistics.isFed(id) || !table_.relation_.findStored(id, leaf, row)) continue;
      rows.clear();
      rows.add(leaf, row);
      statistics.forgetValues(id, rows.values(), rows.nullFlags());
    }
  } catch (const std::exception& error) {
    spdlog::warn("statistics of relation {} keep values of a failed statement: {}", table_.id().value, error.what());
  }
  statistics.onTruncate(bound_, counted_.value - bound_.value);
}

/// Where what happened touches much of the table, reading all of it costs no more than what was done, and is exact.
void WriteStatement::recount() noexcept {
  try {
    table_.rebuildStatistics(CancelToken{});
  } catch (const std::exception& error) {
    spdlog::warn("statistics of relation {} are incomplete: {}", table_.id().value, error.what());
  }
}

/// Deletes and updates become known when they stay: nobody has to take them back.
void WriteStatement::countChanges() noexcept {
  if (!table_.statistics_) return;
  try {
    for (const Undo& change : undo_) countChange(change);
  } catch (const std::exception& error) {
    spdlog::warn("statistics of relation {} miss changes: {}", table_.id().value, error.what());
  }
}

void WriteStatement::countChange(const Undo& change) {
  storage::RelationStatistics& statistics = *table_.statistics_;
  RowValues now(table_.schema().size());
  storage::LeafView leaf;
  uint32_t row = 0;
  if (statistics.needsValues(change.id) && table_.relation_.findStored(change.id, leaf, row)) now.add(leaf, row);
  if (now.count() == 0 && statistics.isFed(change.id)) return;
  if (change.column_count == 0) return statistics.onDelete(change.id, now.values(), now.nullFlags());
  if (now.count() == 0) return;
  std::vector<Datum> before(now.values(), now.values() + table_.schema().size());
  std::vector<uint8_t> null_before(now.nullFlags(), now.nullFlags() + table_.schema().size());
  for (size_t i = change.first_column; i < change.first_column + change.column_count; ++i) {
    before[columns_[i]] = values_[i];
    null_before[columns_[i]] = null_flags_[i];
  }
  statistics.onUpdate(change.id, before.data(), null_before.data(), now.values(), now.nullFlags());
}

/// False: an index cannot be read, and entries may stay in it.
bool WriteStatement::eraseAppendedEntries() noexcept {
  constexpr uint64_t kBatch = 1024;
  const uint64_t end = table_.relation_.nextTupleId().value;
  bool has_erased = true;
  std::vector<TupleId> ids;
  for (uint64_t id = bound_.value; id < end && !table_.indexes().empty(); ++id) {
    ids.push_back(TupleId{id});
    if (ids.size() < kBatch && id + 1 < end) continue;
    for (const auto& index : table_.indexes()) {
      try {
        index->erase(table_.relation_, ids);
      } catch (const std::exception& error) {
        if (has_erased)
          spdlog::warn("index entries of undone tuples of relation {} stay: {}", table_.id().value, error.what());
        has_erased = false;
      }
    }
    ids.clear();
  }
  return has_erased;
}

/// An entry that stays behind because of a failure leads to a deleted tuple: readers pass it over.
void WriteStatement::eraseRemovedEntries() noexcept {
  if (table_.indexes().empty()) return;
  try {
    std::vector<TupleId> ids;
    for (const Undo& change : undo_)
      if (change.column_count == 0) ids.push_back(change.id);
    for (const auto& index : table_.indexes()) index->erase(table_.relation_, ids);
  } catch (const std::exception& error) {
    spdlog::warn("index entries of deleted tuples of relation {} stay: {}", table_.id().value, error.what());
  }
}

void WriteStatement::commit() {
  CHECK(!committed_, "X1");
  table_.bound_.store(table_.relation_.nextTupleId().value, std::memory_order_release);
  committed_ = true;
  countChanges();
  if (!removed_any_) return;
  eraseRemovedEntries();
  if (reclaim()) recount();
}

/// Dead tuples go once there are enough of them to pay for reading the relation.
bool WriteStatement::reclaim() noexcept {
  constexpr uint64_t kDeadTuplesMin = 1024;
  constexpr uint64_t kDeadShare = 8;
  storage::Relation& relation = table_.relation_;
  const uint64_t dead = relation.deletedCount();
  if (dead < kDeadTuplesMin || dead * kDeadShare < relation.tupleCount() + dead) return false;
  try {
    return relation.reclaim(TupleId{0}, bound_) != 0;
  } catch (const std::exception& error) {
    spdlog::warn("dead tuples of relation {} stay for now: {}", relation.id().value, error.what());
    return false;
  }
}

}  // namespace gnomon::txn
