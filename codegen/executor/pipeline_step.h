#pragma once

#include <vector>

#include "codegen/executor/morsel_source.h"
#include "codegen/executor/query_program.h"
#include "codegen/executor/step.h"

namespace gnomon::codegen {

/// The leaf at hand is held no longer than this lives.
template <typename Source>
struct HeldMorsel {
  Source& source;
  Morsel& morsel;
  ~HeldMorsel() { source.suspend(morsel); }
};

/// Drives a generated function over the morsels of a source, on all workers when there is enough to do.
///
/// The function: void(GlobalState*, LocalState*, data, first row, end row). Between its calls the driver empties the
/// scratch arena, flushes rows to be inserted, looks at the cancel token, and stops when the output is large enough.
/// Rule: nothing is flushed, sent or waited for while a leaf is held.
class PipelineStep final : public Step {
 public:
  struct Description {
    std::string text;                 ///< operators, source first
    size_t source_slot = 0;           ///< global: MorselSource
    std::vector<size_t> limit_slots;  ///< global: LimitCounter; when one is exhausted no more rows are wanted
    std::vector<size_t> gate_slots;   ///< global: LimitCounter; where one is exhausted the step does nothing
    bool has_output = false;          ///< writes to the program's output slot
    bool has_insert = false;
    size_t insert_slot = 0;               ///< local: InsertBuffer
    bool has_window = false;              ///< the first nested loop goes over a window of its rows at a time
    size_t window_slot = 0;               ///< local: NestedWindow
    size_t window_table_slot = 0;         ///< global: JoinTable, whose rows the window lies in
    std::vector<CodeUnit*> staged_units;  ///< functions that get rows in batches (runtime/staged_rows.h)
  };

  PipelineStep(CodeUnit* unit, Description description) : unit_(unit), description_(std::move(description)) {}
  void announce(ExecutionState& state) const override;
  Result run(ExecutionState& state) const override;
  [[nodiscard]] bool hasOutput() const override { return description_.has_output; }
  [[nodiscard]] std::string describe() const override { return description_.text; }
  [[nodiscard]] CodeUnit& unit() const { return *unit_; }
  [[nodiscard]] size_t sourceSlot() const { return description_.source_slot; }
  /// It does nothing but to call its function with all that its source has.
  [[nodiscard]] bool isSimple() const {
    return description_.limit_slots.empty() && description_.gate_slots.empty() && !description_.has_insert &&
           !description_.has_window;
  }

 private:
  struct Progress;
  void work(ExecutionState& state, unsigned worker, Progress& progress) const;
  [[nodiscard]] bool isSatisfied(ExecutionState& state) const;
  [[nodiscard]] bool isOutputFull(ExecutionState& state, unsigned worker) const;
  [[nodiscard]] bool isBounded() const { return description_.has_output || description_.has_insert; }
  [[nodiscard]] size_t producedBytes(ExecutionState& state, unsigned worker) const;
  void callBounded(ExecutionState& state, unsigned worker, Progress& progress) const;
  void callMorsel(ExecutionState& state, unsigned worker, Progress& progress, uint64_t end, bool advance) const;
  void callCopied(ExecutionState& state, unsigned worker, uint64_t end, bool advance) const;
  void account(ExecutionState& state, Progress& progress, CodeTier tier, uint64_t rows, int64_t elapsed_ns,
               unsigned calls) const;

  CodeUnit* unit_;
  Description description_;
};

/// Calls a generated function of a pipeline's shape once, without rows: values that later steps need.
class CallStep final : public Step {
 public:
  CallStep(CodeUnit* unit, std::string text, std::vector<size_t> gate_slots)
      : unit_(unit), text_(std::move(text)), gate_slots_(std::move(gate_slots)) {}
  Result run(ExecutionState& state) const override;
  [[nodiscard]] std::string describe() const override { return text_; }
  [[nodiscard]] CodeUnit& unit() const { return *unit_; }
  /// Nothing keeps it from being called.
  [[nodiscard]] bool isAlways() const { return gate_slots_.empty(); }

 private:
  CodeUnit* unit_;
  std::string text_;
  std::vector<size_t> gate_slots_;  ///< as of a pipeline
};

/// Goes on elsewhere when `condition` holds.
class JumpStep final : public Step {
 public:
  JumpStep(std::string text, std::function<bool(ExecutionState&)> condition)
      : text_(std::move(text)), condition_(std::move(condition)) {}
  Result run(ExecutionState& state) const override { return condition_(state) ? Result::Jump : Result::Done; }
  [[nodiscard]] std::ptrdiff_t jumpDistance() const override { return distance_; }
  [[nodiscard]] std::string describe() const override { return text_; }
  /// Steps from here; negative: back. Before the program is executed.
  void setDistance(std::ptrdiff_t distance) { distance_ = distance; }

 private:
  std::string text_;
  std::function<bool(ExecutionState&)> condition_;
  std::ptrdiff_t distance_ = 1;
};

/// A step of C++ alone: builds, merges, sorts.
class RuntimeStep final : public Step {
 public:
  RuntimeStep(std::string text, std::function<void(ExecutionState&)> body)
      : text_(std::move(text)), body_(std::move(body)) {}
  Result run(ExecutionState& state) const override;
  [[nodiscard]] std::string describe() const override { return text_; }

 private:
  std::string text_;
  std::function<void(ExecutionState&)> body_;
};

}  // namespace gnomon::codegen
