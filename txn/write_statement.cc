#include "txn/write_statement.h"

#include <algorithm>

#include "base/string_value.h"
#include "txn/change_scope.h"
#include "txn/deferred_references.h"
#include "txn/key_values.h"
#include "txn/rollback.h"

namespace gnomon::txn {

namespace {

/// The value with its bytes in `memory`.
template <typename Memory>
Datum keepString(const Datum& value, Memory& memory) {
  if (static_cast<uint32_t>(value.lo) <= StringValue::kInlineBytesMax) return value;
  const StringValue copy =
      StringValue::refer(memory.copy(StringValue(value.lo, value.hi).view()), StringValue::Storage::Temporary);
  return {copy.lo(), copy.hi()};
}

}  // namespace

WriteStatement::WriteStatement(Table& table, const WriteContext& context, KeyMemory* keys)
    : table_(table),
      context_(context),
      transaction_(context.transaction),
      begin_(transaction_.newest()),
      appender_(table.relation(), this),
      editor_(table.relation(), this),
      strings_(context.memory),
      keys_(keys != nullptr ? *keys : own_keys_) {}

WriteStatement::~WriteStatement() {
  if (!is_finished_ && !is_part_) rollBack(context_.manager, transaction_, begin_, is_restarting_);
}

void WriteStatement::requireAlone(TableIndex& index, TupleId id) {
  {
    storage::LeafView leaf;
    uint32_t row = 0;
    if (!table_.relation().findStored(id, leaf, row) || leaf.isDeleted(row)) return;
  }
  const size_t column_count = table_.schema().size();
  std::vector<Datum> values(column_count);
  std::vector<uint8_t> null_flags(column_count);
  read(id, values.data(), null_flags.data(), strings_);
  const std::unique_ptr<TableIndex::KeyValues> key = index.makeKeyValues();
  while (const auto awaited = index.findOther(table_.relation(), id, values.data(), null_flags.data(),
                                              transaction_.id(), context_.manager, *key))
    waitFor(*awaited);
}

/// In an index that is deferrable.
void WriteStatement::enterUnchecked(size_t number, TupleId id, const Datum* values, const uint8_t* null_flags) {
  TableIndex& index = *table_.indexes()[number];
  if (!index.insertUnchecked(table_.relation(), id, values, null_flags, transaction_.id(), context_.manager,
                             keyOf(number)))
    return;
  const TableIndex::Deferral& deferral = *index.deferral();
  if (context_.deferred != nullptr && context_.deferred->isDeferred(deferral.key, deferral.is_initially))
    context_.deferred->add({.key = deferral.key, .id = id, .is_unique = true});
  else
    unsure_.push_back({&index, id});
}

void WriteStatement::finish() {
  for (const Unsure& unsure : unsure_) requireAlone(*unsure.index, unsure.id);
  unsure_.clear();
  transaction_.forEachUntil(begin_, [this](const Version& version, const Table& table) {
    const bool is_change = version.kind == Version::Kind::Updated || version.kind == Version::Kind::Deleted;
    if (is_counted_ && is_change && &table == &table_) table_.countChange(version);
  });
  transaction_.countAll();
  is_finished_ = true;
}

/// The system's tables have other writers at the same time.
uint64_t WriteStatement::enterBulk() {
  const uint64_t epoch = table_.id().value < kFirstUserRelationId ? 0 : transaction_.bulkEpoch();
  if (epoch != 0 && !transaction_.bulkChange(table_)) {
    table_.settleDeletions();
    transaction_.addBulkChange(table_);
  }
  is_bulk_ = epoch != 0;
  appender_.enterEpoch(epoch);
  return epoch;
}

/// Of a tuple on a page that is held exclusively; null: it has none.
VersionChain* WriteStatement::chainOf(const storage::Frame& frame, TupleId id) {
  auto* const map = static_cast<VersionMap*>(frame.version_map.load());
  return map ? map->find(id) : nullptr;
}

/// A version that is in no chain yet.
Version& WriteStatement::addVersion(Version::Kind kind, TupleId id, uint16_t columns) {
  transaction_.chargeVersions(Version::bytes(columns) + sizeof(VersionChain));
  return transaction_.addVersion(kind, id, table_, columns);
}

/// `chain`: of the tuple; null: there is none.
void WriteStatement::link(storage::Frame& frame, Version& version, VersionChain* chain) {
  if (chain) return static_cast<VersionMap*>(frame.version_map.load())->add(version, *chain);
  try {
    context_.manager.versions().mapOf(frame).add(version);
  } catch (...) {
    transaction_.dropNewest();
    throw;
  }
}

void WriteStatement::onFailure() noexcept {
  if (is_bulk_) return;
  {
    const EpochManager::Guard guard(context_.manager.epochs());
    unlinkOwn(*transaction_.newest());
  }
  transaction_.dropNewest();
}

void WriteStatement::onAppended(storage::Frame& leaf, TupleId first, uint32_t count) {
  if (!is_bulk_) addCreated(leaf, first, count);
  if (batch_rows_ == 0) batch_first_ = first;
  batch_rows_ += count;
}

void WriteStatement::addCreated(storage::Frame& leaf, TupleId first, uint32_t count) {
  VersionMap& map = context_.manager.versions().mapOf(leaf);
  if (created_ && created_->map.load(std::memory_order_relaxed) == &map && created_->end == first) {
    map.addCreated(*created_, TupleId{first.value + count});
  } else {
    Version& version = addVersion(Version::Kind::Created, first);
    try {
      map.addCreated(version, TupleId{first.value + count});
    } catch (...) {
      transaction_.dropNewest();
      throw;
    }
    created_ = &version;
  }
}

/// Into no index.
TupleId WriteStatement::appendRows(const Datum* values, const uint8_t* null_flags, size_t row_count) {
  batch_rows_ = 0;
  enterBulk();
  const ChangeScope logging(context_.manager, transaction_);
  try {
    appender_.appendBatch(values, null_flags, row_count);
  } catch (...) {
    table_.countAppended(batch_first_, values, null_flags, batch_rows_);
    throw;
  }
  const TupleId first = batch_first_;
  table_.countAppended(first, values, null_flags, row_count);
  appended_count_ += row_count;
  return first;
}

TupleId WriteStatement::appendBatch(const Datum* values, const uint8_t* null_flags, size_t row_count,
                                    std::optional<SqlError>* refusal) {
  const TupleId first = appendIndexed(values, null_flags, row_count, refusal);
  if (refusal && *refusal) return first;
  table_.activity().add(TableCount::Inserted, row_count);
  return first;
}

TupleId WriteStatement::appendIndexed(const Datum* values, const uint8_t* null_flags, size_t row_count,
                                      std::optional<SqlError>* refusal) {
  const TupleId first = appendRows(values, null_flags, row_count);
  const ChangeScope logging(context_.manager, transaction_);
  const size_t columns = table_.schema().size();
  const auto& indexes = table_.indexes();
  // Of several indexes a row's errors come before those of the next row.
  TableIndex* const only = indexes.size() == 1 && !indexes[0]->deferral() ? indexes[0].get() : nullptr;
  for (indexed_rows_ = 0; indexed_rows_ < row_count; ++indexed_rows_) {
    if (const size_t asked = only != nullptr ? keys_.runRows(row_count - indexed_rows_) : 1; asked > 1) {
      const size_t entered =
          only->insertRun(TupleId{first.value + indexed_rows_}, values + indexed_rows_ * columns,
                          null_flags + indexed_rows_ * columns, columns, asked, keyOf(0), keys_.run());
      keys_.noteRun(asked, entered);
      indexed_rows_ += entered;
      if (indexed_rows_ == row_count) break;
    }
    const size_t offset = indexed_rows_ * columns;
    const TupleId id{first.value + indexed_rows_};
    for (size_t i = 0; i < indexes.size(); ++i) {
      if (indexes[i]->deferral()) {
        enterUnchecked(i, id, values + offset, null_flags + offset);
        continue;
      }
      while (const auto awaited =
                 indexes[i]->tryInsert(table_.relation(), id, values + offset, null_flags + offset, transaction_.id(),
                                       context_.manager, keyOf(i), nullptr, refusal))
        waitFor(*awaited);
      if (refusal && *refusal) return first;
    }
  }
  return first;
}

WriteStatement::KeyMemory::KeyMemory() = default;
WriteStatement::KeyMemory::~KeyMemory() = default;

size_t WriteStatement::KeyMemory::runRows(size_t row_count) {
  constexpr size_t kRowsAloneMax = 32;
  if (run_rows_ > 1) return std::min(row_count, run_rows_);
  return ++rows_alone_ % kRowsAloneMax == 0 ? std::min<size_t>(row_count, 2) : 1;
}

/// Runs grow while keys stand side by side; where they fall between others, trying costs more than it brings.
void WriteStatement::KeyMemory::noteRun(size_t asked, size_t entered) {
  constexpr size_t kRunRowsMax = 64;
  run_rows_ = entered == asked ? std::min(std::max(run_rows_, 2 * asked), kRunRowsMax) : std::max<size_t>(entered, 1);
}

TableIndex::KeyValues& WriteStatement::KeyMemory::of(const Table& table, size_t index) {
  if (index >= keys_.size()) keys_.resize(table.indexes().size());
  Keys& keys = keys_[index];
  if (const TableIndex* const wanted = table.indexes()[index].get(); keys.index != wanted)
    keys = {wanted, wanted->makeKeyValues()};
  return *keys.values;
}

/// False: nobody has the row's key.
bool WriteStatement::findHolder(const Datum* values, const uint8_t* null_flags,
                                std::span<const TableIndex* const> arbiters, TupleId& holder) {
  const auto& indexes = table_.indexes();
  for (size_t i = 0; i < indexes.size();) {
    if (std::ranges::find(arbiters, indexes[i].get()) == arbiters.end()) {
      ++i;
      continue;
    }
    std::optional<TupleId> found;
    const auto awaited = indexes[i]->findHolder(table_.relation(), values, null_flags, transaction_.id(),
                                                context_.manager, keyOf(i), found);
    if (found) {
      holder = *found;
      return true;
    }
    if (!awaited) {
      ++i;
      continue;
    }
    waitFor(*awaited);
    i = 0;
  }
  return false;
}

/// Enters an appended tuple in all indexes. False: somebody else came first with a key of an arbiter; he was waited
/// for, and the tuple is gone.
bool WriteStatement::tryEnter(TupleId id, const Datum* values, const uint8_t* null_flags,
                              std::span<const TableIndex* const> arbiters) {
  const ChangeScope logging(context_.manager, transaction_);
  const auto& indexes = table_.indexes();
  for (size_t i = 0; i < indexes.size(); ++i) {
    const bool is_arbiter = std::ranges::find(arbiters, indexes[i].get()) != arbiters.end();
    if (indexes[i]->deferral()) {
      enterUnchecked(i, id, values, null_flags);
      continue;
    }
    std::optional<TupleId> holder;
    while (const auto awaited = indexes[i]->tryInsert(table_.relation(), id, values, null_flags, transaction_.id(),
                                                      context_.manager, keyOf(i), is_arbiter ? &holder : nullptr)) {
      if (is_arbiter) {
        // Nobody must wait for this tuple meanwhile: two who do the same would wait for each other.
        remove(id);
        waitFor(*awaited);
        return false;
      }
      waitFor(*awaited);
    }
    if (!holder) continue;
    remove(id);
    return false;
  }
  return true;
}

WriteStatement::Proposal WriteStatement::propose(const Datum* values, const uint8_t* null_flags,
                                                 std::span<const TableIndex* const> arbiters) {
  for (;;) {
    TupleId id;
    if (findHolder(values, null_flags, arbiters, id)) return {false, id};
    id = appendRows(values, null_flags, 1);
    if (tryEnter(id, values, null_flags, arbiters)) {
      table_.activity().add(TableCount::Inserted);
      return {true, id};
    }
    --appended_count_;
  }
}

/// Above READ COMMITTED: nobody else has appended or changed the tuple since the snapshot was taken.
void WriteStatement::requireSeen(TupleId id) {
  if (context_.is_read_committed) return;
  bool is_seen = true;
  {
    storage::LeafView leaf;
    uint32_t row = 0;
    if (!table_.relation().findStored(id, leaf, row)) return;
    const auto* const map = static_cast<const VersionMap*>(leaf.frame().version_map.load(std::memory_order_acquire));
    const EpochManager::Guard guard(context_.manager.epochs());
    is_seen = !map || isCreationSeen(*map, id);
    const VersionChain* const chain = map ? map->find(id) : nullptr;
    const Version* version = chain ? chain->newest() : nullptr;
    for (; version; version = version->older.load(std::memory_order_acquire)) {
      const Timestamp timestamp = version->timestamp.load(std::memory_order_acquire);
      if (version->isLock() || timestamp >= kTransactionIdMin) continue;
      is_seen = is_seen && timestamp <= context_.snapshot.start;
    }
  }
  if (!is_seen) raiseConflict(false);
}

WriteStatement::Standing WriteStatement::settle(TupleId id) {
  LockManager::Awaited awaited;
  {
    storage::LeafView leaf;
    uint32_t row = 0;
    if (!table_.relation().findStored(id, leaf, row)) return Standing::Gone;
    const auto* const map = static_cast<const VersionMap*>(leaf.frame().version_map.load(std::memory_order_acquire));
    const EpochManager::Guard guard(context_.manager.epochs());
    const VersionChain* const chain = map ? map->find(id) : nullptr;
    const Version* version = chain ? chain->newest() : nullptr;
    while (version && version->isLock()) version = version->older.load(std::memory_order_acquire);
    const Timestamp timestamp = version ? version->timestamp.load(std::memory_order_acquire) : 0;
    if (isUncommittedByOther(timestamp))
      awaited = context_.manager.locks().awaited(timestamp);
    else if (leaf.isDeleted(row))
      return Standing::Gone;
  }
  if (awaited.id != 0) {
    waitFor(awaited);
    return Standing::Gone;
  }
  requireSeen(id);
  return Standing::There;
}

WriteStatement::Standing WriteStatement::seize(TupleId id) {
  if (tryLockTuple(id, false, true) != Outcome::Done) return Standing::Gone;
  requireSeen(id);
  return Standing::There;
}

void WriteStatement::read(TupleId id, Datum* values, uint8_t* null_flags, Arena& memory) {
  storage::LeafView leaf;
  uint32_t row = 0;
  const bool found = table_.relation().findStored(id, leaf, row);
  CHECK(found, "a tuple that is held stays");
  for (uint32_t column = 0; column < table_.schema().size(); ++column) {
    bool is_null = false;
    values[column] = leaf.value(column, row, is_null);
    null_flags[column] = is_null ? 1 : 0;
    if (table_.schema()[column].kind == storage::StoredKind::String)
      values[column] = keepString(values[column], memory);
  }
}

void WriteStatement::waitFor(const LockManager::Awaited& awaited) {
  context_.manager.locks().waitFor(awaited, transaction_.owner(), context_.patience);
}

void WriteStatement::raiseConflict(bool is_deleted) const {
  if (context_.is_read_committed) throw StatementRestart();
  throw SqlError(sqlstate::kSerializationFailure, is_deleted ? "could not serialize access due to concurrent delete"
                                                             : "could not serialize access due to concurrent update");
}

/// Under the page's exclusive latch: nobody else has the tuple in his hands, and it is as the snapshot sees it.
/// `chain`: of the tuple; null: there is none. `is_shared`: others' shared locks do no harm.
WriteStatement::Own WriteStatement::requireMine(storage::Frame& frame, TupleId id, VersionChain* chain,
                                                bool is_shared) {
  Own own = Own::Nothing;
  if (!chain || !chain->newest()) return own;
  const EpochManager::Guard guard(context_.manager.epochs());
  for (const Version* version = chain->newest(); version; version = version->older.load(std::memory_order_acquire)) {
    const Timestamp timestamp = version->timestamp.load(std::memory_order_acquire);
    if (timestamp == transaction_.id()) {
      requireUnmodified(*version);
      own = std::max(own, version->kind == Version::Kind::LockedShared ? Own::SharedLock : Own::All);
      // Older ones of its own are of earlier commands, and who changed the tuple before stood in that change's way.
      if (!version->isLock()) break;
      continue;
    }
    const bool is_harmless = is_shared && version->kind == Version::Kind::LockedShared;
    if (timestamp >= kTransactionIdMin && !is_harmless) throw Blocked{context_.manager.locks().awaited(timestamp)};
    if (version->isLock()) continue;
    if (timestamp <= context_.snapshot.start || is_newest_) break;
    // The tuple is kept for the next attempt, so that each wait brings the statement further.
    if (context_.is_read_committed) link(frame, addVersion(Version::Kind::Locked, id), chain);
    raiseConflict(false);
  }
  return own;
}

/// A function that the statement calls is a command of its own, behind the statement's.
void WriteStatement::requireUnmodified(const Version& version) const {
  if (!is_newest_ && !version.isLock() && version.command > context_.snapshot.command) raiseModified();
}

void WriteStatement::requireUnmodified(TupleId id) {
  if (isChangedSince(id, context_.snapshot.command + 1)) raiseModified();
}

void WriteStatement::raiseModified() const {
  throw SqlError(SqlState("27000"), std::string("tuple to be ") + intent_ +
                                        " was already modified by an operation triggered by the current command")
      .hint("Consider using an AFTER trigger instead of a BEFORE trigger to propagate changes to other rows.");
}

/// Whether the transaction has changed or deleted it by the command with this number, or a later one.
bool WriteStatement::isChangedSince(TupleId id, uint32_t command) {
  storage::LeafView leaf;
  uint32_t row = 0;
  if (!table_.relation().findStored(id, leaf, row)) return false;
  const auto* const map = static_cast<const VersionMap*>(leaf.frame().version_map.load(std::memory_order_acquire));
  const VersionChain* const chain = map ? map->find(id) : nullptr;
  if (!chain) return false;
  const EpochManager::Guard guard(context_.manager.epochs());
  for (const Version* version = chain->newest(); version; version = version->older.load(std::memory_order_acquire)) {
    if (version->timestamp.load(std::memory_order_acquire) != transaction_.id()) return false;
    if (!version->isLock() && version->command >= command) return true;
  }
  return false;
}

/// Of a tuple that is not there, or flagged deleted. False: it is gone; that is not a conflict.
bool WriteStatement::isThereAgain(TupleId id) {
  LockManager::Awaited awaited;
  {
    storage::LeafView leaf;
    uint32_t row = 0;
    if (!table_.relation().findStored(id, leaf, row)) {
      if (is_newest_) return false;
      raiseConflict(true);
    }
    if (!leaf.isDeleted(row)) return true;
    const auto* const map = static_cast<const VersionMap*>(leaf.frame().version_map.load(std::memory_order_acquire));
    const VersionChain* const chain = map ? map->find(id) : nullptr;
    const EpochManager::Guard guard(context_.manager.epochs());
    const Version* version = chain ? chain->newest() : nullptr;
    while (version && version->kind != Version::Kind::Deleted) version = version->older.load(std::memory_order_acquire);
    const Timestamp transaction = version ? version->timestamp.load(std::memory_order_acquire) : 0;
    if (transaction == transaction_.id()) requireUnmodified(*version);
    CHECK(is_newest_ || transaction != transaction_.id(), "a statement changes tuples that it sees, each once");
    if (isUncommittedByOther(transaction)) awaited = context_.manager.locks().awaited(transaction);
  }
  if (awaited.id != 0) throw Blocked{awaited};
  if (!is_newest_) raiseConflict(true);
  return false;
}

/// Repeats what changes one tuple until nobody stands in its way.
template <typename Edit>
WriteStatement::Outcome WriteStatement::edit(TupleId id, bool may_wait, Edit&& edit) {
  try {
    for (;;) {
      try {
        if (edit()) return Outcome::Done;
        if (!isThereAgain(id)) return Outcome::Gone;
      } catch (const Blocked& blocked) {
        if (!may_wait) return Outcome::Held;
        waitFor(blocked.awaited);
      }
    }
  } catch (const StatementRestart&) {
    is_restarting_ = true;
    throw;
  }
}

void WriteStatement::keepBeforeImage(Version& version, const storage::Frame& frame, const storage::Leaf& leaf,
                                     uint32_t row, std::span<const uint32_t> columns,
                                     const storage::TupleChange& before) {
  const RelationSchema& schema = table_.schema();
  Datum* const values = version.values();
  uint32_t* const numbers = version.columns();
  uint8_t* const null_flags = version.nullFlags();
  const bool is_at_hand = columns.data() == before.columns.data();
  for (size_t i = 0; i < columns.size(); ++i) {
    const uint32_t column = columns[i];
    bool is_null = is_at_hand && before.null_flags[i] != 0;
    Datum value =
        is_at_hand ? before.values[i] : storage::readValue(frame.page, schema, leaf.layout(), column, row, is_null);
    if (schema[column].kind == storage::StoredKind::String) {
      transaction_.chargeVersions(StringValue(value.lo, value.hi).view().size());
      value = keepString(value, transaction_.memory());
    }
    values[i] = value;
    numbers[i] = column;
    null_flags[i] = is_null ? 1 : 0;
  }
}

/// Readers that come between this and the change find in the before-image what lies in the leaf.
void WriteStatement::beforeUpdate(storage::Frame& frame, const storage::Leaf& leaf, uint32_t row,
                                  const storage::TupleChange& before) {
  const TupleId id = leaf.tupleId(row);
  VersionChain* const chain = chainOf(frame, id);
  std::span<const uint32_t> columns = before.columns;
  if (chain && chain->newest()) {
    requireMine(frame, id, chain);
    columns = columnsToKeep(*chain, before.columns);
  }
  Version& version = addVersion(Version::Kind::Updated, id, static_cast<uint16_t>(columns.size()));
  try {
    keepBeforeImage(version, frame, leaf, row, columns, before);
  } catch (...) {
    transaction_.dropNewest();
    throw;
  }
  link(frame, version, chain);
  if (chain) pruneIfLong(frame, *chain);
}

/// Paper 1, section 3.1.2: there are never many more versions of a tuple than snapshots.
void WriteStatement::pruneIfLong(storage::Frame& frame, VersionChain& chain) noexcept {
  if (!chain.isWorthPruning()) return;
  auto& map = *static_cast<VersionMap*>(frame.version_map.load());
  try {
    const EpochManager::Guard guard(context_.manager.epochs());
    context_.manager.notePruned(map.prune(chain, context_.manager.snapshotStarts()));
  } catch (const std::bad_alloc&) {
    // Another time.
  }
}

/// In a long chain those of the version before, too, so that one of them can be pruned.
std::span<const uint32_t> WriteStatement::columnsToKeep(const VersionChain& chain, std::span<const uint32_t> changed) {
  if (!chain.isLong()) return changed;
  const EpochManager::Guard guard(context_.manager.epochs());
  const Version* before = chain.newest();
  while (before && before->isLock()) before = before->older.load(std::memory_order_acquire);
  if (!before || before->kind != Version::Kind::Updated) return changed;
  columns_.clear();
  std::ranges::set_union(changed, std::span(before->columns(), before->column_count), std::back_inserter(columns_));
  return columns_;
}

void WriteStatement::beforeDelete(storage::Frame& frame, TupleId id) {
  VersionChain* const chain = chainOf(frame, id);
  requireMine(frame, id, chain);
  if (is_bulk_) return;
  link(frame, addVersion(Version::Kind::Deleted, id), chain);
}

/// What requireMine() would let pass, without a look at more than the newest version.
bool WriteStatement::mayChange(const storage::Frame& frame, TupleId id) const {
  const VersionChain* const chain = chainOf(frame, id);
  if (!chain || !chain->newest()) return true;
  const EpochManager::Guard guard(context_.manager.epochs());
  const Version* const newest = chain->newest();
  return !newest || (!newest->isLock() && newest->timestamp.load(std::memory_order_acquire) <= context_.snapshot.start);
}

bool WriteStatement::changesKey(const storage::TupleChange& change) const {
  const uint64_t bits = TableIndex::columnBits(change.columns);
  return std::ranges::any_of(table_.indexes(),
                             [&](const auto& index) { return index->hasAnyOf(change.columns, bits); });
}

WriteStatement::Outcome WriteStatement::replace(TupleId& id, const storage::TupleChange& change) {
  // From then on nobody else changes it.
  if (const Outcome outcome = tryMarkDeleted(id); outcome != Outcome::Done) return outcome;
  const size_t column_count = table_.schema().size();
  std::vector<Datum> values(column_count);
  std::vector<uint8_t> null_flags(column_count);
  read(id, values.data(), null_flags.data(), strings_);
  for (size_t i = 0; i < change.columns.size(); ++i) {
    values[change.columns[i]] = change.values[i];
    null_flags[change.columns[i]] = change.null_flags[i];
  }
  const TupleId before = id;
  id = appendIndexed(values.data(), null_flags.data(), 1);
  context_.manager.movedTuples().note(table_, before, id);
  table_.activity().add(TableCount::Updated);
  return Outcome::Done;
}

TupleId WriteStatement::update(TupleId id, const storage::TupleChange& change) {
  intent_ = "updated";
  const bool is_done = tryUpdate(id, change);
  CHECK(is_done, "only what is newest may be gone");
  return id;
}

bool WriteStatement::tryUpdate(TupleId& id, const storage::TupleChange& change) {
  if (enterBulk() != 0 || changesKey(change)) return replace(id, change) == Outcome::Done;
  const ChangeScope logging(context_.manager, transaction_);
  if (edit(id, true, [&] { return editor_.update(id, change); }) != Outcome::Done) return false;
  transaction_.newest()->record = logging.last();
  table_.activity().add(TableCount::Updated);
  table_.activity().add(TableCount::UpdatedInPlace);
  return true;
}

/// So many of the newest versions are in the log there.
void WriteStatement::noteRecord(size_t count, wal::LogPosition record) {
  Version* version = transaction_.newest();
  for (size_t i = 0; i < count; ++i, version = version->earlier) version->record = record;
}

size_t WriteStatement::removeRun(std::span<const TupleId> ids) {
  intent_ = "deleted";
  if (enterBulk() != 0) return 0;
  const ChangeScope logging(context_.manager, transaction_);
  const size_t count = editor_.markRunDeleted(ids);
  noteRecord(count, logging.last());
  if (count != 0) table_.activity().add(TableCount::Deleted, count);
  return count;
}

size_t WriteStatement::updateRun(std::span<const storage::RowUpdate> rows) {
  intent_ = "updated";
  if (enterBulk() != 0 || changesKey(rows.front().change)) return 0;
  const ChangeScope logging(context_.manager, transaction_);
  const size_t count = editor_.updateRun(rows);
  noteRecord(count, logging.last());
  if (count != 0) table_.activity().add(TableCount::Updated, count);
  if (count != 0) table_.activity().add(TableCount::UpdatedInPlace, count);
  return count;
}

WriteStatement::Outcome WriteStatement::tryMarkDeleted(TupleId id) {
  if (const uint64_t epoch = enterBulk(); epoch != 0) return removeInBulk(id, epoch);
  const ChangeScope logging(context_.manager, transaction_);
  const Outcome outcome = edit(id, true, [&] { return editor_.markDeleted(id); });
  if (outcome == Outcome::Done) transaction_.newest()->record = logging.last();
  return outcome;
}

WriteStatement::Outcome WriteStatement::removeInBulk(TupleId id, uint64_t epoch) {
  const ChangeScope logging(context_.manager, transaction_);
  Transaction::BulkChange& change = *transaction_.bulkChange(table_);
  change.deleted_from = std::min(change.deleted_from, id);
  change.deleted_end = std::max(change.deleted_end, TupleId{id.value + 1});
  const Outcome outcome = edit(id, true, [&] { return editor_.markVirtuallyDeleted(id, epoch); });
  if (outcome != Outcome::Done) return outcome;
  ++change.deleted_count;
  table_.countChange(Version(transaction_.id(), 0, Version::Kind::Deleted, id));
  return outcome;
}

bool WriteStatement::tryRemove(TupleId id) {
  if (tryMarkDeleted(id) != Outcome::Done) return false;
  table_.activity().add(TableCount::Deleted);
  return true;
}

void WriteStatement::remove(TupleId id) {
  intent_ = "deleted";
  const bool is_done = tryRemove(id);
  CHECK(is_done, "only what is newest may be gone");
}

/// Under the page's exclusive latch, like requireMine.
void WriteStatement::addLock(storage::Frame& frame, TupleId id, bool is_shared) {
  VersionChain* const chain = chainOf(frame, id);
  const Own own = requireMine(frame, id, chain, is_shared);
  if (own == Own::All || (own == Own::SharedLock && is_shared)) return;
  // Nobody else locks or changes rows meanwhile.
  if (transaction_.bulkEpoch() != 0) return;
  link(frame, addVersion(is_shared ? Version::Kind::LockedShared : Version::Kind::Locked, id), chain);
}

WriteStatement::Outcome WriteStatement::tryLockTuple(TupleId id, bool is_shared, bool may_wait) {
  return edit(id, may_wait,
              [&] { return editor_.visit(id, [&](storage::Frame& frame) { addLock(frame, id, is_shared); }); });
}

bool WriteStatement::lock(TupleId id, bool is_shared, bool may_wait) {
  intent_ = "locked";
  return tryLockTuple(id, is_shared, may_wait) == Outcome::Done;
}

/// Under an epoch guard: whether whoever appended the tuple has committed, as far as the isolation level lets the
/// statement see it.
bool WriteStatement::isCreationSeen(const VersionMap& map, TupleId id) const {
  const Version* const creation = map.findCreated(id);
  if (!creation) return true;
  const Timestamp timestamp = creation->timestamp.load(std::memory_order_acquire);
  if (timestamp == transaction_.id()) return true;
  return context_.is_read_committed ? timestamp < kTransactionIdMin : timestamp <= context_.snapshot.start;
}

/// Of a tuple that is not there, or flagged deleted.
WriteStatement::Sight WriteStatement::lookAtDeleted(TupleId id, Timestamp since) {
  LockManager::Awaited awaited;
  {
    storage::LeafView leaf;
    uint32_t row = 0;
    if (!table_.relation().findStored(id, leaf, row)) return Sight::Unseen;
    if (!leaf.isDeleted(row)) return Sight::LookAgain;
    const auto* const map = static_cast<const VersionMap*>(leaf.frame().version_map.load(std::memory_order_acquire));
    const VersionChain* const chain = map ? map->find(id) : nullptr;
    const EpochManager::Guard guard(context_.manager.epochs());
    const Version* version = chain ? chain->newest() : nullptr;
    while (version && version->kind != Version::Kind::Deleted) version = version->older.load(std::memory_order_acquire);
    if (!version || !isCreationSeen(*map, id)) return Sight::Unseen;
    const Timestamp timestamp = version->timestamp.load(std::memory_order_acquire);
    if (timestamp == transaction_.id()) return Sight::Unseen;
    if (timestamp < kTransactionIdMin) {
      if (context_.is_read_committed) return timestamp > since ? Sight::LookAgain : Sight::Unseen;
      if (timestamp > context_.snapshot.start) raiseConflict(false);
      return Sight::Unseen;
    }
    awaited = context_.manager.locks().awaited(timestamp);
  }
  throw Blocked{awaited};
}

WriteStatement::Sight WriteStatement::lockReferenced(TupleId id, Timestamp since) {
  try {
    bool is_seen = true;
    const bool is_there = editor_.visit(id, [&](storage::Frame& frame) {
      {
        const EpochManager::Guard guard(context_.manager.epochs());
        const auto* const map = static_cast<const VersionMap*>(frame.version_map.load());
        is_seen = !map || isCreationSeen(*map, id);
      }
      if (is_seen) addLock(frame, id, true);
    });
    if (!is_seen) return Sight::Unseen;
    return is_there ? Sight::Locked : lookAtDeleted(id, since);
  } catch (const Blocked& blocked) {
    waitFor(blocked.awaited);
    return Sight::LookAgain;
  }
}

}  // namespace gnomon::txn
