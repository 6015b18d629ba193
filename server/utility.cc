#include "server/utility.h"

#include <fmt/format.h>

#include <string_view>

#include "base/memory_account.h"
#include "codegen/executor/check_evaluator.h"
#include "server/copy/default_values.h"
#include "server/maintenance.h"
#include "server/result_columns.h"
#include "sql/bind/binder.h"
#include "sql/explain/explain.h"
#include "sql/optimise/optimiser.h"
#include "txn/database_storage.h"

namespace gnomon::server {
namespace {

UtilityResult dropTables(SessionContext& session, const sql::DropTableStatement& statement) {
  static constexpr SqlState kSuccess("00000");
  std::vector<SqlError> notices;
  for (const std::string& name : statement.names) {
    // The catalog would wait for this session itself.
    const sql::TablePtr table = session.transaction.catalog().find(name);
    if (table) session.uses.requireUnused(*table, statement.are_views ? "DROP VIEW" : "DROP TABLE");
  }
  const auto missing = session.transaction.define([&](sql::CatalogTransaction& catalog, const auto& context) {
    return catalog.dropTables(statement, context, &notices);
  });
  for (const std::string& name : missing)
    session.notice(SqlError(
        kSuccess, fmt::format("{} \"{}\" does not exist, skipping", statement.are_views ? "view" : "table", name)));
  for (const SqlError& notice : notices) session.notice(notice);
  return {{}, statement.are_views ? "DROP VIEW" : "DROP TABLE"};
}

UtilityResult createSequence(SessionContext& session, const sql::CreateSequenceStatement& statement) {
  const bool is_made = session.transaction.define([&](sql::CatalogTransaction& catalog, const auto& context) {
    return catalog.createSequence(statement, context);
  });
  if (!is_made)
    session.notice(
        SqlError(sqlstate::kDuplicateTable, fmt::format("relation \"{}\" already exists, skipping", statement.name)));
  return {{}, "CREATE SEQUENCE"};
}

UtilityResult alterSequence(SessionContext& session, const sql::AlterSequenceStatement& statement) {
  if (statement.change.sequence) {
    session.uses.requireUnused(*statement.change.sequence, "ALTER SEQUENCE");
    session.transaction.define(
        [&](sql::CatalogTransaction& catalog, const auto& context) { catalog.alterSequence(statement, context); });
  }
  for (const SqlError& notice : statement.notices) session.notice(notice);
  return {{}, "ALTER SEQUENCE"};
}

UtilityResult dropSequences(SessionContext& session, const sql::DropSequenceStatement& statement) {
  static constexpr SqlState kSuccess("00000");
  std::vector<SqlError> notices;
  for (const std::string& name : statement.names)
    if (const sql::TablePtr sequence = session.transaction.catalog().find(name))
      session.uses.requireUnused(*sequence, "DROP SEQUENCE");
  const auto missing = session.transaction.define([&](sql::CatalogTransaction& catalog, const auto& context) {
    return catalog.dropSequences(statement, context, &notices);
  });
  for (const std::string& name : missing)
    session.notice(SqlError(kSuccess, fmt::format("sequence \"{}\" does not exist, skipping", name)));
  for (const SqlError& notice : notices) session.notice(notice);
  return {{}, "DROP SEQUENCE"};
}

UtilityResult createIndex(SessionContext& session, const sql::CreateIndexStatement& statement) {
  session.uses.requireUnused(*statement.table, "CREATE INDEX");
  const bool is_made = session.transaction.define(
      [&](sql::CatalogTransaction& catalog, const auto& context) { return catalog.createIndex(statement, context); });
  if (!is_made)
    session.notice(SqlError(sqlstate::kDuplicateTable,
                            fmt::format("relation \"{}\" already exists, skipping", statement.index.name)));
  return {{}, "CREATE INDEX"};
}

/// What existing rows get in a new column.
sql::Value valueOfRows(SessionContext& session, const sql::TableEntry& table, const sql::Expression& value) {
  if (!value.isVolatile()) return evaluateOnce(session, value);
  if (table.storage->readBound().value > 0)
    throwNotSupported("a volatile default of a new column, of a table that has had rows");
  return sql::Value::null(value.type);
}

UtilityResult alterTable(SessionContext& session, const sql::AlterTableStatement& statement) {
  if (statement.table != nullptr) {
    session.uses.requireUnused(*statement.table, "ALTER TABLE");
    std::vector<sql::Value> values;
    for (const sql::ExpressionPtr& value : statement.added_values)
      values.push_back(valueOfRows(session, *statement.table, *value));
    MemoryAccount memory(static_cast<uint64_t>(session.settings.integer(SettingId::QueryMemory)));
    std::unique_ptr<sql::RowChecker> checker;
    if (statement.tested_checks.usual)
      checker = codegen::compileChecks(statement.tested_checks, executionPolicy(session.settings),
                                       byteaOutput(session.settings), memory);
    session.transaction.define([&](sql::CatalogTransaction& catalog, const auto& context) {
      catalog.alterTable(statement, values, checker.get(), context);
    });
  }
  for (const SqlError& notice : statement.notices) session.notice(notice);
  return {{}, "ALTER TABLE"};
}

UtilityResult dropIndexes(SessionContext& session, const sql::DropIndexStatement& statement) {
  std::vector<SqlError> notices;
  for (const std::string& name : statement.names) {
    const sql::TablePtr table = session.transaction.catalog().findIndexTable(name);
    if (table) session.uses.requireUnused(*table, "DROP INDEX");
  }
  const auto missing = session.transaction.define([&](sql::CatalogTransaction& catalog, const auto& context) {
    return catalog.dropIndexes(statement, context, &notices);
  });
  for (const std::string& name : missing)
    session.notice(SqlError(SqlState("00000"), fmt::format("index \"{}\" does not exist, skipping", name)));
  for (const SqlError& notice : notices) session.notice(notice);
  return {{}, "DROP INDEX"};
}

UtilityResult truncateTables(SessionContext& session, const sql::TruncateStatement& statement) {
  for (const sql::TablePtr& table : statement.tables) session.uses.requireUnused(*table, "TRUNCATE");
  std::vector<SqlError> notices;
  session.transaction.define([&](sql::CatalogTransaction& catalog, const auto& context) {
    catalog.truncateTables(statement, context, &notices);
  });
  for (const SqlError& notice : notices) session.notice(notice);
  return {{}, "TRUNCATE TABLE"};
}

/// What was warned of, if anything was.
void warn(const SessionContext& session, const std::optional<SqlError>& warning) {
  if (warning) session.notice(*warning, Severity::Warning);
}

UtilityResult setTransaction(SessionContext& session, const sql::SetTransactionStatement& statement) {
  std::optional<SqlError> warning;
  if (!statement.is_session) {
    session.transaction.setModes(statement.modes, warning);
    warn(session, warning);
    return {{}, "SET"};
  }
  session.transaction.changeSettings(false, [&statement](Settings& settings) {
    const sql::TransactionModes& modes = statement.modes;
    if (modes.isolation)
      settings.set("default_transaction_isolation", sql::isolationName(*modes.isolation), SettingSource::Session);
    if (modes.is_read_only)
      settings.set("default_transaction_read_only", *modes.is_read_only ? "on" : "off", SettingSource::Session);
    if (modes.is_bulk) settings.set("bulk_write", "on", SettingSource::Session);
    if (modes.is_deferrable)
      settings.set("default_transaction_deferrable", *modes.is_deferrable ? "on" : "off", SettingSource::Session);
  });
  return {{}, "SET"};
}

/// SET of a setting that is a mode of the transaction; false: it is none.
bool setMode(SessionContext& session, const sql::SetStatement& statement) {
  if (statement.reset_all || !statement.value) return false;
  const SettingId id = findSetting(statement.name).id;
  Settings checked = session.settings;
  if (id == SettingId::TransactionIsolation || id == SettingId::TransactionReadOnly ||
      id == SettingId::TransactionDeferrable)
    checked.set(statement.name, *statement.value, SettingSource::Session);
  sql::TransactionModes modes;
  if (id == SettingId::TransactionIsolation)
    modes.isolation = sql::isolationLevel(checked.text(id));
  else if (id == SettingId::TransactionReadOnly)
    modes.is_read_only = checked.flag(id);
  else if (id == SettingId::TransactionDeferrable)
    modes.is_deferrable = checked.flag(id);
  else
    return false;
  std::optional<SqlError> ignored;
  session.transaction.setModes(modes, ignored);
  return true;
}

UtilityResult showSetting(const SessionContext& session, const sql::ShowStatement& statement) {
  UtilityResult result{{}, "SHOW"};
  if (statement.name == "all") {
    for (const SettingDescription& setting : settingDescriptions())
      result.rows.push_back(
          {std::string(setting.name), session.settings.show(setting.id), std::string(setting.description)});
  } else {
    result.rows.push_back({session.settings.show(findSetting(statement.name).id)});
  }
  return result;
}

UtilityResult explain(SessionContext& session, const std::shared_ptr<sql::BoundStatement>& bound) {
  const auto& statement = std::get<sql::ExplainStatement>(bound->body);
  txn::TransactionManager::SnapshotGuard guard;
  sql::optimise(*statement.plan, sql::StoredTableStatistics(session.transaction.takeSnapshot(guard)));
  std::string text;
  if (statement.what == sql::ExplainStatement::What::Plan) {
    text = sql::explainPlan(*statement.plan);
  } else {
    codegen::OutputFormat format;
    if (statement.plan->root->kind == sql::Operator::Kind::Output)
      format.column_formats.assign(static_cast<const sql::Output&>(*statement.plan->root).columns.size(), 0);
    const auto program = codegen::compileProgram(statement.plan, format, executionPolicy(session.settings));
    text =
        statement.what == sql::ExplainStatement::What::Pipelines ? program->describePipelines() : program->describeIr();
  }
  return explainResult(text);
}

}  // namespace

void applySetting(SessionContext& session, const sql::SetStatement& statement) {
  if (statement.is_local && !session.transaction.isLasting())
    session.notice(SqlError(sqlstate::kNoActiveSqlTransaction, "SET LOCAL can only be used in transaction blocks"),
                   Severity::Warning);
  if (setMode(session, statement)) return;
  session.transaction.changeSettings(statement.is_local, [&statement](Settings& settings) {
    if (statement.reset_all) {
      settings.resetAll();
    } else if (statement.value) {
      settings.set(statement.name, *statement.value, SettingSource::Session);
    } else {
      settings.reset(statement.name);
    }
  });
}

UtilityResult explainResult(std::string_view text) {
  UtilityResult result{{}, "EXPLAIN"};
  while (!text.empty()) {
    const size_t end = std::min(text.find('\n'), text.size());
    result.rows.push_back({std::string(text.substr(0, end))});
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return result;
}

bool createTable(SessionContext& session, const sql::CreateTableStatement& statement) {
  const bool is_made = session.transaction.define(
      [&](sql::CatalogTransaction& catalog, const auto& context) { return catalog.createTable(statement, context); });
  if (!is_made)
    session.notice(
        SqlError(sqlstate::kDuplicateTable, fmt::format("relation \"{}\" already exists, skipping", statement.name)));
  return is_made;
}

UtilityResult controlTransaction(SessionContext& session, const sql::TransactionStatement& statement,
                                 const std::string& command) {
  using Kind = sql::TransactionStatement::Kind;
  SessionTransaction& transaction = session.transaction;
  std::optional<SqlError> warning;
  UtilityResult result{{}, command};
  switch (statement.kind) {
    case Kind::Begin:
      if (transaction.isInBlock())
        session.notice(SqlError(sqlstate::kActiveSqlTransaction, "there is already a transaction in progress"),
                       Severity::Warning);
      transaction.begin(statement.modes);
      break;
    case Kind::Commit:
      if (!transaction.commit(statement.chain, warning)) result.tag = "ROLLBACK";
      break;
    case Kind::Rollback:
      transaction.rollBack(statement.chain, warning);
      break;
    case Kind::Savepoint:
      transaction.setSavepoint(statement.savepoint);
      break;
    case Kind::Release:
      transaction.releaseSavepoint(statement.savepoint);
      break;
    case Kind::RollbackTo:
      transaction.rollBackTo(statement.savepoint);
      break;
  }
  warn(session, warning);
  return result;
}

UtilityResult runUtility(SessionContext& session, const std::shared_ptr<sql::BoundStatement>& bound) {
  if (isDefining(*bound)) session.transaction.requireMayWrite(bound->command);
  if (const auto* create = std::get_if<sql::CreateTableStatement>(&bound->body)) {
    createTable(session, *create);
    return {{}, bound->command};
  }
  if (const auto* create = std::get_if<sql::CreateViewStatement>(&bound->body)) {
    if (create->replaced) session.uses.requireUnused(*create->replaced, "CREATE OR REPLACE VIEW");
    session.transaction.define(
        [&](sql::CatalogTransaction& catalog, const auto& context) { catalog.createView(*create, context); });
    return {{}, bound->command};
  }
  if (const auto* drop = std::get_if<sql::DropTableStatement>(&bound->body)) return dropTables(session, *drop);
  if (const auto* index = std::get_if<sql::CreateIndexStatement>(&bound->body)) return createIndex(session, *index);
  if (const auto* alter = std::get_if<sql::AlterTableStatement>(&bound->body)) return alterTable(session, *alter);
  if (const auto* index = std::get_if<sql::DropIndexStatement>(&bound->body)) return dropIndexes(session, *index);
  if (const auto* create = std::get_if<sql::CreateSequenceStatement>(&bound->body))
    return createSequence(session, *create);
  if (const auto* alter = std::get_if<sql::AlterSequenceStatement>(&bound->body)) return alterSequence(session, *alter);
  if (const auto* drop = std::get_if<sql::DropSequenceStatement>(&bound->body)) return dropSequences(session, *drop);
  if (const auto* vacuumed = std::get_if<sql::VacuumStatement>(&bound->body)) return vacuum(session, *vacuumed);
  if (std::holds_alternative<sql::CheckpointStatement>(bound->body)) {
    session.server.storage.checkpoint();
    return {{}, bound->command};
  }
  if (const auto* truncate = std::get_if<sql::TruncateStatement>(&bound->body))
    return truncateTables(session, *truncate);
  if (const auto* show = std::get_if<sql::ShowStatement>(&bound->body)) return showSetting(session, *show);
  if (const auto* set = std::get_if<sql::SetStatement>(&bound->body)) {
    applySetting(session, *set);
    UtilityResult result;
    result.tag = bound->command;
    return result;
  }
  if (const auto* set = std::get_if<sql::SetTransactionStatement>(&bound->body)) return setTransaction(session, *set);
  if (const auto* control = std::get_if<sql::TransactionStatement>(&bound->body))
    return controlTransaction(session, *control, bound->command);
  return explain(session, bound);
}

}  // namespace gnomon::server
