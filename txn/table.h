#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "storage/relation/relation.h"
#include "storage/relation/scan.h"
#include "storage/statistics/relation_statistics.h"
#include "txn/table_index.h"
#include "txn/table_lock.h"
#include "txn/transaction.h"

namespace gnomon::txn {

using storage::Datum;
using storage::RelationId;
using storage::RelationSchema;
using storage::TupleId;

/// Relation ids below this belong to the system: 0 the registry of relations, 1 and up system tables.
inline constexpr uint32_t kFirstUserRelationId = 16384;

/// A table: a relation whose statements take effect as a whole, its indexes and, of users' tables, its statistics.
///
/// A reader takes a snapshot when its statement begins, then readBound(); it looks only at tuples below that, and at
/// those as the snapshot sees them. Writers are serialised by the write lock; what they append lies at or above the
/// bound until commit moves it. Invariants:  X1  bound <= relation's next tuple id; equal when no writer is at work
///              X2  what is not committed, or was not when the oldest snapshot was taken, has a version that says so
/// Threads: any. Lifetime: shared by the sessions that use it; the pages live until DatabaseStorage::dropTable.
class Table final : public DeletionObserver, public std::enable_shared_from_this<Table> {
 public:
  /// Creates an empty table.
  Table(storage::BufferManager& buffers, TransactionManager& transactions, RelationId id, RelationSchema schema)
      : transactions_(transactions),
        relation_(buffers, id, std::move(schema)),
        statistics_(makeStatistics()),
        bound_(0) {}
  /// Opens a table. Its statistics are those of no rows until setStatistics.
  Table(storage::BufferManager& buffers, TransactionManager& transactions, RelationId id, RelationSchema schema,
        const storage::RelationState& state)
      : transactions_(transactions),
        relation_(buffers, id, std::move(schema), state),
        statistics_(makeStatistics()),
        bound_(relation_.nextTupleId().value),
        dead_tuples_(relation_.deletedCount()) {}

  [[nodiscard]] RelationId id() const { return relation_.id(); }
  [[nodiscard]] const RelationSchema& schema() const { return relation_.schema(); }
  /// Exchanges the schema for a newer version of it, or back as long as nothing was written and finishSchemaChange()
  /// was not called. Nobody else uses the table.
  void changeSchema(RelationSchema schema) { relation_.changeSchema(std::move(schema)); }
  /// The newer schema stays.
  void finishSchemaChange() {
    if (statistics_) statistics_->changeSchema(relation_.schema());
  }
  [[nodiscard]] storage::Relation& relation() { return relation_; }
  [[nodiscard]] TransactionManager& transactions() { return transactions_; }

  /// The indexes that writers keep up. They change while somebody has the table alone.
  [[nodiscard]] const std::vector<std::shared_ptr<TableIndex>>& indexes() const { return indexes_; }
  void addIndex(std::shared_ptr<TableIndex> index) { indexes_.push_back(std::move(index)); }
  void removeIndex(RelationId id) {
    std::erase_if(indexes_, [id](const std::shared_ptr<TableIndex>& index) { return index->id() == id; });
  }

  /// A statement that begins now looks at tuples with ids below this. Taken after its snapshot.
  [[nodiscard]] TupleId readBound() const { return TupleId{bound_.load(std::memory_order_acquire)}; }
  /// For the optimiser.
  [[nodiscard]] uint64_t tupleCountEstimate() const { return relation_.tupleCount(); }
  [[nodiscard]] uint64_t leafCountEstimate() const { return relation_.leafCount(); }

  /// Null: a system table, or nothing worth reading is known (the statistics were lost and most rows are older).
  [[nodiscard]] std::shared_ptr<const storage::StatisticsSnapshot> statisticsSnapshot();
  /// Counts all committed rows anew. The caller holds the write lock, and no leaf. Failure: 57014; when a page must be
  /// read, as BufferManager::resolve. The statistics know less than before then, and nothing wrong.
  void rebuildStatistics(const CancelToken& cancel);
  /// What a restart is to keep; empty for a system table. No writer is at work.
  [[nodiscard]] std::vector<std::byte> serialiseStatistics();
  /// Takes over what serialiseStatistics() gave. Nobody uses the table yet. Failure: XX001; begun anew then.
  void setStatistics(std::span<const std::byte> bytes);

  /// Keeps the table from being dropped; once per statement and table. Failure: 57014, 42P01.
  [[nodiscard]] TableLock::Guard use(const CancelToken& cancel) {
    return lock_.acquire(TableLock::Mode::Shared, cancel);
  }
  /// Waits until nobody uses the table, for DatabaseStorage::dropTable.
  [[nodiscard]] TableLock::Guard useAlone(const CancelToken& cancel) {
    return lock_.acquire(TableLock::Mode::Exclusive, cancel);
  }
  /// What has been deleted need not be taken out any more: tuple ids begin anew, or the table goes. Nobody else uses
  /// it.
  void forgetDeletions();
  /// Makes the table empty with a tree from makeEmptyTree(); returns the old one. Nobody else uses the table.
  std::unique_ptr<storage::RelationTree> replaceTree(std::unique_ptr<storage::RelationTree> tree) {
    bound_.store(0, std::memory_order_release);
    forgetDeletions();
    if (statistics_) statistics_->clear();
    return relation_.replaceTree(std::move(tree));
  }
  /// Takes what everybody sees as deleted out of the indexes, and out of the relation once there is enough of it. Where
  /// somebody writes or waits to have the table alone it is left for later. No leaf is held.
  void cleanUp() noexcept;
  void onDeletionsVisible(std::shared_ptr<Transaction> transaction) noexcept override;
  [[nodiscard]] TableLock& lock() { return lock_; }
  /// One writer at a time; taken before use(). Its shared mode is not used, and it is never dropped.
  [[nodiscard]] TableLock& writeLock() { return write_lock_; }

 private:
  friend class WriteStatement;
  [[nodiscard]] std::unique_ptr<storage::RelationStatistics> makeStatistics() const;
  std::vector<std::shared_ptr<Transaction>> takeDeletions();
  void eraseDeleted(std::shared_ptr<Transaction> transaction) noexcept;
  void reclaim() noexcept;
  void recount() noexcept;

  TransactionManager& transactions_;
  storage::Relation relation_;
  std::unique_ptr<storage::RelationStatistics> statistics_;  ///< null: a system table
  std::vector<std::shared_ptr<TableIndex>> indexes_;
  std::atomic<uint64_t> bound_;
  TableLock lock_;
  TableLock write_lock_;
  std::mutex deletions_mutex_;
  std::vector<std::shared_ptr<Transaction>> deletions_;  ///< that everybody sees, with entries in the indexes
  std::atomic<uint64_t> generation_{0};                  ///< grows when tuple ids begin anew
  uint64_t dead_tuples_ = 0;                             ///< that nobody sees; guarded by the write lock
};

}  // namespace gnomon::txn
