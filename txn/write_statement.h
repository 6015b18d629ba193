#pragma once

#include "base/arena.h"
#include "storage/relation/appender.h"
#include "storage/relation/editor.h"
#include "txn/table.h"

namespace gnomon::txn {

/// The changes of one statement to one table: all of them or none.
///
/// Holds the table's write lock from construction to destruction. What it changes has versions, so that others see the
/// table as it was before until it commits. Destroyed without commit, everything is as it was: appended tuples are
/// dropped, changed and deleted ones restored from their before-images, last first.
/// The table's statistics are told of appended tuples at once, while their values are at hand, and of the other changes
/// at commit; without commit, appended tuples are taken out again.
/// Threads: one at a time. Must not be used while this thread holds a leaf of the table (LeafView, RowCursor).
/// Failure: of append as RelationAppender, of update as Relation; the caller lets the statement go out of scope.
class WriteStatement final : private storage::AppendObserver, private storage::EditObserver {
 public:
  /// Waits for the write lock; gives up with 57014.
  WriteStatement(Table& table, const CancelToken& cancel);
  /// Takes over the write lock. `memory`: charged with the before-images; null: nobody counts them.
  WriteStatement(Table& table, TableLock::Guard write_guard, MemoryAccount* memory = nullptr);
  ~WriteStatement() override;
  WriteStatement(const WriteStatement&) = delete;
  WriteStatement& operator=(const WriteStatement&) = delete;

  /// The snapshot of the statement itself: its own tuples are not below it.
  [[nodiscard]] TupleId readBound() const { return bound_; }
  TupleId append(const Datum* values, const uint8_t* null_flags) { return appendBatch(values, null_flags, 1); }
  /// values[row * columns + c]; returns the first id, the others follow. Failure: as TableIndex::insert too;
  /// failedRow() is then the row's number in the batch.
  TupleId appendBatch(const Datum* values, const uint8_t* null_flags, size_t row_count);
  [[nodiscard]] size_t failedRow() const { return indexed_rows_; }
  /// Changes or deletes a tuple below the bound. A tuple whose key in some index changes is deleted, and appended with
  /// its new values.
  void update(TupleId id, const storage::TupleChange& change);
  void remove(TupleId id);
  [[nodiscard]] uint64_t appendedCount() const { return table_.relation_.nextTupleId().value - bound_.value; }

  /// Makes the changes stay and the appended tuples visible, all at once for statements that begin later.
  void commit();

 private:
  void onAppended(storage::Frame& leaf, TupleId first, uint32_t count) override;
  void beforeUpdate(storage::Frame& frame, const storage::Leaf& leaf, uint32_t row,
                    const storage::TupleChange& change) override;
  void beforeDelete(storage::Frame& frame, TupleId id) override;
  void onFailure() noexcept override;
  Version& addVersion(Version::Kind kind, TupleId id);
  void link(storage::Frame& frame, Version& version);
  void charge(uint64_t bytes);
  Datum keepString(const Datum& value, Arena& memory);
  [[nodiscard]] bool changesKey(const storage::TupleChange& change) const;
  void replace(TupleId id, const storage::TupleChange& change);
  void undo();
  bool eraseAppendedEntries() noexcept;
  void countChanges() noexcept;
  void countChange(const Version& change);
  void forgetAppended() noexcept;

  Table& table_;
  TableLock::Guard write_guard_;
  const TupleId bound_;
  MemoryAccount* const memory_;  ///< charged with the versions; null: nobody counts them
  uint64_t charged_bytes_ = 0;
  std::shared_ptr<Transaction> transaction_;  ///< null: committed
  storage::RelationAppender appender_;
  storage::RelationEditor editor_;
  Version* created_ = nullptr;  ///< of the tuples that were appended last, which may grow
  Arena strings_;               ///< of rows that are read to be appended again
  size_t indexed_rows_ = 0;     ///< of the last batch, those that are in every index
  TupleId counted_;             ///< appended tuples below it are in the statistics
};

}  // namespace gnomon::txn
