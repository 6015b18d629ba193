#include <algorithm>
#include <cstring>
#include <ranges>
#include <utility>

#include "base/assert.h"
#include "codegen/executor/execution_state.h"
#include "codegen/executor/point_run.h"
#include "codegen/runtime/row_locks.h"
#include "codegen/runtime/trigger_queue.h"
#include "codegen/runtime/write_target.h"
#include "sql/types/text_io.h"

namespace gnomon::codegen {

ExecutionState::Worker::Worker(MemoryAccount& memory, size_t slots)
    : scratch(&memory), arena(&memory), memory_block(std::make_unique<uint64_t[]>(sizeof(LocalState) / 8 + slots)) {
  local()->scratch = &scratch;
  local()->arena = &arena;
}

namespace {

/// Room for what the program's variants have more: others hold the addresses of the states.
size_t spareSlots(const QueryProgram& program) {
  constexpr size_t kSlotsPerJoin = 12;
  return program.spill_points.size() * kSlotsPerJoin;
}

}  // namespace

ExecutionState::ExecutionState(std::shared_ptr<QueryProgram> query_program, Parameters parameters,
                               const ExecutionContext& execution_context)
    : program(std::move(query_program)),
      context(execution_context),
      first_program_(program),
      global_block_(
          std::make_unique<uint64_t[]>(sizeof(GlobalState) / 8 + program->globals.size() + spareSlots(*program))),
      global_objects_(program->globals.size()) {
  setParameters(parameters);
  global()->cancel = &context.cancel;
  global()->session = context.session;
  for (unsigned i = 0; i < pool().workerCount(); ++i) {
    workers.push_back(std::make_unique<Worker>(context.memory, program->locals.size() + spareSlots(*program)));
    workers.back()->objects.resize(program->locals.size());
  }
  makeObjects();
}

void ExecutionState::setParameters(Parameters parameters) {
  if (!parameters.slots.empty()) {
    global()->parameters = parameters.slots.data();
    return;
  }
  parameter_slots_.clear();
  for (const sql::Value& parameter : parameters.values) {
    const auto pair = parameter.is_null ? sql::RegisterPair{0, 0} : sql::toRegisters(parameter);
    parameter_slots_.push_back({pair.lo, pair.hi, parameter.is_null ? uint64_t{1} : uint64_t{0}, 0});
  }
  global()->parameters = parameter_slots_.data();
}

/// Those that are not there. In the order of their numbers: later ones may use earlier ones.
void ExecutionState::makeObjects() {
  const auto makeOne = [](std::unique_ptr<RuntimeObject>& object, void*& slot, QueryProgram::Made made) {
    slot = made.address;
    object = std::move(made.object);
  };
  if (is_complete_) return;
  for (size_t i = 0; i < program->globals.size(); ++i)
    if (!global_objects_[i]) makeOne(global_objects_[i], global()->slots[i], program->globals[i](*this));
  for (size_t i = 0; i < program->locals.size(); ++i)
    for (unsigned worker = 0; worker < workerCount(); ++worker)
      if (std::unique_ptr<RuntimeObject>& object = workers[worker]->objects[i]; !object)
        makeOne(object, workers[worker]->local()->slots[i], program->locals[i](*this, worker));
  is_complete_ = true;
}

void ExecutionState::renew(const SlotList& slots) {
  for (auto& worker : workers)
    for (auto slot = slots.locals.rbegin(); slot != slots.locals.rend(); ++slot) worker->objects[*slot].reset();
  for (auto slot = slots.globals.rbegin(); slot != slots.globals.rend(); ++slot) global_objects_[*slot].reset();
  for (const size_t slot : slots.globals) {
    QueryProgram::Made made = program->globals[slot](*this);
    global()->slots[slot] = made.address;
    global_objects_[slot] = std::move(made.object);
  }
  for (const size_t slot : slots.locals)
    for (unsigned worker = 0; worker < workerCount(); ++worker) {
      QueryProgram::Made made = program->locals[slot](*this, worker);
      workers[worker]->local()->slots[slot] = made.address;
      workers[worker]->objects[slot] = std::move(made.object);
    }
}

/// Half of the statement's memory is for what operators keep in any case.
SpillLimits ExecutionState::spillLimits() const {
  const uint64_t part = context.memory_limit_bytes / 2 / std::max(program->spilling_operators, 1u);
  return {std::min(context.work_memory_bytes, part), workerCount(), context.temporary};
}

/// Later ones use earlier ones.
void ExecutionState::dropObjects(size_t globals_kept, size_t locals_kept) {
  for (auto& worker : workers)
    while (worker->objects.size() > locals_kept) worker->objects.pop_back();
  while (global_objects_.size() > globals_kept) global_objects_.pop_back();
  is_complete_ = false;
}

void ExecutionState::changeProgram() {
  const sql::Join* const join = std::exchange(spilled_join_, nullptr);
  std::shared_ptr<QueryProgram> next = program->spilled(join);
  const SpillPoint point = program->spill_points.at(join);
  CHECK(next->spill_points.at(join) == point, "the programs are the same up to the point");
  const size_t spare = spareSlots(*first_program_);
  CHECK(next->globals.size() <= first_program_->globals.size() + spare &&
            next->locals.size() <= first_program_->locals.size() + spare,
        "there is room for the slots");
  dropObjects(point.globals, point.locals);
  program = std::move(next);
  global_objects_.resize(program->globals.size());
  for (auto& worker : workers) worker->objects.resize(program->locals.size());
  makeObjects();
  for (size_t step = point.steps; step < program->steps.size(); ++step) program->steps[step]->announce(*this);
}

void ExecutionState::park() {
  if (program != first_program_) {
    for (auto& worker : workers) worker->morsel = Morsel();
    dropObjects(0, 0);
    program = first_program_;
    global_objects_.resize(program->globals.size());
    for (auto& worker : workers) worker->objects.resize(program->locals.size());
  }
  const auto parkAll = [this](std::vector<std::unique_ptr<RuntimeObject>>& objects) {
    for (auto object = objects.rbegin(); object != objects.rend(); ++object) {
      if (*object && (*object)->park()) continue;
      object->reset();
      is_complete_ = false;
    }
  };
  for (auto& worker : workers) {
    if (std::exchange(worker->has_begun, false)) worker->morsel.reset();
    if (worker->morsel.rows.hasCopies()) worker->morsel = Morsel();
    if (!worker->copied_page.empty()) worker->copied_page = std::vector<std::byte>();
    worker->rows_per_call = 1;
    parkAll(worker->objects);
  }
  parkAll(global_objects_);
  for (auto& worker : workers) {
    worker->scratch.clear();
    worker->arena.clear();
  }
  context.write = nullptr;
}

void ExecutionState::begin(Parameters parameters, const txn::Snapshot& snapshot, const txn::WriteContext* write) {
  context.snapshot = snapshot;
  context.write = write;
  row_goal = 0;
  first_morsel_us = Execution::kNotMeasured;
  setParameters(parameters);
}

void ExecutionState::restart() {
  for (const auto& object : global_objects_)
    if (object) object->restart(*this);
  for (auto& worker : workers)
    for (const auto& object : worker->objects)
      if (object) object->restart(*this);
  makeObjects();
}

ExecutionState::~ExecutionState() {
  for (auto& worker : workers) worker->morsel.leaf.release();
  // Runtime structures refer to one another and to the arenas: later ones go first, arenas last.
  for (auto& worker : workers)
    while (!worker->objects.empty()) worker->objects.pop_back();
  while (!global_objects_.empty()) global_objects_.pop_back();
}

namespace {

class QueryExecution final : public Execution {
 public:
  QueryExecution(std::shared_ptr<QueryProgram> program, Parameters parameters, const ExecutionContext& context)
      : state_(std::make_unique<ExecutionState>(std::move(program), parameters, context)),
        is_released_(isReleasedAtOnce()) {
    point_ = PointRun::of(*state_);
    if (!state_->program->counted.empty()) recorder_ = std::make_unique<FiguresRecorder>(*state_);
  }

