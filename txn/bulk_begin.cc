#include <thread>

#include "base/assert.h"
#include "txn/bulk.h"

/// How a transaction becomes the one that may write, and until when its epoch counts.
namespace gnomon::txn {

namespace {
/// Epochs are taken durably so many at once: each time the log is synced.
constexpr uint64_t kEpochsAtOnce = 64;
}  // namespace

Transaction::BulkChange* Transaction::bulkChange(const Table& table) {
  for (BulkChange& change : bulk_changes_)
    if (change.table == &table) return &change;
  return nullptr;
}

Transaction::BulkChange& Transaction::addBulkChange(Table& table) {
  return bulk_changes_.emplace_back(
      BulkChange{.table = &table, .observer = table.weak_from_this(), .appended_from = table.relation().nextTupleId()});
}

void TransactionManager::setEpochs(uint64_t next, std::function<void(uint64_t)> take) {
  const std::scoped_lock lock(mutex_);
  epoch_ = next;
  epochs_end_ = take ? next : UINT64_MAX;
  take_epochs_ = std::move(take);
  publish();
}

uint64_t TransactionManager::settledEpoch() const {
  const std::scoped_lock lock(mutex_);
  // None begins before the one before is settled.
  return is_bulk_settled_ ? epoch_ : epoch_ - 1;
}

bool TransactionManager::isBulkSettled() {
  const std::scoped_lock lock(mutex_);
  return isBulkVisible() && is_bulk_settled_;
}

/// Under the lock: what ends with a snapshot that is older than what the last bulk transaction did. Id 0: such a one
/// has just ended.
LockManager::Awaited TransactionManager::awaitedSnapshot(const LockOwner& owner) {
  SnapshotRegistry::Place* const place = snapshots_.findOlder(bulk_committed_at_);
  if (!place) return {};
  LockManager::TransactionId id = place->awaited();
  const bool is_first = id == 0;
  // Whoever gives the snapshot back from here on comes to the lock, and waits for it.
  if (is_first) place->setAwaited(id = next_id_++);
  const bool has_ended = place->start() >= bulk_committed_at_;
  const LockOwner* const holder = place->owner();
  if (is_first && (has_ended || holder == &owner)) place->setAwaited(0);
  if (has_ended) return {};
  if (holder == &owner)
    throw SqlError(sqlstate::kSerializationFailure, "could not serialize access due to concurrent bulk operation");
  if (is_first) locks_.beginTransaction(id, holder ? *holder : nobody_);
  return locks_.awaited(id);
}

void TransactionManager::waitForBulkVisible(const LockOwner& owner, const Patience& patience) {
  constexpr std::chrono::milliseconds kPause{1};
  for (;;) {
    LockManager::Awaited awaited;
    {
      const std::scoped_lock lock(mutex_);
      if (isBulkVisible() && is_bulk_settled_) return;
      awaited = awaitedSnapshot(owner);
    }
    if (awaited.id != 0) {
      locks_.waitFor(awaited, owner, patience);
      continue;
    }
    // Unless somebody is about to tell the tables.
    collect();
    patience.cancel.poll();
    std::this_thread::sleep_for(kPause);
  }
}

void TransactionManager::beginBulk(Transaction& transaction, const Patience& patience) {
  if (transaction.bulk_epoch_ != 0) return;
  LockOwner& owner = transaction.owner();
  const size_t mark = owner.mark();
  for (;;) {
    waitForBulkVisible(owner, patience);
    owner.acquire(writers_lock_, LockMode::Exclusive, patience);
    if (isBulkSettled()) break;
    // Another one was faster, and has committed.
    owner.releaseAfter(mark);
  }
  try {
    startBulk(transaction);
  } catch (...) {
    owner.releaseAfter(mark);
    throw;
  }
}

bool TransactionManager::tryBeginBulk(Transaction& transaction) {
  if (transaction.bulk_epoch_ != 0) return true;
  LockOwner& owner = transaction.owner();
  const size_t mark = owner.mark();
  if (!isBulkSettled() || !owner.tryAcquire(writers_lock_, LockMode::Exclusive)) return false;
  if (!isBulkSettled()) {
    owner.releaseAfter(mark);
    return false;
  }
  try {
    startBulk(transaction);
  } catch (...) {
    owner.releaseAfter(mark);
    throw;
  }
  return true;
}

/// The lock is held: nobody else takes epochs.
void TransactionManager::startBulk(Transaction& transaction) {
  uint64_t epoch = 0;
  uint64_t end = 0;
  {
    const std::scoped_lock lock(mutex_);
    epoch = epoch_;
    end = epochs_end_;
  }
  if (epoch >= end) {
    end = epoch + kEpochsAtOnce;
    take_epochs_(end);
    const std::scoped_lock lock(mutex_);
    epochs_end_ = end;
  }
  transaction.bulk_epoch_ = epoch;
}

}  // namespace gnomon::txn
