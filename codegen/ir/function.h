#pragma once

#include <deque>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "base/int128.h"
#include "codegen/ir/opcode.h"
#include "codegen/ir/runtime_function.h"
#include "codegen/ir/trap.h"
#include "codegen/ir/type.h"

namespace gnomon::codegen::ir {

/// One instruction; its index in the function is the value it defines. Operands are value indexes, kNone if absent.
///
/// Use of the fields by shape (opcode.h):
///   Argument  immediate = number            Constant  immediate = low 64 bits (narrow ones sign-extended), `high`
///   Phi       list = incoming, chained in Function::incoming()
///   Select    a = condition, b, c           Load...   a = pointer, immediate = byte offset
///   Store     a = value, b = pointer, immediate = byte offset
///   PtrAdd    a = pointer, b = i64          PtrIndex  a, b, immediate = offset, high = scale
///   Alloca    immediate = bytes             Call, CallRuntime  immediate = function index or row address, list = args
///   Br        a = block                     CondBr  a = condition, b = block if true, c = block if false
///   Switch    a = value, b = default block, list = (case value low, high is sign, block) in Function::cases()
///   Ret       a = value or kNone            compares, traps, CondBr  detail = predicate, TrapCode, BranchWeight
struct Instruction {
  Opcode opcode = Opcode::Unreachable;
  Type type = Type::Void;  ///< of the result; of the value for Store
  uint8_t detail = 0;
  Type operand_type = Type::Void;  ///< of compares, conversions and Switch
  uint32_t a = Value::kNone;
  uint32_t b = Value::kNone;
  uint32_t c = Value::kNone;
  uint32_t next = Value::kNone;  ///< next instruction of the block
  uint32_t list_first = 0;
  uint32_t list_count = 0;
  uint64_t immediate = 0;
  uint64_t high = 0;

  [[nodiscard]] uint128 constant() const { return (uint128{high} << 64) | immediate; }
  [[nodiscard]] int64_t offset() const { return static_cast<int64_t>(immediate); }
  [[nodiscard]] const RuntimeFunction& runtimeFunction() const {
    return *reinterpret_cast<const RuntimeFunction*>(immediate);
  }
};
static_assert(sizeof(Instruction) == 48);

/// A phi's value on the edge from one predecessor.
struct Incoming {
  uint32_t value;
  uint32_t block;
  uint32_t next;  ///< index of the next one of the same phi, or kNone
};

struct SwitchCase {
  int64_t value;
  uint32_t block;
};

/// Instructions in order, phis apart and first.
struct BasicBlock {
  uint32_t first_phi = Value::kNone;
  uint32_t last_phi = Value::kNone;
  uint32_t first = Value::kNone;
  uint32_t last = Value::kNone;
  std::string name;
};

/// A function in SSA form: instructions and blocks in vectors, linked by index. Block 0 is the entry.
///
/// Threads: one while it is built; any number of readers after.
class Function {
 public:
  Function(std::string name, Type result, std::vector<Type> parameters);

  [[nodiscard]] const std::string& name() const { return name_; }
  [[nodiscard]] Type result() const { return result_; }
  [[nodiscard]] std::span<const Type> parameters() const { return parameters_; }
  [[nodiscard]] Value parameter(unsigned number) const { return Value{number}; }

  /// Every value ever made; also constants and instructions that were removed from their block.
  [[nodiscard]] uint32_t valueCount() const { return static_cast<uint32_t>(instructions_.size()); }
  [[nodiscard]] uint32_t blockCount() const { return static_cast<uint32_t>(blocks_.size()); }
  [[nodiscard]] const Instruction& at(uint32_t value) const { return instructions_[value]; }
  [[nodiscard]] Instruction& at(uint32_t value) { return instructions_[value]; }
  [[nodiscard]] const Instruction& at(Value value) const { return instructions_[value.index]; }
  [[nodiscard]] Instruction& at(Value value) { return instructions_[value.index]; }
  [[nodiscard]] const BasicBlock& block(uint32_t index) const { return blocks_[index]; }
  [[nodiscard]] BasicBlock& block(uint32_t index) { return blocks_[index]; }
  [[nodiscard]] bool isConstant(Value value) const { return at(value).opcode == Opcode::Constant; }

