#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "codegen/backend/execution_policy.h"
#include "codegen/ir/function.h"
#include "codegen/ir/runtime_function.h"

namespace gnomon::codegen::vm {
class Code;
void run(const Code& code, const uint64_t* arguments, uint64_t* result);
}  // namespace gnomon::codegen::vm

namespace gnomon::codegen::jit {
class MachineCode;
}

namespace gnomon::codegen {

struct BackendOptions {
  ExecutionPolicy policy;
  /// Modules with a larger function stay in the VM: LLVM's passes are not linear.
  uint32_t llvm_instructions_max = 20000;
  uint32_t llvm_blocks_max = 3000;
  /// Check the module with ir::verify() first (throws InvalidIr).
  bool verify = true;
};

/// The callable of one function of a module. A call goes to machine code once that is published, to the VM until then.
///
/// Lifetime: its CompiledModule's. Threads: call() from any number. Failure: what runtime functions and traps throw.
class CompiledFunction {
 public:
  CompiledFunction() = default;
  CompiledFunction(const CompiledFunction&) = delete;
  CompiledFunction& operator=(const CompiledFunction&) = delete;

  /// Calls with C++ arguments whose types are those of the IR signature (bool, integers, double, pointers, int128; see
  /// registerRuntimeFunction). Not checked against the IR beyond the number of arguments.
  ///   step.call<void>(state, leaf, first_row, end_row);
  ///   bool less = comparator.call<bool>(left, right);
  template <typename R = void, typename... A>
  R call(A... arguments) const {
    if (const void* native = native_.load(std::memory_order_acquire))
      return reinterpret_cast<R (*)(A...)>(const_cast<void*>(native))(arguments...);
    return callVm<R>(arguments...);
  }

  /// Whether the next call runs machine code.
  [[nodiscard]] bool isNative() const { return native_.load(std::memory_order_relaxed) != nullptr; }
  /// The machine code's address, a C++ function of the IR signature, or null.
  [[nodiscard]] const void* native() const { return native_.load(std::memory_order_acquire); }
  /// Runs in the VM whatever is published; for tests and measurements.
  template <typename R = void, typename... A>
  R callVm(A... arguments) const {
    constexpr size_t slot_count = (size_t{0} + ... + (sizeof(A) > 8 ? 2 : 1));
    alignas(16) uint64_t slots[slot_count + 1];
    [[maybe_unused]] uint64_t* next = slots;
    ((detail::toSlot<A>(next, arguments), next += sizeof(A) > 8 ? 2 : 1), ...);
    alignas(16) uint64_t result[2] = {0, 0};
    vm::run(*vm_, slots, result);
    if constexpr (!std::is_void_v<R>) return detail::fromSlot<R>(result);
  }

 private:
  friend class CompiledModule;
  std::atomic<const void*> native_{nullptr};
  const vm::Code* vm_ = nullptr;
};

/// A module ready to run: bytecode at once, machine code when asked for.
///
/// Ownership: owns the module, its bytecode and its machine code; freeing it frees them, so whoever runs a function
/// keeps the CompiledModule alive (trap 9 of the architecture).
/// Threads: everything but construction and destruction from any thread.
class CompiledModule {
 public:
  /// Removes dead code, translates to bytecode; in mode Llvm also makes the first machine code. Throws ir::InvalidIr
  /// (with options.verify), SqlError 54001 when a function is too large even for the VM.
  explicit CompiledModule(ir::Module module, BackendOptions options = {});
  ~CompiledModule();
  CompiledModule(const CompiledModule&) = delete;
  CompiledModule& operator=(const CompiledModule&) = delete;

  [[nodiscard]] const CompiledFunction& function(ir::FunctionId id) const { return functions_[id.index]; }
  /// Null when there is none of that name.
  [[nodiscard]] const CompiledFunction* find(std::string_view name) const;
  [[nodiscard]] const ir::Module& module() const { return module_; }

  /// Makes machine code of the tier (Quick or Full) on the calling thread and publishes every function: calls that
  /// begin later run it. False when the module is over the limits or LLVM failed, and what there is goes on. The first
  /// caller does the work, others wait and get its answer. In mode Vm: false at once.
  bool compileLlvm(CodeTier tier);
  [[nodiscard]] bool isLlvmAllowed() const;
  [[nodiscard]] bool isNative() const { return tier() != CodeTier::Bytecode; }
  /// What a call that begins now runs.
  [[nodiscard]] CodeTier tier() const { return tier_.load(std::memory_order_acquire); }
  [[nodiscard]] const ExecutionPolicy& policy() const { return options_.policy; }

  /// Instructions over all functions, the executor's estimate of what LLVM would cost.
  [[nodiscard]] uint32_t instructionCount() const { return instruction_count_; }
  [[nodiscard]] uint64_t vmMicroseconds() const { return vm_microseconds_; }
  /// For all tiers together; 0 until compiled.
  [[nodiscard]] uint64_t llvmMicroseconds() const { return llvm_microseconds_.load(std::memory_order_relaxed); }

  /// Texts for EXPLAIN. The last two run LLVM anew: milliseconds.
  [[nodiscard]] std::string irText() const;
  [[nodiscard]] std::string bytecodeText() const;
  [[nodiscard]] std::string llvmText() const;
  [[nodiscard]] std::string assemblyText() const;

 private:
  ir::Module module_;
  BackendOptions options_;
  std::unique_ptr<CompiledFunction[]> functions_;
  std::vector<std::unique_ptr<vm::Code>> codes_;
  /// By tier. Quick code is kept when full code is published: some thread may still run it.
  std::array<std::unique_ptr<jit::MachineCode>, 3> machine_code_;
  std::array<bool, 3> is_tried_{};
  std::mutex compile_mutex_;
  std::atomic<CodeTier> tier_{CodeTier::Bytecode};
  uint32_t instruction_count_ = 0;
  uint64_t vm_microseconds_ = 0;
  std::atomic<uint64_t> llvm_microseconds_{0};
};

}  // namespace gnomon::codegen
