#include "sql/bind/binder.h"

#include <algorithm>
#include <array>
#include <cctype>

#include <fmt/format.h>

#include "base/sql_error.h"
#include "sql/algebra/change_operators.h"
#include "sql/bind/alter_binder.h"
#include "sql/bind/bind_state.h"
#include "sql/bind/change_binder.h"
#include "sql/bind/check_definition.h"
#include "sql/bind/column_default.h"
#include "sql/bind/comment_definition.h"
#include "sql/bind/copy_options.h"
#include "sql/bind/cursor_position.h"
#include "sql/bind/database_definition.h"
#include "sql/bind/explain_options.h"
#include "sql/bind/extension_definition.h"
#include "sql/bind/from_binder.h"
#include "sql/bind/generated_column.h"
#include "sql/bind/grant_definition.h"
#include "sql/bind/index_definition.h"
#include "sql/bind/insert_binder.h"
#include "sql/bind/key_work_binder.h"
#include "sql/bind/merge_binder.h"
#include "sql/bind/other_objects.h"
#include "sql/bind/output_binder.h"
#include "sql/bind/partition_alter.h"
#include "sql/bind/partition_definition.h"
#include "sql/bind/partition_path.h"
#include "sql/bind/query_binder.h"
#include "sql/bind/reindex_binder.h"
#include "sql/bind/role_definition.h"
#include "sql/bind/routine_definition.h"
#include "sql/bind/row_lock_binder.h"
#include "sql/bind/schema_definition.h"
#include "sql/bind/sequence_definition.h"
#include "sql/bind/session_binder.h"
#include "sql/bind/standard_body.h"
#include "sql/bind/table_definition.h"
#include "sql/bind/target_columns.h"
#include "sql/bind/trigger_definition.h"
#include "sql/bind/trigger_work_binder.h"
#include "sql/bind/type_change.h"
#include "sql/bind/type_definition.h"
#include "sql/bind/vacuum_binder.h"
#include "sql/bind/view_definition.h"
#include "sql/bound_statement.h"
#include "sql/catalog/roles.h"
#include "sql/parse/ast.h"
#include "sql/parse/ast_statement.h"
#include "sql/parse/identifier.h"

namespace gnomon::sql {
namespace {

/// One statement on its way from the tree to what the session executes.
class StatementBinder {
 public:
  explicit StatementBinder(BindContext& context) : state_(context) {
    if (!context.routine) return;
    for (uint32_t i = 0; i < state_.parameters.size(); ++i) {
      auto input = std::make_unique<Expression>();
      input->kind = Expression::Kind::Parameter;
      input->parameter = i;
      input->type = state_.parameters[i];
      inputs_.push_back(std::move(input));
    }
    routine_ = {context.routine->routine.get(), &inputs_};
    state_.routine = &routine_;
    state_.references = body_.emplace(*context.routine->routine).references();
    state_.addTable(context.routine);
  }

  BoundStatement bind(const ast::Statement& statement) {
    std::visit([&](const auto& body) { bindBody(body); }, statement.body);
    finishParameters();
    requireAccess();
    requirePopulated();
    result_.tables = state_.tables;
    result_.written = state_.written;
    result_.changes_in_with = std::ranges::any_of(state_.plan->shared, &SharedPlan::is_change);
    result_.also_written = state_.also_written;
    for (const auto* tables : {&state_.key_locked, &state_.row_locked})
      result_.row_locked.insert(result_.row_locked.end(), tables->begin(), tables->end());
    if (result_.locking.empty() && !state_.locking.empty()) result_.locking = fmt::format("SELECT {}", state_.locking);
    return std::move(result_);
  }

