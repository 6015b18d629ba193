#include "server/session_statements.h"

#include <fmt/format.h>

#include "server/deferred_constraints.h"
#include "server/portals.h"
#include "server/prepared_statements.h"
#include "server/session_notifications.h"
#include "sql/catalog/access.h"

namespace gnomon::server {
namespace {

void deallocate(SessionContext& session, const std::string& name) {
  if (name.empty()) return session.statements.clear();
  session.statements.find(name);
  session.statements.drop(name);
}

void close(SessionContext& session, const std::string& name) {
  if (name.empty())
    session.portals.closeAll();
  else
    session.portals.close(name);
}

void dropTemporary(SessionContext& session) {
  const sql::CatalogTransaction& catalog = session.transaction.catalog();
  if (!catalog.mayHaveTemporary()) return;
  for (const sql::TablePtr& table : catalog.temporaryTables()) session.uses.requireUnused(*table, "DROP TABLE");
  session.transaction.define(
      [](sql::CatalogTransaction& definitions, const auto& context) { definitions.dropTemporary(context); });
}

void discard(SessionContext& session, const sql::DiscardStatement& statement) {
  using What = sql::DiscardStatement::What;
  const bool discards_all = statement.what == What::All;
  if (discards_all) {
    session.transaction.requireNoBlock("DISCARD ALL");
    session.portals.closeAll();
    applySetting(session, {.name = "session_authorization", .value = {}});
    applySetting(session, {.name = {}, .value = {}, .reset_all = true});
    session.statements.clear();
    session.notifications.unlistenAll();
    session.services.unlockAll();
  }
  if (discards_all || statement.what == What::Plans) session.statements.forgetPlans();
  if (discards_all || statement.what == What::Temporary) dropTemporary(session);
  if (discards_all || statement.what == What::Sequences) session.services.forgetSequences();
}

/// One of these will do.
sql::Privilege rightsToLock(txn::LockMode mode) {
  using enum sql::Privilege;
  if (mode == txn::LockMode::AccessShare) return Select;
  const sql::Privilege changing = Update | Delete | Truncate;
  return mode == txn::LockMode::RowExclusive ? changing | Insert : changing;
}

/// Takes the locks until the names mean what was locked.
void lockTables(SessionContext& session, const DescribedStatement& statement) {
  if (!session.transaction.isLasting())
    throw SqlError(sqlstate::kNoActiveSqlTransaction, "LOCK TABLE can only be used in transaction blocks");
  const Planner planner(session);
  std::shared_ptr<const sql::BoundStatement> bound = statement.bound;
  const txn::Locker locker = session.transaction.locker();
  for (;;) {
    const auto& lock = std::get<sql::LockTableStatement>(bound->body);
    for (const sql::TablePtr& table : lock.named)
      sql::requireAnyRight(session.transaction.catalog(), *table, rightsToLock(lock.mode));
    try {
      for (const sql::TablePtr& table : lock.tables) {
        if (!lock.is_nowait)
          locker.owner.acquire(table->storage->lock(), lock.mode, locker.patience);
        else if (!locker.owner.tryAcquire(table->storage->lock(), lock.mode))
          throw SqlError(sqlstate::kLockNotAvailable,
                         fmt::format("could not obtain lock on relation \"{}\"", table->name));
      }
      if (planner.isCurrent(*bound)) return;
    } catch (const SqlError& error) {
      // Dropped while we waited: binding again says so.
      if (!(error.state() == sqlstate::kUndefinedTable)) throw;
    }
    session.interrupts.poll();
    bound = planner.bind(statement.source);
  }
}

}  // namespace

std::optional<UtilityResult> runSessionStatement(SessionContext& session, const PortalSource& source) {
  const DescribedStatement& statement = *source.statement;
  const sql::BoundStatement& bound = *statement.bound;
  if (const auto* prepare = std::get_if<sql::PrepareStatement>(&bound.body))
    session.statements.prepare(*prepare, statement.source);
  else if (const auto* named = std::get_if<sql::DeallocateStatement>(&bound.body))
    deallocate(session, named->name);
  else if (const auto* declare = std::get_if<sql::DeclareCursorStatement>(&bound.body))
    declareCursor(session, *declare, source);
  else if (const auto* closed = std::get_if<sql::CloseStatement>(&bound.body))
    close(session, closed->name);
  else if (std::holds_alternative<sql::LockTableStatement>(bound.body))
    lockTables(session, statement);
  else if (const auto* set = std::get_if<sql::SetConstraintsStatement>(&bound.body))
    setConstraints(session, *set);
  else if (const auto* discarded = std::get_if<sql::DiscardStatement>(&bound.body))
    discard(session, *discarded);
  else if (const auto* listen = std::get_if<sql::ListenStatement>(&bound.body))
    session.notifications.listen(listen->channel);
  else if (const auto* unlisten = std::get_if<sql::UnlistenStatement>(&bound.body))
    unlisten->channel.empty() ? session.notifications.unlistenAll() : session.notifications.unlisten(unlisten->channel);
  else if (const auto* notify = std::get_if<sql::NotifyStatement>(&bound.body))
    session.notifications.notify(notify->channel, notify->payload);
  else
    return std::nullopt;
  return UtilityResult{{}, bound.command};
}

}  // namespace gnomon::server
