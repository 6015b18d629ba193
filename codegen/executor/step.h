#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>

namespace gnomon::codegen {

class ExecutionState;

/// One state of the executor's state machine: steps of a program run one after the other.
///
/// Source: paper 2, section 3.4 (steps and their transitions). Immutable; progress lies in the ExecutionState.
class Step {
 public:
  enum class Result : uint8_t { Done, Suspended, Jump };

  virtual ~Step() = default;
  /// Called once, before the first step runs: what is known to take long may begin to be compiled.
  virtual void announce(ExecutionState&) const {}
  /// Suspended: output is waiting to be taken, or enough rows were made; run() again goes on. Jump: the step that is
  /// `jumpDistance()` further comes next.
  virtual Result run(ExecutionState& state) const = 0;
  [[nodiscard]] virtual std::ptrdiff_t jumpDistance() const { return 1; }
  /// It may leave rows for the client.
  [[nodiscard]] virtual bool hasOutput() const { return false; }
  /// One line for EXPLAIN (PIPELINES).
  [[nodiscard]] virtual std::string describe() const = 0;
};

}  // namespace gnomon::codegen
