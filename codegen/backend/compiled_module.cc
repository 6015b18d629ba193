#include "codegen/backend/compiled_module.h"

#include <chrono>
#include <utility>

#include "base/assert.h"
#include "codegen/ir/dead_code.h"
#include "codegen/ir/text.h"
#include "codegen/ir/verifier.h"
#include "codegen/llvm/machine_code.h"
#include "codegen/vm/code.h"

namespace gnomon::codegen {
namespace {

class Stopwatch {
 public:
  [[nodiscard]] uint64_t microseconds() const {
    const auto passed = std::chrono::steady_clock::now() - start_;
    return static_cast<uint64_t>(std::chrono::duration_cast<std::chrono::microseconds>(passed).count());
  }

 private:
  std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
};

uint32_t countInstructions(const ir::Function& function) {
  uint32_t count = 0;
  for (uint32_t block = 0; block < function.blockCount(); ++block) {
    for (uint32_t at = function.block(block).first_phi; at != ir::Value::kNone; at = function.at(at).next) ++count;
    for (uint32_t at = function.block(block).first; at != ir::Value::kNone; at = function.at(at).next) ++count;
  }
  return count;
}

}  // namespace

CompiledModule::CompiledModule(ir::Module module, BackendOptions options)
    : module_(std::move(module)), options_(options) {
  const Stopwatch watch;
  const uint32_t count = module_.functionCount();
  ir::removeDeadCode(module_);
  if (options_.verify) ir::verify(module_);
  functions_ = std::make_unique<CompiledFunction[]>(count);
  for (uint32_t i = 0; i < count; ++i) {
    codes_.push_back(std::make_unique<vm::Code>());
    functions_[i].vm_ = codes_.back().get();
    instruction_count_ += countInstructions(module_.function(ir::FunctionId{i}));
  }
  vm::translate(module_, codes_);
  vm_microseconds_ = watch.microseconds();
  if (options_.policy.mode == ExecutionMode::Llvm) compileLlvm(options_.policy.firstMachineTier());
}

CompiledModule::~CompiledModule() = default;

const CompiledFunction* CompiledModule::find(std::string_view name) const {
  const ir::FunctionId id = module_.find(name);
  return id.isValid() ? &functions_[id.index] : nullptr;
}

bool CompiledModule::isLlvmAllowed() const {
  if (options_.policy.mode == ExecutionMode::Vm) return false;
  for (uint32_t i = 0; i < module_.functionCount(); ++i) {
    const ir::Function& function = module_.function(ir::FunctionId{i});
    if (function.blockCount() > options_.llvm_blocks_max) return false;
    if (countInstructions(function) > options_.llvm_instructions_max) return false;
  }
  return true;
}

bool CompiledModule::compileLlvm(CodeTier tier) {
  ASSERT(tier != CodeTier::Bytecode, "bytecode is there from the start");
  if (!isLlvmAllowed()) return false;
  const std::lock_guard lock(compile_mutex_);
  const auto number = static_cast<size_t>(tier);
  if (tier_.load() >= tier) return true;
  if (std::exchange(is_tried_[number], true)) return false;
  const Stopwatch watch;
  try {
    machine_code_[number] = jit::MachineCode::compile(module_, tier);
  } catch (const std::runtime_error&) {
    // The VM is complete: a statement never fails because LLVM did.
    return false;
  }
  llvm_microseconds_.fetch_add(watch.microseconds(), std::memory_order_relaxed);
  for (uint32_t i = 0; i < module_.functionCount(); ++i)
    functions_[i].native_.store(machine_code_[number]->address(ir::FunctionId{i}), std::memory_order_release);
  tier_.store(tier, std::memory_order_release);
  return true;
}

std::string CompiledModule::irText() const {
  return ir::print(module_);
}

std::string CompiledModule::bytecodeText() const {
  std::string text;
  for (uint32_t i = 0; i < module_.functionCount(); ++i)
    text += "function @" + module_.function(ir::FunctionId{i}).name() + "\n" + vm::disassemble(*codes_[i]);
  return text;
}

std::string CompiledModule::llvmText() const {
  return jit::llvmText(module_);
}

std::string CompiledModule::assemblyText() const {
  return jit::assemblyText(module_);
}

}  // namespace gnomon::codegen
