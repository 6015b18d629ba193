#include <bit>
#include <charconv>
#include <unordered_map>
#include <vector>

#include <fmt/format.h>

#include "codegen/ir/text.h"
#include "codegen/ir/text_names.h"

namespace gnomon::codegen::ir {
namespace {

/// Operands read before their definition: this bit and the number in the text, until the function is complete.
constexpr uint32_t kForward = uint32_t{1} << 31;

class Parser {
 public:
  explicit Parser(std::string_view text) : text_(text) {}

  Module run() {
    Module module;
    module_ = &module;
    declareFunctions();
    for (uint32_t i = 0; skipBlank(); ++i) {
      function_ = &module.function(FunctionId{i});
      parseFunction();
    }
    return module;
  }

 private:
  [[noreturn]] void fail(std::string_view problem) const {
    size_t line = 1;
    for (size_t i = 0; i < at_ && i < text_.size(); ++i) line += text_[i] == '\n' ? 1 : 0;
    throw IrSyntaxError(fmt::format("line {}: {}", line, problem));
  }

  /// Moves past white space and `#` comments; false at the end.
  bool skipBlank() {
    while (at_ < text_.size()) {
      if (text_[at_] == '#') {
        while (at_ < text_.size() && text_[at_] != '\n') ++at_;
      } else if (text_[at_] == ' ' || text_[at_] == '\n' || text_[at_] == '\t' || text_[at_] == '\r') {
        ++at_;
      } else {
        return true;
      }
    }
    return false;
  }
  bool accept(std::string_view token) {
    skipBlank();
    if (!text_.substr(at_).starts_with(token)) return false;
    at_ += token.size();
    return true;
  }
  void expect(std::string_view token) {
    if (!accept(token)) fail(fmt::format("expected '{}'", token));
  }
  std::string_view word() {
    skipBlank();
    const size_t begin = at_;
    while (at_ < text_.size()) {
      const char c = text_[at_];
      const bool is_part = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
                           c == '.' || c == '-' || c == '+' || (c == ':' && text_.substr(at_).starts_with("::"));
      if (!is_part) break;
      at_ += c == ':' ? 2 : 1;
    }
    if (at_ == begin) fail("expected a word");
    return text_.substr(begin, at_ - begin);
  }
  template <typename T>
  T number(std::string_view digits) const {
    T value{};
    const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
    if (error != std::errc() || end != digits.data() + digits.size()) fail(fmt::format("bad number '{}'", digits));
    return value;
  }
  int64_t integer() { return number<int64_t>(word()); }

  Type typeNamed(std::string_view name) const {
    for (unsigned i = 0; i <= static_cast<unsigned>(Type::Ptr); ++i)
      if (nameOf(static_cast<Type>(i)) == name) return static_cast<Type>(i);
    fail(fmt::format("unknown type '{}'", name));
  }
  Type type() { return typeNamed(word()); }

  template <size_t N>
  uint8_t choice(const std::string_view (&names)[N], std::string_view name) const {
    for (size_t i = 0; i < N; ++i)
      if (names[i] == name) return static_cast<uint8_t>(i);
    fail(fmt::format("unknown predicate '{}'", name));
  }

  /// All headers first: a call may stand before its callee.
  void declareFunctions() {
    while (skipBlank()) {
      const size_t begin = at_;
      if (!accept("function ")) fail("expected 'function'");
      const Type result = type();
      expect("@");
      const std::string name(word());
      expect("(");
      std::vector<Type> parameters;
      while (!accept(")")) {
        if (!parameters.empty()) expect(",");
        parameters.push_back(type());
        expect("%");
        if (number<uint32_t>(word()) != parameters.size() - 1) fail("parameters are numbered from 0");
      }
      module_->addFunction(name, result, std::move(parameters));
      at_ = text_.find("\n}", begin);
      if (at_ == std::string_view::npos) {
        at_ = begin;
        fail("function without end");
      }
      at_ += 2;
    }
    at_ = 0;
  }

  void parseFunction() {
    values_.clear();
    blocks_.clear();
    at_ = text_.find('{', at_) + 1;
    for (uint32_t i = 0; i < function_->parameters().size(); ++i) values_[i] = i;
    declareBlocks();
    Block block;
    while (!accept("}")) {
      if (isLabel()) {
        block = blockNamed(word());
        if (accept("\"")) at_ = text_.find('"', at_) + 1;
        expect(":");
        continue;
      }
      if (!block.isValid()) fail("instruction before the first block");
      parseLine(block);
    }
    resolve();
  }

  bool isLabel() {
    skipBlank();
    size_t i = at_;
    if (text_[i] != 'b') return false;
    size_t digits = 0;
    for (++i; i < text_.size() && text_[i] >= '0' && text_[i] <= '9'; ++i) ++digits;
    return digits > 0 && i < text_.size() && (text_[i] == ':' || text_.substr(i).starts_with(" \""));
  }

