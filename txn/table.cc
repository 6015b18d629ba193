#include "txn/table.h"

#include <spdlog/spdlog.h>

#include <algorithm>

#include "txn/bulk.h"
#include "txn/row_values.h"

namespace gnomon::txn {

namespace {

/// The values that a tuple has now of the columns that a version has changed; one at a time, in memory of the thread's.
struct ColumnValues {
  explicit ColumnValues(size_t count) {
    values.resize(count);
    null_flags.resize(count);
  }
  /// False: the tuple is not there. Texts refer to the leaf.
  bool read(storage::Relation& relation, const Version& change, storage::LeafView& leaf) {
    uint32_t row = 0;
    if (!relation.findStored(change.id, leaf, row)) return false;
    for (size_t i = 0; i < values.size(); ++i) {
      bool is_null = false;
      values[i] = leaf.value(change.columns()[i], row, is_null);
      null_flags[i] = is_null ? 1 : 0;
    }
    return true;
  }
  inline static thread_local std::vector<storage::Datum> values;
  inline static thread_local std::vector<uint8_t> null_flags;
};

/// Of a tuple whose values the statistics do not need.
void countWithoutValues(storage::RelationStatistics& statistics, const Version& change) {
  if (change.kind == Version::Kind::Deleted)
    statistics.onDelete(change.id, nullptr, nullptr);
  else
    statistics.onUpdate(change.id, {}, nullptr, nullptr, nullptr, nullptr);
}

/// The row of a tuple as it lies there; empty: it is not there.
RowValues readRow(storage::Relation& relation, TupleId id, storage::LeafView& leaf) {
  RowValues row_values(relation.schema().size());
  uint32_t row = 0;
  if (relation.findStored(id, leaf, row)) row_values.add(leaf, row);
  return row_values;
}

}  // namespace

/// As the statistics' sample keeps it.
std::optional<storage::SampleRowBytes> Table::sampleRow(TupleId id) {
  try {
    storage::LeafView leaf;
    const RowValues row = readRow(relation_, id, leaf);
    if (row.count() == 0) return std::nullopt;
    return storage::encodeSampleRow(schema(), row.values(), row.nullFlags());
  } catch (const SqlError&) {
    // Who reads the row says so.
    return std::nullopt;
  }
}

std::unique_ptr<storage::RelationStatistics> Table::makeStatistics() const {
  if (id().value < kFirstUserRelationId) return nullptr;
  return std::make_unique<storage::RelationStatistics>(schema());
}

std::shared_ptr<const storage::StatisticsSnapshot> Table::statisticsSnapshot() {
  const std::shared_lock lock(statistics_mutex_);
  if (!statistics_ || statistics_->rowCount() < tupleCountEstimate() / 2) return nullptr;
  return statistics_->snapshot([this](TupleId tuple) { return sampleRow(tuple); });
}

Table::SchemaMark Table::changeSchema(RelationSchema schema) {
  SchemaMark mark{.relation = relation_.schemaMark(), .statistics = serialiseStatistics()};
  relation_.changeSchema(std::move(schema));
  if (statistics_) statistics_->changeSchema(relation_.schema());
  return mark;
}

void Table::restoreSchema(const SchemaMark& mark) noexcept {
  if (!relation_.tryRestoreSchema(mark.relation) || !statistics_) return;
  try {
    setStatistics(mark.statistics);
  } catch (const std::exception&) {
    statistics_ = makeStatistics();
    recount();
  }
}

void Table::rebuildStatistics(const CancelToken& cancel) {
  const std::scoped_lock rebuilding(rebuild_mutex_);
  std::unique_ptr<storage::RelationStatistics> fresh = makeStatistics();
  if (!fresh) return;
  {
    const std::scoped_lock lock(statistics_mutex_);
    rebuilt_ = fresh.get();
    rebuilt_below_ = readBound();
  }
  struct End {
    Table& table;
    std::unique_ptr<storage::RelationStatistics>& fresh;
    bool is_done = false;
    ~End() {
      const std::scoped_lock lock(table.statistics_mutex_);
      table.rebuilt_ = nullptr;
      if (is_done) std::swap(table.statistics_, fresh);
    }
  } end{*this, fresh};
  storage::RelationScan scan(relation_, rebuilt_below_);
  storage::RelationScan::Claim claim;
  storage::LeafView leaf;
  RowValues rows(schema().size());
  while (scan.next(claim, leaf)) {
    cancel.poll();
    // Rows whose ids follow one another are told together.
    for (uint32_t row = leaf.access().row_begin; row < leaf.access().row_end; ++row) {
      if (leaf.isDeleted(row)) continue;
      const TupleId id = leaf.tupleId(row);
      if (rows.count() != 0 && (rows.isFull() || id.value != rows.first().value + rows.count())) {
        fresh->onInsertBatch(rows.first(), rows.values(), rows.nullFlags(), rows.count());
        rows.clear();
      }
      rows.add(leaf, row);
    }
    // Texts refer to the leaf.
    if (rows.count() != 0) fresh->onInsertBatch(rows.first(), rows.values(), rows.nullFlags(), rows.count());
    rows.clear();
  }
  end.is_done = true;
}

void Table::recount() noexcept {
  try {
    rebuildStatistics(CancelToken{});
  } catch (const std::exception& error) {
    spdlog::warn("statistics of relation {} are incomplete: {}", id().value, error.what());
  }
}

void Table::countAppended(TupleId first, const Datum* values, const uint8_t* null_flags, size_t row_count) {
  if (id().value < kFirstUserRelationId) return;
  const std::shared_lock lock(statistics_mutex_);
  statistics_->onInsertBatch(first, values, null_flags, row_count);
  if (rebuilt_ && first >= rebuilt_below_) rebuilt_->onInsertBatch(first, values, null_flags, row_count);
}

/// Statistics that miss something do no harm.
template <typename Tell>
void Table::tell(const char* what, Tell&& tell) noexcept {
  if (id().value < kFirstUserRelationId) return;
  try {
    const std::shared_lock lock(statistics_mutex_);
    tell(*statistics_);
  } catch (const std::exception& error) {
    spdlog::warn("statistics of relation {} miss {}: {}", id().value, what, error.what());
  }
}

/// The sketches as they were, but for the rounding of large counters; the sample without the tuples.
void Table::uncountAppended(TupleId first, TupleId end) noexcept {
  tell("that rows are gone", [&](storage::RelationStatistics& statistics) {
    for (TupleId tuple = first; tuple < end; ++tuple.value) {
      storage::LeafView leaf;
      RowValues row(schema().size());
      if (statistics.needsValues(tuple)) row = readRow(relation_, tuple, leaf);
      if (row.count() != 0 || !statistics.isFed(tuple)) statistics.onDelete(tuple, row.values(), row.nullFlags());
    }
  });
}

void Table::countChange(const Version& change) noexcept {
  tell("changes", [&](storage::RelationStatistics& statistics) {
    if (!statistics.needsValues(change.id)) return countWithoutValues(statistics, change);
    storage::LeafView leaf;
    if (change.kind == Version::Kind::Deleted) {
      const RowValues row = readRow(relation_, change.id, leaf);
      if (row.count() != 0) statistics.onDelete(change.id, row.values(), row.nullFlags());
      return;
    }
    ColumnValues now(change.column_count);
    if (now.read(relation_, change, leaf))
      statistics.onUpdate(change.id, std::span(change.columns(), change.column_count), change.values(),
                          change.nullFlags(), now.values.data(), now.null_flags.data());
  });
}

void Table::uncountChange(const Version& change) noexcept {
  tell("what was taken back", [&](storage::RelationStatistics& statistics) {
    storage::LeafView leaf;
    if (change.kind == Version::Kind::Deleted) {
      const RowValues row = readRow(relation_, change.id, leaf);
      if (row.count() != 0) statistics.onInsertBatch(change.id, row.values(), row.nullFlags(), 1);
      return;
    }
    if (!statistics.needsValues(change.id)) return countWithoutValues(statistics, change);
    ColumnValues now(change.column_count);
    if (now.read(relation_, change, leaf))
      statistics.onUpdate(change.id, std::span(change.columns(), change.column_count), now.values.data(),
                          now.null_flags.data(), change.values(), change.nullFlags());
  });
}

void Table::onDeletionsVisible(std::shared_ptr<Transaction> transaction, size_t section) noexcept {
  if (is_gone_) return eraseDeleted({std::move(transaction), section});
  bool is_left = false;
  {
    const std::scoped_lock lock(deletions_mutex_);
    deletions_.push_back({std::move(transaction), section});
    // Whoever deletes faster than the thread erases takes a part in it.
    constexpr size_t kLeftMax = 256;
    is_left = are_deletions_left_ && deletions_.size() % kLeftMax != 0;
  }
  if (is_left || leaveDeletions()) return;
  cleanUp();
}

void Table::onBulkDeletionsVisible(std::shared_ptr<Transaction> transaction, size_t change) noexcept {
  if (is_gone_) return;
  const std::scoped_lock lock(deletions_mutex_);
  deletions_.push_back({std::move(transaction), change, true});
}

void Table::settleDeletions() noexcept {
  const std::scoped_lock cleaning(clean_up_mutex_);
  for (Deletions& deletions : takeDeletions()) eraseDeleted(std::move(deletions));
}

/// To a thread that has nothing else to do. False: there is none.
bool Table::leaveDeletions() noexcept {
  const auto set = [this](bool are_left) {
    const std::scoped_lock lock(deletions_mutex_);
    are_deletions_left_ = are_left;
  };
  // First: the thread takes it back when it comes.
  set(true);
  try {
    if (transactions_.leaveToCollector(shared_from_this())) return true;
  } catch (const std::exception&) {
    // The caller does it.
  }
  set(false);
  return false;
}

std::vector<Table::Deletions> Table::takeDeletions() {
  const std::scoped_lock lock(deletions_mutex_);
  are_deletions_left_ = false;
  return std::exchange(deletions_, {});
}

void Table::forgetDeletions() {
  is_gone_ = true;
  dead_tuples_ = 0;
  for (Deletions& deletions : takeDeletions()) eraseDeleted(std::move(deletions));
}

void Table::cleanUp() noexcept {
  try {
    {
      // Who deletes next tries again, if this does not come to it.
      const std::scoped_lock lock(deletions_mutex_);
      are_deletions_left_ = false;
    }
    const std::unique_lock cleaning(clean_up_mutex_, std::try_to_lock);
    if (!cleaning.owns_lock()) return;
    LockOwner cleaner(transactions_.locks());
    if (!cleaner.tryAcquire(lock_, LockMode::AccessShare)) return;
    // What is settled by now is among them.
    const uint64_t settled_epoch = transactions_.settledEpoch();
    for (Deletions& deletions : takeDeletions()) eraseDeleted(std::move(deletions));
    reclaim(settled_epoch);
  } catch (const std::exception& error) {
    spdlog::warn("deleted tuples of relation {} stay for now: {}", id().value, error.what());
  }
}

/// An entry that stays behind because of a failure leads to a deleted tuple: readers pass it over.
void Table::eraseEntries(const std::vector<TupleId>& ids) noexcept {
  for (const auto* indexes : {&indexes_, &retired_indexes_}) {
    for (const auto& index : *indexes) {
      try {
        index->erase(relation_, ids);
      } catch (const std::exception& error) {
        spdlog::warn("index entries of deleted tuples of relation {} stay: {}", id().value, error.what());
      }
    }
  }
}

void Table::eraseEntries(TupleId first, TupleId end) noexcept {
  constexpr uint64_t kBatch = 1024;
  if (indexes_.empty() && retired_indexes_.empty()) return;
  std::vector<TupleId> ids;
  for (TupleId next = first; next < end; ++next.value) {
    ids.push_back(next);
    if (ids.size() < kBatch && next.value + 1 < end.value) continue;
    eraseEntries(ids);
    ids.clear();
  }
}

void Table::eraseBulkDeleted(const Deletions& deletions) noexcept {
  const Transaction& transaction = *deletions.transaction;
  const Transaction::BulkChange& change = transaction.bulkChanges()[deletions.section];
  if (is_gone_) return;
  dead_tuples_ += change.deleted_count;
  const wal::RecordStamp commit = transaction.commitStamp();
  noteDeadBy(commit);
  if (indexes_.empty()) return;
  const storage::PageLog::Dependence dependence({&commit, 1});
  try {
    forEachBulkDeletion(*this, transaction.bulkEpoch(), change.deleted_end,
                        [this](const std::vector<TupleId>& ids) { eraseEntries(ids); });
  } catch (const std::exception& error) {
    spdlog::warn("index entries of deleted tuples of relation {} stay: {}", id().value, error.what());
  }
}

void Table::eraseDeleted(Deletions deletions) noexcept {
  if (deletions.is_bulk) return eraseBulkDeleted(deletions);
  Transaction& transaction = *deletions.transaction;
  if (!is_gone_) {
    std::vector<TupleId> ids;
    transaction.forEach(deletions.section, [&ids](const Version& version) {
      if (version.kind == Version::Kind::Deleted) ids.push_back(version.id);
    });
    dead_tuples_ += ids.size();
    // A commit that nobody waited for may be lost in a crash; then the tuples are there again.
    const wal::RecordStamp commit = transaction.commitStamp();
    noteDeadBy(commit);
    const storage::PageLog::Dependence dependence({&commit, 1});
    eraseEntries(ids);
  }
  {
    const EpochManager::Guard guard(transactions_.epochs());
    transaction.unlinkDeletions(deletions.section);
  }
  transactions_.forget(std::move(deletions.transaction));
}

void Table::noteDeadBy(wal::RecordStamp commit) {
  if (commit.log == wal::kNoLog) return;
  const std::scoped_lock lock(dead_by_mutex_);
  const auto found = std::ranges::find(dead_by_, commit.log, &wal::RecordStamp::log);
  if (found == dead_by_.end())
    dead_by_.push_back(commit);
  else
    found->gsn = std::max(found->gsn, commit.gsn);
}

/// Who deletes tuples while this goes on has versions, and so have their leaves.
uint64_t Table::reclaimDead(uint64_t settled_epoch) {
  dead_tuples_ = 0;
  std::vector<wal::RecordStamp> dead_by;
  {
    const std::scoped_lock lock(dead_by_mutex_);
    dead_by = dead_by_;
  }
  const storage::PageLog::Dependence dependence(dead_by);
  return relation_.reclaim(TupleId{0}, readBound(), settled_epoch);
}

uint64_t Table::vacuum() {
  transactions_.collect();
  const std::scoped_lock cleaning(clean_up_mutex_);
  const uint64_t settled_epoch = transactions_.settledEpoch();
  for (Deletions& deletions : takeDeletions()) eraseDeleted(std::move(deletions));
  return reclaimDead(settled_epoch);
}

/// Dead tuples go once there are enough of them to pay for reading the relation.
void Table::reclaim(uint64_t settled_epoch) noexcept {
  constexpr uint64_t kDeadTuplesMin = 1024;
  constexpr uint64_t kDeadShare = 8;
  const uint64_t dead = dead_tuples_.load();
  if (dead < kDeadTuplesMin || dead * kDeadShare < relation_.tupleCount() + dead) return;
  try {
    if (transactions_.leaveToCollector(shared_from_this())) return;
    if (reclaimDead(settled_epoch) != 0) recount();
  } catch (const std::exception& error) {
    spdlog::warn("dead tuples of relation {} stay for now: {}", id().value, error.what());
  }
}

std::vector<std::byte> Table::serialiseStatistics() {
  if (!statistics_) return {};
  return statistics_->serialise([this](TupleId tuple) { return sampleRow(tuple); });
}

void Table::setStatistics(std::span<const std::byte> bytes) {
  if (statistics_) statistics_ = std::make_unique<storage::RelationStatistics>(schema(), bytes);
}

}  // namespace gnomon::txn
