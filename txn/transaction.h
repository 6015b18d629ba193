#pragma once

#include <atomic>
#include <list>
#include <memory>
#include <mutex>
#include <unordered_map>
#include <vector>

#include "base/arena.h"
#include "base/epoch.h"
#include "storage/buffer_manager.h"
#include "txn/version.h"

namespace gnomon::txn {

class Transaction;

/// Has something to do when all see that a transaction deleted tuples: the table.
class DeletionObserver {
 public:
  virtual ~DeletionObserver() = default;
  /// Takes over the transaction, whose deletions are still in their chains.
  virtual void onDeletionsVisible(std::shared_ptr<Transaction> transaction) noexcept = 0;
};

/// The changes that become visible together, and their before-images.
/// Threads: the session's, until it has committed.
class Transaction {
 public:
  explicit Transaction(Timestamp id) : id_(id), place_(1) {}
  Transaction(const Transaction&) = delete;
  Transaction& operator=(const Transaction&) = delete;

  [[nodiscard]] Timestamp id() const { return id_; }
  /// A version in the transaction's memory, its newest.
  Version& addVersion(Version::Kind kind, TupleId tuple);
  [[nodiscard]] Version* newest() const { return newest_; }
  /// The newest version is as if it had never been. It is in no chain.
  void dropNewest() { newest_ = newest_->earlier; }
  /// For before-images; freed with the transaction.
  [[nodiscard]] Arena& memory() { return memory_; }
  /// Who hears of the deletions, if it still exists, and what that one wants to know then.
  void setDeletionObserver(std::weak_ptr<DeletionObserver> observer, uint64_t tag) {
    observer_ = std::move(observer);
    tag_ = tag;
  }
  [[nodiscard]] uint64_t tag() const { return tag_; }
  /// The versions of a kind, or of all others, leave their chains: everybody sees the changes. Under an epoch guard.
  void unlinkVisible(Version::Kind kind, bool is_kind);

 private:
  friend class TransactionManager;
  const Timestamp id_;
  Timestamp committed_at_ = 0;
  static constexpr size_t kFirstBlockBytes = 512;  ///< most transactions change a few tuples
  Arena memory_{nullptr, kFirstBlockBytes};
  Version* newest_ = nullptr;
  bool has_deletions_ = false;
  std::weak_ptr<DeletionObserver> observer_;
  uint64_t tag_ = 0;
  std::list<std::shared_ptr<Transaction>>
      place_;  ///< its node in the list of committed ones, so that commit takes no memory
};

/// The version maps of all pages: those of pages in memory hang from their frames, others wait here.
///
/// Source: paper 1, sections 3.1.1 and 3.1.2. Threads: any.
class VersionStore {
 public:
  explicit VersionStore(EpochManager& epochs);
  VersionStore(const VersionStore&) = delete;
  VersionStore& operator=(const VersionStore&) = delete;

  /// What the buffer manager calls; lives as long as this object.
  [[nodiscard]] const storage::PageHooks& hooks() const { return hooks_; }
  /// The map of a page that is held exclusively; made when there is none. Chains without versions are taken out once
  /// they are many.
  VersionMap& mapOf(storage::Frame& frame);

  [[nodiscard]] size_t orphanCount() const;
  [[nodiscard]] size_t mapCount() const;

 private:
  void orphan(storage::PageId id, VersionMap* map);
  VersionMap* adopt(storage::PageId id);
  void discard(VersionMap* map);
  /// True: the map is gone.
  bool prune(VersionMap* map);
  void retire(VersionMap* map);
  /// Some of the orphans, in turn.
  void pruneOrphans();

  EpochManager& epochs_;
  storage::PageHooks hooks_;
  mutable std::mutex mutex_;
  std::unordered_map<uint64_t, VersionMap*> orphans_;  ///< by page id
  size_t next_bucket_ = 0;                             ///< of orphans_, to be pruned
  std::unordered_map<VersionMap*, std::unique_ptr<VersionMap>> maps_;
};

/// Start and end of transactions, and what may be forgotten of them.
///
/// Source: paper 1, section 3.1.2 (garbage collection); paper 3, section 2.1. A snapshot is never taken above a commit
/// whose versions do not all carry its timestamp yet: commits stamp under a lock, and are published last.
/// Threads: any. The lists are global; sessions touch them once when a statement begins and once when it ends.
class TransactionManager {
 public:
  /// Keeps what the snapshot sees until it is destroyed or released.
  class SnapshotGuard {
   public:
    SnapshotGuard() = default;
    SnapshotGuard(SnapshotGuard&& other) noexcept { *this = std::move(other); }
    SnapshotGuard& operator=(SnapshotGuard&& other) noexcept;
    ~SnapshotGuard() { release(); }
    /// What becomes visible to all by that is collected.
    void release();
    [[nodiscard]] const Snapshot& snapshot() const { return snapshot_; }

   private:
    friend class TransactionManager;
    TransactionManager* manager_ = nullptr;
    std::list<Timestamp>::iterator place_;
    Snapshot snapshot_;
  };

  TransactionManager() : versions_(epochs_) {}

  [[nodiscard]] SnapshotGuard takeSnapshot();
  [[nodiscard]] std::shared_ptr<Transaction> begin();
  /// The transaction's changes become visible to snapshots taken from now on. Does not fail.
  void commit(std::shared_ptr<Transaction> transaction);
  /// Its versions have been taken out of their chains: the memory goes.
  void forget(std::shared_ptr<Transaction> transaction);
  /// Does away with what everybody sees.
  void collect();

  [[nodiscard]] VersionStore& versions() { return versions_; }
  [[nodiscard]] EpochManager& epochs() { return epochs_; }
  /// Committed transactions that some snapshot may not see.
  [[nodiscard]] size_t retainedCount() const;

 private:
  void end(std::list<Timestamp>::iterator place);
  using Transactions = std::list<std::shared_ptr<Transaction>>;
  [[nodiscard]] Transactions takeVisible();
  void collect(Transactions visible);

  EpochManager epochs_;
  VersionStore versions_;
  std::atomic<Timestamp> next_id_{kTransactionIdMin};
  mutable std::mutex mutex_;
  Timestamp last_commit_ = 0;
  std::list<Timestamp> active_;  ///< starts, ascending
  Transactions committed_;       ///< in the order of their timestamps
};

}  // namespace gnomon::txn
