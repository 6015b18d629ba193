#include "server/portal.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/metrics.h"
#include "server/copy/copy_in.h"
#include "sql/explain/explain.h"

namespace gnomon::server {

void Portal::execute(uint64_t row_limit, bool describe) {
  static constexpr SqlState kNotInPrerequisiteState("55000");
  if (is_broken_ || (is_finished_ && !returnsRows())) throw SqlError(kNotInPrerequisiteState, "portal cannot be run");
  if (is_finished_) return writeCommandComplete(session_.writer, statement_.counting_tag, 0);
  Metrics::instance().add(CounterId::StatementsRun);
  const int64_t begun_us = session_.status.steadyUs();
  is_broken_ = true;
  try {
    executeBody(row_limit, describe);
  } catch (...) {
    // What it wrote is undone before its transaction is.
    run_.reset();
    throw;
  }
  is_broken_ = false;
  session_.status.readClock();
  const int64_t spent_us = session_.status.steadyUs() - begun_us;
  Metrics::instance().histogram(HistogramId::StatementUs).record(static_cast<uint64_t>(spent_us));
}

void Portal::executeBody(uint64_t row_limit, bool describe) {
  if (std::holds_alternative<sql::QueryStatement>(bound().body)) {
    executeQuery(row_limit, describe);
  } else if (std::holds_alternative<sql::CopyFromStatement>(bound().body)) {
    executeCopyFrom();
  } else if (std::holds_alternative<sql::CopyToStatement>(bound().body)) {
    executeCopyTo();
  } else if (std::holds_alternative<sql::CreateTableAsStatement>(bound().body)) {
    executeCreateTableAs();
  } else {
    executeUtility(row_limit, describe);
  }
}

/// What it changed is committed before the client hears of it, where the statement is all of its transaction.
void Portal::complete(std::string_view tag, std::optional<uint64_t> rows) {
  is_finished_ = true;
  session_.transaction.completeStatement();
  writeCommandComplete(session_.writer, tag, rows);
}

void Portal::begin() {
  // What locks or changes rows begins when it is executed: until then nothing of it is in the transaction.
  if (!bound().locking.empty() || bound().written) return;
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

void Portal::executeQuery(uint64_t row_limit, bool describe) {
  const bool is_select = returnsRows();
  if (!run_) {
    startRun();
    if (!describe)
      checkColumns();
    else if (&run_->bound() != &bound())
      statement_.setColumns(resultColumns(run_->bound()));
  }
  if (describe && is_select) writeRowDescription(session_.writer, statement_.columns(), formats());
  const bool is_finished = run_->run(is_select ? row_limit : 0);
  if (is_select) Metrics::instance().add(CounterId::RowsSent, run_->sentCount());
  if (!is_finished) return session_.writer.putEmpty('s');
  // Where rows are put out the tag counts those of this call, also of a change that was done by an earlier one.
  const uint64_t rows = is_select ? run_->sentCount() : run_->rowCount();
  run_.reset();
  complete(statement_.counting_tag, rows);
}

void Portal::executeUtility(uint64_t row_limit, bool describe) {
  if (!utility_) {
    const auto* explain = std::get_if<sql::ExplainStatement>(&bound().body);
    if (explain != nullptr && explain->analyze)
      utility_ = explainAnalyze();
    else
      utility_ = runBoundUtility();
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

UtilityResult Portal::runBoundUtility() {
  if (const auto* control = std::get_if<sql::TransactionStatement>(&bound().body))
    return controlTransaction(session_, *control, bound().command);
  const Planner planner(session_);
  std::shared_ptr<sql::BoundStatement> bound = std::move(fresh_);
  while (true) {
    if (!bound) bound = planner.bind(statement_.source);
    try {
      return runUtility(session_, bound);
    } catch (const SqlError& error) {
      // A table went or changed while we waited for it: binding again says what that means.
      if (!(error.state() == sqlstate::kUndefinedTable) || planner.isCurrent(*bound)) throw;
    }
    session_.interrupts.poll();
    bound = nullptr;
  }
}

UtilityResult Portal::explainAnalyze() {
  codegen::OutputFormat format;
  format.framing = codegen::OutputFormat::Framing::Counted;
  QueryRun run(session_, statement_, format, source_.parameters, std::move(fresh_));
  const int64_t begun_us = steadyTimeUs();
  run.run(0);
  const double spent_ms = static_cast<double>(steadyTimeUs() - begun_us) / 1000;
  const auto& explained = std::get<sql::ExplainStatement>(run.bound().body);
  return explainResult(sql::explainPlan(*explained.plan, run.operatorRows()) +
                       fmt::format("Execution Time: {:.3f} ms\n", spent_ms));
}

void Portal::executeCreateTableAs() {
  const Planner planner(session_);
  std::shared_ptr<sql::BoundStatement> statement = std::move(fresh_);
  if (!statement) statement = planner.bind(statement_.source);
  session_.transaction.requireMayWrite(statement->command);
  const auto& create = std::get<sql::CreateTableAsStatement>(statement->body);
  if (!createTable(session_, create.table) || !create.has_data) return complete(statement->command);
  StatementSource source = statement_.source;
  source.fills = true;
  std::shared_ptr<sql::BoundStatement> filling = planner.bind(source);
  DescribedStatement described(std::move(source), filling);
  QueryRun run(session_, described, source_.format, source_.parameters, std::move(filling));
  run.run(0);
  complete("SELECT", run.rowCount());
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
  const auto& options = std::get<sql::CopyToStatement>(bound().body).options;
  codegen::OutputFormat format;
  format.framing = codegen::OutputFormat::Framing::CopyData;
  format.copy = options;
  QueryRun run(session_, statement_, format, source_.parameters, std::move(fresh_));
  const auto& root = static_cast<const sql::Output&>(*std::get<sql::CopyToStatement>(run.bound().body).plan->root);
  MessageWriter& writer = session_.writer;
  writer.begin('H');
  writer.putNumber(int8_t{0});
  writer.putNumber(static_cast<int16_t>(root.columns.size()));
  for (size_t i = 0; i < root.columns.size(); ++i) writer.putNumber(int16_t{0});
  writer.end();
  if (options.header) writeCopyHeader(root, options);
  run.run(0);
  Metrics::instance().add(CounterId::RowsSent, run.rowCount());
  writer.putEmpty('c');
  complete("COPY", run.rowCount());
}

void Portal::writeCopyHeader(const sql::Output& root, const sql::CopyOptions& options) {
  std::string line;
  for (const sql::Output::Column& column : root.columns) {
    if (!line.empty()) line += options.delimiter;
    if (options.format == sql::CopyOptions::Format::Text) {
      for (char c : column.name) {
        if (c == '\\' || c == options.delimiter) line += '\\';
        line += c;
      }
      continue;
    }
    const std::string special{options.delimiter, options.quote, '\n', '\r'};
    const bool is_quoted = column.name.find_first_of(special) != std::string::npos || column.name == options.null_text;
    if (is_quoted) line += options.quote;
    for (char c : column.name) {
      if (is_quoted && (c == options.quote || c == options.escape)) line += options.escape;
      line += c;
    }
    if (is_quoted) line += options.quote;
  }
  line += '\n';
  session_.writer.begin('d');
  session_.writer.putBytes(line);
  session_.writer.end();
}

}  // namespace gnomon::server