 private:
  void bindBody(const ast::QueryPtr& query) {
    state_.top_with = &query->with;
    state_.changes_rows =
        std::ranges::any_of(query->with.tables, [](const auto& table) { return table.change != nullptr; });
    bindQueryPlan(*query);
    result_.body = QueryStatement{state_.plan};
    result_.command = "SELECT";
  }
  void bindBody(const ast::Insert& insert) {
    state_.changes_rows = true;
    if (!state_.top_with) state_.top_with = &insert.with;
    state_.plan->root = InsertBinder(state_).bind(insert);
    result_.body = QueryStatement{state_.plan};
    result_.command = "INSERT";
  }
  void bindBody(const ast::Update& update) {
    state_.changes_rows = true;
    state_.top_with = &update.with;
    state_.plan->root = ChangeBinder(state_).bind(update);
    result_.body = QueryStatement{state_.plan};
    result_.command = "UPDATE";
  }
  void bindBody(const ast::Delete& node) {
    state_.changes_rows = true;
    state_.top_with = &node.with;
    state_.plan->root = ChangeBinder(state_).bind(node);
    result_.body = QueryStatement{state_.plan};
    result_.command = "DELETE";
  }
  void bindBody(const ast::Merge& merge) {
    state_.changes_rows = true;
    state_.top_with = &merge.with;
    state_.plan->root = MergeBinder(state_).bind(merge);
    result_.body = QueryStatement{state_.plan};
    result_.command = "MERGE";
  }
  void bindBody(const ast::Truncate& truncate) {
    for (const ast::RelationName& relation : truncate.relations) {
      const TablePtr table = FromBinder(state_).findTable({relation.schema, relation.name, -1}, TableUse::Truncate);
      if (relation.is_only && table->partitioning)
        throw SqlError(sqlstate::kWrongObjectType, "cannot truncate only a partitioned table")
            .hint("Do not specify the ONLY keyword, or use TRUNCATE ONLY on the partitions directly.");
    }
    result_.body = TruncateStatement{state_.tables, truncate.is_cascade, truncate.restarts_identity};
    result_.command = "TRUNCATE TABLE";
  }
  void bindBody(const ast::CreateTable& create) {
    result_.body = bindCreateTable(state_, create);
    result_.command = "CREATE TABLE";
  }
  void bindBody(const ast::CreateTableAs& create) {
    result_.command = create.is_materialized ? "CREATE MATERIALIZED VIEW" : "CREATE TABLE AS";
    state_.top_with = &create.filling.query->with;
    if (!state_.context.fills) {
      result_.body = bindCreateTableAs(state_, create);
      return;
    }
    bindBody(create.filling);
    result_.command = "SELECT";
  }
  void bindBody(const ast::CreateView& create) {
    result_.body = bindCreateView(state_, create);
    result_.command = "CREATE VIEW";
  }
  void bindBody(const ast::RefreshView& refresh) {
    RefreshViewStatement statement = bindRefreshView(state_, refresh);
    if (state_.context.fills)
      bindFilling(*statement.view);
    else
      result_.body = std::move(statement);
    result_.command = "REFRESH MATERIALIZED VIEW";
  }
  /// Its query's rows are inserted into the materialized view.
  void bindFilling(const TableEntry& view) {
    const std::string name = quotedIdentifier(view.schema) + "." + quotedIdentifier(view.name);
    const std::vector<ParsedStatement> parsed = parse(fmt::format("INSERT INTO {} SELECT * FROM {}", name, name));
    state_.refreshed = view.oid;
    const AccessNotes::Owner owner(state_.access, view.owner);
    try {
      bindBody(std::get<ast::Insert>(parsed.front().tree->body));
    } catch (SqlError& error) {
      error.dropPosition();
      throw;
    }
  }
  void bindBody(const ast::DropTable& drop) {
    result_.body = bindDropTable(drop);
    result_.command = drop.are_views ? "DROP VIEW" : drop.are_materialized ? "DROP MATERIALIZED VIEW" : "DROP TABLE";
  }
  void bindBody(const ast::CreateIndex& create) {
    result_.body = bindCreateIndex(state_, create);
    result_.command = "CREATE INDEX";
  }
  void bindBody(const ast::DropIndex& drop) {
    result_.body = bindDropIndex(drop);
    result_.command = "DROP INDEX";
  }
  void bindBody(const ast::AlterTable& alter) {
    using Kind = ast::AlterCommand::Kind;
    const bool is_of_partition = alter.commands.size() == 1 && (alter.commands[0].kind == Kind::AttachPartition ||
                                                                alter.commands[0].kind == Kind::DetachPartition);
    if (alter.what == ast::AlterTable::What::Index) {
      result_.command = "ALTER INDEX";
      result_.body = bindAttachIndex(state_, alter);
      return;
    }
    if (is_of_partition) {
      result_.command = "ALTER TABLE";
      if (!state_.context.fills) {
        result_.body = bindPartitionCommand(state_, alter);
        return;
      }
      state_.plan->root = bindLaidRows(state_);
      result_.body = QueryStatement{state_.plan};
      return;
    }
    result_.command = alterCommand(alter.what);
    if (!state_.context.fills) {
      result_.body = bindAlterTable(state_, alter);
      return;
    }
    state_.plan->root = bindRewrite(state_, alter);
    result_.body = QueryStatement{state_.plan};
  }
  static const char* alterCommand(ast::AlterTable::What what) {
    static constexpr const char* kCommands[] = {"ALTER TABLE", "ALTER VIEW", "ALTER MATERIALIZED VIEW"};
    return kCommands[static_cast<size_t>(what)];
  }
  void bindBody(const ast::CreateSequence& create) {
    result_.body = bindCreateSequence(state_, create);
    result_.command = "CREATE SEQUENCE";
  }
  void bindBody(const ast::AlterSequence& alter) {
    result_.body = bindAlterSequence(state_, alter);
    result_.command = "ALTER SEQUENCE";
  }
  void bindBody(const ast::DropSequence& drop) {
    result_.body = bindDropSequence(drop);
    result_.command = "DROP SEQUENCE";
  }
  void bindBody(const ast::CreateSchema& create) {
    result_.body = bindCreateSchema(state_, create);
    result_.command = "CREATE SCHEMA";
  }
  void bindBody(const ast::AlterSchema& alter) {
    result_.body = bindAlterSchema(state_, alter);
    result_.command = "ALTER SCHEMA";
  }
  void bindBody(const ast::DropSchema& drop) {
    result_.body = bindDropSchema(drop);
    result_.command = "DROP SCHEMA";
  }
  void bindBody(const ast::Comment& comment) {
    result_.body = bindComment(state_, comment);
    result_.command = "COMMENT";
  }
  void bindBody(const ast::Move& move) {
    static constexpr const char* kCommands[] = {"ALTER TABLE", "ALTER VIEW", "ALTER SEQUENCE", "ALTER INDEX",
                                                "ALTER MATERIALIZED VIEW"};
    result_.body = bindMove(state_, move);
    result_.command = kCommands[static_cast<size_t>(move.kind)];
  }
  void bindBody(const ast::CreateType& create) {
    result_.body = bindCreateType(state_, create);
    result_.command = "CREATE TYPE";
  }
  void bindBody(const ast::CreateDomain& create) {
    result_.body = bindCreateDomain(state_, create);
    result_.command = "CREATE DOMAIN";
  }
  void bindBody(const ast::AlterEnum& alter) {
    result_.body = bindAlterEnum(state_, alter);
    result_.command = "ALTER TYPE";
  }
  void bindBody(const ast::AlterDomain& alter) {
    result_.body = bindAlterDomain(state_, alter);
    result_.command = "ALTER DOMAIN";
  }
  void bindBody(const ast::AlterComposite& alter) {
    result_.body = bindAlterComposite(state_, alter);
    result_.command = "ALTER TYPE";
  }
  void bindBody(const ast::RenameType& rename) {
    result_.body = bindRenameType(state_, rename);
    result_.command = rename.is_domain ? "ALTER DOMAIN" : "ALTER TYPE";
  }
  void bindBody(const ast::DropType& drop) {
    result_.body = bindDropType(drop);
    result_.command = drop.are_domains ? "DROP DOMAIN" : "DROP TYPE";
  }
  void bindBody(const ast::CreateRoutine& create) {
    result_.body = bindCreateRoutine(state_, create);
    result_.command = create.is_procedure ? "CREATE PROCEDURE" : "CREATE FUNCTION";
  }
  void bindBody(const ast::Call& call) {
    const Scope none;
    result_.body = ExpressionBinder(state_, none, {"CALL arguments"}).bindCall(*call.call);
    result_.command = "CALL";
  }
  void bindBody(const ast::DoBlock& block) {
    result_.body = bindDo(state_, block);
    result_.command = "DO";
  }
  void bindBody(const ast::AlterRoutine& alter) {
    static constexpr const char* kCommands[] = {"ALTER FUNCTION", "ALTER PROCEDURE", "ALTER ROUTINE"};
    result_.body = bindAlterRoutine(state_, alter);
    result_.command = kCommands[static_cast<size_t>(alter.kind)];
  }
  void bindBody(const ast::ExplainRoutine& explain) {
    result_.body = bindExplainRoutine(state_, explain);
    result_.command = "EXPLAIN";
  }
  void bindBody(const ast::DropRoutine& drop) {
    static constexpr const char* kCommands[] = {"DROP FUNCTION", "DROP PROCEDURE", "DROP ROUTINE"};
    result_.body = bindDropRoutine(state_, drop);
    result_.command = kCommands[static_cast<size_t>(drop.kind)];
  }
  void bindBody(const ast::CreateTrigger& create) {
    result_.body = bindCreateTrigger(state_, create);
    result_.command = "CREATE TRIGGER";
  }
  void bindBody(const ast::DropTrigger& drop) {
    result_.body = bindDropTrigger(state_, drop);
    result_.command = "DROP TRIGGER";
  }
  void bindBody(const ast::RenameTrigger& rename) {
    result_.body = bindRenameTrigger(state_, rename);
    result_.command = "ALTER TRIGGER";
  }
  void bindBody(const ast::TriggerFiring& firing) {
    result_.body = bindTriggerFiring(state_, firing);
    result_.command = "ALTER TABLE";
  }
  void bindBody(const ast::Rename& rename) {
    if (rename.what == ast::Rename::What::Sequence) {
      result_.body = bindRenameSequence(state_, rename);
      result_.command = "ALTER SEQUENCE";
      return;
    }
    result_.body = bindRename(state_, rename);
    result_.command = alterCommand(rename.of);
  }
  void bindBody(const ast::Vacuum& vacuum) {
    result_.body = bindVacuum(state_, vacuum);
    result_.command = vacuum.is_vacuum ? "VACUUM" : "ANALYZE";
  }
  void bindBody(const ast::Reindex& reindex) {
    result_.body = bindReindex(state_, reindex);
    result_.command = "REINDEX";
  }
  void bindBody(const ast::CreateExtension& create) {
    result_.body = bindCreateExtension(state_, create);
    result_.command = "CREATE EXTENSION";
  }
  void bindBody(const ast::DropExtension& drop) {
    result_.body = bindDropExtension(state_, drop);
    result_.command = "DROP EXTENSION";
  }
  void bindBody(const ast::DropOther& drop) {
    result_.body = bindDropOther(state_, drop);
    const std::string what = drop.kind == ast::DropOther::Kind::Statistics ? "statistics" : drop.what;
    result_.command = "DROP ";
    for (const char c : what) result_.command += c == '-' ? ' ' : static_cast<char>(std::toupper(c));
  }
  void bindBody(const ast::Checkpoint& /*checkpoint*/) {
    const CatalogView& catalog = state_.context.catalog;
    if (!hasRightsOf(catalog, catalog.actors().current, kCheckpointRole))
      throw SqlError(sqlstate::kInsufficientPrivilege,
                     "must be superuser or have privileges of pg_checkpoint to do CHECKPOINT");
    result_.body = CheckpointStatement{};
    result_.command = "CHECKPOINT";
  }
  void bindBody(const ast::Copy& copy) {
    result_.command = "COPY";
    if (!copy.file.empty()) requireFiles(copy.is_from);
    ForcedColumns forced;
    CopyOptions options = readCopyOptions(copy.options, copy.is_from, forced);
    if (copy.is_from) return bindCopyFrom(copy, std::move(options), forced);
    TablePtr table;
    if (copy.query) {
      std::visit([&](const auto& body) { bindBody(body); }, copy.query->body);
      if (!std::holds_alternative<QueryStatement>(result_.body)) throwNotSupported("COPY (" + result_.command + ")");
      if (state_.plan->root->kind != Operator::Kind::Output)
        throw SqlError(sqlstate::kFeatureNotSupported, "COPY query must have a RETURNING clause");
      result_.command = "COPY";
    } else {
      table = bindTableOutput(copy);
    }
    std::vector<std::string> columns;
    for (const Output::Column& column : static_cast<const Output&>(*state_.plan->root).columns)
      columns.push_back(column.name);
    forceColumns(options, forced, columns, table.get());
    result_.body = CopyToStatement{state_.plan, std::move(options), copy.file};
  }
  void bindBody(const ast::Explain& explain);
  void bindBody(const ast::Set& set) {
    result_.command = set.is_reset ? "RESET" : "SET";
    result_.body = SetStatement{set.name, set.value, set.reset_all, set.is_local, set.is_current};
  }
  void bindBody(const ast::SetTransaction& set) {
    result_.command = "SET";
    result_.body = SetTransactionStatement{bindModes(set.modes), set.is_session};
  }
  void bindBody(const ast::Transaction& transaction) {
    using Kind = TransactionStatement::Kind;
    static constexpr std::array<std::pair<Kind, const char*>, 7> kKinds = {{{Kind::Begin, "BEGIN"},
                                                                            {Kind::Begin, "START TRANSACTION"},
                                                                            {Kind::Commit, "COMMIT"},
                                                                            {Kind::Rollback, "ROLLBACK"},
                                                                            {Kind::Savepoint, "SAVEPOINT"},
                                                                            {Kind::Release, "RELEASE"},
                                                                            {Kind::RollbackTo, "ROLLBACK"}}};
    const auto& [kind, command] = kKinds[static_cast<size_t>(transaction.kind)];
    result_.command = command;
    result_.body = TransactionStatement{kind, bindModes(transaction.modes), transaction.savepoint, transaction.chain};
  }
  static TransactionModes bindModes(const ast::TransactionModes& modes) {
    TransactionModes bound{.isolation = std::nullopt,
                           .is_read_only = modes.is_read_only,
                           .is_deferrable = modes.is_deferrable,
                           .is_bulk = modes.is_bulk};
    if (modes.isolation) bound.isolation = isolationLevel(*modes.isolation);
    return bound;
  }
  void bindBody(const ast::Show& show) {
    result_.command = "SHOW";
    result_.body = ShowStatement{show.name};
  }

