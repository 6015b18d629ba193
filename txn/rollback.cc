#include "txn/rollback.h"

#include <spdlog/spdlog.h>

#include <algorithm>
#include <chrono>
#include <map>
#include <thread>
#include <vector>

#include "base/failpoint.h"
#include "storage/relation/editor.h"
#include "txn/bulk.h"
#include "txn/change_scope.h"
#include "txn/table.h"
#include "txn/until_room.h"

namespace gnomon::txn {

namespace {

/// Undoes versions of one transaction, newest first.
class Rollback {
 public:
  Rollback(TransactionManager& manager, Transaction& transaction) : manager_(manager), transaction_(transaction) {}

  /// Of a version that will be undone, before any is.
  void announce(const Version& version, Table& table) {
    if (version.kind == Version::Kind::Created) appended_[&table] += version.end.value - version.id.value;
  }
  /// Makes the tuple what it was before. `undone`: the record that says the change, if this is the last of what it
  /// says; 0: there is none, or it may be undone again. `is_counted`: the statistics know of it.
  void restore(Version& version, Table& table, wal::LogPosition undone, bool is_counted);
  /// Takes the version out of its chain: from now on others may change the tuple. A reader that finds it still there
  /// reads in it what has been restored.
  void unlink(Version& version) {
    const EpochManager::Guard guard(manager_.epochs());
    unlinkOwn(version);
  }
  void finish();

 private:
  /// Reading the whole table costs no more than what was undone.
  [[nodiscard]] bool outnumbers(Table& table) const {
    constexpr uint64_t kFewRows = 64;
    const auto found = appended_.find(&table);
    return found != appended_.end() && found->second > std::max(kFewRows, table.relation().tupleCount() / 2);
  }
  storage::RelationEditor& editorOf(Table& table);
  static bool tryTruncate(Table& table, TupleId first, TupleId end);
  void undoCreated(Version& version, Table& table);

  TransactionManager& manager_;
  Transaction& transaction_;
  std::map<Table*, uint64_t> appended_;
  Table* edited_ = nullptr;
  std::optional<storage::RelationEditor> editor_;
};

storage::RelationEditor& Rollback::editorOf(Table& table) {
  if (edited_ != &table) editor_.emplace(table.relation());
  edited_ = &table;
  return *editor_;
}

/// False: others have appended behind them, or there is no room in the log for that.
bool Rollback::tryTruncate(Table& table, TupleId first, TupleId end) {
  try {
    return table.relation().truncateTail(first, end);
  } catch (const SqlError& error) {
    if (error.state() != sqlstate::kDiskFull) throw;
    return false;
  }
}

void Rollback::undoCreated(Version& version, Table& table) {
  const TupleId end = version.end;
  table.eraseEntries(version.id, end);
  if (!outnumbers(table)) table.uncountAppended(version.id, end);
  // Others see no tuple as long as the version is there.
  if (!tryTruncate(table, version.id, end)) {
    untilRoom(table.id(), [&] { editorOf(table).markAppendedDeleted(version.id, end.value - version.id.value); });
    table.addDeadTuples(end.value - version.id.value);
  }
}

void Rollback::restore(Version& version, Table& table, wal::LogPosition undone, bool is_counted) {
  const ChangeScope undoing(manager_, transaction_, undone);
  switch (version.kind) {
    case Version::Kind::Created:
      undoCreated(version, table);
      break;
    case Version::Kind::Updated: {
      if (is_counted) table.uncountChange(version);
      const storage::TupleChange change{
          {version.columns(), version.column_count}, version.values(), version.nullFlags()};
      bool restored = false;
      untilRoom(table.id(), [&] { restored = editorOf(table).update(version.id, change); });
      CHECK(restored, "a before-image belongs to a tuple");
      break;
    }
    case Version::Kind::Deleted: {
      bool restored = false;
      untilRoom(table.id(), [&] { restored = editorOf(table).unmarkDeleted(version.id); });
      CHECK(restored, "a deletion belongs to a tuple");
      if (is_counted) table.uncountChange(version);
      break;
    }
    case Version::Kind::LockedShared:
    case Version::Kind::Locked:
      break;
  }
}

void Rollback::finish() {
  for (const auto& [table, count] : appended_)
    if (outnumbers(*table)) table->recount();
}

wal::LogPosition recordOf(const Version& version) {
  return version.kind == Version::Kind::Created ? wal::LogPosition{} : version.record;
}

/// The newest versions, of one table, that one record of the log is about: of those behind `to`.
size_t countOfRecord(const Transaction& transaction, const Version* to) {
  const wal::LogPosition record = recordOf(*transaction.newest());
  const Version* const before = transaction.newestSection().before;
  size_t count = 1;
  if (record.value == 0) return count;
  for (const Version* each = transaction.newest()->earlier; each != to && each != before; each = each->earlier) {
    if (recordOf(*each) != record) break;
    ++count;
  }
  return count;
}

}  // namespace

void rollBack(TransactionManager& manager, Transaction& transaction, const Version* to, bool keeps_locks) noexcept {
  // The newest of what it did.
  undoBulk(manager, transaction);
  Rollback rollback(manager, transaction);
  const Version* next_counted = transaction.newestCounted();
  transaction.forEachUntil(to, [&](const Version& version, Table& table) { rollback.announce(version, table); });
  std::vector<std::pair<Version*, Table*>> kept;
  bool is_counted = false;
  while (transaction.newest() != to) {
    Table& table = *transaction.newestSection().table;
    if (keeps_locks && transaction.newest()->isLock()) {
      is_counted = is_counted || transaction.newest() == next_counted;
      kept.emplace_back(transaction.newest(), &table);
      transaction.dropNewest();
      continue;
    }
    // Nobody changes one of a record's tuples before all are undone: after a crash they may be undone again.
    const size_t count = countOfRecord(transaction, to);
    Version* version = transaction.newest();
    for (size_t left = count; left > 0; --left, version = version->earlier) {
      is_counted = is_counted || version == next_counted;
      rollback.restore(*version, table, left == 1 ? recordOf(*version) : wal::LogPosition{}, is_counted);
      FAILPOINT("rollback.undone");
    }
    for (size_t left = count; left > 0; --left) {
      rollback.unlink(*transaction.newest());
      transaction.dropNewest();
    }
  }
  while (!kept.empty()) {
    transaction.keep(*kept.back().first, *kept.back().second);
    kept.pop_back();
  }
  rollback.finish();
}

}  // namespace gnomon::txn
