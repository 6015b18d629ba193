#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <string>
#include <vector>

#include "codegen/executor/program.h"
#include "wal/append_counts.h"

namespace gnomon::codegen {

class ExecutionState;

/// Pages that were used, and what was logged.
struct StepUses {
  std::atomic<uint64_t> hits{0}, reads{0}, log_records{0}, log_bytes{0};

  void clear() { hits = reads = log_records = log_bytes = 0; }
};

/// Adds what the calling thread uses and logs while it lives. `buffers`: null: nothing is counted.
class StepUseScope {
 public:
  StepUseScope(const storage::BufferManager* buffers, StepUses& uses) : buffers_(buffers), uses_(uses) {
    if (buffers_ != nullptr) begin();
  }
  ~StepUseScope() {
    if (buffers_ != nullptr) end();
  }
  StepUseScope(const StepUseScope&) = delete;
  StepUseScope& operator=(const StepUseScope&) = delete;

 private:
  void begin();
  void end();

  const storage::BufferManager* const buffers_;
  StepUses& uses_;
  uint64_t hits_before_ = 0, reads_before_ = 0;
  wal::AppendCounts logged_before_;
};

/// What the steps of a counted execution did, and what of it was whose.
///
/// A step's time is divided among operators as their ticks in it are, or is the time of the operator that added the
/// step, when there are none: so the operators' times add up to the execution's. Threads: the session's.
class FiguresRecorder {
 public:
  explicit FiguresRecorder(ExecutionState& state) : state_(state) {}
  /// Around each call of a step.
  void begin();
  void end(size_t step);
  [[nodiscard]] sql::ExecutionFigures figures() const;
  [[nodiscard]] std::string describeSteps() const;

 private:
  struct StepFigures {
    double ms = 0;
    uint64_t calls = 0, hits = 0, reads = 0, log_records = 0, log_bytes = 0;
    std::vector<double> operator_ms;  ///< by the operator's number
    std::vector<uint64_t> operator_rows;
  };
  /// The sum over workers of every counter.
  [[nodiscard]] std::vector<uint64_t> counters() const;
  void addTree(const sql::Operator& op, std::vector<size_t>& numbers) const;
  [[nodiscard]] sql::OperatorFigures figuresOf(const sql::Operator& op, size_t number) const;

  ExecutionState& state_;
  std::vector<StepFigures> steps_;
  std::vector<uint64_t> before_;
  std::chrono::steady_clock::time_point begun_;
};

}  // namespace gnomon::codegen
