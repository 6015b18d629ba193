#include "server/utility.h"
#include "codegen/runtime/trigger_queue.h"
#include "sql/bind/partition_alter.h"
#include "sql/catalog/partitioning.h"
#include "sql/catalog/trigger_definer.h"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>

#include "base/assert.h"
#include "base/memory_account.h"
#include "codegen/executor/check_evaluator.h"
#include "server/copy/default_values.h"
#include "server/database_commands.h"
#include "server/maintenance.h"
#include "server/planner.h"
#include "server/result_columns.h"
#include "server/role_commands.h"
#include "sql/bind/bind_state.h"
#include "sql/bind/binder.h"
#include "sql/bind/routine_definition.h"
#include "sql/catalog/column_order.h"
#include "sql/catalog/partitioning.h"
#include "sql/catalog/roles.h"
#include "sql/catalog/system_tables.h"
#include "sql/explain/explain.h"
#include "sql/optimise/optimiser.h"
#include "txn/database_storage.h"

namespace gnomon::server {
namespace {

/// The catalog would wait for this session itself.
void requireUnused(SessionContext& session, const std::vector<sql::ObjectPath>& names, const char* command) {
  for (const sql::ObjectPath& path : names)
    if (const sql::TablePtr table = session.transaction.catalog().findRelation(path).table)
      session.uses.requireUnused(*table, command);
}

void say(const SessionContext& session, const std::vector<SqlError>& notices) {
  // What hides something is warned of.
  for (const SqlError& notice : notices)
    session.notice(notice, notice.state() == sqlstate::kDuplicateAlias ? Severity::Warning : Severity::Notice);
}

/// `relation "x" already exists, skipping`.
void saySkipped(const SessionContext& session, const std::string& name) {
  session.notice(SqlError(sqlstate::kDuplicateTable, fmt::format("relation \"{}\" already exists, skipping", name)));
}

UtilityResult dropTables(SessionContext& session, const sql::DropTableStatement& statement) {
  std::vector<SqlError> notices;
  const char* const command = statement.are_views          ? "DROP VIEW"
                              : statement.are_materialized ? "DROP MATERIALIZED VIEW"
                                                           : "DROP TABLE";
  requireUnused(session, statement.names, command);
  session.transaction.define(
      [&](sql::CatalogTransaction& catalog, const auto& context) { catalog.dropTables(statement, context, &notices); });
  say(session, notices);
  return {{}, command};
}

UtilityResult defineType(SessionContext& session, const sql::DefineTypeStatement& statement,
                         const std::string& command) {
  if (statement.before) session.uses.requireUnused(*statement.before, command);
  MemoryAccount memory(static_cast<uint64_t>(session.settings.integer(SettingId::QueryMemory)));
  std::unique_ptr<sql::RowChecker> checker;
  if (statement.tested_checks.usual)
    checker = codegen::compileChecks(statement.tested_checks, executionPolicy(session.settings),
                                     byteaOutput(session.settings), memory, &session.services);
  session.transaction.define([&](sql::CatalogTransaction& catalog, const auto& context) {
    catalog.defineType(statement, checker.get(), context);
  });
  for (const SqlError& notice : statement.notices) session.notice(notice);
  return {{}, command};
}

UtilityResult dropTypes(SessionContext& session, const sql::DropTypeStatement& statement, const std::string& command) {
  for (const sql::ObjectPath& path : statement.names)
    if (const sql::TablePtr type = session.transaction.catalog().findType(path.schema, path.name))
      session.uses.requireUnused(*type, command);
  std::vector<SqlError> notices;
  session.transaction.define(
      [&](sql::CatalogTransaction& catalog, const auto& context) { catalog.dropTypes(statement, context, &notices); });
  say(session, notices);
  return {{}, command};
}

/// What the statement says of settings, as values that they can have.
sql::DefineRoutineStatement withSettings(const SessionContext& session, sql::DefineRoutineStatement statement) {
  auto& settings = statement.routine.settings;
  for (const auto& setting : statement.settings) {
    if (setting.name.empty()) {
      settings.clear();
      continue;
    }
    Settings checked = session.settings;
    std::optional<std::string> value = setting.value;
    if (setting.is_current) value = checked.show(setting.name);
    const bool is_actor = setting.name == "role" || setting.name == "session_authorization";
    if (value && is_actor) {
      if (*value != "none" && !session.transaction.catalog().findRole(*value))
        throw SqlError(sqlstate::kInvalidParameterValue, fmt::format("role \"{}\" does not exist", *value));
    } else if (value) {
      checked.set(setting.name, *value, SettingSource::Session);
    } else if (!is_actor) {
      checked.reset(setting.name);
    }
    const std::string name = checked.shownName(setting.name);
    const auto place = std::ranges::find(settings, name, &std::pair<std::string, std::string>::first);
    if (!value && place != settings.end())
      settings.erase(place);
    else if (value && place != settings.end())
      place->second = *value;
    else if (value)
      settings.emplace_back(name, *value);
  }
  return statement;
}

UtilityResult defineRoutine(SessionContext& session, const sql::DefineRoutineStatement& given,
                            const std::string& command) {
  const sql::DefineRoutineStatement statement = withSettings(session, given);
  // What is executed of it goes on as it was.
  session.transaction.define(
      [&](sql::CatalogTransaction& catalog, const auto& context) { catalog.defineRoutine(statement, context); });
  if (command.starts_with("CREATE") && session.settings.flag(SettingId::CheckFunctionBodies)) {
    const std::string no_text;
    const sql::CatalogTransaction& catalog = session.transaction.catalog();
    sql::BindContext context{.catalog = catalog,
                             .parameter_types = {},
                             .unlimited_numerics = false,
                             .user = sql::roleName(catalog, catalog.actors().current),
                             .database = {},
                             .version = {},
                             .text = no_text};
    sql::BindState state(context);
    sql::checkRoutineBody(state, statement);
  }
  say(session, statement.notices);
  return {{}, command};
}

UtilityResult dropRoutines(SessionContext& session, const sql::DropRoutineStatement& statement,
                           const std::string& command) {
  std::vector<SqlError> notices = statement.notices;
  session.transaction.define([&](sql::CatalogTransaction& catalog, const auto& context) {
    catalog.dropRoutines(statement, context, &notices);
  });
  say(session, notices);
  return {{}, command};
}

UtilityResult defineTriggers(SessionContext& session, const sql::DefineTriggersStatement& statement,
                             const std::string& command) {
  for (const auto& part : statement.parts) session.uses.requireUnused(*part.table, command);
  session.transaction.define([&](sql::CatalogTransaction& catalog, const auto& context) {
    sql::TriggerDefiner(catalog).define(statement, context);
  });
  say(session, statement.notices);
  return {{}, command};
}

UtilityResult createSequence(SessionContext& session, const sql::CreateSequenceStatement& statement) {
  const bool is_made = session.transaction.define([&](sql::CatalogTransaction& catalog, const auto& context) {
    return catalog.createSequence(statement, context);
  });
  if (!is_made) saySkipped(session, statement.path.name);
  return {{}, "CREATE SEQUENCE"};
}

/// Names are looked for in a schema, and created there, before others.
class FirstSchemaScope {
 public:
  FirstSchemaScope(SessionContext& session, const std::string& schema) : session_(session) { set(schema); }
  FirstSchemaScope(const FirstSchemaScope&) = delete;
  FirstSchemaScope& operator=(const FirstSchemaScope&) = delete;
  ~FirstSchemaScope() { set({}); }