  [[nodiscard]] std::span<const uint32_t> arguments(const Instruction& call) const {
    return {arguments_.data() + call.list_first, call.list_count};
  }
  [[nodiscard]] std::span<uint32_t> arguments(const Instruction& call) {
    return {arguments_.data() + call.list_first, call.list_count};
  }
  [[nodiscard]] std::span<const SwitchCase> cases(const Instruction& instruction) const {
    return {cases_.data() + instruction.list_first, instruction.list_count};
  }
  [[nodiscard]] const Incoming& incoming(uint32_t index) const { return incoming_[index]; }
  [[nodiscard]] Incoming& incoming(uint32_t index) { return incoming_[index]; }

  Block addBlock(std::string_view name);
  Value constant(Type type, uint128 bits);
  /// Appends to the block; phis go to its list of phis.
  Value append(Block block, const Instruction& instruction);
  /// Inserts before the block's other instructions, after its phis.
  Value prepend(Block block, const Instruction& instruction);
  void addIncoming(Value phi, Value value, Block from);
  std::pair<uint32_t, uint32_t> addArguments(std::span<const Value> values);
  std::pair<uint32_t, uint32_t> addCases(std::span<const std::pair<int64_t, Block>> cases);

  /// Calls visit(successor block index) for the terminator's targets, a block once per edge.
  template <typename Visitor>
  void forEachSuccessor(uint32_t block_index, Visitor&& visit) const {
    const uint32_t last = blocks_[block_index].last;
    if (last == Value::kNone) return;
    const Instruction& end = instructions_[last];
    if (end.opcode == Opcode::Br) {
      visit(end.a);
    } else if (end.opcode == Opcode::CondBr) {
      visit(end.b);
      visit(end.c);
    } else if (end.opcode == Opcode::Switch) {
      visit(end.b);
      for (const SwitchCase& one : cases(end)) visit(one.block);
    }
  }

  /// Calls visit(value index&) for every value operand, those of phis included.
  template <typename Self, typename Visitor>
  static void forEachOperand(Self& self, uint32_t index, Visitor&& visit);

 private:
  std::string name_;
  Type result_;
  std::vector<Type> parameters_;
  std::vector<Instruction> instructions_;
  std::vector<BasicBlock> blocks_;
  std::vector<uint32_t> arguments_;
  std::vector<Incoming> incoming_;
  std::vector<SwitchCase> cases_;
  struct ConstantKey {
    Type type;
    uint64_t low, high;
    bool operator==(const ConstantKey&) const = default;
  };
  struct ConstantHash {
    size_t operator()(const ConstantKey& key) const {
      return (key.low ^ (key.high * 31) ^ static_cast<uint64_t>(key.type)) * 0x9e3779b97f4a7c15ULL;
    }
  };
  std::unordered_map<ConstantKey, uint32_t, ConstantHash> constants_;
};

template <typename Self, typename Visitor>
void Function::forEachOperand(Self& self, uint32_t index, Visitor&& visit) {
  auto& instruction = self.at(index);
  if (const uint8_t mask = operandMask(instruction.opcode); mask != 0) {
    if (instruction.a != Value::kNone) visit(instruction.a);
    if ((mask & 2) != 0) visit(instruction.b);
    if ((mask & 4) != 0) visit(instruction.c);
  } else if (instruction.opcode == Opcode::Phi) {
    for (uint32_t i = instruction.list_first; i != Value::kNone; i = self.incoming(i).next)
      visit(self.incoming(i).value);
  } else if (shapeOf(instruction.opcode) == Shape::Call) {
    for (auto& argument : self.arguments(instruction)) visit(argument);
  }
}

/// The functions that are compiled together. Calls between them form no cycle (the verifier refuses recursion).
class Module {
 public:
  explicit Module(std::string name = "module") : name_(std::move(name)) {}

  FunctionId addFunction(std::string name, Type result, std::vector<Type> parameters) {
    functions_.emplace_back(std::move(name), result, std::move(parameters));
    return FunctionId{static_cast<uint32_t>(functions_.size() - 1)};
  }
  [[nodiscard]] const std::string& name() const { return name_; }
  [[nodiscard]] uint32_t functionCount() const { return static_cast<uint32_t>(functions_.size()); }
  [[nodiscard]] Function& function(FunctionId id) { return functions_[id.index]; }
  [[nodiscard]] const Function& function(FunctionId id) const { return functions_[id.index]; }
  /// kNone when there is none of that name.
  [[nodiscard]] FunctionId find(std::string_view name) const {
    for (uint32_t i = 0; i < functions_.size(); ++i)
      if (functions_[i].name() == name) return FunctionId{i};
    return FunctionId{};
  }

 private:
  std::string name_;
  std::deque<Function> functions_;
};

}  // namespace gnomon::codegen::ir
