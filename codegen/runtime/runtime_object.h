#pragma once

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
  /// The next run begins: as newly made, at the same address. Only after park(). Failure: as when it is made.
  virtual void restart(ExecutionState&) {}
};

/// Rows that one worker saw leave each counted operator.
struct RowCounters final : RuntimeObject {
  explicit RowCounters(size_t operator_count) : rows(operator_count) {}
  std::vector<uint64_t> rows;
};

}  // namespace gnomon::codegen
