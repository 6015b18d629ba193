#pragma once

#include <atomic>
#include <functional>
#include <list>
#include <memory>
#include <mutex>
#include <optional>
#include <vector>

#include "base/epoch.h"
#include "base/recycled_block.h"
#include "storage/buffer_manager.h"
#include "txn/commit_wait.h"
#include "txn/deletion_observer.h"
#include "txn/lock_manager.h"
#include "txn/moved_tuples.h"
#include "txn/snapshot_registry.h"
#include "txn/transaction_counts.h"
#include "txn/version.h"
#include "txn/version_buffer.h"
#include "txn/version_memory.h"
#include "txn/version_store.h"

namespace gnomon::txn {

class GarbageCollector;
class Table;
class Transaction;
using TransactionList = std::list<std::shared_ptr<Transaction>, RecyclingAllocator<std::shared_ptr<Transaction>>>;

/// The changes that become visible together, and their before-images.
/// Threads: the session's, until it has committed.
class Transaction {
 public:
  Transaction(LockOwner& owner, VersionMemory& version_memory)
      : owner_(owner), version_memory_(version_memory), place_(1) {}
  ~Transaction() { version_memory_.release(version_bytes_taken_); }
  Transaction(const Transaction&) = delete;
  Transaction& operator=(const Transaction&) = delete;

  /// Changes of one table, one after the other.
  struct Section {
    Table* table;                              ///< while the transaction is active
    std::weak_ptr<DeletionObserver> observer;  ///< with has_deletions: who hears of them, if it still exists
    Version* before;                           ///< the transaction's newest version then
    bool has_deletions;
  };

  [[nodiscard]] Timestamp id() const { return id_; }
  /// The session that it belongs to, which locks rows by it.
  [[nodiscard]] LockOwner& owner() const { return owner_; }
  /// Of the row versions that it is about to make. Failure: as VersionMemory::take.
  void chargeVersions(uint64_t bytes) {
    if (version_bytes_ + bytes > version_bytes_taken_) takePortion(bytes);
    version_bytes_ += bytes;
  }

  /// What a bulk transaction did to a table.
  struct BulkChange {
    Table* table;                              ///< while the transaction is active
    std::weak_ptr<DeletionObserver> observer;  ///< who hears of deletions, if it still exists
    TupleId appended_from;                     ///< tuples from here on are the transaction's
    TupleId deleted_from{UINT64_MAX};          ///< it deleted tuples from here
    TupleId deleted_end{0};                    ///< to below this
    uint64_t deleted_count = 0;
  };
  /// What its virtual versions are marked with; 0: it is no bulk transaction, or not yet.
  [[nodiscard]] uint64_t bulkEpoch() const { return bulk_epoch_; }
  [[nodiscard]] const std::vector<BulkChange>& bulkChanges() const { return bulk_changes_; }
  /// That of a table; null: there is none.
  [[nodiscard]] BulkChange* bulkChange(const Table& table);
  /// A new one; before the table is changed.
  BulkChange& addBulkChange(Table& table);
  void forgetBulkChanges() { bulk_changes_.clear(); }
  /// Numbers the statements: each sees what those before it changed.
  uint32_t beginCommand() { return ++command_; }
  /// A version in the transaction's memory, its newest. `columns`: of its before-image, which is not filled in.
  Version& addVersion(Version::Kind kind, TupleId tuple, Table& table, uint16_t columns = 0);
  [[nodiscard]] Version* newest() const { return newest_; }
  /// The newest version is as if it had never been. It is in no chain.
  void dropNewest();
  /// A version that is in a chain, and for some reason not in the list of the transaction's, is its newest again.
  void keep(Version& version, Table& table);
  /// Whether anything of it may be in the log.
  [[nodiscard]] bool isLogged() const { return writer_ != nullptr; }
  /// Of its commit record; whoever does away with what it left builds on that. No log: it is not logged.
  [[nodiscard]] wal::RecordStamp commitStamp() const { return commit_stamp_; }
  /// For before-images; freed with the transaction.
  [[nodiscard]] VersionBuffer& memory() { return memory_; }
  /// That of the newest version.
  [[nodiscard]] const Section& newestSection() const { return sections_.back(); }
  /// Whether the tables' statistics know of a version's change; `countAll` says so of all that there are.
  [[nodiscard]] const Version* newestCounted() const { return counted_; }
  void countAll() { counted_ = newest_; }

