#include "server/database_commands.h"

#include <fmt/format.h>

#include <chrono>
#include <thread>

#include "server/role_commands.h"
#include "server/session_notifications.h"
#include "server/session_services.h"
#include "sql/catalog/access.h"
#include "sql/catalog/database_definer.h"

namespace gnomon::server {
namespace {

using std::chrono::milliseconds;

/// How long sessions have to end that just did what they had to do, or were told to end; as PostgreSQL's.
constexpr milliseconds kPatience{5000};
constexpr milliseconds kPause{10};

/// Sessions in the database, but for this one.
std::vector<int32_t> othersIn(const SessionContext& session, uint32_t database) {
  std::vector<int32_t> result;
  const int32_t own = session.transaction.processId();
  session.server.sessions.forEach([&](int32_t id, const SessionStatus& status) {
    if (id != own && status.database() == database) result.push_back(id);
  });
  return result;
}

/// Failure: 55006 where others stay. `what`: "database", "source database".
void requireNoOthers(const SessionContext& session, const sql::DatabaseEntry& database, std::string_view what) {
  const auto end = std::chrono::steady_clock::now() + kPatience;
  while (true) {
    const size_t count = othersIn(session, database.oid).size();
    if (count == 0) return;
    if (std::chrono::steady_clock::now() >= end)
      throw SqlError(sqlstate::kObjectInUse,
                     fmt::format("{} \"{}\" is being accessed by other users", what, database.name))
          .detail(count == 1 ? "There is 1 other session using the database."
                             : fmt::format("There are {} other sessions using the database.", count));
    session.interrupts.poll();
    std::this_thread::sleep_for(kPause);
  }
}

/// Failure: 42501 for those that who asks may not end; none is ended then.
void endOthers(const SessionContext& session, const sql::DatabaseEntry& database) {
  const std::vector<int32_t> others = othersIn(session, database.oid);
  for (const int32_t each : others) requireMaySignal(session, each, true);
  for (const int32_t each : others) session.server.sessions.requestTermination(each);
}

UtilityResult createDatabase(SessionContext& session, const sql::CreateDatabaseStatement& statement) {
  session.transaction.requireNoBlock("CREATE DATABASE");
  session.transaction.define([&](sql::CatalogTransaction& catalog, const auto& context) {
    sql::DatabaseDefiner(catalog, context, [&](const sql::DatabaseEntry& from) {
      requireNoOthers(session, from, "source database");
    }).create(statement);
  });
  return {{}, "CREATE DATABASE"};
}

UtilityResult alterDatabase(SessionContext& session, const sql::AlterDatabaseStatement& statement) {
  session.transaction.define([&](sql::CatalogTransaction& catalog, const auto& context) {
    sql::DatabaseDefiner(catalog, context, [&](const sql::DatabaseEntry& each) {
      requireNoOthers(session, each, "database");
    }).alter(statement);
  });
  return {{}, "ALTER DATABASE"};
}

UtilityResult setForDatabase(SessionContext& session, const sql::DatabaseSettingStatement& statement) {
  const sql::RoleSettingStatement checked = checkedSetting(session,
                                                           {.role = {},
                                                            .name = statement.setting,
                                                            .value = statement.value,
                                                            .database = statement.name,
                                                            .is_current = statement.is_current},
                                                           "ALTER DATABASE");
  session.transaction.define([&](sql::CatalogTransaction& catalog, const auto& context) {
    sql::DatabaseDefiner(catalog, context, {})
        .set({.name = statement.name, .setting = checked.name, .value = checked.value});
  });
  return {{}, "ALTER DATABASE"};
}

UtilityResult dropDatabase(SessionContext& session, const sql::DropDatabaseStatement& statement) {
  session.transaction.requireNoBlock("DROP DATABASE");
  const bool is_gone = session.transaction.define([&](sql::CatalogTransaction& catalog, const auto& context) {
    return sql::DatabaseDefiner(catalog, context,
                                [&](const sql::DatabaseEntry& database) {
                                  if (statement.is_forced) endOthers(session, database);
                                  requireNoOthers(session, database, "database");
                                })
        .drop(statement);
  });
  if (!is_gone)
    session.notice(
        SqlError(SqlState("00000"), fmt::format("database \"{}\" does not exist, skipping", statement.name)));
  return {{}, "DROP DATABASE"};
}

}  // namespace

std::optional<UtilityResult> runDatabaseStatement(SessionContext& session, const sql::BoundStatement& bound) {
  if (const auto* create = std::get_if<sql::CreateDatabaseStatement>(&bound.body))
    return createDatabase(session, *create);
  if (const auto* alter = std::get_if<sql::AlterDatabaseStatement>(&bound.body)) return alterDatabase(session, *alter);
  if (const auto* setting = std::get_if<sql::DatabaseSettingStatement>(&bound.body))
    return setForDatabase(session, *setting);
  if (const auto* drop = std::get_if<sql::DropDatabaseStatement>(&bound.body)) return dropDatabase(session, *drop);
  return std::nullopt;
}

void enterDatabase(SessionContext& session, const std::string& name, const sql::RoleEntry& role) {
  sql::Cluster& cluster = session.server.catalog.cluster();
  // Whoever drops the database, or gives it another name, sees this session in it, or has done so.
  txn::LockOwner& owner = session.transaction.owner();
  const auto before = owner.mark();
  owner.acquire(cluster.nameLock(0, {sql::kDatabaseLocks, name}), txn::LockMode::AccessShare,
                session.transaction.patience());
  const sql::DatabasePtr database = session.server.catalog.findDatabase(name);
  if (!database) sql::raiseNoDatabase(name);
  session.status.setDatabase(database->oid);
  owner.releaseAfter(before);
  const std::shared_ptr<sql::Catalog> catalog = cluster.catalogOf(database->oid);
  if (!database->allows_connections)
    throw SqlError(SqlState("55000"), fmt::format("database \"{}\" is not currently accepting connections", name));
  if (rightsOn(*catalog, role.oid, *database, sql::Privilege::Connect) == sql::Privilege::None)
    throw SqlError(sqlstate::kInsufficientPrivilege, fmt::format("permission denied for database \"{}\"", name))
        .detail("User does not have CONNECT privilege.");
  const auto limit = static_cast<size_t>(std::max(database->connection_limit, 0));
  if (database->connection_limit >= 0 && !role.is_superuser && othersIn(session, database->oid).size() >= limit)
    throw SqlError(sqlstate::kTooManyConnections, fmt::format("too many connections for database \"{}\"", name));
  catalog->activity().add(sql::DatabaseActivity::Count::Sessions);
  session.transaction.enter(catalog);
  session.notifications.enter(database->oid);
}

}  // namespace gnomon::server