 private:
  void set(const std::string& schema) { session_.transaction.setFirstSchema(schema); }

  SessionContext& session_;
};

/// What CREATE SCHEMA has in it.
void createElements(SessionContext& session, const sql::CreateSchemaStatement& statement) {
  const FirstSchemaScope scope(session, statement.name);
  for (const auto& element : statement.elements) {
    StatementSource source{.text = std::make_shared<const std::string>(), .parsed = {}, .parameter_types = {}};
    source.parsed.tree = element;
    runUtility(session, Planner(session).bind(source));
  }
}

UtilityResult createSchema(SessionContext& session, const sql::CreateSchemaStatement& statement) {
  const bool is_made = session.transaction.define(
      [&](sql::CatalogTransaction& catalog, const auto& context) { return catalog.createSchema(statement, context); });
  if (!is_made)
    session.notice(SqlError(SqlState("42P06"), fmt::format("schema \"{}\" already exists, skipping", statement.name)));
  if (is_made) createElements(session, statement);
  return {{}, "CREATE SCHEMA"};
}

void requireUnusedSchema(SessionContext& session, const std::string& schema, const char* command) {
  for (const sql::TablePtr& table : session.transaction.catalog().entries())
    if (table->schema == schema) session.uses.requireUnused(*table, command);
}

UtilityResult alterSchema(SessionContext& session, const sql::AlterSchemaStatement& statement) {
  if (statement.owner == 0) requireUnusedSchema(session, statement.name, "ALTER SCHEMA");
  session.transaction.define(
      [&](sql::CatalogTransaction& catalog, const auto& context) { catalog.alterSchema(statement, context); });
  return {{}, "ALTER SCHEMA"};
}

UtilityResult dropSchemas(SessionContext& session, const sql::DropSchemaStatement& statement) {
  for (const std::string& name : statement.names) requireUnusedSchema(session, name, "DROP SCHEMA");
  std::vector<SqlError> notices;
  session.transaction.define([&](sql::CatalogTransaction& catalog, const auto& context) {
    catalog.dropSchemas(statement, context, &notices);
  });
  say(session, notices);
  return {{}, "DROP SCHEMA"};
}

UtilityResult moveRelation(SessionContext& session, const sql::MoveStatement& statement, const std::string& command) {
  if (statement.table) {
    session.uses.requireUnused(*statement.table, command);
    session.transaction.define(
        [&](sql::CatalogTransaction& catalog, const auto& context) { catalog.move(statement, context); });
  }
  say(session, statement.notices);
  return {{}, command};
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
  std::vector<SqlError> notices;
  requireUnused(session, statement.names, "DROP SEQUENCE");
  session.transaction.define([&](sql::CatalogTransaction& catalog, const auto& context) {
    catalog.dropSequences(statement, context, &notices);
  });
  say(session, notices);
  return {{}, "DROP SEQUENCE"};
}

UtilityResult createIndex(SessionContext& session, const sql::CreateIndexStatement& statement) {
  if (statement.is_concurrent) session.transaction.requireNoBlock("CREATE INDEX CONCURRENTLY");
  session.uses.requireUnused(*statement.table, "CREATE INDEX");
  const bool is_made = session.transaction.define(
      [&](sql::CatalogTransaction& catalog, const auto& context) { return catalog.createIndex(statement, context); });
  if (!is_made) saySkipped(session, statement.index.name);
  return {{}, "CREATE INDEX"};
}

/// What existing rows get in a new column; where each has a value of its own, once they are written anew.
sql::Value valueOfRows(SessionContext& session, const sql::AlterTableStatement& statement,
                       const sql::Expression& value) {
  if (!value.isVolatile()) return evaluateOnce(session, value);
  if (statement.rewrites) return sql::Value::null(value.type);
  if (sql::hasHadRows(*statement.table))
    throwNotSupported("a volatile default of a new column, of a table that has had rows");
  return sql::Value::null(value.type);
}

UtilityResult refreshView(SessionContext& session, const sql::RefreshViewStatement& statement,
                          const std::string& command) {
  if (!statement.is_concurrent) session.uses.requireUnused(*statement.view, command);
  session.transaction.define(
      [&](sql::CatalogTransaction& catalog, const auto& context) { catalog.refreshView(statement, context); });
  return {{}, command};
}

UtilityResult alterTable(SessionContext& session, const sql::AlterTableStatement& statement,
                         const std::string& command) {
  if (statement.table != nullptr) {
    session.uses.requireUnused(*statement.table, command);
    std::vector<sql::Value> values;
    for (const sql::ExpressionPtr& value : statement.added_values)
      values.push_back(valueOfRows(session, statement, *value));
    MemoryAccount memory(static_cast<uint64_t>(session.settings.integer(SettingId::QueryMemory)));
    std::unique_ptr<sql::RowChecker> checker;
    if (statement.tested_checks.usual)
      checker = codegen::compileChecks(statement.tested_checks, executionPolicy(session.settings),
                                       byteaOutput(session.settings), memory, &session.services);
    session.transaction.define([&](sql::CatalogTransaction& catalog, const auto& context) {
      catalog.alterTable(statement, values, checker.get(), context);
    });
  }
  for (const SqlError& notice : statement.notices) session.notice(notice);
  return {{}, command};
}

UtilityResult changePartition(SessionContext& session, const sql::PartitionStatement& statement) {
  CHECK(!statement.lays_columns, "the columns have been laid as they have to");
  if (statement.is_concurrent) session.transaction.requireNoBlock("ALTER TABLE ... DETACH CONCURRENTLY");
  if (statement.table) {
    session.uses.requireUnused(*statement.table, "ALTER TABLE");
    session.uses.requireUnused(*statement.partition, "ALTER TABLE");
    session.transaction.define(
        [&](sql::CatalogTransaction& catalog, const auto& context) { catalog.changePartition(statement, context); });
  }
  for (const SqlError& notice : statement.notices) session.notice(notice);
  return {{}, "ALTER TABLE"};
}

UtilityResult attachIndex(SessionContext& session, const sql::AttachIndexStatement& statement) {
  session.uses.requireUnused(*statement.table, "ALTER INDEX");
  session.uses.requireUnused(*statement.partition, "ALTER INDEX");
  session.transaction.define(
      [&](sql::CatalogTransaction& catalog, const auto& context) { catalog.attachIndex(statement, context); });
  return {{}, "ALTER INDEX"};
}

UtilityResult dropIndexes(SessionContext& session, const sql::DropIndexStatement& statement) {
  if (statement.is_concurrent) session.transaction.requireNoBlock("DROP INDEX CONCURRENTLY");
  std::vector<SqlError> notices;
  requireUnused(session, statement.names, "DROP INDEX");
  session.transaction.define([&](sql::CatalogTransaction& catalog, const auto& context) {
    catalog.dropIndexes(statement, context, &notices);
  });
  say(session, notices);
  return {{}, "DROP INDEX"};
}

UtilityResult reindex(SessionContext& session, const sql::ReindexStatement& statement) {
  if (!statement.command.empty()) session.transaction.requireNoBlock(statement.command);
  for (const auto& target : statement.targets) session.uses.requireUnused(*target.table, "REINDEX");
  session.transaction.define(
      [&](sql::CatalogTransaction& catalog, const auto& context) { catalog.reindex(statement, context); });
  say(session, statement.notices);
  if (!statement.is_verbose) return {{}, "REINDEX"};
  for (const auto& [table, indexes] : statement.targets)
    for (const sql::IndexPtr& index : table->indexes)
      if (std::ranges::find(indexes, index->oid) != indexes.end())
        session.notice(SqlError(SqlState("00000"), fmt::format("index \"{}\" was reindexed", index->name)),
                       Severity::Info);
  return {{}, "REINDEX"};
}

UtilityResult truncateTables(SessionContext& session, const sql::TruncateStatement& statement) {
  for (const sql::TablePtr& table : statement.tables) session.uses.requireUnused(*table, "TRUNCATE");
  std::vector<SqlError> notices;
  MemoryAccount memory(static_cast<uint64_t>(session.settings.integer(SettingId::QueryMemory)));
  codegen::TriggerQueue triggers(session.services.triggers(), memory);
  std::vector<uint32_t> named;
  const auto name = [&](const sql::TablePtr& table) {
    if (std::ranges::find(named, table->oid) != named.end()) return;
    named.push_back(table->oid);
    triggers.beforeStatement(table, sql::TriggerEvent::Truncate, {});
  };
  for (const sql::TablePtr& table : statement.tables) {
    name(table);
    if (table->partitioning) std::ranges::for_each(table->partitioning->descendants(), name);
  }
  const std::vector<sql::TablePtr> emptied =
      session.transaction.define([&](sql::CatalogTransaction& catalog, const auto& context) {
        return catalog.truncateTables(statement, context, &notices);
      });
  for (const sql::TablePtr& table : emptied)
    if (std::ranges::find(named, table->oid) == named.end() &&
        sql::hasStatementTriggers(*table, sql::TriggerEvent::Truncate))
      throwNotSupported("TRUNCATE ... CASCADE to a table with triggers");
  say(session, notices);
  for (const uint32_t oid : named)
    if (const sql::TablePtr table = session.transaction.catalog().findEntry(oid))
      triggers.afterStatement(table, sql::TriggerEvent::Truncate, {});
  triggers.run();
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
  if (statement.reset_all || !statement.value || CustomSettings::hasDot(statement.name)) return false;
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
    result.rows.push_back({session.settings.show(statement.name)});
  }
  return result;
}

UtilityResult explain(SessionContext& session, const std::shared_ptr<sql::BoundStatement>& bound) {
  const auto& statement = std::get<sql::ExplainStatement>(bound->body);
  txn::TransactionManager::SnapshotGuard guard;
  const int64_t begun_us = steadyTimeUs();
  sql::optimise(*statement.plan, sql::StoredTableStatistics(session.transaction.takeSnapshot(guard)));
  const double planning_ms = static_cast<double>(steadyTimeUs() - begun_us) / 1000;
  std::string text;
  if (statement.what == sql::ExplainStatement::What::Plan) {
    text = sql::explainPlan(*statement.plan, statement.options, nullptr,
                            statement.summary ? std::optional(planning_ms) : std::nullopt,
                            explainedSettings(session.settings));
  } else {
    codegen::OutputFormat format;
    if (statement.plan->root->kind == sql::Operator::Kind::Output)
      format.column_formats.assign(static_cast<const sql::Output&>(*statement.plan->root).columns.size(), 0);
    const auto program = codegen::compileProgram(statement.plan, format, executionPolicy(session.settings));
    text =
        statement.what == sql::ExplainStatement::What::Pipelines ? program->describePipelines() : program->describeIr();
  }
  return explainResult(text, statement.options.format == sql::ExplainOptions::Format::Json);
}

/// Failure: 42501 for a setting that is superusers' alone.
void requireMaySet(const SessionContext& session, const sql::SetStatement& statement) {
  const auto& description = settingDescriptions()[static_cast<size_t>(SettingId::LoCompatPrivileges)];
  if (statement.name != description.name || isSuperuser(session.transaction.catalog())) return;
  throw SqlError(sqlstate::kInsufficientPrivilege,
                 fmt::format("permission denied to set parameter \"{}\"", statement.name));
}

}  // namespace

