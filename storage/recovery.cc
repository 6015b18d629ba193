#include "storage/recovery.h"

#include <algorithm>
#include <array>
#include <optional>

#include "base/failpoint.h"
#include "base/logging.h"
#include "base/sql_error.h"
#include "storage/page_redo.h"
#include "storage/relation/editor.h"
#include "storage/relation/schema_bytes.h"
#include "storage/row_record.h"

namespace gnomon::storage {

namespace {

/// Records between two looks at the clock.
constexpr uint64_t kRecordsUnseen = 1024;

}  // namespace

/// How much of the logs has been gone over.
class Recovery::Reading {
 public:
  explicit Reading(const wal::LogScan& scan) {
    for (const wal::ScannedLog& log : scan.logs()) ends_[log.log.value] = log.start;
  }
  void add(const wal::LogRecord& record) {
    wal::LogPosition& end = ends_[record.log.value];
    bytes_ += record.end.value - end.value;
    end = record.end;
  }
  [[nodiscard]] uint64_t bytes() const { return bytes_; }

 private:
  std::array<wal::LogPosition, wal::kLogCountMax> ends_{};
  uint64_t bytes_ = 0;
};

void Recovery::redo() {
  progress_.begin("redo");
  PageRedo redo(buffers_, redo_workers_);
  Reading reading(scan_);
  uint64_t unseen = 0;
  wal::MergedCursor cursor = scan_.merged();
  for (wal::LogRecord record; cursor.next(record);) {
    last_transaction_ = std::max(last_transaction_, record.transaction);
    reading.add(record);
    if (++unseen % kRecordsUnseen == 0 && progress_.isDue())
      logLine(LogLevel::Log, "{}: {} of {} of log read, {} changes of {} pages redone", progress_.lineBegin(),
              megabytes(reading.bytes()), megabytes(scan_.bytes()), redo.changeCount(), redo.pageCount());
    // Earlier ones are on the pages, and of some logs they are here no more.
    if (record.gsn < scan_.released()) continue;
    if (record_count_++ == 0)
      logLine(LogLevel::Log, "redo starts at record {}, {} of log in {} logs", record.gsn.value,
              megabytes(scan_.bytes()), scan_.logs().size());
    if (record.type < wal::kFirstOfRooms) continue;
    redo.apply(record, cursor.block());
    buffers_.registry().apply(record);
  }
  redo.finish();
  if (record_count_ == 0) return;
  buffers_.registry().markEstimates();
  logLine(LogLevel::Log, "redo done at record {}: {} records of {}, {} changes of {} pages", scan_.lastGsn().value,
          record_count_, megabytes(reading.bytes()), redo.changeCount(), redo.pageCount());
}

/// The records of one transaction in one log, newest first.
class Recovery::LoserUndo {
 public:
  LoserUndo(const wal::LogScan& scan, wal::WriteAheadLog& wal, const wal::Loser& loser, const wal::Loser::Tail& tail)
      : scan_(scan), log_(tail.log), next_(tail.last), writer_(wal.resume(loser.transaction, tail)) {
    advance();
  }

  /// Whether there is something left to undo: current().
  [[nodiscard]] bool holds() const { return holds_; }
  [[nodiscard]] const wal::LogRecord& current() const { return *record_; }
  [[nodiscard]] wal::LogWriter& writer() { return *writer_; }
  void advance() {
    for (holds_ = false; next_.value != 0 && !holds_;) {
      record_ = scan_.at(log_, next_);
      const wal::LogPosition position = next_;
      next_ = record_->previous;
      if (record_->is_compensation)
        compensated_.insert(record_->undo_next);
      else
        holds_ = !compensated_.contains(position);
    }
  }

