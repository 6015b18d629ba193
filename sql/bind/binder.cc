#include "sql/bind/binder.h"

#include <array>

#include <fmt/format.h>

#include "base/sql_error.h"
#include "sql/algebra/change_operators.h"
#include "sql/bind/alter_binder.h"
#include "sql/bind/bind_state.h"
#include "sql/bind/change_binder.h"
#include "sql/bind/check_definition.h"
#include "sql/bind/column_default.h"
#include "sql/bind/copy_options.h"
#include "sql/bind/from_binder.h"
#include "sql/bind/index_definition.h"
#include "sql/bind/insert_binder.h"
#include "sql/bind/key_work_binder.h"
#include "sql/bind/output_binder.h"
#include "sql/bind/query_binder.h"
#include "sql/bind/row_lock_binder.h"
#include "sql/bind/sequence_definition.h"
#include "sql/bind/table_definition.h"
#include "sql/bind/target_columns.h"
#include "sql/bind/vacuum_binder.h"
#include "sql/bind/view_definition.h"
#include "sql/parse/ast.h"

namespace gnomon::sql {
namespace {

bool isFalse(const std::optional<std::string>& value) {
  return value && (*value == "false" || *value == "off" || *value == "0");
}

/// One statement on its way from the tree to what the session executes.
class StatementBinder {
 public:
  explicit StatementBinder(BindContext& context) : state_(context) {}

  BoundStatement bind(const ast::Statement& statement) {
    std::visit([&](const auto& body) { bindBody(body); }, statement.body);
    finishParameters();
    result_.tables = state_.tables;
    result_.also_written = state_.also_written;
    result_.row_locked.insert(result_.row_locked.end(), state_.key_locked.begin(), state_.key_locked.end());
    return std::move(result_);
  }

