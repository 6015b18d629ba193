#include <array>
#include <bit>
#include <charconv>
#include <cmath>
#include <vector>

#include <fmt/format.h>

#include "codegen/ir/text.h"
#include "codegen/ir/text_names.h"

namespace gnomon::codegen::ir {
namespace {

std::string decimalText(int128 value) {
  if (value == 0) return "0";
  uint128 rest = value < 0 ? -static_cast<uint128>(value) : static_cast<uint128>(value);
  std::array<char, 41> digits;
  size_t next = digits.size();
  for (; rest != 0; rest /= 10) digits[--next] = static_cast<char>('0' + static_cast<int>(rest % 10));
  if (value < 0) digits[--next] = '-';
  return {digits.data() + next, digits.size() - next};
}

std::string constantText(const Instruction& constant) {
  switch (constant.type) {
    case Type::I1:
      return constant.immediate != 0 ? "true" : "false";
    case Type::I128:
      return decimalText(static_cast<int128>(constant.constant()));
    case Type::Ptr:
      return constant.immediate == 0 ? "null" : fmt::format("{:#x}", constant.immediate);
    case Type::F64: {
      const auto value = std::bit_cast<double>(constant.immediate);
      if (!std::isfinite(value)) return fmt::format("{:#x}", constant.immediate);
      std::array<char, 32> buffer;
      const auto end = std::to_chars(buffer.data(), buffer.data() + buffer.size(), value).ptr;
      return {buffer.data(), end};
    }
    default:
      return std::to_string(static_cast<int64_t>(constant.immediate));
  }
}

class Printer {
 public:
  Printer(const Module& module, const Function& function)
      : module_(module),
        function_(function),
        value_number_(function.valueCount(), Value::kNone),
        block_number_(function.blockCount(), Block::kNone) {}

  std::string run() {
    number();
    out_ = fmt::format("function {} @{}(", nameOf(function_.result()), function_.name());
    for (uint32_t i = 0; i < function_.parameters().size(); ++i)
      out_ += fmt::format("{}{} %{}", i == 0 ? "" : ", ", nameOf(function_.parameters()[i]), i);
    out_ += ") {\n";
    for (uint32_t i = 0; i < function_.blockCount(); ++i) {
      if (!isPrinted(i)) continue;
      const BasicBlock& block = function_.block(i);
      out_ += fmt::format("b{}{}:\n", block_number_[i], block.name.empty() ? "" : " \"" + block.name + "\"");
      for (uint32_t phi = block.first_phi; phi != Value::kNone; phi = function_.at(phi).next) line(phi);
      for (uint32_t at = block.first; at != Value::kNone; at = function_.at(at).next) line(at);
    }
    out_ += "}\n";
    return std::move(out_);
  }

 private:
  [[nodiscard]] bool isPrinted(uint32_t block) const {
    return function_.block(block).first != Value::kNone || function_.block(block).first_phi != Value::kNone;
  }

  void number() {
    uint32_t next_value = 0;
    uint32_t next_block = 0;
    for (uint32_t i = 0; i < function_.parameters().size(); ++i) value_number_[i] = next_value++;
    const auto numberList = [&](uint32_t at) {
      for (; at != Value::kNone; at = function_.at(at).next)
        if (function_.at(at).type != Type::Void) value_number_[at] = next_value++;
    };
    for (uint32_t i = 0; i < function_.blockCount(); ++i) {
      if (!isPrinted(i)) continue;
      block_number_[i] = next_block++;
      numberList(function_.block(i).first_phi);
      numberList(function_.block(i).first);
    }
  }

  [[nodiscard]] std::string operand(uint32_t value) const {
    if (value >= function_.valueCount()) return "%?";
    if (function_.at(value).opcode == Opcode::Constant) return constantText(function_.at(value));
    if (value_number_[value] == Value::kNone) return "%?";
    return fmt::format("%{}", value_number_[value]);
  }
  [[nodiscard]] std::string blockText(uint32_t block) const {
    return block < function_.blockCount() && block_number_[block] != Block::kNone
               ? fmt::format("b{}", block_number_[block])
               : "b?";
  }

  void line(uint32_t at) {
    const Instruction& instruction = function_.at(at);
    out_ += "  ";
    if (instruction.type != Type::Void) out_ += fmt::format("%{} = ", value_number_[at]);
    out_ += nameOf(instruction.opcode);
    body(instruction);
    out_ += '\n';
  }

