#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>

#include "storage/relation/relation.h"
#include "storage/relation/scan.h"
#include "txn/table_index.h"
#include "txn/table_lock.h"

namespace gnomon::txn {

using storage::Datum;
using storage::RelationId;
using storage::RelationSchema;
using storage::TupleId;

/// A table: a relation whose statements take effect as a whole, and its indexes.
///
/// Readers take readBound() when their statement begins and look only at tuples below it. Writers are serialised by
/// the write lock; what they append lies at or above the bound until commit moves it.
/// Invariants:  X1  bound <= relation's next tuple id; equal when no writer is at work
///              X2  a tuple below the bound is committed
/// Threads: any. Lifetime: shared by the sessions that use it; the pages live until DatabaseStorage::dropTable.
class Table {
 public:
  /// Creates an empty table.
  Table(storage::BufferManager& buffers, RelationId id, RelationSchema schema)
      : relation_(buffers, id, std::move(schema)), bound_(0) {}
  /// Opens a table.
  Table(storage::BufferManager& buffers, RelationId id, RelationSchema schema, const storage::RelationState& state)
      : relation_(buffers, id, std::move(schema), state), bound_(relation_.nextTupleId().value) {}

  [[nodiscard]] RelationId id() const { return relation_.id(); }
  [[nodiscard]] const RelationSchema& schema() const { return relation_.schema(); }
  [[nodiscard]] storage::Relation& relation() { return relation_; }

  /// The indexes that writers keep up. They change while somebody has the table alone.
  [[nodiscard]] const std::vector<std::shared_ptr<TableIndex>>& indexes() const { return indexes_; }
  void addIndex(std::shared_ptr<TableIndex> index) { indexes_.push_back(std::move(index)); }
  void removeIndex(RelationId id) {
    std::erase_if(indexes_, [id](const std::shared_ptr<TableIndex>& index) { return index->id() == id; });
  }

  /// The snapshot of a statement that begins now: tuples with ids below it.
  [[nodiscard]] TupleId readBound() const { return TupleId{bound_.load(std::memory_order_acquire)}; }
  /// For the optimiser.
  [[nodiscard]] uint64_t tupleCountEstimate() const { return relation_.tupleCount(); }
  [[nodiscard]] uint64_t leafCountEstimate() const { return relation_.leafCount(); }

  /// Keeps the table from being dropped; once per statement and table. Failure: 57014, 42P01.
  [[nodiscard]] TableLock::Guard use(const CancelToken& cancel) {
    return lock_.acquire(TableLock::Mode::Shared, cancel);
  }
  /// Waits until nobody uses the table, for DatabaseStorage::dropTable.
  [[nodiscard]] TableLock::Guard useAlone(const CancelToken& cancel) {
    return lock_.acquire(TableLock::Mode::Exclusive, cancel);
  }
  /// Makes the table empty with a tree from makeEmptyTree(); returns the old one. Nobody else uses the table.
  std::unique_ptr<storage::RelationTree> replaceTree(std::unique_ptr<storage::RelationTree> tree) {
    bound_.store(0, std::memory_order_release);
    return relation_.replaceTree(std::move(tree));
  }
  [[nodiscard]] TableLock& lock() { return lock_; }
  /// One writer at a time; taken before use(). Its shared mode is not used, and it is never dropped.
  [[nodiscard]] TableLock& writeLock() { return write_lock_; }

 private:
  friend class WriteStatement;
  storage::Relation relation_;
  std::vector<std::shared_ptr<TableIndex>> indexes_;
  std::atomic<uint64_t> bound_;
  TableLock lock_;
  TableLock write_lock_;
};

}  // namespace gnomon::txn
