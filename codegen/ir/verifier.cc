#include "codegen/ir/verifier.h"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "codegen/ir/control_flow.h"

namespace gnomon::codegen::ir {
namespace {

bool isLoadable(Opcode opcode, Type type) {
  if (opcode == Opcode::LoadF32) return type == Type::F64;
  if (opcode == Opcode::LoadAtomic) return type == Type::I8;
  return type != Type::Void;
}

class Verifier {
 public:
  Verifier(const Module& module, const Function& function)
      : module_(module), function_(function), defined_in_(function.valueCount(), Block::kNone) {}

  void run() {
    if (function_.blockCount() == 0) fail("has no block");
    for (uint32_t i = 0; i < function_.blockCount(); ++i) checkStructure(i);
    const ControlFlow flow(function_);
    if (!flow.predecessors(0).empty()) fail("the entry block has a predecessor");
    flow_ = &flow;
    for (const uint32_t block : flow.order()) {
      block_ = block;
      if (function_.block(block).first == Value::kNone) fail("block is empty");
      checkPhis();
      for (uint32_t at = function_.block(block).first; at != Value::kNone; at = function_.at(at).next) {
        at_ = at;
        checkTypes(function_.at(at));
        checkUses();
      }
    }
  }

 private:
  [[noreturn]] void fail(const std::string& problem) const {
    std::string where = fmt::format("function @{}", function_.name());
    if (block_ != Block::kNone) where += fmt::format(", block {} \"{}\"", block_, function_.block(block_).name);
    if (at_ != Value::kNone) where += fmt::format(", {} (value {})", nameOf(function_.at(at_).opcode), at_);
    throw InvalidIr(where + ": " + problem);
  }
  void require(bool condition, const char* problem) const {
    if (!condition) fail(problem);
  }

  /// Lists are well formed, terminators stand last and only there, targets exist.
  void checkStructure(uint32_t block) {
    block_ = block;
    for (uint32_t phi = function_.block(block).first_phi; phi != Value::kNone; phi = function_.at(phi).next)
      define(phi, block);
    for (uint32_t at = function_.block(block).first; at != Value::kNone; at = function_.at(at).next) {
      define(at, block);
      const bool is_last = function_.at(at).next == Value::kNone;
      at_ = at;
      if (is_last != isTerminator(function_.at(at).opcode))
        fail(is_last ? "block has no terminator" : "terminator before the end of the block");
      at_ = Value::kNone;
    }
    function_.forEachSuccessor(block, [&](uint32_t target) {
      if (target >= function_.blockCount()) fail("branch to a block that does not exist");
    });
    block_ = Block::kNone;
  }

  void define(uint32_t value, uint32_t block) {
    if (defined_in_[value] != Block::kNone) fail("instruction is listed twice");
    defined_in_[value] = block;
    order_.resize(std::max<size_t>(order_.size(), value + size_t{1}));
    order_[value] = next_order_++;
  }

  void checkValue(uint32_t value) const {
    require(value < function_.valueCount(), "operand does not exist");
    require(function_.at(value).type != Type::Void, "operand has no value");
  }

  [[nodiscard]] bool isLeaf(uint32_t value) const { return shapeOf(function_.at(value).opcode) == Shape::Leaf; }

  void checkUses() const {
    Function::forEachOperand(function_, at_, [&](uint32_t value) {
      checkValue(value);
      if (isLeaf(value)) return;
      const uint32_t from = defined_in_[value];
      require(from != Block::kNone, "operand is in no block");
      require(flow_->isReachable(from), "operand is in a block that is never reached");
      const bool is_before = from == block_ ? order_[value] < order_[at_] : flow_->dominates(from, block_);
      require(is_before, "operand does not dominate its use");
    });
  }