  void bindBody(const ast::Prepare& prepare) {
    result_.command = "PREPARE";
    result_.body = bindPrepare(prepare);
  }
  void bindBody(const ast::Execute& execute) {
    static_assert(static_cast<int>(ast::Execute::Use::CreateTable) ==
                  static_cast<int>(ExecuteStatement::Use::CreateTable));
    result_.command = "EXECUTE";
    result_.body = ExecuteStatement{execute.name, static_cast<ExecuteStatement::Use>(execute.use)};
  }
  void bindBody(const ast::Deallocate& deallocate) {
    result_.command = deallocate.name.empty() ? "DEALLOCATE ALL" : "DEALLOCATE";
    result_.body = DeallocateStatement{deallocate.name};
  }
  void bindBody(const ast::DeclareCursor& declare) {
    bindQueryPlan(*declare.query);
    result_.command = "DECLARE CURSOR";
    result_.body = bindDeclareCursor(declare, static_cast<const Output&>(*state_.plan->root));
  }
  void bindBody(const ast::Fetch& fetch) {
    result_.command = fetch.is_move ? "MOVE" : "FETCH";
    result_.body = bindFetch(fetch);
  }
  void bindBody(const ast::CloseCursor& close) {
    result_.command = close.name.empty() ? "CLOSE CURSOR ALL" : "CLOSE CURSOR";
    result_.body = CloseStatement{close.name};
  }
  void bindBody(const ast::Discard& discard) {
    static constexpr std::array kCommands = {"DISCARD ALL", "DISCARD PLANS", "DISCARD SEQUENCES", "DISCARD TEMP"};
    result_.command = kCommands[static_cast<size_t>(discard.what)];
    result_.body = DiscardStatement{static_cast<DiscardStatement::What>(discard.what)};
  }
  void bindBody(const ast::Listen& listen) {
    result_.command = "LISTEN";
    result_.body = ListenStatement{listen.channel};
  }
  void bindBody(const ast::Unlisten& unlisten) {
    result_.command = "UNLISTEN";
    result_.body = UnlistenStatement{unlisten.channel};
  }
  void bindBody(const ast::Notify& notify) {
    result_.command = "NOTIFY";
    result_.body = NotifyStatement{notify.channel, notify.payload};
  }
  void bindBody(const ast::LockTable& lock) {
    result_.command = "LOCK TABLE";
    result_.body = bindLockTable(state_, lock);
  }

