#pragma once

#include <memory>
#include <string>
#include <vector>

#include "codegen/backend/execution_policy.h"
#include "codegen/ir/function.h"

namespace gnomon::codegen::jit {

/// The machine code of one module, in executable memory until this object is destroyed; nobody may run it then.
///
/// Exceptions thrown by runtime functions pass through its frames. Environment: with GNOMON_PERF_MAP set, functions are
/// listed in the perf map file of the process.
class MachineCode {
 public:
  /// Translates, optimises and links on the calling thread; any number of threads at once. `tier`: Quick or Full. The
  /// module is verified before. Throws std::runtime_error with LLVM's text when LLVM fails.
  static std::unique_ptr<MachineCode> compile(const ir::Module& module, CodeTier tier);
  ~MachineCode();
  MachineCode(const MachineCode&) = delete;
  MachineCode& operator=(const MachineCode&) = delete;

  /// A C++ function of the IR function's signature.
  [[nodiscard]] const void* address(ir::FunctionId id) const { return addresses_[id.index]; }

 private:
  struct Tracker;
  MachineCode();
  std::unique_ptr<Tracker> tracker_;
  std::vector<const void*> addresses_;
};

/// For EXPLAIN: LLVM IR after the passes, and the assembly of full machine code.
[[nodiscard]] std::string llvmText(const ir::Module& module);
[[nodiscard]] std::string assemblyText(const ir::Module& module);

}  // namespace gnomon::codegen::jit
