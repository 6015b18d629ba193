#include "codegen/executor/pipeline_step.h"

#include <algorithm>
#include <atomic>
#include <utility>

#include "base/cancel_scope.h"
#include "base/text_style.h"
#include "base/time_zone.h"
#include "codegen/executor/execution_state.h"
#include "codegen/runtime/join_table.h"
#include "codegen/runtime/limit_counter.h"
#include "sql/catalog/catalog_session.h"

namespace gnomon::codegen {

namespace {
/// Encoded rows a worker gathers before they are handed to the client.
constexpr size_t kOutputBytesMax = size_t{1} << 20;
/// Rows of a call that writes output: few at first, more while little comes of them.
constexpr uint64_t kRowsPerCallMax = uint64_t{1} << 20;
constexpr size_t kOutputBytesPerCall = size_t{256} << 10;
/// Below this many rows waking the other workers costs more than it brings.
constexpr uint64_t kParallelRowsMin = 2000;

bool anyExhausted(ExecutionState& state, const std::vector<size_t>& slots) {
  return std::ranges::any_of(slots, [&](size_t slot) { return state.globalObject<LimitCounter>(slot).isExhausted(); });
}
}  // namespace

struct PipelineStep::Progress {
  std::atomic<uint64_t> rows_done{0};
  std::atomic<bool> stop{false};
  uint64_t rows_total = 0;
};

bool PipelineStep::isSatisfied(ExecutionState& state) const {
  return anyExhausted(state, description_.limit_slots);
}

bool PipelineStep::isOutputFull(ExecutionState& state, unsigned worker) const {
  if (!description_.has_output) return false;
  const auto& output = *state.localObject<OutputSink>(worker, state.program->output_slot).shared();
  if (state.row_goal && output.row_count >= state.row_goal) return true;
  return output.wire.size() >= kOutputBytesMax;
}

void PipelineStep::announce(ExecutionState& state) const {
  const auto& source = state.globalObject<MorselSource>(description_.source_slot);
  const auto rows = static_cast<double>(source.rowCount());
  unit_->expect(state.program, rows, state.workerCount());
  for (CodeUnit* unit : description_.staged_units)
    unit->expect(state.program, rows * unit_->passingShare(), state.workerCount());
}

/// `calls`: for how many the measured one stands.
void PipelineStep::account(ExecutionState& state, Progress& progress, CodeTier tier, uint64_t rows, int64_t elapsed_ns,
                           unsigned calls) const {
  const uint64_t done = progress.rows_done.load(std::memory_order_relaxed);
  const uint64_t left = progress.rows_total > done ? progress.rows_total - done : 0;
  const double left_ns = static_cast<double>(left) / state.workerCount() *
                         (static_cast<double>(elapsed_ns) / static_cast<double>(std::max<uint64_t>(rows, 1)));
  unit_->account(state.program, tier, elapsed_ns * calls, left_ns);
}

/// `advance`: the rows are done with the call; otherwise they are wanted again with another window.
void PipelineStep::callMorsel(ExecutionState& state, unsigned worker, Progress& progress, uint64_t end,
                              bool advance) const {
  ExecutionState::Worker& own = *state.workers[worker];
  Morsel& morsel = own.morsel;
  const CodeTier tier = unit_->code->tier();
  const uint64_t rows = end - morsel.begin;
  const unsigned timed_calls = unit_->timedCalls(rows);
  const int64_t start_ns = timed_calls != 0 ? CodeUnit::nowNs() : 0;
  if (state.program->resources.asks_session && morsel.leaf.holds()) {
    callCopied(state, worker, end, advance);
  } else {
    unit_->function().call<void>(state.global(), own.local(), morsel.data, morsel.begin, end);
    if (advance) morsel.begin = end;
  }
  if (advance) own.rows_untold += rows;
  if (timed_calls != 0) {
    progress.rows_done.fetch_add(std::exchange(own.rows_untold, 0), std::memory_order_relaxed);
    account(state, progress, tier, rows, CodeUnit::nowNs() - start_ns, timed_calls);
  }
  own.scratch.clear();
}

/// The leaf is let go of meanwhile.
void PipelineStep::callCopied(ExecutionState& state, unsigned worker, uint64_t end, bool advance) const {
  ExecutionState::Worker& own = *state.workers[worker];
  Morsel& morsel = own.morsel;
  auto& source = state.globalObject<MorselSource>(description_.source_slot);
  own.copied_leaf = *static_cast<const storage::LeafAccess*>(morsel.data);
  const storage::Frame& frame = morsel.leaf.frame();
  // Rows that were put together beside stay where they are until the source is resumed.
  if (own.copied_leaf.page_base == frame.page) {
    own.copied_page.assign(frame.page, frame.page + frame.pageBytes());
    own.copied_leaf.page_base = own.copied_page.data();
  }
  const uint64_t begin = morsel.begin;
  if (advance) morsel.begin = end;
  source.suspend(morsel);
  unit_->function().call<void>(state.global(), own.local(), &own.copied_leaf, begin, end);
  source.resume(morsel);
}

size_t PipelineStep::producedBytes(ExecutionState& state, unsigned worker) const {
  return description_.has_output
             ? state.localObject<OutputSink>(worker, state.program->output_slot).shared()->wire.size()
             : state.localObject<InsertBuffer>(worker, description_.insert_slot).bytes();
}

/// A call whose result goes to the client or into a table: as many source rows, or as large a part of the list that
/// they meet, as keeps what one call makes small.
void PipelineStep::callBounded(ExecutionState& state, unsigned worker, Progress& progress) const {
  ExecutionState::Worker& own = *state.workers[worker];
  Morsel& morsel = own.morsel;
  uint64_t rows = own.rows_per_call;
  uint64_t list_rows = 0;
  NestedWindow* window = nullptr;
  bool is_last_part = true;
  if (description_.has_window) {
    window = &state.localObject<NestedWindow>(worker, description_.window_slot);
    NestedWindow::Shared& part = *window->shared();
    list_rows = state.globalObject<JoinTable>(description_.window_table_slot).shared()->row_count;
    part.end = std::min(list_rows, part.begin + window->rows_per_call);
    is_last_part = part.end == list_rows;
    if (part.begin != 0 || !is_last_part) rows = 1;
  }
  const size_t bytes_before = producedBytes(state, worker);
  callMorsel(state, worker, progress, std::min(morsel.end, morsel.begin + rows), is_last_part);
  if (window) window->shared()->begin = is_last_part ? 0 : window->shared()->end;
  const size_t bytes = producedBytes(state, worker) - bytes_before;
  const bool is_whole_list = !window || window->rows_per_call >= list_rows;
  if (bytes < kOutputBytesPerCall / 2) {
    uint64_t& grown = is_whole_list ? own.rows_per_call : window->rows_per_call;
    grown = std::min(grown * 4, kRowsPerCallMax);
  } else if (bytes > kOutputBytesPerCall) {
    uint64_t& shrunk = window && own.rows_per_call == 1 ? window->rows_per_call : own.rows_per_call;
    shrunk = std::max<uint64_t>(shrunk / 4, 1);
  }
}

void PipelineStep::work(ExecutionState& state, unsigned worker, Progress& progress) const {
  const StepUseScope uses(state.context.buffers, state.step_uses);
  ExecutionState::Worker& own = *state.workers[worker];
  Morsel& morsel = own.morsel;
  auto& source = state.globalObject<MorselSource>(description_.source_slot);
  if (description_.has_window && !isBounded())
    state.localObject<NestedWindow>(worker, description_.window_slot).shared()->end =
        state.globalObject<JoinTable>(description_.window_table_slot).shared()->row_count;
  own.has_begun = true;
  morsel.worker = worker;
  own.rows_untold = 0;
  // Nothing stops such a pipeline in the middle of a leaf, but for an end of it all.
  morsel.is_whole = !isBounded() && !state.program->resources.asks_session;
  source.resume(morsel);
  const HeldMorsel held{source, morsel};
  while (!progress.stop.load(std::memory_order_relaxed)) {
    state.context.cancel.poll();
    if (isSatisfied(state) || isOutputFull(state, worker)) break;
    if (morsel.begin >= morsel.end && !source.next(morsel)) break;
    if (!isBounded()) {
      callMorsel(state, worker, progress, morsel.end, true);
      continue;
    }
    callBounded(state, worker, progress);
    if (description_.has_insert) {
      auto& buffer = state.localObject<InsertBuffer>(worker, description_.insert_slot);
      if (buffer.isWorthFlushing()) {
        source.suspend(morsel);
        buffer.flush();
        source.resume(morsel);
      }
    }
  }
}

namespace {

/// Whether there is one thread, and nothing but output stops it before the source is at its end.
bool isPlain(ExecutionState& state, const PipelineStep::Description& description) {
  return state.workerCount() == 1 && !state.workers[0]->has_begun && !state.program->resources.asks_session &&
         !description.has_window && description.limit_slots.empty() && description.gate_slots.empty() &&
         (!description.has_insert || state.globalObject<MorselSource>(description.source_slot).rowCount() <= 1);
}

/// What run() does, where isPlain().
Step::Result goThrough(ExecutionState& state, CodeUnit& unit, const PipelineStep::Description& description) {
  const StepUseScope uses(state.context.buffers, state.step_uses);
  ExecutionState::Worker& own = *state.workers[0];
  Morsel& morsel = own.morsel;
  auto& source = state.globalObject<MorselSource>(description.source_slot);
  state.noteFirstMorsel();
  state.context.cancel.poll();
  OutputSink::Shared* const output =
      description.has_output ? state.localObject<OutputSink>(0, state.program->output_slot).shared() : nullptr;
  const auto isFull = [&] {
    return (state.row_goal != 0 && output->row_count >= state.row_goal) || output->wire.size() >= kOutputBytesMax;
  };
  constexpr uint64_t kRowsPerOutputMax = 64;
  uint64_t rows_per_call = 1;
  morsel.worker = 0;
  morsel.is_last = false;
  morsel.is_whole = !description.has_output && !description.has_insert;
  {
    const HeldMorsel held{source, morsel};
    while (source.next(morsel)) {
      while (morsel.begin < morsel.end) {
        const uint64_t end = output ? std::min(morsel.end, morsel.begin + rows_per_call) : morsel.end;
        unit.call(state.program, end - morsel.begin, state.global(), own.local(), morsel.data, morsel.begin, end);
        morsel.begin = end;
        own.scratch.clear();
        if (!output) continue;
        rows_per_call = std::min(rows_per_call * 4, kRowsPerOutputMax);
        if (!isFull()) continue;
        own.has_begun = true;
        return Step::Result::Suspended;
      }
      if (morsel.is_last) break;
      state.context.cancel.poll();
    }
  }
  if (description.has_insert) {
    auto& rows = state.localObject<InsertBuffer>(0, description.insert_slot);
    if (state.context.write != nullptr)
      rows.flush(state.context.refusal);
    else
      rows.keepRow();
  }
  morsel.reset();
  return Step::Result::Done;
}

}  // namespace

Step::Result PipelineStep::run(ExecutionState& state) const {
  if (isPlain(state, description_)) return goThrough(state, *unit_, description_);
  // One that was suspended goes on to its end.
  const bool has_begun = std::ranges::any_of(state.workers, [](const auto& worker) { return worker->has_begun; });
  if (!has_begun && anyExhausted(state, description_.gate_slots)) return Result::Done;
  auto& source = state.globalObject<MorselSource>(description_.source_slot);
  Progress progress;
  progress.rows_total = source.rowCount();
  state.noteFirstMorsel();
  const bool is_single = source.isOrdered() || state.row_goal || state.workerCount() == 1 ||
                         state.program->resources.asks_session || progress.rows_total < kParallelRowsMin;
  if (is_single) {
    // Others may have left a piece behind when the pipeline was suspended: each is finished in turn.
    for (unsigned worker = 0; worker < state.workerCount(); ++worker) {
      if (worker != 0 && !state.workers[worker]->has_begun) continue;
      work(state, worker, progress);
      if (isOutputFull(state, worker)) return Result::Suspended;
    }
  } else {
    const TimeZone& zone = sessionTimeZone();
    const TextStyle style = textStyle();
    const int64_t moment = textMoment();
    const sql::CatalogSession* const catalog_session = sql::catalogSession();
    state.pool().run([&](unsigned worker) {
      const SessionTimeZone session_zone(zone);
      const TextStyleScope session_style(style, moment);
      const sql::CatalogSessionScope catalog_scope(catalog_session);
      const CancelScope cancel_scope(state.context.cancel);
      try {
        work(state, worker, progress);
      } catch (...) {
        progress.stop = true;
        throw;
      }
    });
    for (unsigned worker = 0; worker < state.workerCount(); ++worker)
      if (isOutputFull(state, worker)) return Result::Suspended;
  }
  const StepUseScope uses(state.context.buffers, state.step_uses);
  if (description_.has_insert)
    for (unsigned worker = 0; worker < state.workerCount(); ++worker)
      state.localObject<InsertBuffer>(worker, description_.insert_slot).flush();
  for (auto& worker : state.workers)
    if (std::exchange(worker->has_begun, false)) worker->morsel.reset();
  return Result::Done;
}

Step::Result RuntimeStep::run(ExecutionState& state) const {
  const StepUseScope uses(state.context.buffers, state.step_uses);
  body_(state);
  return Result::Done;
}

Step::Result CallStep::run(ExecutionState& state) const {
  if (anyExhausted(state, gate_slots_)) return Result::Done;
  ExecutionState::Worker& own = *state.workers[0];
  state.context.cancel.poll();
  state.noteFirstMorsel();
  const void* const no_data = nullptr;
  unit_->call(state.program, 1, state.global(), own.local(), no_data, uint64_t{0}, uint64_t{0});
  own.scratch.clear();
  return Result::Done;
}

}  // namespace gnomon::codegen