  void bindBody(const ast::SetConstraints& set) {
    result_.command = "SET CONSTRAINTS";
    result_.body = bindSetConstraints(state_, set);
  }

  void bindBody(const ast::CreateRole& create) {
    result_.command = "CREATE ROLE";
    result_.body = bindCreateRole(create);
  }
  void bindBody(const ast::AlterRole& alter) {
    result_.command = "ALTER ROLE";
    result_.body = bindAlterRole(alter);
  }
  void bindBody(const ast::RenameRole& rename) {
    result_.command = "ALTER ROLE";
    result_.body = RenameRoleStatement{rename.name, rename.new_name};
  }
  void bindBody(const ast::RoleSetting& setting) {
    result_.command = "ALTER ROLE";
    result_.body = RoleSettingStatement{setting.role, setting.set.name, setting.set.value, setting.database,
                                        setting.set.is_current};
  }
  void bindBody(const ast::CreateDatabase& create) {
    result_.command = "CREATE DATABASE";
    result_.body = bindCreateDatabase(create);
  }
  void bindBody(const ast::AlterDatabase& alter) {
    result_.command = "ALTER DATABASE";
    result_.body = bindAlterDatabase(alter);
  }
  void bindBody(const ast::RenameDatabase& rename) {
    result_.command = "ALTER DATABASE";
    result_.body = AlterDatabaseStatement{.name = rename.name, .new_name = rename.new_name};
  }
  void bindBody(const ast::DatabaseSetting& setting) {
    result_.command = "ALTER DATABASE";
    result_.body = DatabaseSettingStatement{setting.name, setting.set.name, setting.set.value, setting.set.is_current};
  }
  void bindBody(const ast::DropDatabase& drop) {
    result_.command = "DROP DATABASE";
    result_.body = DropDatabaseStatement{drop.name, drop.if_exists, drop.is_forced};
  }
  void bindBody(const ast::DropRole& drop) {
    result_.command = "DROP ROLE";
    result_.body = DropRoleStatement{drop.roles, drop.if_exists};
  }
  void bindBody(const ast::Grant& grant) {
    result_.command = grant.is_grant ? "GRANT" : "REVOKE";
    result_.body = bindGrant(state_, grant);
  }
  void bindBody(const ast::DefaultPrivileges& defaults) {
    result_.command = "ALTER DEFAULT PRIVILEGES";
    result_.body = bindDefaultPrivileges(state_, defaults);
  }
  void bindBody(const ast::AlterOwner& alter) {
    static constexpr const char* kCommands[] = {
        "ALTER TABLE", "ALTER VIEW",   "ALTER MATERIALIZED VIEW", "ALTER SEQUENCE", "ALTER INDEX",
        "ALTER TYPE",  "ALTER DOMAIN", "ALTER DATABASE",          "ALTER ROUTINE",  "ALTER LARGE OBJECT"};
    static constexpr const char* kOfRoutines[] = {"ALTER FUNCTION", "ALTER PROCEDURE", "ALTER ROUTINE"};
    result_.command = alter.what == ast::AlterOwner::What::Routine
                          ? kOfRoutines[static_cast<size_t>(alter.routine_kind)]
                          : kCommands[static_cast<size_t>(alter.what)];
    result_.body = bindAlterOwner(state_, alter);
  }
  void bindBody(const ast::Owned& owned) {
    result_.command = owned.new_owner ? "REASSIGN OWNED" : "DROP OWNED";
    result_.body = bindOwned(state_, owned);
  }
  void bindBody(const ast::GrantRole& grant) {
    result_.command = grant.is_grant ? "GRANT ROLE" : "REVOKE ROLE";
    result_.body = GrantRoleStatement{grant.roles, grant.members, grant.is_grant, grant.is_admin, grant.grantor};
  }

