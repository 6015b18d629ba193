#include "server/plain_run.h"

#include "codegen/ir/trap.h"
#include "txn/write_statement.h"

namespace gnomon::server {

namespace {

PlanTraits traitsOf(const CompiledQuery& query) {
  const sql::BoundStatement& bound = *query.bound;
  const auto isStored = [](const sql::TablePtr& table) { return !table->is_temporary; };
  PlanTraits traits;
  traits.of = &query;
  traits.is_plain = query.program->isPlain() && bound.locking.empty() && !bound.changes_in_with;
  traits.is_writing = !bound.written.empty();
  traits.writes_stored = std::ranges::any_of(bound.written, isStored);
  traits.gathers_rows = traits.is_plain && query.program->gathersRows();
  traits.looks_at_keys = query.program->looksAtKeys();
  traits.looks_ahead = traits.is_plain && query.program->looksAhead();
  traits.expected_changes = QueryRun::expectedChanges(bound);
  return traits;
}

}  // namespace

const PlanTraits& knownTraits(KeptPlan& kept) {
  if (kept.traits.of != kept.query.get()) kept.traits = traitsOf(*kept.query);
  return kept.traits;
}

bool PlainRun::begin(std::span<const codegen::ParameterSlot> parameters) {
  KeptPlan& kept = statement_.kept;
  if (!kept.query) return false;
  if (!knownTraits(kept).is_plain || !kept.are_parameters_expected) return false;
  parameters_ = parameters;
  return start();
}

bool PlainRun::start() {
  KeptPlan& kept = statement_.kept;
  if (!Planner(session_).lockKept(kept, format_)) return false;
  SessionTransaction& transaction = session_.transaction;
  transaction.putPending(kept);
  if (kept.traits.writes_stored) transaction.requireMayWrite(kept.query->bound->command);
  if (kept.traits.is_writing) transaction.beginWriting(kept.traits.expected_changes);
  // Behind the last change of those whose locks this statement waited for.
  const txn::Snapshot seen = transaction.takeSnapshotBeside(snapshot_);
  if (!kept.query->isUsableFor(seen)) return false;
  work_ = QueryWork::begin(session_.parked, kept.query, session_.settings, kept.parked_place);
  const txn::WriteContext* write = nullptr;
  if (kept.traits.is_writing) write = &write_context_.emplace(transaction.writeContext(seen, &work_->memory));
  startWork(session_, *work_, format_, {parameters_, {}}, seen, write);
  return true;
}

/// False: another mode is to be tried. A row that is refused is no matter of modes.
bool PlainRun::runOnce(uint64_t row_limit) {
  static const codegen::Execution::Sink kNowhere = [](std::span<const char>) {};
  const auto execute = [&] {
    const auto state = work_->execution->run(row_limit, kNowhere);
    is_finished_ = state == codegen::Execution::State::Finished;
  };
  // What is caught and thrown again takes several times as long.
  if (!work_->query->has_subqueries) {
    execute();
    return true;
  }
  try {
    execute();
  } catch (const SqlError& error) {
    if (!QueryRun::mayBeOfValue(error)) throw;
    return false;
  }
  return true;
}

bool PlainRun::run(uint64_t row_limit) {
  for (;;) {
    try {
      if (!runOnce(row_limit)) break;
      snapshot_.release();
      return true;
    } catch (const txn::StatementRestart&) {
      session_.interrupts.poll();
    } catch (const codegen::DecimalOverflow&) {
      break;
    }
    work_.reset();
    snapshot_.release();
    if (!start()) return false;
  }
  work_.reset();
  snapshot_.release();
  return false;
}

}  // namespace gnomon::server
