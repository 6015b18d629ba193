#pragma once

#include <cstdint>

#include "codegen/runtime/runtime_object.h"

namespace gnomon::codegen {

class ExecutionState;

/// The table that a statement writes to, for one execution: all of its changes or none.
class WriteTarget : public RuntimeObject {
 public:
  /// After the last step: what is still to be done, and the commit. Returns the rows written. Failure: SqlError; the
  /// table is as before once this object is gone.
  virtual uint64_t finish(ExecutionState& state) = 0;
};

}  // namespace gnomon::codegen
