#include "server/query_run.h"

#include <algorithm>
#include <array>
#include <exception>
#include <string_view>
#include <utility>

#include "base/metrics.h"
#include "codegen/ir/trap.h"
#include "sql/algebra/change_operators.h"
#include "sql/types/cast.h"
#include "sql/types/text_io.h"
#include "txn/database_storage.h"

namespace gnomon::server {

QueryRun::QueryRun(SessionContext& session, DescribedStatement& statement, const codegen::OutputFormat& format,
                   codegen::Parameters parameters, std::shared_ptr<sql::BoundStatement> fresh,
                   const txn::Snapshot* seen)
    : session_(session),
      statement_(statement),
      format_(format),
      parameters_(parameters),
      text_received_us_(session.text_received_us),
      given_snapshot_(seen) {
  start({}, std::move(fresh));
}

void QueryRun::start(PlanMode mode, std::shared_ptr<sql::BoundStatement> fresh) {
  mode_ = mode;
  compileAndLock(mode, std::move(fresh));
  const bool is_writing = !writingCommand().empty();
  if (is_writing) session_.transaction.beginWriting(expectedChanges(bound()));
  if (bound().changes_in_with && session_.transaction.isBulk())
    throwNotSupported("data-modifying statements in WITH in a bulk transaction");
  bulk_statement_count_ = session_.transaction.bulkStatementCount();
  mark_ = session_.transaction.mark();
  routine_changes_ = session_.services.routineChangeCount();
  // Behind the last change of those whose locks this statement waited for.
  seen_ = given_snapshot_ != nullptr ? *given_snapshot_ : session_.transaction.takeSnapshot(snapshot_);
  is_planned_for_snapshot_ = !work_->query->isUsableFor(seen_);
  if (is_planned_for_snapshot_) planFor(seen_);
  startExecution(seen_);
}

/// In the place of a plan that is as good for others.
void QueryRun::planFor(const txn::Snapshot& snapshot) {
  uses_.release();
  work_.reset();
  work_ = std::make_unique<QueryWork>(Planner(session_).compileFor(snapshot, statement_.source, format_, mode_),
                                      session_.settings);
  uses_.begin(session_.uses, bound().tables);
}

void startWork(SessionContext& session, QueryWork& work, const codegen::OutputFormat& format,
               codegen::Parameters parameters, const txn::Snapshot& snapshot, const txn::WriteContext* write) {
  if (work.execution) return work.execution->restart(parameters, snapshot, write);
  const bool is_counted = format.framing == codegen::OutputFormat::Framing::Counted;
  const codegen::ExecutionContext context{.workers = session.server.workers,
                                          .cancel = session.interrupts.cancelToken(),
                                          .memory = work.memory,
                                          .snapshot = snapshot,
                                          .write = write,
                                          .temporary = &work.temporary,
                                          .memory_limit_bytes = work.limits.memory_bytes,
                                          .work_memory_bytes = work.limits.operator_bytes,
                                          .session = &session.services,
                                          .triggers = &session.services.triggers(),
                                          .refusal = &work.refusal,
                                          .buffers = is_counted ? &session.server.storage.buffers() : nullptr};
  work.execution = codegen::startExecution(work.query->program, parameters, context);
}

void QueryRun::startExecution(const txn::Snapshot& snapshot) {
  const txn::WriteContext* write = nullptr;
  if (!writingCommand().empty())
    write = &write_context_.emplace(session_.transaction.writeContext(snapshot, &work_->memory));
  startWork(session_, *work_, format_, typedParameters(), snapshot, write);
}

codegen::Parameters QueryRun::typedParameters() {
  KeptPlan& kept = statement_.kept;
  const bool is_kept = work_->query.get() == kept.query.get();
  if (is_kept && kept.are_parameters_expected) return parameters_;
  const auto& types = bound().parameters;
  const bool is_expected = parameters_.slots.empty()
                               ? std::ranges::equal(parameters_.values, types, {}, &sql::Value::type)
                               : std::ranges::equal(parameters_.slot_types, types);
  if (is_expected) {
    if (is_kept) kept.are_parameters_expected = true;
    return parameters_;
  }
  // A name that was a column's has become a variable's.
  std::vector<sql::Value> given(parameters_.values.begin(), parameters_.values.end());
  for (size_t i = 0; i < parameters_.slots.size(); ++i) {
    const codegen::ParameterSlot& slot = parameters_.slots[i];
    const sql::Type type = parameters_.slot_types[i];
    given.push_back(slot.is_null != 0 ? sql::Value::null(type) : sql::fromRegisters(type, slot.lo, slot.hi));
  }
  if (types.size() != given.size())
    throw SqlError(sqlstate::kFeatureNotSupported, "cached plan must not change its parameters");
  for (size_t i = 0; i < types.size(); ++i)
    if (!(given[i].type == types[i])) given[i] = sql::castValue(given[i], types[i], false);
  cast_parameters_ = std::move(given);
  return cast_parameters_;
}

void QueryRun::compileAndLock(PlanMode mode, std::shared_ptr<sql::BoundStatement> fresh) {
  uses_.release();
  work_.reset();
  snapshot_.release();
  Planner planner(session_);
  KeptPlan& kept = statement_.kept;
  std::shared_ptr<const CompiledQuery> compiled;
  if (!fresh && mode.isUsual() && planner.lockKept(kept, format_)) {
    if (isParkable())
      work_ = QueryWork::begin(session_.parked, kept.query, session_.settings, kept.parked_place);
    else
      compiled = kept.query;
  } else {
    const uint64_t generation = session_.server.plans.generation();
    planner.lockTables([&](bool again) -> const sql::BoundStatement& {
      if (again) planner.forget(statement_.source, format_, mode);
      compiled = planner.compile(statement_.source, format_, mode, std::move(fresh));
      fresh = nullptr;
      return *compiled->bound;
    });
    if (mode.isUsual()) planner.keep(kept, statement_.source, format_, compiled, generation);
  }
  if (compiled) work_ = std::make_unique<QueryWork>(std::move(compiled), session_.settings);
  uses_.begin(session_.uses, bound().tables);
  // What is temporary changes in read-only transactions as well.
  const auto isStored = [](const sql::TablePtr& table) { return !table->is_temporary; };
  if (const std::string_view command = writingCommand();
      !command.empty() &&
      (std::ranges::any_of(bound().written, isStored) || std::ranges::any_of(bound().row_locked, isStored)))
    session_.transaction.requireMayWrite(command);
}

std::string_view QueryRun::writingCommand() const {
  const sql::BoundStatement& planned = bound();
  if (planned.written.empty()) return planned.locking;
  return planned.command == "EXPLAIN" ? std::string_view("EXPLAIN ANALYZE") : std::string_view(planned.command);
}

void QueryRun::noteFirstMorsel() {
  const int64_t first_us = work_->execution->firstMorselTimeUs();
  if (first_morsel_noted_ || first_us == 0) return;
  first_morsel_noted_ = true;
  if (first_us == codegen::Execution::kNotMeasured)
    return session_.settings.setMeasured(SettingId::LastStatementCompileUs, 0);
  const int64_t spent_us = std::max<int64_t>(first_us - text_received_us_, 0);
  session_.settings.setMeasured(SettingId::LastStatementCompileUs, spent_us);
  Metrics::instance().histogram(HistogramId::CompileUs).record(static_cast<uint64_t>(spent_us));
}

double QueryRun::expectedChanges(const sql::BoundStatement& bound) {
  const auto* query = std::get_if<sql::QueryStatement>(&bound.body);
  if (!query || bound.written.empty() || bound.changes_in_with) return 0;
  const sql::Operator* op = query->plan->root.get();
  while (op && op->kind == sql::Operator::Kind::Output && !op->inputs.empty()) op = op->inputs[0].get();
  // What triggers do is none of a bulk transaction's.
  return op && !sql::firesTriggers(*op) ? op->estimated_rows : 0;
}

bool QueryRun::runOnce(uint64_t row_limit, RowSink& rows) {
  if (was_run_ && writingCommand().empty() && bulk_statement_count_ != session_.transaction.bulkStatementCount())
    throwNotSupported("reading on in a portal after its bulk transaction has changed something");
  const uint64_t before = work_->execution->rowCount();
  const SessionServices::Seeing seeing(session_.services, seen_);
  const auto state = work_->execution->run(row_limit, [&](std::span<const char> messages) {
    session_.interrupts.poll();
    rows.write(messages);
  });
  if (state == codegen::Execution::State::Failed) throw SqlError(*std::move(work_->refusal));
  row_count_ = work_->execution->rowCount() - before;
  written_count_ = work_->execution->writtenCount();
  return state == codegen::Execution::State::Finished;
}

/// What routines have changed that the statement called goes with it.
void QueryRun::undoRoutines() {
  if (routine_changes_ != session_.services.routineChangeCount()) session_.transaction.undoTo(mark_);
}

/// Again, when rows that it was to change were changed by others.
bool QueryRun::runAnew(uint64_t row_limit, RowSink& rows) {
  for (;;) {
    try {
      return runOnce(row_limit, rows);
    } catch (const txn::StatementRestart&) {
      session_.interrupts.poll();
    }
    undoRoutines();
    start(mode_, nullptr);
  }
}

bool QueryRun::run(uint64_t row_limit, RowSink& rows) {
  rows.begin();
  const bool is_finished = runInModes(row_limit, rows);
  was_run_ = true;
  noteFirstMorsel();
  if (is_finished) finish();
  return is_finished;
}

bool QueryRun::mayBeOfValue(const SqlError& error) {
  constexpr auto kOthers = std::to_array<std::string_view>({"23", "25", "40", "53", "55", "57", "58", "XX"});
  return std::ranges::find(kOthers, std::string_view(error.state().text()).substr(0, 2)) == kOthers.end();
}

/// Again where another mode may know better.
bool QueryRun::runInModes(uint64_t row_limit, RowSink& rows) {
  for (;;) {
    PlanMode mode = mode_;
    std::exception_ptr error;
    try {
      // What is caught and thrown again takes several times as long.
      if (!work_->query->has_subqueries) return runAnew(row_limit, rows);
      try {
        return runAnew(row_limit, rows);
      } catch (const SqlError& caught) {
        if (!mayBeOfValue(caught)) throw;
        error = std::current_exception();
        mode.subqueries_on_demand = true;
      }
    } catch (const codegen::DecimalOverflow&) {
      error = std::make_exception_ptr(SqlError(sqlstate::kNumericValueOutOfRange, "value overflows numeric format"));
      mode.unlimited_numerics = true;
    }
    if (was_run_ || mode == mode_ || !rows.takeBack()) std::rethrow_exception(error);
    undoRoutines();
    try {
      start(mode, nullptr);
    } catch (const SqlError& refusal) {
      if (refusal.state() == sqlstate::kFeatureNotSupported) std::rethrow_exception(error);
      throw;
    }
  }
}

void QueryRun::finish() {
  if (format_.framing == codegen::OutputFormat::Framing::Counted) {
    figures_ = work_->execution->figures();
    steps_ = work_->execution->describeSteps();
  }
  uses_.release();
  is_finished_ = true;
  // Somebody is going to look at the row.
  if (format_.framing != codegen::OutputFormat::Framing::FirstRow) letGo();
  snapshot_.release();
}

/// Of a finished execution, which may be begun again.
void QueryRun::letGo() noexcept {
  if (!std::exchange(is_finished_, false)) return;
  if (isParkable())
    session_.parked.put(std::move(work_), statement_.kept.parked_place);
  else
    work_->execution.reset();
}

}  // namespace gnomon::server
