#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <span>
#include <vector>

#include "base/striped_shared_mutex.h"
#include "storage/relation/relation.h"
#include "storage/relation/scan.h"
#include "storage/statistics/relation_statistics.h"
#include "txn/table_activity.h"
#include "txn/table_index.h"
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
/// those as the snapshot sees them. Writers are told apart by the versions of the tuples they change. Invariant:
///              X1  what is not committed, or was not when the oldest snapshot was taken, has a version that says so
/// Threads: any, of those who hold its lock. Lifetime: shared by the sessions that use it; the pages live until
/// DatabaseStorage::dropTable.
class Table final : public DeletionObserver, public std::enable_shared_from_this<Table> {
 public:
  /// Creates an empty table. `lock`: of the table whose rows these are; null: a new one.
  Table(storage::BufferManager& buffers, TransactionManager& transactions, RelationId id, RelationSchema schema,
        std::shared_ptr<ObjectLock> lock = nullptr)
      : transactions_(transactions),
        relation_(buffers, id, std::move(schema)),
        statistics_(makeStatistics()),
        lock_(lock ? std::move(lock) : std::make_shared<ObjectLock>(id.value)) {}
  /// Opens a table. Its statistics are those of no rows until setStatistics.
  Table(storage::BufferManager& buffers, TransactionManager& transactions, RelationId id, RelationSchema schema,
        const storage::RelationState& state, std::shared_ptr<ObjectLock> lock)
      : transactions_(transactions),
        relation_(buffers, id, std::move(schema), state),
        statistics_(makeStatistics()),
        lock_(std::move(lock)),
        dead_tuples_(relation_.deletedCount()) {}

  [[nodiscard]] RelationId id() const { return relation_.id(); }
  [[nodiscard]] const RelationSchema& schema() const { return relation_.schema(); }
  /// What a schema was before it was changed.
  struct SchemaMark {
    storage::Relation::SchemaMark relation;
    std::vector<std::byte> statistics;
  };
  /// Exchanges the schema for a newer version of it. Nobody else uses the table. Failure: as Relation::changeSchema.
  SchemaMark changeSchema(RelationSchema schema);
  /// Takes that back where nothing was written since; otherwise the newer schema stays: it has more columns. Later
  /// changes have been taken back. Nobody else uses the table.
  void restoreSchema(const SchemaMark& mark) noexcept;
  [[nodiscard]] storage::Relation& relation() { return relation_; }
  [[nodiscard]] TransactionManager& transactions() { return transactions_; }
  [[nodiscard]] TableActivity& activity() { return activity_; }

  /// The indexes that writers keep up. They change while nobody else writes to the table, and PauseCleaning is there or
  /// somebody has the table alone.
  [[nodiscard]] const std::vector<std::shared_ptr<TableIndex>>& indexes() const { return indexes_; }
  void addIndex(std::shared_ptr<TableIndex> index) { indexes_.push_back(std::move(index)); }
  void removeIndex(RelationId id) {
    const auto isMeant = [id](const std::shared_ptr<TableIndex>& index) { return index->id() == id; };
    std::erase_if(indexes_, isMeant);
    std::erase_if(retired_indexes_, isMeant);
  }
  /// Somebody who has the table alone is about to drop the index: it is not kept up any more; but rollback takes the
  /// entries out that were added before.
  void retireIndex(const std::shared_ptr<TableIndex>& index) {
    removeIndex(index->id());
    retired_indexes_.push_back(index);
  }
  /// He does not: there is nothing in the table that was not there when the index was retired.
  void restoreIndex(const std::shared_ptr<TableIndex>& index) {
    removeIndex(index->id());
    indexes_.push_back(index);
  }

  /// A statement that begins now looks at tuples with ids below this. Taken after its snapshot.
  [[nodiscard]] TupleId readBound() const { return relation_.nextTupleId(); }
  /// As of Relation.
  [[nodiscard]] bool holdsNan() const { return relation_.holdsNan(); }
  /// For the optimiser.
  [[nodiscard]] uint64_t tupleCountEstimate() const { return relation_.tupleCount(); }
  [[nodiscard]] uint64_t leafCountEstimate() const { return relation_.leafCount(); }
  [[nodiscard]] uint64_t deadTupleCountEstimate() const { return relation_.deletedCount(); }

  /// Null: a system table, or nothing worth reading is known (the statistics were lost and most rows are older).
  [[nodiscard]] std::shared_ptr<const storage::StatisticsSnapshot> statisticsSnapshot();
  /// Counts all rows anew. The caller holds no leaf; others may write, and what they change meanwhile is counted nearly
  /// right. Failure: 57014; when a page must be read, as BufferManager::resolve. The statistics are as before then.
  void rebuildStatistics(const CancelToken& cancel);
  /// What a restart is to keep; empty for a system table. No writer is at work.
  [[nodiscard]] std::vector<std::byte> serialiseStatistics();
  /// Takes over what serialiseStatistics() gave. Nobody uses the table yet. Failure: XX001; begun anew then.
  void setStatistics(std::span<const std::byte> bytes);