  /// Labels in their order, so that the first is the entry.
  void declareBlocks() {
    const size_t begin = at_;
    while (at_ < text_.size() && text_[at_] != '}') {
      if (isLabel()) {
        const auto label = number<uint32_t>(word().substr(1));
        std::string_view name;
        if (accept("\"")) name = text_.substr(at_, text_.find('"', at_) - at_);
        if (!blocks_.try_emplace(label, function_->addBlock(name).index).second) fail("block defined twice");
      }
      at_ = std::min(text_.find('\n', at_), text_.size() - 1);
      skipBlank();
    }
    at_ = begin;
  }
  Block blockNamed(std::string_view name) const {
    if (name.size() < 2 || name[0] != 'b') fail("expected a block");
    const auto found = blocks_.find(number<uint32_t>(name.substr(1)));
    if (found == blocks_.end()) fail(fmt::format("unknown block '{}'", name));
    return Block{found->second};
  }
  uint32_t block() { return blockNamed(word()).index; }

  uint32_t operand(Type of) {
    if (accept("%")) {
      const auto name = number<uint32_t>(word());
      const auto found = values_.find(name);
      return found != values_.end() ? found->second : kForward | name;
    }
    return constant(of, word()).index;
  }

  Value constant(Type of, std::string_view digits) {
    if (digits == "true" || digits == "false") return function_->constant(of, digits == "true" ? 1 : 0);
    if (digits == "null") return function_->constant(of, 0);
    if (digits.starts_with("0x")) {
      uint64_t bits = 0;
      const auto [end, error] = std::from_chars(digits.data() + 2, digits.data() + digits.size(), bits, 16);
      if (error != std::errc() || end != digits.data() + digits.size()) fail("bad hexadecimal number");
      return function_->constant(of, bits);
    }
    if (of == Type::F64) return function_->constant(of, std::bit_cast<uint64_t>(number<double>(digits)));
    const bool is_negative = digits.starts_with("-");
    uint128 value = 0;
    for (const char c : digits.substr(is_negative ? 1 : 0)) {
      if (c < '0' || c > '9') fail(fmt::format("bad operand '{}'", digits));
      value = value * 10 + static_cast<unsigned>(c - '0');
    }
    return function_->constant(of, is_negative ? -value : value);
  }

  void parseLine(Block into) {
    uint32_t result = Value::kNone;
    if (accept("%")) {
      result = number<uint32_t>(word());
      expect("=");
    }
    const std::string_view name = word();
    Instruction instruction;
    for (instruction.opcode = Opcode::Phi; nameOf(instruction.opcode) != name;) {
      instruction.opcode = static_cast<Opcode>(static_cast<unsigned>(instruction.opcode) + 1);
      if (instruction.opcode == Opcode::Count) fail(fmt::format("unknown instruction '{}'", name));
    }
    if (instruction.opcode == Opcode::Phi) {
      define(result, parsePhi(into));
      return;
    }
    body(instruction);
    if ((instruction.type != Type::Void) != (result != Value::kNone)) fail("result where there is none, or none");
    define(result, function_->append(into, instruction));
  }

  void define(uint32_t name, Value value) {
    if (name != Value::kNone && !values_.try_emplace(name, value.index).second) fail("value defined twice");
  }

  Value parsePhi(Block into) {
    Instruction instruction{.opcode = Opcode::Phi, .type = type()};
    const Value phi = function_->append(into, instruction);
    do {
      if (!accept("[")) break;
      const Block from{block()};
      expect(":");
      function_->addIncoming(phi, Value{operand(instruction.type)}, from);
      expect("]");
    } while (accept(","));
    return phi;
  }

  static Type resultOf(Opcode opcode, Type operand_type) {
    switch (opcode) {
      case Opcode::MulWide:
      case Opcode::Pack128:
        return Type::I128;
      case Opcode::Lo64:
      case Opcode::Hi64:
        return Type::I64;
      default:
        return operand_type;
    }
  }

  void twoOperands(Instruction& i, Type of) {
    i.a = operand(of);
    expect(",");
    i.b = operand(of);
  }
  void offset(Instruction& i) {
    expect(",");
    i.immediate = static_cast<uint64_t>(integer());
  }

  void body(Instruction& i) {
    switch (shapeOf(i.opcode)) {
      case Shape::Leaf:
      case Shape::Phi:
      case Shape::Unreachable:
        return;
      case Shape::Unary:
      case Shape::Binary:
      case Shape::Shift:
      case Shape::Trap:
      case Shape::Compare:
      case Shape::Select:
      case Shape::Convert:
        return arithmetic(i);
      case Shape::Load:
        i.type = type();
        i.a = operand(Type::Ptr);
        return offset(i);
      case Shape::Store:
        i.operand_type = type();
        i.a = operand(i.operand_type);
        expect(",");
        i.b = operand(Type::Ptr);
        return offset(i);
      case Shape::PtrAdd:
      case Shape::PtrIndex:
        i.type = Type::Ptr;
        i.a = operand(Type::Ptr);
        expect(",");
        i.b = operand(Type::I64);
        if (i.opcode == Opcode::PtrAdd) return;
        expect(",");
        i.high = static_cast<uint64_t>(integer());
        return offset(i);
      case Shape::Alloca:
        i.type = Type::Ptr;
        i.immediate = static_cast<uint64_t>(integer());
        return;
      case Shape::Call:
        return call(i);
      default:
        return terminator(i);
    }
  }

