#include "codegen/ir/dead_code.h"

#include <vector>

namespace gnomon::codegen::ir {
namespace {

bool hasEffect(const Instruction& instruction) {
  switch (instruction.opcode) {
    case Opcode::AddTrap:
    case Opcode::SubTrap:
    case Opcode::MulTrap:
    case Opcode::SDivTrap:
    case Opcode::SRemTrap:
    case Opcode::Store:
    case Opcode::StoreF32:
    case Opcode::Call:
      return true;
    case Opcode::CallRuntime:
      return instruction.runtimeFunction().effect == RuntimeEffect::Any;
    default:
      return isTerminator(instruction.opcode);
  }
}

class DeadCode {
 public:
  explicit DeadCode(Function& function)
      : function_(function), is_reached_(function.blockCount(), false), is_live_(function.valueCount(), false) {}

  uint32_t run() {
    if (function_.blockCount() == 0) return 0;
    foldBranches();
    reachBlocks();
    dropPhiEdges();
    markLive();
    return sweep();
  }

 private:
  void foldBranches() {
    for (uint32_t i = 0; i < function_.blockCount(); ++i) {
      if (function_.block(i).last == Value::kNone) continue;
      Instruction& end = function_.at(function_.block(i).last);
      if (end.opcode != Opcode::CondBr) continue;
      const Instruction& condition = function_.at(end.a);
      if (end.b != end.c && condition.opcode != Opcode::Constant) continue;
      const bool is_true = end.b == end.c || condition.immediate != 0;
      const uint32_t taken = is_true ? end.b : end.c;
      const uint32_t other = is_true ? end.c : end.b;
      if (taken != other) dropEdge(other, i);
      end = {.opcode = Opcode::Br, .a = taken};
    }
  }

  void reachBlocks() {
    std::vector<uint32_t> work{0};
    is_reached_[0] = true;
    while (!work.empty()) {
      const uint32_t block = work.back();
      work.pop_back();
      function_.forEachSuccessor(block, [&](uint32_t target) {
        if (is_reached_[target]) return;
        is_reached_[target] = true;
        work.push_back(target);
      });
    }
  }

  template <typename Predicate>
  void dropIncoming(uint32_t block, Predicate&& is_dropped) {
    for (uint32_t phi = function_.block(block).first_phi; phi != Value::kNone; phi = function_.at(phi).next) {
      Instruction& instruction = function_.at(phi);
      uint32_t* link = &instruction.list_first;
      while (*link != Value::kNone) {
        Incoming& edge = function_.incoming(*link);
        if (is_dropped(edge.block)) {
          *link = edge.next;
          --instruction.list_count;
        } else {
          link = &edge.next;
        }
      }
    }
  }

  void dropEdge(uint32_t block, uint32_t from) {
    dropIncoming(block, [&](uint32_t other) { return other == from; });
  }

  void dropPhiEdges() {
    for (uint32_t i = 0; i < function_.blockCount(); ++i)
      if (is_reached_[i]) dropIncoming(i, [&](uint32_t from) { return !is_reached_[from]; });
  }

  void mark(uint32_t value) {
    if (is_live_[value]) return;
    is_live_[value] = true;
    work_.push_back(value);
  }

  void markLive() {
    for (uint32_t i = 0; i < function_.blockCount(); ++i) {
      if (!is_reached_[i]) continue;
      for (uint32_t at = function_.block(i).first; at != Value::kNone; at = function_.at(at).next)
        if (hasEffect(function_.at(at))) mark(at);
    }
    while (!work_.empty()) {
      const uint32_t value = work_.back();
      work_.pop_back();
      Function::forEachOperand(function_, value, [&](uint32_t operand) { mark(operand); });
    }
  }

  uint32_t sweepList(uint32_t& first, uint32_t& last) {
    uint32_t removed = 0;
    uint32_t* link = &first;
    last = Value::kNone;
    while (*link != Value::kNone) {
      Instruction& instruction = function_.at(*link);
      if (is_live_[*link]) {
        last = *link;
        link = &instruction.next;
      } else {
        *link = instruction.next;
        ++removed;
      }
    }
    return removed;
  }

  uint32_t sweep() {
    uint32_t removed = 0;
    for (uint32_t i = 0; i < function_.blockCount(); ++i) {
      BasicBlock& block = function_.block(i);
      removed += sweepList(block.first_phi, block.last_phi);
      removed += sweepList(block.first, block.last);
    }
    return removed;
  }

  Function& function_;
  std::vector<bool> is_reached_;
  std::vector<bool> is_live_;
  std::vector<uint32_t> work_;
};

}  // namespace

uint32_t removeDeadCode(Function& function) {
  return DeadCode(function).run();
}

uint32_t removeDeadCode(Module& module) {
  uint32_t removed = 0;
  for (uint32_t i = 0; i < module.functionCount(); ++i) removed += removeDeadCode(module.function(FunctionId{i}));
  return removed;
}

}  // namespace gnomon::codegen::ir
