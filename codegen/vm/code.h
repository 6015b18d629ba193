#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "codegen/ir/function.h"
#include "codegen/vm/operation.h"

namespace gnomon::codegen::vm {

/// Bytecode of one function.
///
/// Frame, in 64-bit slots:  arguments | two scratch slots | values | constants | alloca areas (16-byte aligned)
/// Slots hold i8 to i64 sign-extended, i1 as 0 or 1, an i128 in two slots, low half first.
/// Threads: immutable after translate(); any number run it at once, each with its frame on its own stack.
class Code {
 public:
  struct SwitchTable {
    uint32_t otherwise = 0;
    /// Dense: targets[value - base]. Sparse (targets empty): binary search in cases.
    int64_t base = 0;
    std::vector<uint32_t> targets;
    std::vector<std::pair<int64_t, uint32_t>> cases;
  };
  struct CallSite {
    const RuntimeFunction* function = nullptr;  ///< of CallRuntime
    const Code* callee = nullptr;               ///< of CallFunction
    uint32_t slots_first = 0;                   ///< in call_slots: of the result, then of the arguments
    uint32_t argument_count = 0;
    bool is_result_wide = false;
  };

  std::vector<Operation> operations;
  std::vector<uint64_t> constants;
  std::vector<SwitchTable> switches;
  std::vector<CallSite> calls;
  std::vector<uint32_t> call_slots;
  /// Of calls of module functions: per entry of call_slots, whether it is an i128.
  std::vector<uint8_t> is_call_slot_wide;
  uint32_t argument_slots = 0;
  uint32_t constant_first = 0;  ///< slot of constants[0]
  uint32_t frame_bytes = 0;
};

/// Translates in linear time. codes[i] is filled from function i; all must exist, since calls refer to their callees.
/// Throws SqlError 54001 when a function needs more slots than the bytecode can name. The module is verified before.
void translate(const ir::Module& module, const std::vector<std::unique_ptr<Code>>& codes);

/// Runs the code: `arguments` holds its arguments in slots, `result` takes one or two slots unless it returns void.
/// Failure: what runtime functions and traps throw passes through.
void run(const Code& code, const uint64_t* arguments, uint64_t* result);

/// One line per operation, for EXPLAIN.
[[nodiscard]] std::string disassemble(const Code& code);

}  // namespace gnomon::codegen::vm