  void bindQueryPlan(const ast::Query& query) {
    QueryBinder::Result bound = QueryBinder(state_).bind(query);
    std::unique_ptr<Output> output = outputOf(state_, bound.columns, std::move(bound.tree));
    output->locks = std::move(bound.locks);
    output->limit = std::move(bound.limit);
    output->offset = std::move(bound.offset);
    if (state_.context.is_positioned) addPositions(state_, *output);
    if (!output->locks.empty() && std::ranges::any_of(state_.plan->shared, &SharedPlan::is_change))
      throwNotSupported("SELECT FOR UPDATE/SHARE beside changes in WITH");
    for (const Output::RowLock& lock : output->locks) result_.row_locked.push_back(lock.table);
    if (!query.locks.empty()) result_.locking = fmt::format("SELECT {}", rowLockName(query.locks.front().strength));
    state_.plan->root = std::move(output);
  }

  void requireFiles(bool is_from) const {
    const CatalogView& catalog = state_.context.catalog;
    if (hasRightsOf(catalog, catalog.actors().current, is_from ? kReadServerFilesRole : kWriteServerFilesRole)) return;
    throw SqlError(sqlstate::kInsufficientPrivilege,
                   fmt::format("must be superuser or have privileges of the {} role to COPY {} a file",
                               is_from ? "pg_read_server_files" : "pg_write_server_files", is_from ? "from" : "to"))
        .hint("Anyone can COPY to stdout or from stdin. psql's \\copy command also works for anyone.");
  }