  [[nodiscard]] const Section& section(size_t number) const { return sections_[number]; }
  /// Visits the versions of a section, newest first.
  template <typename Visit>
  void forEach(size_t number, Visit&& visit) const {
    Version* version = number + 1 < sections_.size() ? sections_[number + 1].before : newest_;
    for (; version != sections_[number].before; version = version->earlier) visit(*version);
  }
  /// Visits the versions behind `to`, newest first, with their tables.
  template <typename Visit>
  void forEachUntil(const Version* to, Visit&& visit) const {
    size_t number = sections_.size();
    for (const Version* version = newest_; version != to; version = version->earlier) {
      while (sections_[number - 1].before == version) --number;
      visit(*version, *sections_[number - 1].table);
    }
  }
  /// The deletions of a section leave their chains: everybody sees them. Under an epoch guard.
  void unlinkDeletions(size_t number);

 private:
  friend class TransactionManager;
  void beginSection(Table& table) {
    if (sections_.empty() || sections_.back().table != &table) addSection(table);
  }
  void addSection(Table& table);
  void takePortion(uint64_t bytes);

  Timestamp id_ = 0;
  // Those that have not ended, in the order of their ids: the manager's list, under its lock.
  Transaction *begun_before_ = nullptr, *begun_behind_ = nullptr;
  LockOwner& owner_;
  VersionMemory& version_memory_;
  uint64_t version_bytes_ = 0;
  uint64_t version_bytes_taken_ = 0;  ///< from version_memory_
  uint64_t bulk_epoch_ = 0;
  std::vector<BulkChange> bulk_changes_;
  Timestamp committed_at_ = 0;
  uint32_t command_ = 0;
  bool has_locks_ = false;  ///< on rows
  bool shares_log_ = true;  ///< as begin() was told
  Version* newest_ = nullptr;
  const Version* counted_ = nullptr;
  std::vector<Section, RecyclingAllocator<Section>> sections_;
  std::unique_ptr<wal::LogWriter> writer_;  ///< null: nothing was changed yet, or nothing is logged
  wal::RecordStamp commit_stamp_;
  TransactionList place_;  ///< its node in the list of committed ones, so that commit takes no memory
  VersionBuffer memory_;
};

/// Start and end of transactions, and what may be forgotten of them.
///
/// Source: paper 1, section 3.1.2 (garbage collection); paper 3, section 2.1. A snapshot is never taken above a commit
/// whose versions do not all carry its timestamp yet: commits stamp under a lock, and are published last.
/// Threads: any. The lists are global; sessions touch them when they begin to write, and when they end. Snapshots are
/// elsewhere (snapshot_registry.h).
class TransactionManager {
 public:
  /// Keeps what the snapshot sees until it is destroyed or released.
  class SnapshotGuard {
   public:
    SnapshotGuard() = default;
    SnapshotGuard(SnapshotGuard&& other) noexcept { *this = std::move(other); }
    SnapshotGuard& operator=(SnapshotGuard&& other) noexcept;
    ~SnapshotGuard() { release(); }
    /// What becomes visible to all by that is left to the collector, or collected where there is none.
    void release();
    [[nodiscard]] const Snapshot& snapshot() const { return snapshot_; }

   private:
    friend class TransactionManager;
    TransactionManager* manager_ = nullptr;
    SnapshotRegistry::Place* place_ = nullptr;
    Snapshot snapshot_;
  };

  TransactionManager();