 private:
  const wal::LogScan& scan_;
  const wal::LogNumber log_;
  wal::LogPosition next_;
  std::unique_ptr<wal::LogWriter> writer_;
  std::set<wal::LogPosition> compensated_;
  wal::OwnedRecord record_;
  bool holds_ = false;
};

void Recovery::undo() {
  progress_.begin("undo");
  std::vector<std::unique_ptr<LoserUndo>> chains;
  for (const wal::Loser& loser : scan_.losers())
    for (const wal::Loser::Tail& tail : loser.tails)
      chains.push_back(std::make_unique<LoserUndo>(scan_, buffers_.log().wal(), loser, tail));
  uint64_t undone = 0;
  for (;;) {
    LoserUndo* newest = nullptr;
    for (const auto& chain : chains)
      if (chain->holds() && (newest == nullptr || chain->current().gsn > newest->current().gsn)) newest = chain.get();
    if (newest == nullptr) break;
    {
      const PageLog::Scope scope(buffers_.log(), newest->writer(), newest->current().position);
      undoRecord(newest->current(), newest->writer());
    }
    FAILPOINT("recovery.undone");
    newest->advance();
    ++undone;
    if (progress_.isDue()) logLine(LogLevel::Log, "{}: {} changes undone", progress_.lineBegin(), undone);
  }
  FAILPOINT("recovery.undo_done");
  for (const auto& chain : chains) chain->writer().end();
  if (!chains.empty())
    logLine(LogLevel::Log, "undo done: {} changes of {} transactions that had not committed", undone,
            scan_.losers().size());
  for (const auto& [id, relation] : relations_) buffers_.registry().keep(id, relation->state());
  destroyUnowned();
  FAILPOINT("recovery.unowned_destroyed");
}

Relation* Recovery::relation(RelationId id) {
  if (const auto found = relations_.find(id); found != relations_.end()) return found->second.get();
  const auto registered = buffers_.registry().relations();
  const auto found = registered.find(id);
  // One that was dropped since.
  if (found == registered.end() || found->second.kind != TreeKind::Relation) return nullptr;
  auto& opened = relations_[id];
  opened = std::make_unique<Relation>(buffers_, id, parseSchema(found->second.schema), found->second.state);
  return opened.get();
}

IndexTree* Recovery::index(RelationId id) {
  if (const auto found = indexes_.find(id); found != indexes_.end()) return found->second.get();
  const auto registered = buffers_.registry().relations();
  const auto found = registered.find(id);
  if (found == registered.end() || found->second.kind == TreeKind::Relation) return nullptr;
  auto& opened = indexes_[id];
  opened =
      std::make_unique<IndexTree>(buffers_, id, found->second.kind == TreeKind::UniqueIndex, found->second.state.root);
  return opened.get();
}

void Recovery::undoRecord(const wal::LogRecord& record, wal::LogWriter& writer) {
  const RelationId id{record.relation};
  if (record.type == record_types::kEntryInserted || record.type == record_types::kEntryErased)
    return undoEntry(record, writer);
  Relation* const relation = this->relation(id);
  if (relation == nullptr) return;
  const wal::Bytes meaning = PageRecord(record.body).meaning();
  if (record.type == record_types::kRowUpdated) return undoUpdates(*relation, meaning, writer);
  RelationEditor editor(*relation);
  const RowRange rows = RowRange::read(meaning);
  if (record.type == record_types::kRowsAppended) return editor.markAppendedDeleted(rows.first, rows.count);
  for (uint64_t row = 0; row < rows.count; ++row) {
    // Of several the record is undone with the last one.
    std::optional<PageLog::Scope> undoing;
    if (row + 1 < rows.count) undoing.emplace(buffers_.log(), writer, wal::LogPosition{});
    if (record.type == record_types::kRowsDeleted)
      editor.unmarkDeleted(TupleId{rows.first.value + row});
    else
      editor.markDeleted(TupleId{rows.first.value + row});
  }
}

/// The record is undone with the last of them. What is undone again after a crash is as it was already.
void Recovery::undoUpdates(Relation& relation, wal::Bytes meaning, wal::LogWriter& writer) {
  const std::vector<RowBefore> rows = RowBefore::read(meaning, relation.schema());
  RelationEditor editor(relation);
  for (const RowBefore& before : std::span(rows).first(rows.size() - 1)) {
    const PageLog::Scope undoing(buffers_.log(), writer, {});
    editor.update(before.id(), before.change());
  }
  editor.update(rows.back().id(), rows.back().change());
}

void Recovery::undoEntry(const wal::LogRecord& record, wal::LogWriter& writer) {
  IndexTree* const tree = index(RelationId{record.relation});
  if (tree == nullptr) return;
  PageRecord body(record.body);
  RecordPart part;
  if (!body.next(part)) throw SqlError(sqlstate::kDataCorrupted, "a log record of an index entry has none");
  const uint64_t id_bytes = tree->isUnique() ? 0 : kTupleIdBytes;
  RecordReader reader(part.operations);
  do {
    reader.plain<PageOperation>();
    reader.number();
    const TupleId id{reader.number()};
    const KeyView full_key = reader.text(reader.number());
    if (!reader.isSound() || full_key.size() < id_bytes)
      throw SqlError(sqlstate::kDataCorrupted, "a log record of an index entry is damaged");
    const KeyView key = full_key.substr(0, full_key.size() - id_bytes);
    if (record.type == record_types::kEntryErased) {
      tree->insert(key, id);
    } else if (reader.isAtEnd()) {
      tree->erase(key, id);
    } else {
      // Of several entries: the record is undone with the last one. What is undone again after a crash is gone already.
      const PageLog::Scope undoing(buffers_.log(), writer, {});
      tree->erase(key, id);
    }
  } while (!reader.isAtEnd());
}

/// What was made for a relation that did not come to be, or belonged to one that went.
void Recovery::destroyUnowned() {
  std::set<PageId> owned;
  for (const auto& [id, relation] : buffers_.registry().relations()) owned.insert(relation.state.root);
  static const RelationSchema kAnySchema = {{StoredKind::Int64, false}};
  for (const auto& [root, tree] : buffers_.registry().trees()) {
    if (owned.contains(root)) continue;
    if (tree.kind == TreeKind::Relation)
      RelationTree(buffers_, tree.relation, kAnySchema, root).destroy();
    else
      IndexTree(buffers_, tree.relation, tree.kind == TreeKind::UniqueIndex, root).destroy();
  }
}

}  // namespace gnomon::storage
