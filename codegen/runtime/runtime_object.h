#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace gnomon::codegen {

class ExecutionState;

/// A structure that one execution owns and generated code reaches through a slot of its global or local state.
class RuntimeObject {
 public:
  RuntimeObject() = default;
  virtual ~RuntimeObject() = default;
  RuntimeObject(const RuntimeObject&) = delete;
  RuntimeObject& operator=(const RuntimeObject&) = delete;

  /// The execution is over, and may be started again: lets go of what belongs to a run. False: the object goes, and
  /// another one is made for the next run.
  virtual bool park() { return false; }
  /// The next run begins: as newly made, at the same address. Only after park(), or
  /// while rows are gathered (Execution::put()). Failure: as when it is made.
  virtual void restart(ExecutionState&) {}
};

/// What one worker saw of each counted operator: rows that left it, and ticks of the processor's clock that its own
/// code took. Generated code adds to them: at each place where a row goes from one operator to the next, and comes
/// back, the ticks since the last such place are the one's whose code it has left.
struct OperatorCounters final : RuntimeObject {
  explicit OperatorCounters(size_t operator_count) : words(1 + 2 * operator_count) {}
  /// words[0]: the clock at the last place.
  static constexpr size_t rowsWord(size_t number) { return 1 + 2 * number; }
  static constexpr size_t ticksWord(size_t number) { return 2 + 2 * number; }
  std::vector<uint64_t> words;
};

namespace rt {
/// The processor's clock: for shares of a time, not for times.
uint64_t readTicks();
}  // namespace rt

}  // namespace gnomon::codegen