  void checkPhis() {
    std::vector<uint32_t> expected(flow_->predecessors(block_).begin(), flow_->predecessors(block_).end());
    std::ranges::sort(expected);
    expected.erase(std::ranges::unique(expected).begin(), expected.end());
    for (uint32_t phi = function_.block(block_).first_phi; phi != Value::kNone; phi = function_.at(phi).next) {
      at_ = phi;
      const Instruction& instruction = function_.at(phi);
      require(instruction.opcode == Opcode::Phi && instruction.type != Type::Void, "not a phi");
      std::vector<uint32_t> found;
      for (uint32_t i = instruction.list_first; i != Value::kNone; i = function_.incoming(i).next) {
        const Incoming& edge = function_.incoming(i);
        checkValue(edge.value);
        require(function_.at(edge.value).type == instruction.type, "incoming value has another type");
        require(edge.block < function_.blockCount(), "incoming block does not exist");
        found.push_back(edge.block);
        if (isLeaf(edge.value) || !flow_->isReachable(edge.block)) continue;
        const uint32_t from = defined_in_[edge.value];
        require(from != Block::kNone && flow_->isReachable(from) && flow_->dominates(from, edge.block),
                "incoming value does not dominate the end of its block");
      }
      std::ranges::sort(found);
      require(std::ranges::adjacent_find(found) == found.end(), "two incoming values from one block");
      require(std::ranges::includes(found, expected), "a predecessor has no incoming value");
      require(std::ranges::includes(expected, found), "an incoming block is no predecessor");
      at_ = Value::kNone;
    }
  }

  [[nodiscard]] Type typeAt(uint32_t value) const {
    checkValue(value);
    return function_.at(value).type;
  }
  void requireOperand(uint32_t value, Type type, const char* problem) const { require(typeAt(value) == type, problem); }

  void checkTypes(const Instruction& instruction) const {
    switch (shapeOf(instruction.opcode)) {
      case Shape::Leaf:
      case Shape::Phi:
        fail("may not stand among the instructions of a block");
      case Shape::Unary:
        return checkUnary(instruction);
      case Shape::Binary:
      case Shape::Shift:
      case Shape::Trap:
        return checkBinary(instruction);
      case Shape::Compare:
        return checkCompare(instruction);
      case Shape::Select:
        requireOperand(instruction.a, Type::I1, "condition is not i1");
        requireOperand(instruction.b, instruction.type, "operand has another type than the result");
        return requireOperand(instruction.c, instruction.type, "operand has another type than the result");
      case Shape::Convert:
        return checkConvert(instruction);
      case Shape::Load:
        requireOperand(instruction.a, Type::Ptr, "address is not ptr");
        return require(isLoadable(instruction.opcode, instruction.type), "cannot load this type");
      case Shape::Store:
        require(instruction.type == Type::Void, "store has a result");
        requireOperand(instruction.a, instruction.operand_type, "value has another type than the store");
        require(instruction.opcode == Opcode::Store || instruction.operand_type == Type::F64, "value is not f64");
        return requireOperand(instruction.b, Type::Ptr, "address is not ptr");
      case Shape::PtrAdd:
      case Shape::PtrIndex:
        requireOperand(instruction.a, Type::Ptr, "base is not ptr");
        return requireOperand(instruction.b, Type::I64, "index is not i64");
      case Shape::Alloca:
        require(block_ == 0, "alloca outside the entry block");
        return require(instruction.type == Type::Ptr && instruction.immediate <= kAllocaBytesMax, "alloca too large");
      case Shape::Call:
        return checkCall(instruction);
      case Shape::Br:
        return;
      case Shape::CondBr:
        return requireOperand(instruction.a, Type::I1, "condition is not i1");
      case Shape::Switch:
        return checkSwitch(instruction);
      case Shape::Ret:
        if (function_.result() == Type::Void)
          return require(instruction.a == Value::kNone, "value returned from a void function");
        require(instruction.a != Value::kNone, "no value returned");
        return requireOperand(instruction.a, function_.result(), "returned value has another type than the function");
      case Shape::Unreachable:
        return;
    }
  }