  State run(uint64_t row_limit, const Sink& sink) override;
  State put(const txn::Snapshot& snapshot, const txn::WriteContext& write) override;
  void lookAhead(std::span<ParameterSlot> parameters, size_t counter) override {
    if (point_) point_->lookAhead(parameters, counter);
  }
  void park() override { is_point_run_ ? point_->park() : state_->park(); }
  void restart(Parameters parameters, const txn::Snapshot& snapshot, const txn::WriteContext* write) override {
    state_->begin(parameters, snapshot, write);
    point_ ? point_->restart() : state_->restart();
    is_point_run_ = false;
    step_ = 0;
    announced_ = false;
    is_released_ = isReleasedAtOnce();
    row_count_ = 0;
    written_count_ = 0;
    pending_offset_ = 0;
  }
  [[nodiscard]] uint64_t rowCount() const override { return row_count_; }
  [[nodiscard]] uint64_t writtenCount() const override { return written_count_; }
  [[nodiscard]] std::span<const ParameterSlot> firstRow() const override;
  [[nodiscard]] sql::ExecutionFigures figures() const override;
  [[nodiscard]] std::string describeSteps() const override { return recorder_->describeSteps(); }
  [[nodiscard]] int64_t firstMorselTimeUs() const override { return state_->first_morsel_us; }

