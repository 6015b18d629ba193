#include <fmt/format.h>

#include "codegen/vm/code.h"

namespace gnomon::codegen::vm {

std::string disassemble(const Code& code) {
  std::string text = fmt::format("frame {} bytes, {} argument slots, {} constants from slot {}\n", code.frame_bytes,
                                 code.argument_slots, code.constants.size(), code.constant_first);
  for (size_t i = 0; i < code.constants.size(); ++i)
    text += fmt::format("  s{} = {:#x}\n", code.constant_first + i, code.constants[i]);
  for (size_t i = 0; i < code.operations.size(); ++i) {
    const Operation& operation = code.operations[i];
    text += fmt::format("{:5} {:<22} s{} s{} s{}  ", i, nameOf(operation.op), operation.a, operation.b, operation.c);
    switch (operation.op) {
      case Op::CallRuntime:
      case Op::CallFunction: {
        const Code::CallSite& site = code.calls[static_cast<uint32_t>(operation.lo)];
        text += site.function != nullptr ? site.function->name : "function";
        for (uint32_t k = 0; k <= site.argument_count; ++k)
          text += fmt::format(" s{}", code.call_slots[site.slots_first + k]);
        break;
      }
      case Op::Switch: {
        const Code::SwitchTable& table = code.switches[static_cast<uint32_t>(operation.lo)];
        for (const auto& [value, target] : table.cases) text += fmt::format("{} -> {}, ", value, target);
        text += fmt::format("-> {}", table.otherwise);
        break;
      }
      default:
        text += fmt::format("{} [{} {}]", operation.imm, operation.lo, operation.hi);
    }
    text += '\n';
  }
  return text;
}

}  // namespace gnomon::codegen::vm
