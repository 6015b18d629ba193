#pragma once

#include <llvm/IR/Module.h>

#include <memory>
#include <string>

#include "codegen/ir/function.h"

namespace gnomon::codegen::jit {

/// LLVM IR of the whole module, instruction by instruction in linear time. Function i is named `prefix` + i; the names
/// are the only symbols. Runtime functions are addresses in the code.
std::unique_ptr<llvm::Module> toLlvm(const ir::Module& module, llvm::LLVMContext& context, const std::string& prefix);

}  // namespace gnomon::codegen::jit
