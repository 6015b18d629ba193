#include "server/maintenance.h"

#include <fmt/format.h>

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
  uint64_t removed = 0;
  if (statement.vacuums) {
    say(session, statement.is_verbose, fmt::format("vacuuming \"postgres.public.{}\"", entry.name));
    // What ended meanwhile, and nobody has collected.
    session.server.transactions.collect();
    removed = table.vacuum();
    say(session, statement.is_verbose,
        fmt::format("finished vacuuming \"postgres.public.{}\": {} tuples removed, {} remain in {} leaves", entry.name,
                    removed, table.tupleCountEstimate(), table.leafCountEstimate()));
  }
  if (statement.analyzes) say(session, statement.is_verbose, fmt::format("analyzing \"public.{}\"", entry.name));
  if (statement.analyzes || removed != 0) table.rebuildStatistics(session.interrupts.cancelToken());
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

}  // namespace

UtilityResult vacuum(SessionContext& session, const sql::VacuumStatement& statement) {
  if (statement.vacuums) session.transaction.requireNoBlock("VACUUM");
  for (const SqlError& warning : statement.warnings) session.notice(warning, Severity::Warning);
  txn::LockOwner& owner = session.transaction.owner();
  // ANALYZE may be one of many statements of its transaction; else it holds one table at a time, too.
  const bool keeps_locks = !statement.vacuums && session.transaction.isLasting();
  for (const sql::TablePtr& table : statement.is_of_all ? session.transaction.catalog().tables() : statement.tables) {
    if (table->sequence) continue;
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
