#include "server/plain_run.h"

#include "codegen/ir/trap.h"
#include "txn/write_statement.h"

namespace gnomon::server {

namespace {

PlanTraits traitsOf(const CompiledQuery& query) {
  const sql::BoundStatement& bound = *query.bound;
  const auto isStored = [](const sql::TablePtr& table) { return !table->is_temporary; };
  const std::shared_ptr<sql::Plan> plan = Planner::planOf(bound);
  PlanTraits traits;
  traits.of = &query;
  traits.is_plain = query.program->isPlain() && bound.locking.empty() && !bound.changes_in_with;
  traits.is_writing = !bound.written.empty();
  traits.writes_stored = std::ranges::any_of(bound.written, isStored);
  traits.has_subqueries = plan && plan->has_subqueries;
  traits.expected_changes = QueryRun::expectedChanges(bound);
  return traits;
}

}  // namespace

bool PlainRun::begin(codegen::Parameters parameters) {
  KeptPlan& kept = statement_.kept;
  if (!kept.query) return false;
  if (kept.traits.of != kept.query.get()) kept.traits = traitsOf(*kept.query);
  if (!kept.traits.is_plain || !kept.are_parameters_expected) return false;
  parameters_ = parameters;
  return start();
}

bool PlainRun::start() {
  KeptPlan& kept = statement_.kept;
  if (!Planner(session_).lockKept(kept, format_)) return false;
  SessionTransaction& transaction = session_.transaction;
  if (kept.traits.writes_stored) transaction.requireMayWrite(kept.query->bound->command);
  if (kept.traits.is_writing) transaction.beginWriting(kept.traits.expected_changes);
  // Behind the last change of those whose locks this statement waited for.
  const txn::Snapshot seen = transaction.takeSnapshot(snapshot_);
  if (!kept.query->isUsableFor(seen)) return false;
  work_ = QueryWork::begin(session_.parked, kept.query, session_.settings, kept.parked_place);
  const txn::WriteContext* write = nullptr;
  if (kept.traits.is_writing) write = &write_context_.emplace(transaction.writeContext(seen, &work_->memory));
  startWork(session_, *work_, format_, parameters_, seen, write);
  return true;
}

bool PlainRun::run(uint64_t row_limit) {
  for (;;) {
    try {
      const auto state = work_->execution->run(row_limit, [](std::span<const char>) {});
      is_finished_ = state == codegen::Execution::State::Finished;
      snapshot_.release();
      return true;
    } catch (const txn::StatementRestart&) {
      session_.interrupts.poll();
    } catch (const codegen::DecimalOverflow&) {
      break;
    } catch (const SqlError& error) {
      if (!statement_.kept.traits.has_subqueries || !QueryRun::mayBeOfValue(error)) throw;
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