  void checkUnary(const Instruction& instruction) const {
    const Type type = typeAt(instruction.a);
    switch (instruction.opcode) {
      case Opcode::Lo64:
      case Opcode::Hi64:
        return require(type == Type::I128 && instruction.type == Type::I64, "operand is not i128");
      case Opcode::FNeg:
      case Opcode::RoundToFloat:
        return require(type == Type::F64 && instruction.type == Type::F64, "operand is not f64");
      default:
        return require(type == instruction.type && isInteger(type) && type != Type::I1 && type != Type::I128,
                       "operand is not i8 to i64");
    }
  }

  void checkBinary(const Instruction& instruction) const {
    const Type type = typeAt(instruction.a);
    requireOperand(instruction.b, type, "operands have different types");
    const bool is_bits =
        instruction.opcode == Opcode::And || instruction.opcode == Opcode::Or || instruction.opcode == Opcode::Xor;
    switch (instruction.opcode) {
      case Opcode::MulWide:
      case Opcode::Pack128:
        return require(type == Type::I64 && instruction.type == Type::I128, "operands are not i64");
      case Opcode::Crc32:
      case Opcode::Hash64:
        return require(type == Type::I64 && instruction.type == Type::I64, "operands are not i64");
      case Opcode::FAdd:
      case Opcode::FSub:
      case Opcode::FMul:
      case Opcode::FDiv:
        return require(type == Type::F64 && instruction.type == Type::F64, "operands are not f64");
      case Opcode::RotL:
        require(type != Type::I128, "rotl takes i8 to i64");
        break;
      default:
        break;
    }
    require(instruction.type == type, "result has another type than the operands");
    require(isInteger(type) && (is_bits || type != Type::I1), "operands are not integers of 8 bits and more");
    if (shapeOf(instruction.opcode) == Shape::Trap) {
      require(type != Type::I8, "trapping arithmetic takes i16 to i128");
      require(instruction.detail < static_cast<uint8_t>(TrapCode::Count), "unknown trap code");
    }
  }

  void checkCompare(const Instruction& instruction) const {
    const Type type = typeAt(instruction.a);
    require(instruction.type == Type::I1, "result is not i1");
    require(type == instruction.operand_type, "operand has another type than the comparison");
    requireOperand(instruction.b, type, "operands have different types");
    if (instruction.opcode == Opcode::FCmp) {
      require(instruction.detail <= static_cast<uint8_t>(FloatPredicate::Uno), "unknown predicate");
      return require(type == Type::F64, "operands are not f64");
    }
    require(instruction.detail <= static_cast<uint8_t>(IntPredicate::Uge), "unknown predicate");
    require(isInteger(type) || type == Type::Ptr, "operands are neither integers nor ptr");
  }

  void checkConvert(const Instruction& instruction) const {
    const Type from = typeAt(instruction.a);
    const Type to = instruction.type;
    require(from == instruction.operand_type, "operand has another type than the conversion");
    const bool are_integers = isInteger(from) && isInteger(to);
    switch (instruction.opcode) {
      case Opcode::SExt:
      case Opcode::ZExt:
        return require(are_integers && bitsOf(from) < bitsOf(to), "extension to a type that is not wider");
      case Opcode::Trunc:
        return require(are_integers && bitsOf(from) > bitsOf(to), "truncation to a wider type");
      case Opcode::SIToFP:
        return require(isInteger(from) && from != Type::I1 && to == Type::F64, "not a conversion to f64");
      case Opcode::FPToSI:
        return require(isInteger(to) && to != Type::I1 && from == Type::F64, "not a conversion from f64");
      default:
        require((from == Type::I64) != (to == Type::I64), "bitcast is between i64 and f64 or ptr");
        const Type other = from == Type::I64 ? to : from;
        return require(other == Type::F64 || other == Type::Ptr, "bitcast is between i64 and f64 or ptr");
    }
  }