  /// `owner`: the session that holds it, which a bulk transaction may have to wait for.
  [[nodiscard]] SnapshotGuard takeSnapshot(const LockOwner* owner = nullptr);
  /// There may be commits that a snapshot sees and a crash takes back, although somebody waits for them
  /// (CommitWait::Elsewhere). Whoever has taken a snapshot asks behind that: no means that it sees none.
  [[nodiscard]] bool hasUnstable() const { return has_unstable_.load(std::memory_order_seq_cst); }
  /// One that sees none of those. Nothing: it would see less than what committed at `seen`.
  [[nodiscard]] std::optional<SnapshotGuard> takeStableSnapshot(const LockOwner* owner, Timestamp seen);
  /// What has to be stable before what any snapshot sees that was taken before the call is.
  [[nodiscard]] wal::CommitTicket unstable();
  /// Whether waitForStable() would return at once.
  [[nodiscard]] bool isStable(const wal::CommitTicket& ticket) const;
  /// Before what waits for the ticket is told to anybody. Cannot be cancelled.
  void waitForStable(const wal::CommitTicket& ticket);
  /// `owner` outlives the transaction's activity, which ends with commit() or abandon().
  /// `shares_log`: as wal::WriteAheadLog::lease(), where the commit will be waited for, or little is written.
  [[nodiscard]] std::shared_ptr<Transaction> begin(LockOwner& owner, bool shares_log = true);
  /// Whoever writes to users' tables holds this lock shared (RowExclusive) until his transaction ends, a bulk
  /// transaction holds it alone (Exclusive): paper 1, section 3.2.2.
  [[nodiscard]] const std::shared_ptr<ObjectLock>& writersLock() const { return writers_lock_; }
  /// Makes a transaction the only one that writes, with an epoch of its own. Waits for the other writers, and until
  /// everybody sees what the last bulk transaction did. It may have made versions before. Failure: as Patience says;
  /// 40001 where its own session holds a snapshot from before that; 53100. It is none then.
  void beginBulk(Transaction& transaction, const Patience& patience);
  /// The same without waiting. False: others are at work.
  bool tryBeginBulk(Transaction& transaction);
  /// Bulk epochs below are over: everybody sees them, and what they deleted is known to its tables.
  [[nodiscard]] uint64_t settledEpoch() const;
  /// Of the next bulk transaction, and of snapshots until then. `take`: says durably that epochs below its argument are
  /// taken. Nobody uses the manager yet.
  void setEpochs(uint64_t next, std::function<void(uint64_t)> take);
  [[nodiscard]] VersionMemory& versionMemory() { return version_memory_; }

  /// The transaction's changes become visible to snapshots taken from now on, and who waits for it goes on. A bulk
  /// transaction that is not to be waited for elsewhere is waited for here. Does not fail.
  Committed commit(std::shared_ptr<Transaction> transaction, CommitWait wait = CommitWait::Here);
  /// Ends a transaction that was rolled back (rollBack() in rollback.h): no version is left.
  void abandon(std::shared_ptr<Transaction> transaction);
  /// Its versions have been taken out of their chains: the memory goes.
  void forget(std::shared_ptr<Transaction> transaction);
  /// Does away with what everybody sees; with `of`, of that owner, where there is a collector for the rest.
  void collect(const LockOwner* of = nullptr);
  /// What VersionMap::prune() is to know.
  [[nodiscard]] SnapshotStarts snapshotStarts() const;
  /// So many versions were pruned: there may be something for collectPruned().
  void notePruned(size_t count);
  /// Does away with transactions whose versions were all pruned, once there may be many. One at a time.
  void collectPruned();
  /// Who collects what becomes visible when a snapshot ends, and cleans up tables; null: those who end it.
  void setCollector(GarbageCollector* collector);
  /// Cleans the table up soon. False: the caller is to do it.
  bool leaveToCollector(const std::shared_ptr<Table>& table);

  /// Changes are logged from now on. `last`: transactions get larger numbers in the log.
  void setLog(storage::PageLog* log, wal::TransactionNumber last) {
    log_ = log;
    number_base_ = last.value + 1;
  }
  [[nodiscard]] storage::PageLog* log() { return log_; }
  /// The transaction's log, from its first change on. Failure: 53100, 58030.
  wal::LogWriter& writerOf(Transaction& transaction);

