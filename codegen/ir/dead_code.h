#pragma once

#include "codegen/ir/function.h"

namespace gnomon::codegen::ir {

/// Empties blocks that the entry does not reach, drops their phi edges, and removes instructions without effect whose
/// value nobody uses (loads and pure calls included; traps stay). Linear time. Returns how many instructions went.
uint32_t removeDeadCode(Function& function);
uint32_t removeDeadCode(Module& module);

}  // namespace gnomon::codegen::ir