  void checkCall(const Instruction& instruction) const {
    const auto arguments = function_.arguments(instruction);
    if (instruction.opcode == Opcode::CallRuntime) {
      const RuntimeFunction& callee = instruction.runtimeFunction();
      require(arguments.size() == callee.parameters.size(), "wrong number of arguments");
      for (size_t i = 0; i < arguments.size(); ++i)
        requireOperand(arguments[i], callee.parameters[i].type, "argument has another type than the parameter");
      return require(instruction.type == callee.result.type, "result has another type than the callee's");
    }
    require(instruction.immediate < module_.functionCount(), "callee does not exist");
    const Function& callee = module_.function(FunctionId{static_cast<uint32_t>(instruction.immediate)});
    require(arguments.size() == callee.parameters().size(), "wrong number of arguments");
    for (size_t i = 0; i < arguments.size(); ++i)
      requireOperand(arguments[i], callee.parameters()[i], "argument has another type than the parameter");
    require(instruction.type == callee.result(), "result has another type than the callee's");
  }

  void checkSwitch(const Instruction& instruction) const {
    const Type type = typeAt(instruction.a);
    require(type == instruction.operand_type, "value has another type than the switch");
    require(isInteger(type) && type != Type::I1 && type != Type::I128, "switch takes i8 to i64");
    std::vector<int64_t> values;
    for (const SwitchCase& one : function_.cases(instruction)) values.push_back(one.value);
    std::ranges::sort(values);
    require(std::ranges::adjacent_find(values) == values.end(), "a case appears twice");
    const int64_t limit = type == Type::I64 ? INT64_MAX : (int64_t{1} << (bitsOf(type) - 1)) - 1;
    require(values.empty() || (values.front() >= -limit - 1 && values.back() <= limit), "a case is out of range");
  }

  static constexpr uint64_t kAllocaBytesMax = 1 << 16;

  const Module& module_;
  const Function& function_;
  const ControlFlow* flow_ = nullptr;
  std::vector<uint32_t> defined_in_;
  std::vector<uint32_t> order_;
  uint32_t next_order_ = 0;
  uint32_t block_ = Block::kNone;
  uint32_t at_ = Value::kNone;
};

/// Calls form no cycle, so native and VM stacks stay bounded.
void checkCallGraph(const Module& module) {
  const uint32_t count = module.functionCount();
  std::vector<std::vector<uint32_t>> callees(count);
  std::vector<uint32_t> callers(count, 0);
  for (uint32_t i = 0; i < count; ++i) {
    const Function& function = module.function(FunctionId{i});
    for (uint32_t block = 0; block < function.blockCount(); ++block) {
      for (uint32_t at = function.block(block).first; at != Value::kNone; at = function.at(at).next) {
        if (function.at(at).opcode != Opcode::Call) continue;
        const auto callee = static_cast<uint32_t>(function.at(at).immediate);
        callees[i].push_back(callee);
        ++callers[callee];
      }
    }
  }
  std::vector<uint32_t> work;
  for (uint32_t i = 0; i < count; ++i)
    if (callers[i] == 0) work.push_back(i);
  for (size_t done = 0; done < work.size(); ++done)
    for (const uint32_t callee : callees[work[done]])
      if (--callers[callee] == 0) work.push_back(callee);
  if (work.size() == count) return;
  for (uint32_t i = 0; i < count; ++i)
    if (callers[i] != 0)
      throw InvalidIr(fmt::format("function @{}: calls form a cycle", module.function(FunctionId{i}).name()));
}

}  // namespace

void verify(const Module& module, const Function& function) {
  Verifier(module, function).run();
}

void verify(const Module& module) {
  for (uint32_t i = 0; i < module.functionCount(); ++i) verify(module, module.function(FunctionId{i}));
  checkCallGraph(module);
}

}  // namespace gnomon::codegen::ir