  [[nodiscard]] LockManager& locks() { return locks_; }
  [[nodiscard]] VersionStore& versions() { return versions_; }
  [[nodiscard]] EpochManager& epochs() { return epochs_; }
  [[nodiscard]] MovedTuples& movedTuples() { return moved_tuples_; }
  [[nodiscard]] Timestamp lastCommit() const;
  /// Committed transactions that some snapshot may not see.
  [[nodiscard]] size_t retainedCount() const;
  [[nodiscard]] TransactionCounts counts();

 private:
  void end(SnapshotRegistry::Place& place, Timestamp start);
  /// Under the lock: what the next snapshot sees, and that it has changed.
  [[nodiscard]] SnapshotRegistry::Horizon horizon() const;
  void publish();
  /// Under the lock: what is stable now may be seen by all.
  void dropStable();
  /// What nobody is in the way of any more goes to the collector. Under the lock; the caller collects what is returned.
  [[nodiscard]] TransactionList leaveVisible();
  /// Under the lock, at the end of what changes the list of those committed.
  void noteOldestCommitted();
  /// Under the lock: it is among those that have not ended, or no longer.
  void enlist(Transaction& transaction);
  void delist(Transaction& transaction);
  /// False: some snapshot is older than what the last bulk transaction did.
  [[nodiscard]] bool isBulkVisible() { return snapshots_.findOlder(bulk_committed_at_) == nullptr; }
  [[nodiscard]] LockManager::Awaited awaitedSnapshot(const LockOwner& owner);
  void waitForBulkVisible(const LockOwner& owner, const Patience& patience);
  [[nodiscard]] bool isBulkSettled();
  void startBulk(Transaction& transaction);
  void tellBulkDeletions(const std::shared_ptr<Transaction>& transaction);
  [[nodiscard]] bool isOldestSeenByAll();
  [[nodiscard]] TransactionList takeVisible(const LockOwner* of = nullptr);
  [[nodiscard]] bool isWorthLooking() const;
  void collect(TransactionList visible);

  storage::PageLog* log_ = nullptr;  ///< null: nothing is logged
  uint64_t number_base_ = 0;
  VersionMemory version_memory_;  ///< before the epochs, with which the last transactions go
  LockManager locks_;
  EpochManager epochs_;
  VersionStore versions_;
  mutable std::mutex mutex_;
  Timestamp next_id_ = kTransactionIdMin;
  Transaction* first_begun_ = nullptr;  ///< of those that have not ended
  Transaction* last_begun_ = nullptr;
  Timestamp last_commit_ = 0;
  SnapshotRegistry snapshots_;
  std::list<UnstableCommit> unstable_;  ///< in the order of commits
  wal::CommitTicket all_unstable_;
  std::atomic<bool> has_unstable_{false};
  TransactionList committed_;                      ///< in the order of their timestamps
  std::atomic<Timestamp> oldest_committed_at_{0};  ///< of the first of those; 0: there is none
  GarbageCollector* collector_ = nullptr;
  std::atomic<size_t> pruned_count_{0};                          ///< versions, since collectPruned() last looked
  TransactionList::iterator next_looked_at_ = committed_.end();  ///< by collectPruned()
  uint64_t epoch_ = 1;                                           ///< of the bulk transaction at work, or the next one
  uint64_t epochs_end_ = UINT64_MAX;                             ///< below this they are taken
  std::function<void(uint64_t)> take_epochs_;
  Timestamp bulk_committed_at_ = 0;  ///< of the last bulk transaction
  bool is_bulk_settled_ = true;      ///< its deletions are known to its tables
  const std::shared_ptr<ObjectLock> writers_lock_ = std::make_shared<ObjectLock>("the lock of all writers");
  LockOwner nobody_;
  MovedTuples moved_tuples_;
};

}  // namespace gnomon::txn
