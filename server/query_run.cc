#include "server/query_run.h"

#include <algorithm>

#include "base/metrics.h"
#include "codegen/ir/trap.h"
#include "sql/types/cast.h"

namespace gnomon::server {

QueryRun::QueryRun(SessionContext& session, DescribedStatement& statement, const codegen::OutputFormat& format,
                   codegen::Parameters parameters, std::shared_ptr<sql::BoundStatement> fresh)
    : session_(session),
      statement_(statement),
      format_(format),
      parameters_(parameters),
      text_received_us_(session.text_received_us) {
  start(false, std::move(fresh));
}

void QueryRun::start(bool unlimited_numerics, std::shared_ptr<sql::BoundStatement> fresh) {
  unlimited_numerics_ = unlimited_numerics;
  compileAndLock(unlimited_numerics, std::move(fresh));
  const bool is_writing = !writingCommand().empty();
  if (is_writing) session_.transaction.beginWriting(expectedChanges());
  bulk_statement_count_ = session_.transaction.bulkStatementCount();
  // Behind the last change of those whose locks this statement waited for.
  const txn::Snapshot snapshot = session_.transaction.takeSnapshot(snapshot_);
  is_planned_for_snapshot_ = !compiled_->isUsableFor(snapshot);
  if (is_planned_for_snapshot_) planFor(snapshot);
  startExecution(snapshot);
}

/// In the place of a plan that is as good for others.
void QueryRun::planFor(const txn::Snapshot& snapshot) {
  uses_.release();
  execution_.reset();
  compiled_ = Planner(session_).compileFor(snapshot, statement_.source, format_, unlimited_numerics_);
  uses_.begin(session_.uses, compiled_->bound->tables);
}

void QueryRun::startExecution(const txn::Snapshot& snapshot) {
  const bool is_again = execution_ != nullptr;
  if (!is_again) memory_ = std::make_unique<MemoryAccount>(memory_limit_bytes_);
  const txn::WriteContext* write = nullptr;
  if (!writingCommand().empty())
    write = &write_context_.emplace(session_.transaction.writeContext(snapshot, memory_.get()));
  if (is_again) return execution_->restart(typedParameters(), snapshot, write);
  const codegen::ExecutionContext context{
      session_.server.workers, session_.interrupts.cancelToken(), *memory_, snapshot, write, &session_.services};
  execution_ = codegen::startExecution(compiled_->program, typedParameters(), context);
}

codegen::Parameters QueryRun::typedParameters() {
  KeptPlan& kept = statement_.kept;
  const bool is_kept = compiled_.get() == kept.query.get();
  if (is_kept && kept.are_parameters_expected) return parameters_;
  const auto& types = compiled_->bound->parameters;
  if (std::ranges::equal(parameters_, types, {}, &sql::Value::type)) {
    if (is_kept) kept.are_parameters_expected = true;
    return parameters_;
  }
  std::vector<sql::Value> cast;
  for (size_t i = 0; i < types.size(); ++i) {
    const sql::Value& given = parameters_[i];
    cast.push_back(given.type == types[i] ? given : sql::castValue(given, types[i], false));
  }
  cast_parameters_ = std::move(cast);
  return cast_parameters_;
}

void QueryRun::compileAndLock(bool unlimited_numerics, std::shared_ptr<sql::BoundStatement> fresh) {
  execution_.reset();
  snapshot_.release();
  uses_.release();
  memory_limit_bytes_ = static_cast<uint64_t>(session_.settings.integer(SettingId::QueryMemory));
  Planner planner(session_);
  if (!fresh && !unlimited_numerics && planner.lockKept(statement_.kept, format_)) {
    takeKept();
  } else {
    const uint64_t generation = session_.server.plans.generation();
    planner.lockTables([&](bool again) -> const sql::BoundStatement& {
      if (again) planner.forget(statement_.source, format_, unlimited_numerics);
      compiled_ = planner.compile(statement_.source, format_, unlimited_numerics, std::move(fresh));
      fresh = nullptr;
      return *compiled_->bound;
    });
    if (!unlimited_numerics) planner.keep(statement_.kept, statement_.source, format_, compiled_, generation);
  }
  uses_.begin(session_.uses, compiled_->bound->tables);
  if (const std::string_view command = writingCommand(); !command.empty())
    session_.transaction.requireMayWrite(command);
}

/// The kept plan, and an execution of it that is parked.
void QueryRun::takeKept() {
  const std::shared_ptr<const CompiledQuery>& query = statement_.kept.query;
  ParkedExecutions::Parked parked;
  if (isParkable()) parked = session_.parked.take(*query, memory_limit_bytes_);
  if (!parked.execution) {
    compiled_ = query;
    return;
  }
  compiled_ = std::move(parked.query);
  memory_ = std::move(parked.memory);
  execution_ = std::move(parked.execution);
}

std::string_view QueryRun::writingCommand() const {
  const sql::BoundStatement& bound = *compiled_->bound;
  if (!bound.written) return bound.locking;
  return bound.command == "EXPLAIN" ? std::string_view("EXPLAIN ANALYZE") : std::string_view(bound.command);
}

void QueryRun::noteFirstMorsel() {
  const int64_t first_us = execution_->firstMorselTimeUs();
  if (first_morsel_noted_ || first_us == 0) return;
  first_morsel_noted_ = true;
  if (first_us == codegen::Execution::kNotMeasured)
    return session_.settings.setMeasured(SettingId::LastStatementCompileUs, 0);
  const int64_t spent_us = std::max<int64_t>(first_us - text_received_us_, 0);
  session_.settings.setMeasured(SettingId::LastStatementCompileUs, spent_us);
  Metrics::instance().histogram(HistogramId::CompileUs).record(static_cast<uint64_t>(spent_us));
}

/// Rows that the optimiser expects to be changed.
double QueryRun::expectedChanges() const {
  const auto* query = std::get_if<sql::QueryStatement>(&compiled_->bound->body);
  if (!query || !compiled_->bound->written) return 0;
  const sql::Operator* op = query->plan->root.get();
  while (op && op->kind == sql::Operator::Kind::Output && !op->inputs.empty()) op = op->inputs[0].get();
  return op ? op->estimated_rows : 0;
}

bool QueryRun::runOnce(uint64_t row_limit) {
  if (was_run_ && bulk_statement_count_ != session_.transaction.bulkStatementCount())
    throwNotSupported("reading on in a portal after its bulk transaction has changed something");
  const uint64_t before = execution_->rowCount();
  const auto state = execution_->run(row_limit, [this](std::span<const char> messages) {
    session_.interrupts.poll();
    session_.writer.write(messages);
  });
  row_count_ = execution_->rowCount() - before;
  return state == codegen::Execution::State::Finished;
}

/// Again, when rows that it was to change were changed by others.
bool QueryRun::runAnew(uint64_t row_limit) {
  for (;;) {
    try {
      return runOnce(row_limit);
    } catch (const txn::StatementRestart&) {
      session_.interrupts.poll();
    }
    start(unlimited_numerics_, nullptr);
  }
}

bool QueryRun::run(uint64_t row_limit) {
  const MessageWriter::Mark mark = session_.writer.mark();
  bool is_finished = false;
  try {
    is_finished = runAnew(row_limit);
  } catch (const codegen::DecimalOverflow&) {
    if (was_run_ || unlimited_numerics_ || !session_.writer.canReturnTo(mark))
      throw SqlError(sqlstate::kNumericValueOutOfRange, "value overflows numeric format");
    session_.writer.returnTo(mark);
    start(true, nullptr);
    is_finished = runAnew(row_limit);
  }
  was_run_ = true;
  noteFirstMorsel();
  if (is_finished) finish();
  return is_finished;
}

void QueryRun::finish() {
  if (format_.framing == codegen::OutputFormat::Framing::Counted) operator_rows_ = execution_->operatorRows();
  uses_.release();
  if (isParkable())
    session_.parked.put({std::move(compiled_), std::move(memory_), memory_limit_bytes_, std::move(execution_)});
  else
    execution_.reset();
  snapshot_.release();
}

}  // namespace gnomon::server