  /// Of the table's existence, shape, and rows as a whole. Whoever uses the table holds it, in the mode that PostgreSQL
  /// takes for the same.
  [[nodiscard]] const std::shared_ptr<ObjectLock>& lock() const { return lock_; }
  /// What has been deleted need not be taken out any more: the table goes. Nobody else uses it.
  void forgetDeletions();
  /// Takes what everybody sees as deleted out of the indexes, and out of the relation once there is enough of it. Where
  /// somebody has the table alone, or waits for that, it is left for later. No leaf is held.
  void cleanUp() noexcept override;
  /// As long as it lives nothing is cleaned up: its owner reads all rows, or changes the indexes, beside readers. What
  /// was to be done meanwhile is done at its end. Waits for whoever is at it.
  class PauseCleaning {
   public:
    explicit PauseCleaning(Table& table) : table_(table), cleaning_(table.clean_up_mutex_) {}
    PauseCleaning(const PauseCleaning&) = delete;
    PauseCleaning& operator=(const PauseCleaning&) = delete;
    ~PauseCleaning() {
      cleaning_.unlock();
      table_.cleanUp();
    }

   private:
    Table& table_;
    std::unique_lock<std::mutex> cleaning_;
  };
  /// The same, however little there is. Returns the number of tuples that left the relation; if there are any, the
  /// statistics are to be counted anew. The caller holds the table's lock in some mode. Failure: as Relation::reclaim;
  /// what was done before stays.
  uint64_t vacuum();
  void onDeletionsVisible(std::shared_ptr<Transaction> transaction, size_t section) noexcept override;
  void onBulkDeletionsVisible(std::shared_ptr<Transaction> transaction, size_t change) noexcept override;
  /// A bulk transaction is about to write virtual versions over those of former ones: what these deleted is taken out
  /// of the indexes. The caller holds the table's lock, and no leaf.
  void settleDeletions() noexcept;

  // For writers, and who rolls back.
  /// The statistics hear of tuples that were appended, in the shape of RelationAppender::appendBatch.
  void countAppended(TupleId first, const Datum* values, const uint8_t* null_flags, size_t row_count);
  /// And that these are to go.
  void uncountAppended(TupleId first, TupleId end) noexcept;
  /// The statistics hear of an update or a deletion that was made.
  void countChange(const Version& change) noexcept;
  /// And that it is taken back: an update that is going to be, a deletion that was.
  void uncountChange(const Version& change) noexcept;
  /// Takes the entries of tuples out of the indexes; what an index that cannot be read keeps leads to no tuple.
  void eraseEntries(TupleId first, TupleId end) noexcept;
  void addDeadTuples(uint64_t count) { dead_tuples_ += count; }
  /// rebuildStatistics() where what happened touches much of the table.
  void recount() noexcept;

 private:
  struct Deletions {
    std::shared_ptr<Transaction> transaction;
    size_t section;  ///< or bulk change
    bool is_bulk = false;
  };
  [[nodiscard]] std::unique_ptr<storage::RelationStatistics> makeStatistics() const;
  std::optional<storage::SampleRowBytes> sampleRow(TupleId id);
  std::vector<Deletions> takeDeletions();
  bool leaveDeletions() noexcept;
  void eraseDeleted(Deletions deletions) noexcept;
  void eraseBulkDeleted(const Deletions& deletions) noexcept;
  void eraseEntries(const std::vector<TupleId>& ids) noexcept;
  void reclaim(uint64_t settled_epoch) noexcept;
  uint64_t reclaimDead(uint64_t settled_epoch);
  void noteDeadBy(wal::RecordStamp commit);
  template <typename Tell>
  void tell(const char* what, Tell&& tell) noexcept;

  TransactionManager& transactions_;
  storage::Relation relation_;
  TableActivity activity_;
  StripedSharedMutex statistics_mutex_;                      ///< held exclusively while the next three change
  std::unique_ptr<storage::RelationStatistics> statistics_;  ///< null: a system table
  storage::RelationStatistics* rebuilt_ = nullptr;           ///< while they are counted anew: what comes to be them
  TupleId rebuilt_below_;                                    ///< tuples that are read for that
  std::mutex rebuild_mutex_;
  std::vector<std::shared_ptr<TableIndex>> indexes_;
  std::vector<std::shared_ptr<TableIndex>> retired_indexes_;
  const std::shared_ptr<ObjectLock> lock_;
  std::mutex deletions_mutex_;
  std::vector<Deletions> deletions_;  ///< that everybody sees, with entries in the indexes
  bool are_deletions_left_ = false;   ///< somebody will come for them, under deletions_mutex_
  std::atomic<bool> is_gone_{false};
  std::mutex clean_up_mutex_;
  std::atomic<uint64_t> dead_tuples_{0};  ///< that nobody sees, some taken out since then included
  std::mutex dead_by_mutex_;
  std::vector<wal::RecordStamp> dead_by_;  ///< the last commit in each log by which tuples are dead
};

}  // namespace gnomon::txn
