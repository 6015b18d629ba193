#include "codegen/executor/figures_recorder.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "codegen/executor/execution_state.h"
#include "storage/buffer_manager.h"

namespace gnomon::codegen {

namespace {

bool isChange(const sql::Operator& op) {
  using Kind = sql::Operator::Kind;
  return op.kind == Kind::Insert || op.kind == Kind::Update || op.kind == Kind::Delete || op.kind == Kind::Merge;
}

}  // namespace

void StepUseScope::begin() {
  const auto own = buffers_->usesOfThread();
  hits_before_ = own.hits;
  reads_before_ = own.faults;
  logged_before_ = wal::appendedByThread();
}

void StepUseScope::end() {
  const auto own = buffers_->usesOfThread();
  const wal::AppendCounts& logged = wal::appendedByThread();
  uses_.hits.fetch_add(own.hits - hits_before_, std::memory_order_relaxed);
  uses_.reads.fetch_add(own.faults - reads_before_, std::memory_order_relaxed);
  uses_.log_records.fetch_add(logged.records - logged_before_.records, std::memory_order_relaxed);
  uses_.log_bytes.fetch_add(logged.bytes - logged_before_.bytes, std::memory_order_relaxed);
}

std::vector<uint64_t> FiguresRecorder::counters() const {
  std::vector<uint64_t> sums(1 + 2 * state_.program->counted.size());
  for (unsigned worker = 0; worker < state_.workerCount(); ++worker) {
    const auto& words = state_.localObject<OperatorCounters>(worker, state_.program->counters_slot).words;
    for (size_t i = 0; i < sums.size(); ++i) sums[i] += words[i];
  }
  return sums;
}

void FiguresRecorder::begin() {
  before_ = counters();
  state_.step_uses.clear();
  begun_ = std::chrono::steady_clock::now();
}

void FiguresRecorder::end(size_t number) {
  const std::chrono::duration<double, std::milli> spent = std::chrono::steady_clock::now() - begun_;
  const std::vector<uint64_t> after = counters();
  // A program may turn into one with other steps, once a join spills.
  while (steps_.size() <= number) {
    steps_.emplace_back();
    steps_.back().operator_ms.resize(state_.program->counted.size());
    steps_.back().operator_rows.resize(state_.program->counted.size());
  }
  StepFigures& step = steps_[number];
  ++step.calls;
  step.ms += spent.count();
  step.hits += state_.step_uses.hits;
  step.reads += state_.step_uses.reads;
  step.log_records += state_.step_uses.log_records;
  step.log_bytes += state_.step_uses.log_bytes;
  uint64_t ticks = 0;
  const size_t operators = step.operator_ms.size();
  const auto added = [&](size_t word) { return after[word] - before_[word]; };
  for (size_t i = 0; i < operators; ++i) {
    step.operator_rows[i] += added(OperatorCounters::rowsWord(i));
    ticks += added(OperatorCounters::ticksWord(i));
  }
  if (ticks == 0) {
    step.operator_ms[state_.program->step_owners[number]] += spent.count();
    return;
  }
  for (size_t i = 0; i < operators; ++i)
    step.operator_ms[i] +=
        spent.count() * static_cast<double>(added(OperatorCounters::ticksWord(i))) / static_cast<double>(ticks);
}

/// The numbers of the operators of a tree.
void FiguresRecorder::addTree(const sql::Operator& op, std::vector<size_t>& numbers) const {
  const auto& counted = state_.program->counted;
  const auto found = std::ranges::find(counted, &op);
  if (found != counted.end()) numbers.push_back(static_cast<size_t>(found - counted.begin()));
  for (const sql::OperatorPtr& input : op.inputs) addTree(*input, numbers);
}

sql::OperatorFigures FiguresRecorder::figuresOf(const sql::Operator& op, size_t number) const {
  std::vector<size_t> tree;
  addTree(op, tree);
  const auto has_rows = std::ranges::find_if(steps_, [&](const auto& step) { return step.operator_rows[number] != 0; });
  const bool has_change =
      std::ranges::any_of(tree, [&](size_t part) { return isChange(*state_.program->counted[part]); });
  sql::OperatorFigures figures;
  for (auto step = steps_.begin(); step != steps_.end(); ++step) {
    figures.rows += step->operator_rows[number];
    const double ms = std::transform_reduce(tree.begin(), tree.end(), 0.0, std::plus<>(),
                                            [&](size_t part) { return step->operator_ms[part]; });
    figures.total_ms += ms;
    if (step < has_rows) figures.startup_ms += ms;
    const size_t owner = state_.program->step_owners[static_cast<size_t>(step - steps_.begin())];
    if (std::ranges::find(tree, owner) == tree.end()) continue;
    figures.page_hits += step->hits;
    figures.page_reads += step->reads;
    // A step that changes a table goes by the name of its source.
    if (!has_change) continue;
    figures.log_records += step->log_records;
    figures.log_bytes += step->log_bytes;
  }
  return figures;
}

sql::ExecutionFigures FiguresRecorder::figures() const {
  sql::ExecutionFigures result;
  const auto& counted = state_.program->counted;
  for (size_t number = 0; number < counted.size(); ++number)
    result.operators[counted[number]] = figuresOf(*counted[number], number);
  return result;
}

std::string FiguresRecorder::describeSteps() const {
  std::string text;
  for (size_t i = 0; i < std::min(steps_.size(), state_.program->steps.size()); ++i) {
    const StepFigures& step = steps_[i];
    text += fmt::format("step {}: {}  (actual time={:.3f} calls={}", i + 1, state_.program->steps[i]->describe(),
                        step.ms, step.calls);
    if (step.hits + step.reads != 0) text += fmt::format(" hit={} read={}", step.hits, step.reads);
    text += ")\n";
  }
  return text;
}

}  // namespace gnomon::codegen