 private:
  void bindBody(const ast::QueryPtr& query) {
    bindQueryPlan(*query);
    result_.body = QueryStatement{state_.plan};
    result_.command = "SELECT";
  }
  void bindBody(const ast::Insert& insert) {
    state_.plan->root = InsertBinder(state_).bind(insert);
    result_.written = static_cast<const Insert&>(changeOf(*state_.plan)).table;
    result_.body = QueryStatement{state_.plan};
    result_.command = "INSERT";
  }
  void bindBody(const ast::Update& update) {
    state_.plan->root = ChangeBinder(state_).bind(update);
    result_.written = static_cast<const Update&>(changeOf(*state_.plan)).table;
    result_.body = QueryStatement{state_.plan};
    result_.command = "UPDATE";
  }
  void bindBody(const ast::Delete& node) {
    state_.plan->root = ChangeBinder(state_).bind(node);
    result_.written = static_cast<const Delete&>(changeOf(*state_.plan)).table;
    result_.body = QueryStatement{state_.plan};
    result_.command = "DELETE";
  }
  void bindBody(const ast::Truncate& truncate) {
    for (const ast::RelationName& relation : truncate.relations)
      FromBinder(state_).findTable({relation.schema, relation.name, -1}, TableUse::Truncate);
    result_.body = TruncateStatement{state_.tables, truncate.is_cascade, truncate.restarts_identity};
    result_.command = "TRUNCATE TABLE";
  }
  void bindBody(const ast::CreateTable& create) {
    result_.body = bindCreateTable(state_, create);
    result_.command = "CREATE TABLE";
  }
  void bindBody(const ast::CreateTableAs& create) {
    result_.command = "CREATE TABLE AS";
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
  void bindBody(const ast::DropTable& drop) {
    result_.body = bindDropTable(drop);
    result_.command = drop.are_views ? "DROP VIEW" : "DROP TABLE";
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
    result_.body = bindAlterTable(state_, alter);
    result_.command = "ALTER TABLE";
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
  void bindBody(const ast::Rename& rename) {
    if (rename.what == ast::Rename::What::Sequence) {
      result_.body = bindRenameSequence(state_, rename);
      result_.command = "ALTER SEQUENCE";
      return;
    }
    result_.body = bindRename(state_, rename);
    result_.command = "ALTER TABLE";
  }
  void bindBody(const ast::Vacuum& vacuum) {
    result_.body = bindVacuum(state_, vacuum);
    result_.command = vacuum.is_vacuum ? "VACUUM" : "ANALYZE";
  }
  void bindBody(const ast::Checkpoint& /*checkpoint*/) {
    result_.body = CheckpointStatement{};
    result_.command = "CHECKPOINT";
  }
  void bindBody(const ast::Copy& copy) {
    result_.command = "COPY";
    const CopyOptions options = readCopyOptions(copy.options, copy.is_from);
    if (copy.is_from) return bindCopyFrom(copy, options);
    if (copy.query) {
      bindQueryPlan(*copy.query);
    } else {
      bindTableOutput(copy);
    }
    result_.body = CopyToStatement{state_.plan, options};
  }
  void bindBody(const ast::Explain& explain);
  void bindBody(const ast::Set& set) {
    result_.command = set.is_reset ? "RESET" : "SET";
    result_.body = SetStatement{set.name, set.value, set.reset_all, set.is_local};
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

  void bindQueryPlan(const ast::Query& query) {
    QueryBinder::Result bound = QueryBinder(state_).bind(query);
    std::unique_ptr<Output> output = outputOf(state_, bound.columns, std::move(bound.tree));
    output->locks = std::move(bound.locks);
    output->limit = std::move(bound.limit);
    output->offset = std::move(bound.offset);
    for (const Output::RowLock& lock : output->locks) result_.row_locked.push_back(lock.table);
    if (!query.locks.empty()) result_.locking = fmt::format("SELECT {}", rowLockName(query.locks.front().strength));
    state_.plan->root = std::move(output);
  }

  void bindTableOutput(const ast::Copy& copy) {
    FromBinder::Result from =
        FromBinder(state_).bindTable({copy.relation.schema, copy.relation.name, -1}, {}, TableUse::CopyTo);
    const auto& scan = static_cast<const TableScan&>(*from.tree);
    auto output = std::make_unique<Output>();
    for (const uint32_t index : resolveTargetColumns(*scan.table, copy.columns))
      output->columns.push_back(outputColumn(state_, scan.table->columns[index].name, scan.columns[index].iu));
    output->inputs.push_back(std::move(from.tree));
    state_.plan->root = std::move(output);
  }

  void bindCopyFrom(const ast::Copy& copy, const CopyOptions& options) {
    CopyFromStatement statement;
    statement.table = FromBinder(state_).findTable({copy.relation.schema, copy.relation.name, -1}, TableUse::CopyFrom);
    statement.columns = resolveTargetColumns(*statement.table, copy.columns);
    for (const ColumnEntry& column : statement.table->columns)
      statement.defaults.push_back(bindColumnDefault(state_, column));
    statement.checks = checkForms(state_, statement.table->columns, statement.table->checks);
    statement.keys = bindKeyWork(state_, statement.table, {.inserts = true});
    statement.options = options;
    result_.written = statement.table;
    result_.body = std::move(statement);
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
};

ExplainStatement readExplainOptions(const std::vector<ast::Option>& options) {
  ExplainStatement result;
  auto& what = result.what;
  for (const ast::Option& option : options) {
    if (option.name == "analyze") {
      result.analyze = !isFalse(option.value);
      continue;
    }
    if (option.name == "pipelines" || option.name == "ir") {
      if (isFalse(option.value)) continue;
      what = option.name == "ir" ? ExplainStatement::What::Ir : ExplainStatement::What::Pipelines;
      continue;
    }
    static constexpr std::string_view kKnown[] = {"verbose", "costs",  "settings", "generic_plan", "buffers",
                                                  "wal",     "timing", "summary",  "format"};
    bool is_known = false;
    for (const std::string_view known : kKnown) is_known = is_known || option.name == known;
    if (!is_known)
      throw SqlError(sqlstate::kSyntaxError, fmt::format("unrecognized EXPLAIN option \"{}\"", option.name))
          .position(option.position);
    const bool changes_nothing = option.name == "format" ? option.value == "text" : isFalse(option.value);
    if (!changes_nothing) {
      std::string shown = option.name;
      for (char& c : shown)
        if (c >= 'a' && c <= 'z') c = static_cast<char>(c - 'a' + 'A');
      throwNotSupported("EXPLAIN option " + shown, option.position);
    }
  }
  if (result.analyze && what != ExplainStatement::What::Plan) throwNotSupported("EXPLAIN ANALYZE of pipelines or IR");
  return result;
}

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
  return StatementBinder(context).bind(*statement.tree);
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