  TablePtr bindTableOutput(const ast::Copy& copy) {
    FromBinder::Result from =
        FromBinder(state_).bindTable({copy.relation.schema, copy.relation.name, -1}, {}, TableUse::CopyTo);
    const auto& scan = static_cast<const TableScan&>(*from.tree);
    auto output = std::make_unique<Output>();
    const std::vector<uint32_t> columns = resolveCopyColumns(*scan.table, copy.columns);
    state_.access.add(scan.table, Privilege::Select, columns);
    for (const uint32_t index : columns)
      output->columns.push_back(outputColumn(state_, scan.table->columns[index].name, scan.columns[index].iu));
    TablePtr table = scan.table;
    output->inputs.push_back(std::move(from.tree));
    state_.plan->root = std::move(output);
    return table;
  }

  void bindCopyFrom(const ast::Copy& copy, CopyOptions options, const ForcedColumns& forced) {
    CopyFromStatement statement;
    statement.table = FromBinder(state_).findTable({copy.relation.schema, copy.relation.name, -1}, TableUse::CopyFrom);
    statement.columns = resolveCopyColumns(*statement.table, copy.columns);
    state_.access.add(statement.table, Privilege::Insert, statement.columns);
    for (const ColumnEntry& column : statement.table->columns)
      statement.defaults.push_back(bindColumnDefault(state_, column));
    for (const uint32_t index : statement.columns)
      if (const uint32_t domain = statement.table->columns[index].domain; domain != 0)
        statement.domains.emplace_back(index, domainRules(state_, domain));
    statement.checks = checkForms(state_, statement.table->columns, statement.table->checks);
    if (statement.table->partitioning) addRoutinesOfChecks(state_, *statement.table);
    // It calls what generated columns call.
    const GeneratedColumns generated(state_, statement.table->name, statement.table->columns);
    statement.keys = bindKeyWork(state_, statement.table, {.inserts = true});
    statement.triggers = bindTriggerWork(statement.table, {{TriggerEvent::Insert, {}}}, {statement.checks.usual, {}});
    std::vector<std::string> columns;
    for (const uint32_t index : statement.columns) columns.push_back(statement.table->columns[index].name);
    forceColumns(options, forced, columns, statement.table.get());
    if (copy.where)
      statement.where = conditionForms(state_, *statement.table, *copy.where, "COPY FROM WHERE conditions", "WHERE");
    statement.options = std::move(options);
    statement.file = copy.file;
    state_.written.push_back(statement.table);
    if (statement.table->partitioning || statement.table->partition)
      statement.ancestors = bindPartitionPath(state_, *statement.table);
    result_.body = std::move(statement);
  }