  void body(const Instruction& i) {
    const auto type = nameOf(i.type);
    switch (shapeOf(i.opcode)) {
      case Shape::Leaf:
      case Shape::Unreachable:
        return;
      case Shape::Phi:
        return phi(i);
      case Shape::Unary:
        out_ += fmt::format(" {} {}", nameOf(typeOf(i.a)), operand(i.a));
        return;
      case Shape::Binary:
      case Shape::Shift:
        out_ += fmt::format(" {} {}, {}", nameOf(typeOf(i.a)), operand(i.a), operand(i.b));
        return;
      case Shape::Trap:
        out_ +=
            fmt::format(" {} {}, {}, {}", type, operand(i.a), operand(i.b), trapName(static_cast<TrapCode>(i.detail)));
        return;
      case Shape::Compare: {
        const auto predicate = i.opcode == Opcode::ICmp ? kIntPredicateNames[i.detail] : kFloatPredicateNames[i.detail];
        out_ += fmt::format(" {} {} {}, {}", predicate, nameOf(i.operand_type), operand(i.a), operand(i.b));
        return;
      }
      case Shape::Select:
        out_ += fmt::format(" {} {}, {}, {}", type, operand(i.a), operand(i.b), operand(i.c));
        return;
      case Shape::Convert:
        out_ += fmt::format(" {} {} to {}", nameOf(i.operand_type), operand(i.a), type);
        return;
      case Shape::Load:
        out_ += fmt::format(" {} {}, {}", type, operand(i.a), i.offset());
        return;
      case Shape::Store:
        out_ += fmt::format(" {} {}, {}, {}", nameOf(i.operand_type), operand(i.a), operand(i.b), i.offset());
        return;
      case Shape::PtrAdd:
        out_ += fmt::format(" {}, {}", operand(i.a), operand(i.b));
        return;
      case Shape::PtrIndex:
        out_ += fmt::format(" {}, {}, {}, {}", operand(i.a), operand(i.b), i.high, i.offset());
        return;
      case Shape::Alloca:
        out_ += fmt::format(" {}", i.immediate);
        return;
      case Shape::Call:
        return call(i);
      case Shape::Br:
        out_ += " " + blockText(i.a);
        return;
      case Shape::CondBr:
        out_ += fmt::format(" {}, {}, {}{}", operand(i.a), blockText(i.b), blockText(i.c), kWeightNames[i.detail]);
        return;
      case Shape::Switch:
        return switchTo(i);
      case Shape::Ret:
        out_ += i.a == Value::kNone ? " void" : fmt::format(" {} {}", nameOf(typeOf(i.a)), operand(i.a));
        return;
    }
  }

  [[nodiscard]] Type typeOf(uint32_t value) const { return function_.at(value).type; }

  void phi(const Instruction& i) {
    // The chain runs from the last edge to the first.
    std::vector<uint32_t> edges;
    for (uint32_t edge = i.list_first; edge != Value::kNone; edge = function_.incoming(edge).next)
      edges.push_back(edge);
    out_ += fmt::format(" {}", nameOf(i.type));
    for (size_t k = edges.size(); k-- > 0;) {
      const Incoming& edge = function_.incoming(edges[k]);
      out_ += fmt::format("{} [{}: {}]", k + 1 == edges.size() ? "" : ",", blockText(edge.block), operand(edge.value));
    }
  }

  void call(const Instruction& i) {
    const auto& name = i.opcode == Opcode::CallRuntime
                           ? i.runtimeFunction().name
                           : module_.function(FunctionId{static_cast<uint32_t>(i.immediate)}).name();
    out_ += fmt::format(" {} @{}(", nameOf(i.type), name);
    const char* separator = "";
    for (const uint32_t argument : function_.arguments(i)) {
      out_ += separator + operand(argument);
      separator = ", ";
    }
    out_ += ")";
  }

  void switchTo(const Instruction& i) {
    out_ += fmt::format(" {} {}, {} [", nameOf(i.operand_type), operand(i.a), blockText(i.b));
    const char* separator = "";
    for (const SwitchCase& one : function_.cases(i)) {
      out_ += fmt::format("{}{}: {}", separator, one.value, blockText(one.block));
      separator = ", ";
    }
    out_ += "]";
  }

  const Module& module_;
  const Function& function_;
  std::vector<uint32_t> value_number_;
  std::vector<uint32_t> block_number_;
  std::string out_;
};

}  // namespace

std::string print(const Module& module, const Function& function) {
  return Printer(module, function).run();
}

std::string print(const Module& module) {
  std::string text;
  for (uint32_t i = 0; i < module.functionCount(); ++i) {
    if (i > 0) text += "\n";
    text += print(module, module.function(FunctionId{i}));
  }
  return text;
}

}  // namespace gnomon::codegen::ir
