#pragma once

#include <vector>

#include "storage/relation/appender.h"
#include "txn/table.h"

namespace gnomon::txn {

/// The changes of one statement to one table: all of them or none.
///
/// Holds the table's write lock from construction to commit or destruction. Destroyed without commit, everything it
/// appended is gone and nothing is deleted.
/// Threads: one. Must not be used while this thread holds a leaf of the table (LeafView, RowCursor).
/// Failure: of append as RelationAppender; the caller lets the statement go out of scope.
class WriteStatement {
 public:
  /// Waits for the write lock; gives up with 57014. The caller holds table.use().
  WriteStatement(Table& table, const CancelToken& cancel);
  ~WriteStatement();
  WriteStatement(const WriteStatement&) = delete;
  WriteStatement& operator=(const WriteStatement&) = delete;

  /// The snapshot of the statement itself: its own tuples are not below it.
  [[nodiscard]] TupleId readBound() const { return bound_; }
  TupleId append(const Datum* values, const uint8_t* null_flags) { return appender_.append(values, null_flags); }
  /// values[row * columns + c]; returns the first id, the others follow.
  TupleId appendBatch(const Datum* values, const uint8_t* null_flags, size_t row_count) {
    return appender_.appendBatch(values, null_flags, row_count);
  }
  /// Notes a tuple for deletion at commit.
  void remove(TupleId id) { removed_.push_back(id); }
  [[nodiscard]] uint64_t appendedCount() const { return table_.relation_.nextTupleId().value - bound_.value; }

  /// Deletes what was noted and makes the appended tuples visible, all at once for statements that begin later.
  void commit();

 private:
  Table& table_;
  TableLock::Guard write_guard_;
  const TupleId bound_;
  storage::RelationAppender appender_;
  std::vector<TupleId> removed_;
  bool committed_ = false;
};

}  // namespace gnomon::txn