 private:
  OutputSink::Shared& output(unsigned worker) {
    return *state_->localObject<OutputSink>(worker, state_->program->output_slot).shared();
  }
  [[nodiscard]] bool keepsFirstRow() const {
    return state_->program->format.framing == OutputFormat::Framing::FirstRow;
  }
  /// Nothing holds rows back until all of them are there.
  [[nodiscard]] bool isReleasedAtOnce() const { return !state_->program->has_row_locks && !state_->program->is_write; }
  /// After the last step: locks the rows, and makes the changes the transaction's, unless a key refuses them.
  void release();
  [[nodiscard]] bool isRefused() const { return state_->context.refusal != nullptr && *state_->context.refusal; }
  /// run() of a point query, to its end.
  State runPoint(const Sink& sink);
  /// run() of a plain program of which the first row is kept, to its end or until there are rows enough.
  State runPlain(uint64_t row_limit);
  /// Gives away what the workers have encoded, at most `rows_max` rows; the rest stays for the next call.
  uint64_t deliver(uint64_t rows_max, const Sink& sink);

  std::unique_ptr<ExecutionState> state_;
  std::unique_ptr<FiguresRecorder> recorder_;  ///< null: nothing is counted
  std::optional<PointRun> point_;              ///< none: the program is no point query
  bool is_point_run_ = false;                  ///< the run is point_'s
  size_t step_ = 0;
  bool announced_ = false;
  bool is_released_;  ///< rows may be put out
  uint64_t row_count_ = 0;
  uint64_t written_count_ = 0;
  size_t pending_offset_ = 0;  ///< bytes of worker 0's output that were delivered already (row limits)
};

std::span<const ParameterSlot> QueryExecution::firstRow() const {
  for (unsigned worker = 0; worker < state_->workerCount(); ++worker) {
    auto& sink = state_->localObject<OutputSink>(worker, state_->program->output_slot);
    if (sink.shared()->has_first_row != 0) return sink.firstRow();
  }
  return {};
}

uint64_t QueryExecution::deliver(uint64_t rows_max, const Sink& sink) {
  uint64_t delivered = 0;
  if (keepsFirstRow()) {
    for (unsigned worker = 0; worker < state_->workerCount(); ++worker)
      delivered += std::exchange(output(worker).row_count, 0);
    delivered = std::min(delivered, rows_max);
    row_count_ += delivered;
    return delivered;
  }
  for (unsigned worker = 0; worker < state_->workerCount(); ++worker) {
    OutputSink::Shared& out = output(worker);
    const char* begin = out.wire.begin + (worker == 0 ? pending_offset_ : 0);
    if (begin == out.wire.cur) continue;
    const uint64_t rows_wanted = rows_max - delivered;
    if (out.row_count <= rows_wanted) {
      sink({begin, out.wire.cur});
      delivered += out.row_count;
      out.row_count = 0;
      out.wire.clear();
      if (worker == 0) pending_offset_ = 0;
      continue;
    }
    // Messages carry their length behind the type byte.
    const char* end = begin;
    for (uint64_t row = 0; row < rows_wanted; ++row) {
      uint32_t length;
      std::memcpy(&length, end + 1, 4);
      end += 1 + __builtin_bswap32(length);
    }
    if (end != begin) sink({begin, end});
    delivered += rows_wanted;
    out.row_count -= rows_wanted;
    pending_offset_ += static_cast<size_t>(end - begin);
    break;
  }
  row_count_ += delivered;
  return delivered;
}

sql::ExecutionFigures QueryExecution::figures() const {
  const QueryProgram& program = *state_->program;
  sql::ExecutionFigures figures = recorder_->figures();
  // Roots get what is below them, and a change's rows are those that it changed.
  const sql::Operator& root = *program.plan->root;
  for (const sql::SharedPlan& shared : program.plan->shared)
    if (shared.root) figures.operators[shared.root.get()].rows = figures.operators[shared.root->inputs[0].get()].rows;
  figures.operators[&root].rows = figures.operators[root.inputs[0].get()].rows;
  for (const QueryProgram::Change& change : program.changes) {
    const uint64_t count = state_->globalObject<WriteTarget>(change.target_slot).rowCount();
    figures.operators[change.op].rows = count;
    if (change.is_main) figures.operators[&root].rows = count;
  }
  return figures;
}

void QueryExecution::release() {
  const QueryProgram& program = *state_->program;
  const auto tableOf = [&](const QueryProgram::Change& change) {
    return &state_->globalObject<WriteTarget>(change.target_slot).statement().table();
  };
  for (auto change = program.changes.begin(); change != program.changes.end(); ++change) {
    auto& target = state_->globalObject<WriteTarget>(change->target_slot);
    // Another change of the same table tells its statistics.
    if (std::find_if(program.changes.begin(), change,
                     [&](const auto& before) { return tableOf(before) == tableOf(*change); }) != change)
      target.statement().setUncounted();
    if (change->is_main) written_count_ = target.rowCount();
  }
  // The first one, whose statement began before all that was changed, undoes it all unless every other is finished.
  for (const QueryProgram::Change& change : program.changes | std::views::reverse)
    if (!isRefused()) state_->globalObject<WriteTarget>(change.target_slot).finish(state_->context.refusal);
  if (isRefused()) return;
  if (program.triggers_slot) state_->globalObject<TriggerQueue>(*program.triggers_slot).run();
  if (program.has_row_locks) {
    RowLocks::Filter filter;
    if (program.has_output)
      filter = [this](unsigned worker, const auto& is_locked) { output(worker).filter(is_locked); };
    state_->globalObject<RowLocks>(program.row_locks_slot).apply(*state_, filter);
  }
  is_released_ = true;
}

Execution::State QueryExecution::runPlain(uint64_t row_limit) {
  ExecutionState& state = *state_;
  const QueryProgram& program = *state.program;
  announced_ = true;
  state.row_goal = is_released_ ? row_limit : 0;
  Step::Result result = Step::Result::Done;
  while (step_ < program.steps.size() && result != Step::Result::Suspended) {
    const Step& step = *program.steps[step_];
    result = step.run(state);
    if (isRefused()) return State::Failed;
    if (result == Step::Result::Jump) step_ += static_cast<size_t>(step.jumpDistance());
    if (result == Step::Result::Done) ++step_;
  }
  if (program.is_write && state.context.write == nullptr) return State::Finished;
  if (step_ == program.steps.size() && !is_released_) release();
  if (isRefused()) return State::Failed;
  if (!program.has_output) return State::Finished;
  row_count_ = std::exchange(output(0).row_count, 0);
  if (row_limit == 0) return State::Finished;
  row_count_ = std::min(row_count_, row_limit);
  return row_count_ == row_limit ? State::Suspended : State::Finished;
}

Execution::State QueryExecution::runPoint(const Sink& sink) {
  announced_ = is_point_run_ = true;
  step_ = state_->program->steps.size();
  if (!point_->run()) return State::Failed;
  written_count_ = point_->writtenCount();
  is_released_ = true;
  if (!state_->program->has_output) return State::Finished;
  if (keepsFirstRow())
    row_count_ = std::exchange(output(0).row_count, 0);
  else
    deliver(UINT64_MAX, sink);
  return State::Finished;
}

Execution::State QueryExecution::put(const txn::Snapshot& snapshot, const txn::WriteContext& write) {
  ExecutionState& state = *state_;
  const QueryProgram& program = *state.program;
  ASSERT(program.gathersRows(), "its rows can be put");
  state.context.snapshot = snapshot;
  state.context.write = &write;
  state.globalObject<InsertTarget>(program.changes.front().target_slot).restart(state);
  auto& rows = state.localObject<InsertBuffer>(0, *program.gathered_slot);
  rows.dropUnkept();
  rows.flush(state.context.refusal);
  if (!isRefused()) release();
  return isRefused() ? State::Failed : State::Finished;
}

Execution::State QueryExecution::run(uint64_t row_limit, const Sink& sink) {
  // Whether there is more than the one row that is asked for is not known without the steps.
  if (point_ && !announced_ && row_limit != 1) return runPoint(sink);
  if (!announced_ && keepsFirstRow() && state_->program->is_plain) return runPlain(row_limit);
  uint64_t rows_left = row_limit ? row_limit : UINT64_MAX;
  const bool has_output = state_->program->has_output;
  // Of the call before there may be rows left.
  bool is_waiting = announced_;
  if (!announced_)
    for (const auto& step : state_->program->steps) step->announce(*state_);
  announced_ = true;
  while (true) {
    const auto& steps = state_->program->steps;
    if (has_output && is_released_ && is_waiting) {
      rows_left -= deliver(rows_left, sink);
      if (rows_left == 0) return State::Suspended;
    }
    if (step_ >= steps.size() && !is_released_) {
      if (recorder_) recorder_->begin();
      {
        const StepUseScope uses(state_->context.buffers, state_->step_uses);
        release();
      }
      if (isRefused()) return State::Failed;
      if (recorder_) recorder_->end(steps.size() - 1);
      is_waiting = true;
      continue;
    }
    if (step_ >= steps.size()) break;
    state_->row_goal = row_limit && is_released_ ? rows_left : 0;
    const Step& step = *steps[step_];
    is_waiting = step.hasOutput();
    if (recorder_) recorder_->begin();
    const Step::Result result = step.run(*state_);
    if (isRefused()) return State::Failed;
    if (recorder_) recorder_->end(step_);
    if (result == Step::Result::Done) {
      ++step_;
      state_->followSpill();
      continue;
    }
    if (result == Step::Result::Jump) step_ += static_cast<size_t>(step.jumpDistance());
  }
  return State::Finished;
}

}  // namespace

std::unique_ptr<Execution> startExecution(std::shared_ptr<Program> program, Parameters parameters,
                                          const ExecutionContext& context) {
  return std::make_unique<QueryExecution>(std::static_pointer_cast<QueryProgram>(std::move(program)), parameters,
                                          context);
}

std::string QueryProgram::describePipelines() const {
  std::string text;
  for (size_t i = 0; i < steps.size(); ++i)
    text += "step " + std::to_string(i + 1) + ": " + steps[i]->describe() + "\n";
  return text;
}

std::string QueryProgram::describeIr() const {
  std::string text;
  for (const auto& unit : units) text += unit->code->irText();
  return text;
}

ForeignKeySettings QueryProgram::keySettings(ExecutionState& state) const {
  return {policy, resources.bytea_output, triggers_slot ? &state.globalObject<TriggerQueue>(*triggers_slot) : nullptr,
          state.context.session};
}

void QueryProgram::addTriggers() {
  if (triggers_slot) return;
  triggers_slot = addGlobal([](ExecutionState& state) {
    if (state.context.triggers == nullptr)
      throw SqlError(sqlstate::kFeatureNotSupported, "triggers are not supported here");
    auto made = std::make_unique<TriggerQueue>(*state.context.triggers, state.context.memory);
    void* address = made.get();
    return Made{std::move(made), address};
  });
}

CodeUnit* QueryProgram::addCode(ir::Module module) {
  BackendOptions options;
  options.policy = policy;
#ifdef NDEBUG
  options.verify = false;
#endif
  units.push_back(std::make_unique<CodeUnit>(std::move(module), options));
  return units.back().get();
}

}  // namespace gnomon::codegen
