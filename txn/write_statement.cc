#include "txn/write_statement.h"

#include <spdlog/spdlog.h>

#include <algorithm>

#include "base/string_value.h"
#include "txn/row_values.h"

namespace gnomon::txn {

WriteStatement::WriteStatement(Table& table, const CancelToken& cancel)
    : WriteStatement(table, table.write_lock_.acquire(TableLock::Mode::Exclusive, cancel)) {}

WriteStatement::WriteStatement(Table& table, TableLock::Guard write_guard, MemoryAccount* memory)
    : table_(table),
      write_guard_(std::move(write_guard)),
      bound_(table.readBound()),
      memory_(memory),
      transaction_(table.transactions_.begin()),
      appender_(table.relation_, this),
      editor_(table.relation_, this),
      strings_(memory),
      counted_(bound_) {
  CHECK(write_guard_.holdsExclusive(table.write_lock_), "a writer holds the write lock");
  CHECK(table_.relation_.nextTupleId() == bound_, "X1");
  transaction_->setDeletionObserver(table.weak_from_this(), table.generation_.load());
}

WriteStatement::~WriteStatement() {
  if (transaction_) undo();
  if (memory_) memory_->release(charged_bytes_);
  write_guard_.release();
  table_.transactions_.collect();
  table_.cleanUp();
}

void WriteStatement::charge(uint64_t bytes) {
  if (memory_) memory_->charge(bytes);
  charged_bytes_ += bytes;
}

/// A version that is in no chain yet.
Version& WriteStatement::addVersion(Version::Kind kind, TupleId id) {
  charge(sizeof(Version) + sizeof(VersionChain));
  return transaction_->addVersion(kind, id);
}

void WriteStatement::link(storage::Frame& frame, Version& version) {
  try {
    table_.transactions_.versions().mapOf(frame).add(version);
  } catch (...) {
    transaction_->dropNewest();
    throw;
  }
}

void WriteStatement::onFailure() noexcept {
  {
    const EpochManager::Guard guard(table_.transactions_.epochs());
    unlinkNewest(*transaction_->newest());
  }
  transaction_->dropNewest();
}

void WriteStatement::onAppended(storage::Frame& leaf, TupleId first, uint32_t count) {
  VersionMap& map = table_.transactions_.versions().mapOf(leaf);
  const VersionChain* const chain = created_ ? created_->chain.load(std::memory_order_relaxed) : nullptr;
  if (!chain || &chain->map() != &map || chain->end() != first) created_ = &addVersion(Version::Kind::Created, first);
  map.addCreated(*created_, TupleId{first.value + count});
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

/// The value with its bytes in `memory`.
Datum WriteStatement::keepString(const Datum& value, Arena& memory) {
  if (static_cast<uint32_t>(value.lo) <= StringValue::kInlineBytesMax) return value;
  const StringValue copy =
      StringValue::refer(memory.copy(StringValue(value.lo, value.hi).view()), StringValue::Storage::Temporary);
  return {copy.lo(), copy.hi()};
}

/// Readers that come between this and the change find in the before-image what lies in the leaf.
void WriteStatement::beforeUpdate(storage::Frame& frame, const storage::Leaf& leaf, uint32_t row,
                                  const storage::TupleChange& change) {
  const RelationSchema& schema = table_.schema();
  const size_t count = change.columns.size();
  charge(count * (sizeof(uint32_t) + sizeof(Datum) + 1));
  Arena& memory = transaction_->memory();
  auto* const columns = memory.allocateArray<uint32_t>(count);
  auto* const values = memory.allocateArray<Datum>(count);
  auto* const null_flags = memory.allocateArray<uint8_t>(count);
  std::ranges::copy(change.columns, columns);
  for (size_t i = 0; i < count; ++i) {
    bool is_null = false;
    values[i] = storage::readValue(frame.page, schema, leaf.layout(), columns[i], row, is_null);
    null_flags[i] = is_null ? 1 : 0;
    if (schema[columns[i]].kind != storage::StoredKind::String) continue;
    charge(StringValue(values[i].lo, values[i].hi).view().size());
    values[i] = keepString(values[i], memory);
  }
  Version& version = addVersion(Version::Kind::Updated, leaf.tupleId(row));
  version.column_count = static_cast<uint32_t>(count);
  version.columns = columns;
  version.values = values;
  version.null_flags = null_flags;
  link(frame, version);
}

void WriteStatement::beforeDelete(storage::Frame& frame, TupleId id) {
  link(frame, addVersion(Version::Kind::Deleted, id));
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
      if (table_.schema()[column].kind == storage::StoredKind::String)
        values[column] = keepString(values[column], strings_);
    }
  }
  remove(id);
  append(values.data(), null_flags.data());
}

