#pragma once

#include <map>
#include <memory>
#include <set>

#include "storage/index/index_tree.h"
#include "storage/recovery_progress.h"
#include "storage/relation/relation.h"
#include "wal/log_scan.h"

namespace gnomon::storage {

/// Brings a directory to the state of its log, after a crash or not: first the log is opened for writing, which brings
/// all that counts to stable storage, and attached; then redo(), then undo(). A crash meanwhile is met by beginning
/// anew. Pages are written by whoever makes room, and later by the checkpointer: until then the log is not released.
///
/// Redo: in several threads, by page (PageRedo). Page numbers and registry are brought up to date by the one that
/// reads. Undo: of each transaction that neither committed nor ended, its records newest first, over all logs in the
/// order of GSNs. Each is undone by a change like any other, the log record of which is a compensation record that
/// names it (undo_next: the position of the record that it undoes, in the same log; 0: none in particular). A record
/// that is so named is not undone again; where none in particular is named, undoing again does no harm: tuples that the
/// transaction appended, and entries that lead to them, are its own for ever.
/// Threads: one.
class Recovery {
 public:
  /// `redo_workers`: threads that change pages; 0 is one.
  Recovery(BufferManager& buffers, const wal::LogScan& scan, unsigned redo_workers, RecoveryProgress& progress)
      : buffers_(buffers), scan_(scan), redo_workers_(redo_workers), progress_(progress) {}
  Recovery(const Recovery&) = delete;
  Recovery& operator=(const Recovery&) = delete;

  /// Every page is as the log has it when it returns, in the pool or on disk; page numbers and registry are known.
  /// Failure: 53100, 53200, 58030; XX001.
  void redo();
  /// Undoes what did not commit, and destroys trees that belong to no relation. Failure: the same, 53200.
  void undo();

  /// Transactions to come have larger numbers.
  [[nodiscard]] wal::TransactionNumber lastTransaction() const { return last_transaction_; }
  /// Whether the log had anything that may not be on disk.
  [[nodiscard]] bool hasRedone() const { return record_count_ > 0; }

 private:
  class LoserUndo;
  class Reading;
  Relation* relation(RelationId id);
  IndexTree* index(RelationId id);
  void undoRecord(const wal::LogRecord& record, wal::LogWriter& writer);
  void undoEntry(const wal::LogRecord& record, wal::LogWriter& writer);
  void undoUpdates(Relation& relation, wal::Bytes meaning, wal::LogWriter& writer);
  void destroyUnowned();

  BufferManager& buffers_;
  const wal::LogScan& scan_;
  const unsigned redo_workers_;
  RecoveryProgress& progress_;
  std::map<RelationId, std::unique_ptr<Relation>> relations_;  ///< in which something is undone
  std::map<RelationId, std::unique_ptr<IndexTree>> indexes_;
  uint64_t record_count_ = 0;
  wal::TransactionNumber last_transaction_;
};

}  // namespace gnomon::storage
