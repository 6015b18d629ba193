#pragma once

#include <stdexcept>

#include "codegen/ir/function.h"

namespace gnomon::codegen::ir {

/// The module breaks a rule of the IR: a defect of a translator. The text names function, block and instruction.
class InvalidIr : public std::logic_error {
 public:
  using std::logic_error::logic_error;
};

/// Checks operand and result types, one terminator per block, that every use is dominated by its definition, that phis
/// agree with the predecessors, that switch cases are distinct, and that calls form no cycle. Throws InvalidIr.
void verify(const Module& module);
void verify(const Module& module, const Function& function);

}  // namespace gnomon::codegen::ir
