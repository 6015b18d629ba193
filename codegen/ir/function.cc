#include "codegen/ir/function.h"

#include "base/assert.h"
#include "codegen/ir/fold.h"

namespace gnomon::codegen::ir {

Function::Function(std::string name, Type result, std::vector<Type> parameters)
    : name_(std::move(name)), result_(result), parameters_(std::move(parameters)) {
  instructions_.reserve(parameters_.size() + 64);
  for (size_t i = 0; i < parameters_.size(); ++i) {
    Instruction argument;
    argument.opcode = Opcode::Argument;
    argument.type = parameters_[i];
    argument.immediate = i;
    instructions_.push_back(argument);
  }
}

Block Function::addBlock(std::string_view name) {
  blocks_.emplace_back();
  blocks_.back().name = name;
  return Block{blockCount() - 1};
}

Value Function::constant(Type type, uint128 bits) {
  bits = canonical(type, bits);
  const ConstantKey key{type, static_cast<uint64_t>(bits), static_cast<uint64_t>(bits >> 64)};
  const auto [place, is_new] = constants_.try_emplace(key, valueCount());
  if (is_new) {
    Instruction constant;
    constant.opcode = Opcode::Constant;
    constant.type = type;
    constant.immediate = key.low;
    constant.high = key.high;
    instructions_.push_back(constant);
  }
  return Value{place->second};
}

Value Function::append(Block block, const Instruction& instruction) {
  const uint32_t index = valueCount();
  instructions_.push_back(instruction);
  BasicBlock& into = blocks_[block.index];
  const bool is_phi = instruction.opcode == Opcode::Phi;
  if (is_phi) instructions_[index].list_first = Value::kNone;
  uint32_t& first = is_phi ? into.first_phi : into.first;
  uint32_t& last = is_phi ? into.last_phi : into.last;
  if (last == Value::kNone) {
    first = index;
  } else {
    ASSERT(is_phi || !isTerminator(instructions_[last].opcode), "B2");
    instructions_[last].next = index;
  }
  last = index;
  return Value{index};
}

Value Function::prepend(Block block, const Instruction& instruction) {
  const uint32_t index = valueCount();
  instructions_.push_back(instruction);
  BasicBlock& into = blocks_[block.index];
  instructions_[index].next = into.first;
  into.first = index;
  if (into.last == Value::kNone) into.last = index;
  return Value{index};
}

void Function::addIncoming(Value phi, Value value, Block from) {
  Instruction& instruction = instructions_[phi.index];
  // Chained at the front: the order of a phi's edges means nothing.
  incoming_.push_back({value.index, from.index, instruction.list_first});
  instruction.list_first = static_cast<uint32_t>(incoming_.size() - 1);
  ++instruction.list_count;
}

std::pair<uint32_t, uint32_t> Function::addArguments(std::span<const Value> values) {
  const auto first = static_cast<uint32_t>(arguments_.size());
  for (const Value value : values) arguments_.push_back(value.index);
  return {first, static_cast<uint32_t>(values.size())};
}

std::pair<uint32_t, uint32_t> Function::addCases(std::span<const std::pair<int64_t, Block>> cases) {
  const auto first = static_cast<uint32_t>(cases_.size());
  for (const auto& [value, block] : cases) cases_.push_back({value, block.index});
  return {first, static_cast<uint32_t>(cases.size())};
}

}  // namespace gnomon::codegen::ir