  /// Views are made of what their owners may read when they are read, not now.
  /// Functions that are being made ask for rights when they are called.
  void requireAccess() const {
    if (state_.context.routine && !state_.context.routine->storage) return;
    if (!std::holds_alternative<CreateViewStatement>(result_.body)) state_.access.require(state_.context.catalog);
  }

  /// Materialized views that are read have been filled.
  void requirePopulated() const {
    const auto* explain = std::get_if<ExplainStatement>(&result_.body);
    if (!std::holds_alternative<QueryStatement>(result_.body) &&
        !std::holds_alternative<CopyToStatement>(result_.body) && !(explain != nullptr && explain->analyze))
      return;
    for (const TablePtr& table : state_.tables) {
      if (!table->materialized || table->materialized->is_populated) continue;
      throw SqlError(sqlstate::kObjectNotInPrerequisiteState,
                     fmt::format("materialized view \"{}\" has not been populated", table->name))
          .hint("Use the REFRESH MATERIALIZED VIEW command.");
    }
  }

  void finishParameters() {
    for (const auto& [parameter, position] : state_.untyped_uses)
      if (state_.parameters[parameter].kind != TypeKind::Unknown)
        throw SqlError(SqlState("42P08"), fmt::format("could not determine data type of parameter ${}", parameter + 1))
            .position(position);
    for (size_t i = 0; i < state_.parameters.size(); ++i)
      if (state_.parameters[i].kind == TypeKind::Unknown)
        throw SqlError(sqlstate::kIndeterminateDatatype,
                       fmt::format("could not determine data type of parameter ${}", i + 1));
    state_.plan->parameters = state_.parameters;
    result_.parameters = state_.parameters;
  }