void WriteStatement::update(TupleId id, const storage::TupleChange& change) {
  if (changesKey(change)) return replace(id, change);
  const bool changed = editor_.update(id, change);
  CHECK(changed, "a statement changes tuples that it found");
}

void WriteStatement::remove(TupleId id) {
  const bool removed = editor_.markDeleted(id);
  CHECK(removed, "a statement deletes tuples that it found");
}

// A before-image was there before, so there is room for it: restoring needs no page (Relation::update).
void WriteStatement::undo() {
  storage::Relation& relation = table_.relation_;
  const TupleId end = relation.nextTupleId();
  const bool has_erased = eraseAppendedEntries();
  const bool outnumbers = counted_.value - bound_.value > relation.tupleCount() / 2;
  if (!outnumbers) forgetAppended();
  {
    const EpochManager::Guard guard(table_.transactions_.epochs());
    for (Version* version = transaction_->newest(); version; version = version->earlier)
      if (version->kind == Version::Kind::Created) unlinkNewest(*version);
  }
  relation.truncate(bound_);
  if (!has_erased) {
    // An entry that stays leads to a tuple that never is.
    relation.skipTo(end);
    table_.bound_.store(end.value, std::memory_order_release);
  }
  // A reader that finds the version still there reads in it what has been restored.
  storage::RelationEditor editor(relation);
  for (Version* version = transaction_->newest(); version; version = version->earlier) {
    if (version->kind == Version::Kind::Created) continue;
    const bool restored =
        version->kind == Version::Kind::Deleted
            ? editor.unmarkDeleted(version->id)
            : editor.update(version->id,
                            {{version->columns, version->column_count}, version->values, version->null_flags});
    CHECK(restored, "a before-image belongs to a tuple");
    const EpochManager::Guard guard(table_.transactions_.epochs());
    unlinkNewest(*version);
  }
  table_.transactions_.forget(std::move(transaction_));
  if (outnumbers) table_.recount();
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

/// Deletes and updates become known when they stay: nobody has to take them back.
void WriteStatement::countChanges() noexcept {
  if (!table_.statistics_) return;
  try {
    for (const Version* version = transaction_->newest(); version; version = version->earlier)
      if (version->kind != Version::Kind::Created) countChange(*version);
  } catch (const std::exception& error) {
    spdlog::warn("statistics of relation {} miss changes: {}", table_.id().value, error.what());
  }
}

void WriteStatement::countChange(const Version& change) {
  storage::RelationStatistics& statistics = *table_.statistics_;
  RowValues now(table_.schema().size());
  storage::LeafView leaf;
  uint32_t row = 0;
  if (statistics.needsValues(change.id) && table_.relation_.findStored(change.id, leaf, row)) now.add(leaf, row);
  if (now.count() == 0 && statistics.isFed(change.id)) return;
  if (change.kind == Version::Kind::Deleted) return statistics.onDelete(change.id, now.values(), now.nullFlags());
  if (now.count() == 0) return;
  std::vector<Datum> before(now.values(), now.values() + table_.schema().size());
  std::vector<uint8_t> null_before(now.nullFlags(), now.nullFlags() + table_.schema().size());
  for (uint32_t i = 0; i < change.column_count; ++i) {
    before[change.columns[i]] = change.values[i];
    null_before[change.columns[i]] = change.null_flags[i];
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

void WriteStatement::commit() {
  CHECK(transaction_, "X1");
  countChanges();
  // Before any snapshot can see the tuples.
  table_.bound_.store(table_.relation_.nextTupleId().value, std::memory_order_release);
  table_.transactions_.commit(std::move(transaction_));
}

}  // namespace gnomon::txn