void applySetting(SessionContext& session, const sql::SetStatement& statement) {
  if (statement.is_local && !session.transaction.isLasting())
    session.notice(SqlError(sqlstate::kNoActiveSqlTransaction, "SET LOCAL can only be used in transaction blocks"),
                   Severity::Warning);
  if (statement.is_current) {
    sql::SetStatement given = statement;
    given.is_current = false;
    given.value = session.settings.show(statement.name);
    return applySetting(session, given);
  }
  requireMaySet(session, statement);
  if (setActor(session, statement) || setMode(session, statement)) return;
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

sql::ExplainedSettings explainedSettings(const Settings& settings) {
  sql::ExplainedSettings shown;
  for (const SettingId id : {SettingId::ExecutionMode, SettingId::Jit, SettingId::LlvmOptimisation,
                             SettingId::QueryMemory, SettingId::SearchPath, SettingId::WorkMem}) {
    const SettingDescription& setting = settingDescriptions()[static_cast<size_t>(id)];
    // Amounts of memory are computed when the server starts.
    const std::string_view usual =
        setting.kind == SettingKind::Integer ? std::string_view(settings.resetText(id)) : setting.default_text;
    if (settings.text(id) != usual) shown.emplace_back(setting.name, settings.show(id));
  }
  return shown;
}

UtilityResult explainResult(std::string_view text, bool is_one_value) {
  UtilityResult result{{}, "EXPLAIN"};
  if (is_one_value) result.rows.push_back({std::string(text)});
  if (is_one_value) return result;
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
  if (!is_made) saySkipped(session, statement.path.name);
  return is_made;
}

UtilityResult changeExtensions(SessionContext& session, const sql::ExtensionStatement& statement,
                               const std::string& command) {
  say(session, statement.notices);
  if (statement.made) createTable(session, *statement.made);
  if (statement.dropped.empty()) return {{}, command};
  sql::DropTableStatement drop;
  for (const sql::TablePtr& entry : statement.dropped) {
    session.uses.requireUnused(*entry, "DROP EXTENSION");
    drop.names.push_back(entry->path());
  }
  const sql::SystemTableScope system_tables;
  session.transaction.define(
      [&](sql::CatalogTransaction& catalog, const auto& context) { catalog.dropTables(drop, context); });
  return {{}, command};
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

void layPartition(SessionContext& session, const sql::PartitionStatement& statement) {
  session.transaction.requireMayWrite("ALTER TABLE");
  session.uses.requireUnused(*statement.table, "ALTER TABLE");
  for (const sql::TablePtr& laid : sql::tablesToLay(statement.partition, *statement.table))
    session.uses.requireUnused(*laid, "ALTER TABLE");
  session.transaction.define(
      [&](sql::CatalogTransaction& catalog, const auto& context) { catalog.layPartition(statement, context); });
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
    say(session, create->notices);
    return {{}, bound->command};
  }
  if (const auto* refresh = std::get_if<sql::RefreshViewStatement>(&bound->body))
    return refreshView(session, *refresh, bound->command);
  if (const auto* drop = std::get_if<sql::DropTableStatement>(&bound->body)) return dropTables(session, *drop);
  if (const auto* index = std::get_if<sql::CreateIndexStatement>(&bound->body)) return createIndex(session, *index);
  if (const auto* alter = std::get_if<sql::AlterTableStatement>(&bound->body))
    return alterTable(session, *alter, bound->command);
  if (const auto* change = std::get_if<sql::PartitionStatement>(&bound->body)) return changePartition(session, *change);
  if (const auto* attach = std::get_if<sql::AttachIndexStatement>(&bound->body)) return attachIndex(session, *attach);
  if (const auto* index = std::get_if<sql::DropIndexStatement>(&bound->body)) return dropIndexes(session, *index);
  if (const auto* create = std::get_if<sql::CreateSequenceStatement>(&bound->body))
    return createSequence(session, *create);
  if (const auto* alter = std::get_if<sql::AlterSequenceStatement>(&bound->body)) return alterSequence(session, *alter);
  if (const auto* drop = std::get_if<sql::DropSequenceStatement>(&bound->body)) return dropSequences(session, *drop);
  if (const auto* create = std::get_if<sql::CreateSchemaStatement>(&bound->body)) return createSchema(session, *create);
  if (const auto* alter = std::get_if<sql::AlterSchemaStatement>(&bound->body)) return alterSchema(session, *alter);
  if (const auto* drop = std::get_if<sql::DropSchemaStatement>(&bound->body)) return dropSchemas(session, *drop);
  if (const auto* comment = std::get_if<sql::CommentStatement>(&bound->body)) {
    if (comment->what == sql::CommentStatement::What::LargeObject) {
      session.services.largeObjects().comment(comment->large_object, comment->comment);
      return {{}, bound->command};
    }
    if (comment->table) session.uses.requireUnused(*comment->table, "COMMENT");
    session.transaction.define(
        [&](sql::CatalogTransaction& catalog, const auto& context) { catalog.comment(*comment, context); });
    for (const SqlError& warning : comment->notices) session.notice(warning, Severity::Warning);
    return {{}, bound->command};
  }
  if (const auto* move = std::get_if<sql::MoveStatement>(&bound->body))
    return moveRelation(session, *move, bound->command);
  if (auto done = runRoleStatement(session, *bound)) return std::move(*done);
  if (auto done = runDatabaseStatement(session, *bound)) return std::move(*done);
  if (const auto* type = std::get_if<sql::DefineTypeStatement>(&bound->body))
    return defineType(session, *type, bound->command);
  if (const auto* drop = std::get_if<sql::DropTypeStatement>(&bound->body))
    return dropTypes(session, *drop, bound->command);
  if (const auto* routine = std::get_if<sql::DefineRoutineStatement>(&bound->body))
    return defineRoutine(session, *routine, bound->command);
  if (const auto* explained = std::get_if<sql::ExplainRoutineStatement>(&bound->body))
    return explainResult(session.services.routines().codeText(explained->routine), false);
  if (const auto* drop = std::get_if<sql::DropRoutineStatement>(&bound->body))
    return dropRoutines(session, *drop, bound->command);
  if (const auto* triggers = std::get_if<sql::DefineTriggersStatement>(&bound->body))
    return defineTriggers(session, *triggers, bound->command);
  if (const auto* reindexed = std::get_if<sql::ReindexStatement>(&bound->body)) return reindex(session, *reindexed);
  if (const auto* extension = std::get_if<sql::ExtensionStatement>(&bound->body))
    return changeExtensions(session, *extension, bound->command);
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
