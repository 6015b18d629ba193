#include "txn/table.h"

#include <spdlog/spdlog.h>

#include "txn/row_values.h"

namespace gnomon::txn {

std::unique_ptr<storage::RelationStatistics> Table::makeStatistics() const {
  if (id().value < kFirstUserRelationId) return nullptr;
  return std::make_unique<storage::RelationStatistics>(schema());
}

std::shared_ptr<const storage::StatisticsSnapshot> Table::statisticsSnapshot() {
  if (!statistics_ || statistics_->rowCount() < tupleCountEstimate() / 2) return nullptr;
  return statistics_->snapshot();
}

void Table::rebuildStatistics(const CancelToken& cancel) {
  if (!statistics_) return;
  statistics_->clear();
  storage::RelationScan scan(relation_, readBound());
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
        statistics_->onInsertBatch(rows.first(), rows.values(), rows.nullFlags(), rows.count());
        rows.clear();
      }
      rows.add(leaf, row);
    }
    // Texts refer to the leaf.
    if (rows.count() != 0) statistics_->onInsertBatch(rows.first(), rows.values(), rows.nullFlags(), rows.count());
    rows.clear();
  }
}

void Table::onDeletionsVisible(std::shared_ptr<Transaction> transaction) noexcept {
  if (transaction->tag() != generation_.load()) return eraseDeleted(std::move(transaction));
  {
    const std::scoped_lock lock(deletions_mutex_);
    deletions_.push_back(std::move(transaction));
  }
  cleanUp();
}

std::vector<std::shared_ptr<Transaction>> Table::takeDeletions() {
  const std::scoped_lock lock(deletions_mutex_);
  return std::exchange(deletions_, {});
}

void Table::forgetDeletions() {
  ++generation_;
  dead_tuples_ = 0;
  for (std::shared_ptr<Transaction>& transaction : takeDeletions()) eraseDeleted(std::move(transaction));
}

void Table::cleanUp() noexcept {
  try {
    {
      const std::scoped_lock lock(deletions_mutex_);
      if (deletions_.empty()) return;
    }
    const TableLock::Guard writing = write_lock_.tryAcquire(TableLock::Mode::Exclusive);
    if (!writing.holds()) return;
    const TableLock::Guard used = lock_.tryAcquire(TableLock::Mode::Shared);
    if (!used.holds()) return;
    for (std::shared_ptr<Transaction>& transaction : takeDeletions()) eraseDeleted(std::move(transaction));
    reclaim();
  } catch (const std::exception& error) {
    spdlog::warn("deleted tuples of relation {} stay for now: {}", id().value, error.what());
  }
}

/// An entry that stays behind because of a failure leads to a deleted tuple: readers pass it over.
void Table::eraseDeleted(std::shared_ptr<Transaction> transaction) noexcept {
  if (transaction->tag() == generation_.load()) {
    std::vector<TupleId> ids;
    for (const Version* version = transaction->newest(); version; version = version->earlier)
      if (version->kind == Version::Kind::Deleted) ids.push_back(version->id);
    dead_tuples_ += ids.size();
    for (const auto& index : indexes_) {
      try {
        index->erase(relation_, ids);
      } catch (const std::exception& error) {
        spdlog::warn("index entries of deleted tuples of relation {} stay: {}", id().value, error.what());
      }
    }
  }
  {
    const EpochManager::Guard guard(transactions_.epochs());
    transaction->unlinkVisible(Version::Kind::Deleted, true);
  }
  transactions_.forget(std::move(transaction));
}

/// Dead tuples go once there are enough of them to pay for reading the relation.
void Table::reclaim() noexcept {
  constexpr uint64_t kDeadTuplesMin = 1024;
  constexpr uint64_t kDeadShare = 8;
  if (dead_tuples_ < kDeadTuplesMin || dead_tuples_ * kDeadShare < relation_.tupleCount() + dead_tuples_) return;
  dead_tuples_ = 0;
  try {
    if (relation_.reclaim(TupleId{0}, readBound()) != 0) recount();
  } catch (const std::exception& error) {
    spdlog::warn("dead tuples of relation {} stay for now: {}", id().value, error.what());
  }
}

/// Where what happened touches much of the table, reading all of it costs no more than what was done, and is exact.
void Table::recount() noexcept {
  try {
    rebuildStatistics(CancelToken{});
  } catch (const std::exception& error) {
    spdlog::warn("statistics of relation {} are incomplete: {}", id().value, error.what());
  }
}

std::vector<std::byte> Table::serialiseStatistics() {
  return statistics_ ? statistics_->serialise() : std::vector<std::byte>{};
}

void Table::setStatistics(std::span<const std::byte> bytes) {
  if (statistics_) statistics_ = std::make_unique<storage::RelationStatistics>(schema(), bytes);
}

}  // namespace gnomon::txn