  void arithmetic(Instruction& i) {
    const Shape shape = shapeOf(i.opcode);
    if (shape == Shape::Compare)
      i.detail = i.opcode == Opcode::ICmp ? choice(kIntPredicateNames, word()) : choice(kFloatPredicateNames, word());
    const Type of = type();
    i.type = resultOf(i.opcode, of);
    if (shape == Shape::Unary || shape == Shape::Convert) {
      i.a = operand(of);
    } else if (shape == Shape::Select) {
      i.a = operand(Type::I1);
      expect(",");
      i.b = operand(of);
      expect(",");
      i.c = operand(of);
    } else {
      twoOperands(i, of);
    }
    if (shape == Shape::Trap) {
      expect(",");
      const std::string_view name = word();
      while (i.detail < static_cast<uint8_t>(TrapCode::Count) && trapName(static_cast<TrapCode>(i.detail)) != name)
        ++i.detail;
      if (i.detail == static_cast<uint8_t>(TrapCode::Count)) fail(fmt::format("unknown trap code '{}'", name));
    } else if (shape == Shape::Compare) {
      i.operand_type = of;
      i.type = Type::I1;
    } else if (shape == Shape::Convert) {
      i.operand_type = of;
      expect("to");
      i.type = type();
    }
  }

  void call(Instruction& i) {
    i.type = type();
    expect("@");
    const std::string_view name = word();
    std::vector<Type> parameters;
    if (i.opcode == Opcode::CallRuntime) {
      const RuntimeFunction* callee = findRuntimeFunction(name);
      if (callee == nullptr) fail(fmt::format("unknown runtime function '{}'", name));
      for (const auto& parameter : callee->parameters) parameters.push_back(parameter.type);
      i.immediate = reinterpret_cast<uint64_t>(callee);
    } else {
      const FunctionId callee = module_->find(name);
      if (!callee.isValid()) fail(fmt::format("unknown function '{}'", name));
      const auto types = module_->function(callee).parameters();
      parameters.assign(types.begin(), types.end());
      i.immediate = callee.index;
    }
    expect("(");
    std::vector<Value> arguments;
    while (!accept(")")) {
      if (!arguments.empty()) expect(",");
      if (arguments.size() == parameters.size()) fail("too many arguments");
      arguments.push_back(Value{operand(parameters[arguments.size()])});
    }
    std::tie(i.list_first, i.list_count) = function_->addArguments(arguments);
  }

  void terminator(Instruction& i) {
    switch (i.opcode) {
      case Opcode::Br:
        i.a = block();
        return;
      case Opcode::CondBr:
        i.a = operand(Type::I1);
        expect(",");
        i.b = block();
        expect(",");
        i.c = block();
        if (accept("likely")) i.detail = static_cast<uint8_t>(BranchWeight::Likely);
        if (accept("unlikely")) i.detail = static_cast<uint8_t>(BranchWeight::Unlikely);
        return;
      case Opcode::Ret:
        i.operand_type = type();
        if (i.operand_type != Type::Void) i.a = operand(i.operand_type);
        return;
      default:
        break;
    }
    i.operand_type = type();
    i.a = operand(i.operand_type);
    expect(",");
    i.b = block();
    expect("[");
    std::vector<std::pair<int64_t, Block>> cases;
    while (!accept("]")) {
      if (!cases.empty()) expect(",");
      const int64_t value = integer();
      expect(":");
      cases.emplace_back(value, Block{block()});
    }
    std::tie(i.list_first, i.list_count) = function_->addCases(cases);
  }

  void resolve() {
    for (uint32_t i = 0; i < function_->valueCount(); ++i) {
      Function::forEachOperand(*function_, i, [&](uint32_t& value) {
        if ((value & kForward) == 0 || value == Value::kNone) return;
        const auto found = values_.find(value & ~kForward);
        if (found == values_.end()) fail(fmt::format("undefined value %{}", value & ~kForward));
        value = found->second;
      });
    }
  }

  std::string_view text_;
  size_t at_ = 0;
  Module* module_ = nullptr;
  Function* function_ = nullptr;
  std::unordered_map<uint32_t, uint32_t> values_;
  std::unordered_map<uint32_t, uint32_t> blocks_;
};

}  // namespace

Module parse(std::string_view text) {
  return Parser(text).run();
}

}  // namespace gnomon::codegen::ir
