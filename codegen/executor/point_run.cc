#include "codegen/executor/point_run.h"

#include "codegen/executor/pipeline_step.h"
#include "codegen/runtime/change_target.h"
#include "codegen/runtime/output_sink.h"

namespace gnomon::codegen {

std::optional<PointRun> PointRun::of(ExecutionState& state) {
  const QueryProgram& program = *state.program;
  const bool is_change = program.changes.size() == 1;
  const size_t steps = is_change ? 3 : 2;
  if (!program.is_plain || program.steps.size() != steps || program.changes.size() > 1) return std::nullopt;
  if (!is_change && !program.has_output) return std::nullopt;
  // There is no structure but those that a run parks: source and target, output and list.
  const size_t globals = is_change ? 2 : 1, locals = (program.has_output ? 1 : 0) + (is_change ? 1 : 0);
  if (program.globals.size() != globals || program.locals.size() != locals) return std::nullopt;
  const auto* const key = dynamic_cast<const CallStep*>(program.steps[0].get());
  const auto* const row = dynamic_cast<const PipelineStep*>(program.steps[1].get());
  if (key == nullptr || row == nullptr || !key->isAlways() || !row->isSimple()) return std::nullopt;
  PointRun run(state);
  run.key_ = &key->unit();
  run.row_ = &row->unit();
  run.source_ = dynamic_cast<IndexSource*>(&state.globalObject<RuntimeObject>(row->sourceSlot()));
  if (run.source_ == nullptr || !run.source_->isOfOne()) return std::nullopt;
  if (program.has_output) run.output_ = &state.localObject<OutputSink>(0, program.output_slot);
  if (!is_change) return run;
  const QueryProgram::Change& change = program.changes.front();
  run.target_ = dynamic_cast<ChangeTarget*>(&state.globalObject<RuntimeObject>(change.target_slot));
  if (run.target_ == nullptr || !run.target_->isPlain()) return std::nullopt;
  run.list_ = &state.localObject<ChangeList>(0, run.target_->listSlot());
  return run;
}

IndexSource::Ahead& PointRun::aheadOf(int64_t run) {
  return ahead_[static_cast<uint64_t>(run) % ahead_.size()];
}

void PointRun::restart() {
  source_->restart(*state_);
  if (target_ != nullptr) target_->restart(*state_);
}

void PointRun::park() {
  steps_ahead_ = false;
  source_->park();
  if (output_ != nullptr) output_->park();
  if (target_ != nullptr) {
    target_->park();
    list_->park();
  }
  if (worker_->morsel.rows.hasCopies()) worker_->morsel = Morsel();
  worker_->scratch.clear();
  worker_->arena.clear();
  state_->context.write = nullptr;
}

bool PointRun::run() {
  const std::shared_ptr<QueryProgram>& program = state_->program;
  GlobalState* const global = state_->global();
  LocalState* const local = worker_->local();
  Morsel& morsel = worker_->morsel;
  state_->noteFirstMorsel();
  state_->context.cancel.poll();
  const void* const no_data = nullptr;
  stepAhead(1);
  key_->call(program, 1, global, local, no_data, uint64_t{0}, uint64_t{0});
  morsel.worker = 0;
  morsel.is_last = morsel.is_whole = false;
  {
    const HeldMorsel held{*source_, morsel};
    while (source_->next(morsel)) {
      stepAhead(2);
      row_->call(program, morsel.end - morsel.begin, global, local, morsel.data, morsel.begin, morsel.end);
      source_->noteRead(static_cast<const storage::LeafAccess*>(morsel.data)->columns_read);
      morsel.begin = morsel.end;
      if (target_ != nullptr) target_->expect(morsel.leaf.frame(), *list_);
      if (morsel.is_last) break;
    }
  }
  worker_->scratch.clear();
  stepAhead(3);
  return target_ == nullptr || change();
}

void PointRun::stepAhead(int64_t distance) {
  if (steps_ahead_) aheadOf(ahead_end_ - kRunsAhead + distance).step(*source_);
}

void PointRun::lookAhead(std::span<ParameterSlot> parameters, size_t counter) {
  const auto now = static_cast<int64_t>(parameters[counter].lo);
  if (now > INT32_MAX - kRunsAhead) return;
  state_->global()->parameters = parameters.data();
  steps_ahead_ = ahead_end_ == now + kRunsAhead - 1;
  ahead_end_ = now + kRunsAhead;
  const void* const no_data = nullptr;
  for (int64_t run = steps_ahead_ ? ahead_end_ : now; run <= ahead_end_; ++run) {
    parameters[counter].lo = static_cast<uint64_t>(run);
    key_->function().call<void>(state_->global(), worker_->local(), no_data, uint64_t{0}, uint64_t{0});
    aheadOf(run).begin(*source_);
  }
  parameters[counter].lo = static_cast<uint64_t>(now);
  worker_->scratch.clear();
  // Of a loop's first run, and those behind it, none has had its turn.
  for (int64_t last = steps_ahead_ ? now : ahead_end_ - 1; last > now; --last)
    for (int64_t run = now; run <= last; ++run) aheadOf(run).step(*source_);
  source_->expect(aheadOf(now));
}

bool PointRun::change() {
  target_->applyAlone(list_->rows());
  std::optional<SqlError>* const refusal = state_->context.refusal;
  target_->finish(refusal);
  return refusal == nullptr || !*refusal;
}

uint64_t PointRun::writtenCount() const {
  return target_ == nullptr ? 0 : target_->rowCount();
}

}  // namespace gnomon::codegen
