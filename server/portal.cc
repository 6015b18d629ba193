#include "server/portal.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/logging.h"
#include "base/metrics.h"
#include "server/call_inputs.h"
#include "server/copy/copy_in.h"
#include "server/copy/copy_out.h"
#include "server/portals.h"
#include "server/prepared_statements.h"
#include "server/session_statements.h"
#include "server/value_rows.h"
#include "sql/catalog/column_order.h"
#include "sql/explain/explain.h"
#include "sql/parse/identifier.h"

namespace gnomon::server {

/// A portal inside of one.
struct Portal::Prepared {
  Prepared(SessionContext& session, PortalSource source_of_it, std::shared_ptr<sql::BoundStatement> fresh)
      : source(std::move(source_of_it)), portal(session, source, std::move(fresh)) {}

  const PortalSource source;
  Portal portal;
};

struct Portal::Fetched {
  explicit Fetched(uint64_t memory_bytes_max) : rows(memory_bytes_max) {}

  KeptRows rows;
  size_t next = 0;
};

namespace {

/// What PostgreSQL says where rows that are written anew break a constraint.
SqlError ofRewrite(const SqlError& error) {
  if (error.state() == sqlstate::kNotNullViolation)
    return SqlError(error.state(), fmt::format("column \"{}\" of relation \"{}\" contains null values", error.column(),
                                               error.table()));
  if (error.state() == sqlstate::kCheckViolation && !error.table().empty())
    return SqlError(error.state(), fmt::format("check constraint \"{}\" of relation \"{}\" is violated by some row",
                                               error.constraint(), error.table()));
  if (!(error.state() == sqlstate::kUniqueViolation)) return error;
  constexpr std::string_view kExists = " already exists.";
  std::string detail = error.detail();
  if (detail.ends_with(kExists)) detail.replace(detail.size() - kExists.size(), kExists.size(), " is duplicated.");
  return SqlError(error.state(), fmt::format("could not create unique index \"{}\"", error.constraint()))
      .detail(std::move(detail));
}

}  // namespace

Portal::Portal(SessionContext& session, const PortalSource& source, std::shared_ptr<sql::BoundStatement> fresh)
    : session_(session), source_(source), statement_(*source.statement), fresh_(std::move(fresh)) {}

Portal::~Portal() = default;

void Portal::execute(uint64_t row_limit, bool describe, std::optional<SqlError>* failure) {
  if (prepared_) return prepared_->portal.execute(row_limit, describe);
  static constexpr SqlState kNotInPrerequisiteState("55000");
  if (is_broken_ || (is_finished_ && !returnsRows())) throw SqlError(kNotInPrerequisiteState, "portal cannot be run");
  if (is_finished_) return writeCommandComplete(session_.writer, statement_.counting_tag, 0);
  Metrics::instance().add(CounterId::StatementsRun);
  const int64_t begun_us = session_.status.steadyUs();
  is_broken_ = true;
  {
    // What it wrote is undone before its transaction is.
    struct Undo {
      Portal& portal;
      ~Undo() {
        if (portal.is_broken_) portal.run_.reset();
      }
    } const undo{*this};
    executeBody(row_limit, describe, failure);
    if (failure && *failure) return;
    is_broken_ = false;
  }
  session_.status.readClock();
  const int64_t spent_us = session_.status.steadyUs() - begun_us;
  Metrics::instance().histogram(HistogramId::StatementUs).record(static_cast<uint64_t>(spent_us));
  const int64_t logged_from_ms = session_.settings.integer(SettingId::LogMinDurationStatement);
  if (logged_from_ms >= 0 && spent_us >= logged_from_ms * 1000)
    logLine(LogLevel::Log, "duration: {:.3f} ms  statement: {}", static_cast<double>(spent_us) / 1000, *text());
}

void Portal::executeBody(uint64_t row_limit, bool describe, std::optional<SqlError>* failure) {
  if (std::holds_alternative<sql::QueryStatement>(bound().body)) {
    executeQuery(row_limit, describe, failure);
  } else if (std::holds_alternative<sql::CopyFromStatement>(bound().body)) {
    executeCopyFrom();
  } else if (std::holds_alternative<sql::CopyToStatement>(bound().body)) {
    executeCopyTo();
  } else if (std::holds_alternative<sql::CreateTableAsStatement>(bound().body)) {
    executeCreateTableAs();
  } else if (std::holds_alternative<sql::CallStatement>(bound().body)) {
    executeCall(describe);
  } else if (const auto* block = std::get_if<sql::DoStatement>(&bound().body)) {
    session_.services.routines().runBlock(block->body, session_.transaction.isLasting());
    complete("DO");
  } else if (std::holds_alternative<sql::ExecuteStatement>(bound().body)) {
    executePrepared(row_limit, describe);
  } else if (std::holds_alternative<sql::FetchStatement>(bound().body)) {
    executeFetch(row_limit, describe);
  } else {
    executeUtility(row_limit, describe);
  }
}

/// What it changed is committed before the client hears of it, where the statement is all of its transaction.
void Portal::complete(std::string_view tag, std::optional<uint64_t> rows) {
  is_finished_ = true;
  if (is_silent_) {
    rows_completed_ = rows.value_or(0);
    return;
  }
  session_.transaction.completeStatement();
  writeCommandComplete(session_.writer, tag, rows);
}

void Portal::begin() {
  // What locks or changes rows begins when it is executed: until then nothing of it is in the transaction.
  if (!bound().locking.empty() || !bound().written.empty()) return;
  if (!std::holds_alternative<sql::QueryStatement>(bound().body) || !returnsRows()) return;
  startRun();
  checkColumns();
}

void Portal::startRun() {
  run_.emplace(session_, statement_, source_.format, source_.parameters, std::move(fresh_));
}

void Portal::checkColumns() const {
  KeptPlan& kept = statement_.kept;
  const sql::BoundStatement& planned = run_->bound();
  const bool is_kept = kept.query && kept.query->bound.get() == &planned;
  if (&planned == &bound() || (is_kept && kept.are_columns_expected)) return;
  if (!std::ranges::equal(resultColumns(planned), statement_.columns(), &ResultColumn::looksLike))
    throw SqlError(sqlstate::kFeatureNotSupported, "cached plan must not change result type");
  if (is_kept) kept.are_columns_expected = true;
}

bool Portal::callDirectly(std::optional<SqlError>* failure) {
  KeptPlan& kept = statement_.kept;
  if (fresh_ || !kept.query || !kept.query->direct_call || !kept.are_parameters_expected) return false;
  if (kept.query->bound.get() != &bound() && !kept.are_columns_expected) return false;
  if (!Planner(session_).lockKept(kept, source_.format)) return false;
  // Another call of the portal's text may replace the plan.
  const std::shared_ptr<const CompiledQuery> query = kept.query;
  std::optional<SqlError> error;
  sql::Value value;
  {
    txn::TransactionManager::SnapshotGuard guard;
    const txn::Snapshot seen = session_.transaction.takeSnapshot(guard);
    const SessionServices::Seeing seeing(session_.services, seen);
    TableUses::Use uses;
    uses.begin(session_.uses, query->bound->tables);
    const DirectCall& call = *query->direct_call;
    std::vector<sql::Value> memory;
    const std::span<const sql::Value> arguments = call.values(source_.parameters, memory);
    value = session_.services.routines().call(call.routine, arguments, call.result, &error);
  }
  if (error && !failure) throw SqlError(*std::move(error));
  if (error) {
    *failure = std::move(error);
    return true;
  }
  writeValueRow(session_.writer, {&value, 1}, formats(), byteaOutput(session_.settings));
  ++rows_put_out_;
  Metrics::instance().add(CounterId::RowsSent, 1);
  complete(statement_.counting_tag, 1);
  return true;
}

void Portal::executeQuery(uint64_t row_limit, bool describe, std::optional<SqlError>* failure) {
  if (!run_ && row_limit == 0 && !describe && callDirectly(failure)) return;
  const bool is_select = returnsRows();
  if (!run_) {
    startRun();
    if (!describe)
      checkColumns();
    else if (&run_->bound() != &bound())
      statement_.setColumns(resultColumns(run_->bound()));
  }
  if (describe && is_select) writeRowDescription(session_.writer, statement_.columns(), formats());
  ClientRows client(session_.writer);
  const bool is_finished = run_->run(is_select ? row_limit : 0, client);
  if (is_select) {
    rows_put_out_ += run_->sentCount();
    Metrics::instance().add(CounterId::RowsSent, run_->sentCount());
  }
  if (!is_finished) return session_.writer.putEmpty('s');
  // Where rows are put out the tag counts those of this call, also of a change that was done by an earlier one.
  const uint64_t rows = is_select ? run_->sentCount() : run_->rowCount();
  run_.reset();
  complete(statement_.counting_tag, rows);
}

uint64_t Portal::advance(uint64_t row_limit, RowSink& rows) {
  if (is_finished_) return 0;
  if (!std::holds_alternative<sql::QueryStatement>(bound().body) || !returnsRows())
    throwNotSupported(fmt::format("going through the rows of {} by name", bound().command));
  if (is_broken_) throw SqlError(sqlstate::kObjectNotInPrerequisiteState, "portal cannot be run");
  is_broken_ = true;
  bool is_finished = false;
  try {
    if (!run_) {
      startRun();
      checkColumns();
    }
    is_finished = run_->run(row_limit, rows);
  } catch (...) {
    run_.reset();
    throw;
  }
  is_broken_ = false;
  const uint64_t count = run_->sentCount();
  rows_put_out_ += count;
  if (is_finished) release();
  return count;
}

void Portal::release() {
  run_.reset();
  is_finished_ = true;
}

/// EXECUTE is the prepared statement's portal.
void Portal::executePrepared(uint64_t row_limit, bool describe) {
  std::shared_ptr<sql::BoundStatement> fresh;
  PortalSource source = session_.statements.sourceOf(std::get<sql::ExecuteStatement>(bound().body), statement_.source,
                                                     source_.format, fresh);
  prepared_ = std::make_unique<Prepared>(session_, std::move(source), std::move(fresh));
  prepared_->portal.execute(row_limit, describe);
}

void Portal::executeFetch(uint64_t row_limit, bool describe) {
  const auto& statement = std::get<sql::FetchStatement>(bound().body);
  if (!fetched_) {
    const auto memory_bytes_max = static_cast<uint64_t>(session_.settings.integer(SettingId::QueryMemory));
    BoundPortal& place = session_.portals.findCursor(statement.cursor, memory_bytes_max);
    const std::span<const int16_t> formats = describe ? place.shownFormats() : source_.format.column_formats;
    if (describe && !statement.is_move) writeRowDescription(session_.writer, statement_.columns(), formats);
    if (row_limit == 0 || statement.is_move) return fetch(place, formats, nullptr);
    fetched_ = std::make_unique<Fetched>(memory_bytes_max);
    fetch(place, formats, &fetched_->rows);
  }
  uint64_t written = 0;
  for (; fetched_->next < fetched_->rows.count(); ++fetched_->next, ++written) {
    if (row_limit != 0 && written == row_limit) return session_.writer.putEmpty('s');
    session_.writer.write(fetched_->rows.row(fetched_->next));
  }
  complete(statement_.counting_tag, written);
}

/// To the client, or to `kept` instead.
void Portal::fetch(BoundPortal& place, std::span<const int16_t> formats, KeptRows* kept) {
  const auto& statement = std::get<sql::FetchStatement>(bound().body);
  ClientRows client(session_.writer);
  RowSink& target = kept != nullptr ? static_cast<RowSink&>(*kept) : client;
  const std::span<const int16_t> own = place.shownFormats();
  RecodedRows recoded(target, statement_.columns(), own, formats);
  uint64_t count = 0;
  try {
    count = place.cursor->fetch(statement, std::ranges::equal(own, formats) ? target : static_cast<RowSink&>(recoded));
  } catch (...) {
    place.has_failed = true;
    throw;
  }
  if (kept == nullptr) complete(statement_.counting_tag, count);
}

void Portal::executeUtility(uint64_t row_limit, bool describe) {
  if (!utility_) {
    utility_ = runUtilityOrExplain();
    if (describe && !statement_.columns().empty())
      writeRowDescription(session_.writer, statement_.columns(), formats());
  }
  uint64_t written = 0;
  for (; utility_row_ < utility_->rows.size(); ++utility_row_, ++written) {
    if (row_limit != 0 && written == row_limit) return session_.writer.putEmpty('s');
    writeTextRow(session_.writer, utility_->rows[utility_row_]);
    session_.writer.flushIfFull();
  }
  complete(utility_->tag);
}

UtilityResult Portal::runUtilityOrExplain() {
  const auto* const explain = std::get_if<sql::ExplainStatement>(&bound().body);
  return explain != nullptr && explain->analyze ? explainAnalyze() : runBoundUtility();
}

UtilityResult Portal::perform() {
  is_silent_ = true;
  if (std::holds_alternative<sql::CreateTableAsStatement>(bound().body)) {
    executeCreateTableAs();
    return {{}, bound().command, rows_completed_};
  }
  const auto* const from = std::get_if<sql::CopyFromStatement>(&bound().body);
  const auto* const to = std::get_if<sql::CopyToStatement>(&bound().body);
  if (from != nullptr || to != nullptr) {
    if ((from != nullptr ? from->file : to->file).empty())
      throw SqlError(sqlstate::kFeatureNotSupported, "cannot COPY to/from client in PL/pgSQL");
    if (from != nullptr)
      executeCopyFrom();
    else
      executeCopyTo();
    return {{}, "COPY", rows_completed_};
  }
  const bool has_client = std::holds_alternative<sql::ExecuteStatement>(bound().body) ||
                          std::holds_alternative<sql::FetchStatement>(bound().body);
  if (has_client) throwNotSupported(fmt::format("{} in a routine", bound().command));
  return runUtilityOrExplain();
}

UtilityResult Portal::runBoundUtility() {
  if (const auto* control = std::get_if<sql::TransactionStatement>(&bound().body))
    return controlTransaction(session_, *control, bound().command);
  if (auto result = runSessionStatement(session_, source_)) return std::move(*result);
  const Planner planner(session_);
  std::shared_ptr<sql::BoundStatement> bound = std::move(fresh_);
  while (true) {
    if (!bound || !planner.isAllowed(*bound)) bound = planner.bind(statement_.source);
    std::optional<UtilityResult> result;
    try {
      if (layColumns(*bound)) bound = planner.bind(statement_.source);
      result = runUtility(session_, bound);
    } catch (const SqlError& error) {
      // A table went or changed while we waited for it: binding again says what that means.
      if (!(error.state() == sqlstate::kUndefinedTable) || planner.isCurrent(*bound)) throw;
    }
    // What is done now must not be done again: the definition itself has changed the tables.
    if (result) {
      fill(*bound, sql::AlterPart::Whole);
      finishAltering(*bound);
      return std::move(*result);
    }
    session_.interrupts.poll();
    bound = nullptr;
  }
}

UtilityResult Portal::explainAnalyze() {
  const auto& asked = std::get<sql::ExplainStatement>(bound().body);
  const bool shows_steps = asked.what == sql::ExplainStatement::What::Pipelines;
  codegen::OutputFormat format;
  format.framing = codegen::OutputFormat::Framing::Counted;
  format.is_timed = asked.options.timing && !shows_steps;
  const int64_t planned_us = steadyTimeUs();
  QueryRun run(session_, statement_, format, source_.parameters, std::move(fresh_));
  const int64_t begun_us = steadyTimeUs();
  NoRows none;
  run.run(0, none);
  sql::ExecutionFigures figures = run.figures();
  figures.execution_ms = static_cast<double>(steadyTimeUs() - begun_us) / 1000;
  const double planning_ms = static_cast<double>(begun_us - planned_us) / 1000;
  const auto& explained = std::get<sql::ExplainStatement>(run.bound().body);
  if (shows_steps)
    return explainResult(run.steps() + fmt::format("Execution Time: {:.3f} ms\n", figures.execution_ms), false);
  const bool is_json = explained.options.format == sql::ExplainOptions::Format::Json;
  return explainResult(sql::explainPlan(*explained.plan, explained.options, &figures,
                                        explained.summary ? std::optional(planning_ms) : std::nullopt,
                                        explainedSettings(session_.settings)),
                       is_json);
}

void Portal::executeCall(bool describe) {
  std::shared_ptr<sql::BoundStatement> statement = std::move(fresh_);
  if (!statement || !Planner(session_).isAllowed(*statement)) statement = Planner(session_).bind(statement_.source);
  const auto& call = std::get<sql::CallStatement>(statement->body);
  const std::vector<sql::Value> inputs = inputsOf(session_, call, source_.parameters);
  const ValueRow outputs =
      session_.services.routines().callProcedure(call.routine, inputs, session_.transaction.isLasting());
  if (!outputs.empty()) {
    if (describe) writeRowDescription(session_.writer, statement_.columns(), formats());
    writeValueRow(session_.writer, outputs, formats(), byteaOutput(session_.settings));
  }
  complete("CALL");
}

void Portal::executeCreateTableAs() {
  const Planner planner(session_);
  std::shared_ptr<sql::BoundStatement> statement = std::move(fresh_);
  if (!statement || !planner.isAllowed(*statement)) statement = planner.bind(statement_.source);
  session_.transaction.requireMayWrite(statement->command);
  const auto& create = std::get<sql::CreateTableAsStatement>(statement->body);
  if (!createTable(session_, create.table)) return complete(statement->command);
  if (!create.has_data && source_.is_of_execute) return complete("SELECT", 0);
  if (!create.has_data) return complete(statement->command);
  complete("SELECT", runChange(fillingOf(nullptr)));
}

StatementSource Portal::fillingOf(sql::TablePtr rewritten) const {
  StatementSource source = statement_.source;
  source.fills = true;
  source.rewritten = std::move(rewritten);
  // Its plan is another one than the text's.
  source.is_whole_text = false;
  return source;
}

uint64_t Portal::runChange(StatementSource source) {
  std::shared_ptr<sql::BoundStatement> bound = Planner(session_).bind(source);
  DescribedStatement described(std::move(source), bound);
  QueryRun run(session_, described, source_.format, source_.parameters, std::move(bound));
  NoRows none;
  run.run(0, none);
  return run.rowCount();
}

/// What a definition, or a part of one, leaves to be done to the rows.
void Portal::fill(const sql::BoundStatement& bound, sql::AlterPart part) {
  if (const auto* alter = std::get_if<sql::AlterTableStatement>(&bound.body); alter != nullptr && alter->rewrites) {
    const auto rewriteRows = [&](const sql::TablePtr& table) {
      if (table->partitioning) return;
      StatementSource source = fillingOf(table);
      source.part = part;
      rewrite(std::move(source));
    };
    rewriteRows(alter->table);
    for (const sql::AlterTableStatement& below : alter->partitions) rewriteRows(below.table);
  }
  const auto* refresh = std::get_if<sql::RefreshViewStatement>(&bound.body);
  if (refresh == nullptr || !refresh->has_data) return;
  if (!refresh->is_concurrent) {
    rewrite(fillingOf(nullptr));
  } else {
    const sql::TableEntry& view = *refresh->view;
    StatementSource emptying = fillingOf(nullptr);
    emptying.text = std::make_shared<const std::string>(
        fmt::format("DELETE FROM {}.{}", sql::quotedIdentifier(view.schema), sql::quotedIdentifier(view.name)));
    emptying.parsed = sql::parse(*emptying.text).at(0);
    runChange(std::move(emptying));
    runChange(fillingOf(nullptr));
  }
}

/// Of ALTER TABLE, what is done part by part.
void Portal::finishAltering(const sql::BoundStatement& first) {
  const auto nextOf = [](const sql::BoundStatement& bound) {
    const auto* const alter = std::get_if<sql::AlterTableStatement>(&bound.body);
    return alter != nullptr ? alter->next : sql::AlterPart::Whole;
  };
  for (sql::AlterPart part = nextOf(first); part != sql::AlterPart::Whole;) {
    StatementSource source = statement_.source;
    source.part = part;
    source.is_whole_text = false;
    const std::shared_ptr<sql::BoundStatement> bound = Planner(session_).bind(source);
    runUtility(session_, bound);
    fill(*bound, part);
    part = nextOf(*bound);
  }
}

/// Before ATTACH PARTITION, where it wants that. False: it does not.
bool Portal::layColumns(const sql::BoundStatement& bound) {
  const auto* change = std::get_if<sql::PartitionStatement>(&bound.body);
  if (change == nullptr || !change->lays_columns) return false;
  layPartition(session_, *change);
  for (const sql::TablePtr& laid : sql::tablesToLay(change->partition, *change->table))
    if (!laid->partitioning) rewrite(fillingOf(laid));
  return true;
}

void Portal::rewrite(StatementSource source) {
  try {
    runChange(std::move(source));
  } catch (const SqlError& error) {
    throw ofRewrite(error);
  }
}

void Portal::executeCopyFrom() {
  std::shared_ptr<sql::BoundStatement> statement = std::move(fresh_);
  Planner planner(session_);
  planner.lockTables([&](bool again) -> const sql::BoundStatement& {
    if (again || !statement) statement = planner.bind(statement_.source);
    return *statement;
  });
  TableUses::Use use;
  use.begin(session_.uses, statement->tables);
  const uint64_t rows = CopyIn(session_, std::get<sql::CopyFromStatement>(statement->body)).run();
  complete("COPY", rows);
}

void Portal::executeCopyTo() {
  codegen::OutputFormat format;
  format.framing = codegen::OutputFormat::Framing::CopyData;
  format.copy = std::get<sql::CopyToStatement>(bound().body).options;
  QueryRun run(session_, statement_, format, source_.parameters, std::move(fresh_));
  const auto& statement = std::get<sql::CopyToStatement>(run.bound().body);
  CopyOut out(session_, statement, static_cast<const sql::Output&>(*statement.plan->root));
  run.run(0, out.rows());
  Metrics::instance().add(CounterId::RowsSent, run.rowCount());
  out.finish();
  complete("COPY", run.rowCount());
}

}  // namespace gnomon::server
