#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "codegen/executor/code_unit.h"
#include "codegen/translate/routine_translator.h"

namespace gnomon::codegen {

/// The code of a routine: bytecode at first, machine code once it has been busy for as long as making that would have
/// taken.
///
/// Threads: one at a time. Lifetime: that of the routine, the layout and the resources, which outlive it.
class RoutineCode {
 public:
  RoutineCode(ir::Module module, ExecutionPolicy policy) : unit_(std::move(module), BackendOptions{.policy = policy}) {}

  [[nodiscard]] const CompiledFunction& function(uint32_t number) const {
    return unit_.code->function(ir::FunctionId{number});
  }
  /// So many calls or rounds of loops are over.
  void noteRounds(uint64_t rounds);
  [[nodiscard]] std::string irText() const { return unit_.code->irText(); }

 private:
  CodeUnit unit_;
  uint64_t rounds_ = 0;
  uint64_t looked_at_ = 0;  ///< rounds, when it was last asked whether faster code would pay
};

}  // namespace gnomon::codegen