  BindState state_;
  BoundStatement result_;
  RoutineFrame routine_{};
  std::vector<ExpressionPtr> inputs_;  ///< of the routine
  std::optional<BodyText> body_;       ///< likewise
};

void StatementBinder::bindBody(const ast::Explain& explain) {
  ExplainStatement result = readExplainOptions(explain.options);
  std::visit([&](const auto& body) { bindBody(body); }, explain.statement->body);
  const auto* query = std::get_if<QueryStatement>(&result_.body);
  if (query == nullptr) throwNotSupported("EXPLAIN " + result_.command);
  result.plan = query->plan;
  result_.body = std::move(result);
  result_.command = "EXPLAIN";
}

}  // namespace

BoundStatement bind(const ParsedStatement& statement, BindContext& context) {
  if (statement.rejection) throw SqlError(*statement.rejection);
  for (;;) {
    try {
      return StatementBinder(context).bind(*statement.tree);
    } catch (const CalledRoutine& routine) {
      context.called.push_back(routine.oid);
    }
  }
}

std::string_view isolationName(IsolationLevel level) {
  static constexpr std::string_view kNames[] = {"read uncommitted", "read committed", "repeatable read"};
  return kNames[static_cast<size_t>(level)];
}

IsolationLevel isolationLevel(std::string_view name) {
  if (name == "read uncommitted") return IsolationLevel::ReadUncommitted;
  if (name == "read committed") return IsolationLevel::ReadCommitted;
  if (name == "repeatable read") return IsolationLevel::RepeatableRead;
  throwNotSupported("isolation level SERIALIZABLE");
}

}  // namespace gnomon::sql
