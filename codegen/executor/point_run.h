#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>

#include "codegen/executor/execution_state.h"
#include "codegen/executor/index_source.h"

namespace gnomon::codegen {

class ChangeList;
class ChangeTarget;
class OutputSink;

/// The runs of a point query: a whole key of a unique index leads to one row, or to none, which is put out, changed or
/// deleted. It does what the program's steps would do, without what these are for where there are more rows.
///
/// Lifetime: the execution's whose state it was made for. Threads: the session's. Failure: that of the steps.
class PointRun {
 public:
  /// None: the program is another one.
  static std::optional<PointRun> of(ExecutionState& state);

  /// As ExecutionState's, of the runs that run() makes.
  void restart();
  void park();
  /// All of it, but that rows that were put out are taken. False: it is refused, as the context says.
  bool run();
  /// As the execution's, after restart(). Memory is asked for where the row was found last four runs before it is
  /// wanted, and so on: each says where the next one is.
  void lookAhead(std::span<ParameterSlot> parameters, size_t counter);
  /// Of run(): rows that were changed or deleted.
  [[nodiscard]] uint64_t writtenCount() const;

 private:
  explicit PointRun(ExecutionState& state) : state_(&state), worker_(state.workers.front().get()) {}
  bool change();
  IndexSource::Ahead& aheadOf(int64_t run);
  /// Of the run that comes so many runs after this one. Each has its place between others' work: memory takes its time
  /// for a few requests, while the processor goes on, and stops for many.
  void stepAhead(int64_t distance);

  static constexpr int64_t kRunsAhead = 1 + IndexSource::kStepsAhead;

  ExecutionState* state_;
  ExecutionState::Worker* worker_;
  CodeUnit* key_ = nullptr;  ///< computes the key's values
  CodeUnit* row_ = nullptr;  ///< gets the row
  IndexSource* source_ = nullptr;
  OutputSink* output_ = nullptr;                            ///< null: nothing is put out
  ChangeTarget* target_ = nullptr;                          ///< null: nothing is changed
  ChangeList* list_ = nullptr;                              ///< with target_
  std::array<IndexSource::Ahead, kRunsAhead + 1> ahead_{};  ///< of this run and the next ones, by their counters
  int64_t ahead_end_ = INT64_MIN;                           ///< the counter of the last one
  bool steps_ahead_ = false;                                ///< this run is to step
};

}  // namespace gnomon::codegen
