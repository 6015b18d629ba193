#include "server/maintenance.h"
#include "sql/catalog/access.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/wait_event.h"
#include "sql/catalog/partitioning.h"
#include "txn/table.h"

namespace gnomon::server {
namespace {

/// VACUUM FULL has each table alone: no reader keeps a leaf as it is. Else others go on reading and writing.
txn::LockMode lockModeOf(const sql::VacuumStatement& statement) {
  return statement.is_full ? txn::LockMode::AccessExclusive : txn::LockMode::ShareUpdateExclusive;
}

void say(const SessionContext& session, bool is_wanted, const std::string& text) {
  static constexpr SqlState kSuccess("00000");
  if (is_wanted) session.notice(SqlError(kSuccess, text), Severity::Info);
}

void processTable(SessionContext& session, const sql::VacuumStatement& statement, const sql::TableEntry& entry) {
  txn::Table& table = *entry.storage;
  const std::string database = session.transaction.catalog().database()->name;
  uint64_t removed = 0;
  if (statement.vacuums) {
    say(session, statement.is_verbose, fmt::format("vacuuming \"{}.{}\"", database, entry.path().shown()));
    // What ended meanwhile, and nobody has collected.
    session.server.transactions.collect();
    removed = table.vacuum();
    table.activity().noteVacuum(unixTimeUs());
    say(session, statement.is_verbose,
        fmt::format("finished vacuuming \"{}.{}\": {} tuples removed, {} remain in {} leaves", database,
                    entry.path().shown(), removed, table.tupleCountEstimate(), table.leafCountEstimate()));
  }
  if (statement.analyzes) say(session, statement.is_verbose, fmt::format("analyzing \"{}\"", entry.path().shown()));
  if (statement.analyzes || removed != 0) table.rebuildStatistics(session.interrupts.cancelToken());
  if (statement.analyzes) table.activity().noteAnalyze(unixTimeUs());
}

/// False: somebody has the table, and it is to be passed over then.
bool lockTable(SessionContext& session, const sql::VacuumStatement& statement, const sql::TableEntry& entry) {
  const txn::Locker locker = session.transaction.locker();
  if (statement.is_full) session.uses.requireUnused(entry, "VACUUM");
  if (!statement.skips_locked) {
    locker.owner.acquire(entry.storage->lock(), lockModeOf(statement), locker.patience);
    return true;
  }
  if (locker.owner.tryAcquire(entry.storage->lock(), lockModeOf(statement))) return true;
  session.notice(
      SqlError(sqlstate::kLockNotAvailable, fmt::format("skipping {} of \"{}\" --- lock not available",
                                                        statement.vacuums ? "vacuum" : "analyze", entry.name)),
      Severity::Warning);
  return false;
}

/// Partitions of a partitioned table, which has no rows itself, in its place.
std::vector<sql::TablePtr> withPartitions(const std::vector<sql::TablePtr>& tables) {
  std::vector<sql::TablePtr> result;
  const auto add = [&](const sql::TablePtr& table) {
    if (std::ranges::find(result, table->oid, &sql::TableEntry::oid) == result.end()) result.push_back(table);
  };
  for (const sql::TablePtr& table : tables) {
    if (!table->partitioning) add(table);
    if (!table->partitioning) continue;
    for (const sql::TablePtr& leaf : table->partitioning->leaves()) add(leaf);
  }
  return result;
}

}  // namespace

UtilityResult vacuum(SessionContext& session, const sql::VacuumStatement& statement) {
  if (statement.vacuums) session.transaction.requireNoBlock("VACUUM");
  for (const SqlError& warning : statement.warnings) session.notice(warning, Severity::Warning);
  txn::LockOwner& owner = session.transaction.owner();
  // ANALYZE may be one of many statements of its transaction; else it holds one table at a time, too.
  const bool keeps_locks = !statement.vacuums && session.transaction.isLasting();
  for (const sql::TablePtr& table :
       statement.is_of_all ? session.transaction.catalog().tables() : withPartitions(statement.tables)) {
    const bool is_others = table->is_temporary && table->schema != session.transaction.catalog().searchPath().temporary;
    if (table->sequence || is_others) continue;
    if (statement.is_of_all && !sql::mayMaintain(session.transaction.catalog(), *table)) continue;
    const size_t mark = owner.mark();
    try {
      if (lockTable(session, statement, *table)) processTable(session, statement, *table);
    } catch (const SqlError& error) {
      // Dropped meanwhile.
      if (!statement.is_of_all || !(error.state() == sqlstate::kUndefinedTable)) throw;
    }
    if (!keeps_locks) owner.releaseAfter(mark);
  }
  session.server.plans.clear();
  if (statement.vacuums) session.transaction.endImplicit();
  return {{}, statement.vacuums ? "VACUUM" : "ANALYZE"};
}

}  // namespace gnomon::server
