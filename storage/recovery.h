#pragma once

#include <map>
#include <memory>
#include <set>

#include "storage/index/index_tree.h"
#include "storage/relation/relation.h"
#include "wal/log_scan.h"

namespace gnomon::storage {

/// Brings a directory to the state of its log, after a crash or not: first the log is opened for writing, which brings
/// all that counts to stable storage; then redo(), then the log is attached, then undo(). A crash meanwhile is met by
/// beginning anew.
///
/// Undo: of each transaction that neither committed nor ended, its records newest first, over all logs in the order of
/// GSNs. Each is undone by a change like any other, the log record of which is a compensation record that names it
/// (undo_next: the position of the record that it undoes, in the same log; 0: none in particular). A record that is so
/// named is not undone again; where none in particular is named, undoing again does no harm: tuples that the
/// transaction appended, and entries that lead to them, are its own for ever.
/// Threads: one.
class Recovery {
 public:
  Recovery(BufferManager& buffers, const wal::LogScan& scan) : buffers_(buffers), scan_(scan) {}
  Recovery(const Recovery&) = delete;
  Recovery& operator=(const Recovery&) = delete;

  /// Every page is on disk as the log has it when it returns; page numbers and registry are known. Failure: 53100,
  /// 58030; XX001.
  void redo();
  /// Undoes what did not commit, and destroys trees that belong to no relation. Failure: the same, 53200.
  void undo();

  /// Transactions to come have larger numbers.
  [[nodiscard]] wal::TransactionNumber lastTransaction() const { return last_transaction_; }

 private:
  class LoserUndo;
  Relation* relation(RelationId id);
  IndexTree* index(RelationId id);
  void undoRecord(const wal::LogRecord& record);
  void undoEntry(const wal::LogRecord& record);
  void destroyUnowned();

  BufferManager& buffers_;
  const wal::LogScan& scan_;
  std::map<RelationId, std::unique_ptr<Relation>> relations_;  ///< in which something is undone
  std::map<RelationId, std::unique_ptr<IndexTree>> indexes_;
  uint64_t record_count_ = 0;
  wal::TransactionNumber last_transaction_;
};

}  // namespace gnomon::storage
