#include "codegen/ir/builder.h"

#include <bit>
#include <vector>

#include "base/assert.h"
#include "codegen/ir/fold.h"

namespace gnomon::codegen::ir {
namespace {

bool isCommutative(Opcode opcode) {
  switch (opcode) {
    case Opcode::Add:
    case Opcode::Mul:
    case Opcode::And:
    case Opcode::Or:
    case Opcode::Xor:
    case Opcode::AddTrap:
    case Opcode::MulTrap:
    case Opcode::MulWide:
      return true;
    default:
      return false;
  }
}

IntPredicate swapped(IntPredicate predicate) {
  constexpr IntPredicate table[] = {IntPredicate::Eq,  IntPredicate::Ne,  IntPredicate::Sgt, IntPredicate::Sge,
                                    IntPredicate::Slt, IntPredicate::Sle, IntPredicate::Ugt, IntPredicate::Uge,
                                    IntPredicate::Ult, IntPredicate::Ule};
  return table[static_cast<unsigned>(predicate)];
}

IntPredicate inverted(IntPredicate predicate) {
  constexpr IntPredicate table[] = {IntPredicate::Ne,  IntPredicate::Eq,  IntPredicate::Sge, IntPredicate::Sgt,
                                    IntPredicate::Sle, IntPredicate::Slt, IntPredicate::Uge, IntPredicate::Ugt,
                                    IntPredicate::Ule, IntPredicate::Ult};
  return table[static_cast<unsigned>(predicate)];
}

Type resultOf(Opcode opcode, Type operand) {
  switch (opcode) {
    case Opcode::MulWide:
    case Opcode::Pack128:
      return Type::I128;
    case Opcode::Lo64:
    case Opcode::Hi64:
      return Type::I64;
    default:
      return operand;
  }
}

}  // namespace

Builder::Builder(Module& module, FunctionId function) : module_(module), function_(module.function(function)) {
  block_ = function_.blockCount() == 0 ? function_.addBlock("entry") : Block{0};
}

bool Builder::isTerminated() const {
  const uint32_t last = function_.block(block_.index).last;
  return last != Value::kNone && isTerminator(function_.at(last).opcode);
}

Value Builder::constF64(double value) {
  return constant(Type::F64, std::bit_cast<uint64_t>(value));
}

/// The simplest identities: an operand or a constant that equals the result, or the invalid value. Constants stand
/// right.
Value Builder::identityOf(Opcode opcode, Value a, Value b) {
  const Type type = typeOf(a);
  if (!isInteger(type)) return {};
  if (a == b) {
    if (opcode == Opcode::Sub || opcode == Opcode::Xor || opcode == Opcode::SubTrap) return zero(type);
    if (opcode == Opcode::And || opcode == Opcode::Or) return a;
  }
  if (!isConstant(b)) return {};
  const uint128 right = function_.at(b).constant();
  switch (opcode) {
    case Opcode::Add:
    case Opcode::Sub:
    case Opcode::Xor:
    case Opcode::Shl:
    case Opcode::LShr:
    case Opcode::AShr:
    case Opcode::RotL:
    case Opcode::AddTrap:
    case Opcode::SubTrap:
      return right == 0 ? a : Value{};
    case Opcode::Or:
      return right == 0 ? a : right == canonical(type, ~uint128{0}) ? b : Value{};
    case Opcode::And:
      return right == 0 ? b : right == canonical(type, ~uint128{0}) ? a : Value{};
    case Opcode::Mul:
    case Opcode::MulTrap:
      return right == 0 ? b : right == 1 ? a : Value{};
    case Opcode::SDiv:
    case Opcode::UDiv:
    case Opcode::SDivTrap:
      return right == 1 ? a : Value{};
    default:
      return {};
  }
}

Value Builder::binary(Opcode opcode, Value a, Value b) {
  ASSERT(typeOf(a) == typeOf(b), "B1");
  if (isCommutative(opcode) && isConstant(a)) std::swap(a, b);
  const Type result = resultOf(opcode, typeOf(a));
  if (isConstant(a) && isConstant(b)) {
    const auto folded = foldBinary(opcode, typeOf(a), function_.at(a).constant(), function_.at(b).constant());
    if (folded) return constant(result, *folded);
  }
  if (const Value same = identityOf(opcode, a, b); same.isValid()) return same;
  if (opcode == Opcode::Xor && typeOf(a) == Type::I1 && isConstant(b) && function_.at(a).opcode == Opcode::ICmp) {
    const Instruction compare = function_.at(a);
    return icmp(inverted(static_cast<IntPredicate>(compare.detail)), Value{compare.a}, Value{compare.b});
  }
  return emit({.opcode = opcode, .type = result, .a = a.index, .b = b.index});
}

Value Builder::unary(Opcode opcode, Value a) {
  const Instruction& operand = function_.at(a);
  const Type result = resultOf(opcode, operand.type);
  if (operand.opcode == Opcode::Constant) return constant(result, foldUnary(opcode, operand.type, operand.constant()));
  if (operand.opcode == Opcode::Pack128) {
    if (opcode == Opcode::Lo64) return Value{operand.a};
    if (opcode == Opcode::Hi64) return Value{operand.b};
  }
  if (opcode == Opcode::Lo64 && operand.operand_type == Type::I64 &&
      (operand.opcode == Opcode::SExt || operand.opcode == Opcode::ZExt))
    return Value{operand.a};
  if (operand.opcode == Opcode::FNeg && opcode == Opcode::FNeg) return Value{operand.a};
  return emit({.opcode = opcode, .type = result, .a = a.index});
}

Value Builder::trapping(Opcode opcode, Value a, Value b, TrapCode code) {
  ASSERT(typeOf(a) == typeOf(b), "B1");
  if (isCommutative(opcode) && isConstant(a)) std::swap(a, b);
  const Type type = typeOf(a);
  if (isConstant(a) && isConstant(b)) {
    const auto folded = foldBinary(opcode, type, function_.at(a).constant(), function_.at(b).constant());
    if (folded) return constant(type, *folded);
  }
  if (const Value same = identityOf(opcode, a, b); same.isValid()) return same;
  return emit({.opcode = opcode, .type = type, .detail = static_cast<uint8_t>(code), .a = a.index, .b = b.index});
}

void Builder::trap(TrapCode code) {
  static const RuntimeFunction& raise = registerRuntimeFunction("raiseTrap", &raiseTrap);
  call(raise, {constI8(static_cast<int8_t>(code))});
  unreachable();
}

void Builder::trapIf(Value condition, TrapCode code) {
  if (isConstant(condition) && function_.at(condition).immediate == 0) return;
  const Block raise = createBlock();
  const Block next = createBlock();
  condBr(condition, raise, next, BranchWeight::Unlikely);
  setBlock(raise);
  trap(code);
  setBlock(next);
}

Value Builder::icmp(IntPredicate predicate, Value a, Value b) {
  ASSERT(typeOf(a) == typeOf(b), "B1");
  const Type type = typeOf(a);
  if (isConstant(a) && isConstant(b))
    return constI1(foldCompare(predicate, type, function_.at(a).constant(), function_.at(b).constant()));
  if (a == b) return constI1(foldCompare(predicate, Type::I64, 0, 0));
  if (isConstant(a)) {
    std::swap(a, b);
    predicate = swapped(predicate);
  }
  if (isConstant(b) && type == Type::I1) {
    // A comparison of a truth value with a constant is the value itself or its negation.
    const bool is_true = function_.at(b).immediate != 0;
    if (predicate == IntPredicate::Eq) return is_true ? a : bitNot(a);
    if (predicate == IntPredicate::Ne) return is_true ? bitNot(a) : a;
  }
  return emit({.opcode = Opcode::ICmp,
               .type = Type::I1,
               .detail = static_cast<uint8_t>(predicate),
               .operand_type = type,
               .a = a.index,
               .b = b.index});
}

Value Builder::fcmp(FloatPredicate predicate, Value a, Value b) {
  ASSERT(typeOf(a) == Type::F64 && typeOf(b) == Type::F64, "B1");
  if (isConstant(a) && isConstant(b))
    return constI1(foldCompare(predicate, function_.at(a).constant(), function_.at(b).constant()));
  return emit({.opcode = Opcode::FCmp,
               .type = Type::I1,
               .detail = static_cast<uint8_t>(predicate),
               .operand_type = Type::F64,
               .a = a.index,
               .b = b.index});
}

Value Builder::select(Value condition, Value if_true, Value if_false) {
  ASSERT(typeOf(condition) == Type::I1 && typeOf(if_true) == typeOf(if_false), "B1");
  if (if_true == if_false) return if_true;
  if (isConstant(condition)) return function_.at(condition).immediate != 0 ? if_true : if_false;
  if (typeOf(if_true) == Type::I1 && isConstant(if_true) && isConstant(if_false))
    return function_.at(if_true).immediate != 0 ? condition : bitNot(condition);
  return emit({.opcode = Opcode::Select,
               .type = typeOf(if_true),
               .a = condition.index,
               .b = if_true.index,
               .c = if_false.index});
}

Value Builder::convert(Opcode opcode, Value a, Type to) {
  const Instruction operand = function_.at(a);
  const Type from = operand.type;
  if (from == to) return a;
  if (operand.opcode == Opcode::Constant) return constant(to, foldConvert(opcode, from, to, operand.constant()));
  const bool is_extension = operand.opcode == Opcode::SExt || operand.opcode == Opcode::ZExt;
  if (opcode == operand.opcode && (is_extension || opcode == Opcode::Trunc))
    return convert(opcode, Value{operand.a}, to);
  if (opcode == Opcode::Trunc && is_extension) {
    const unsigned source = bitsOf(operand.operand_type);
    if (source == bitsOf(to)) return Value{operand.a};
    if (source < bitsOf(to)) return convert(operand.opcode, Value{operand.a}, to);
    return convert(Opcode::Trunc, Value{operand.a}, to);
  }
  if (opcode == Opcode::Bitcast && operand.opcode == Opcode::Bitcast && operand.operand_type == to)
    return Value{operand.a};
  return emit({.opcode = opcode, .type = to, .operand_type = from, .a = a.index});
}

/// Sees through constant additions to a pointer.
std::pair<Value, int64_t> Builder::splitOffset(Value pointer, int64_t offset) const {
  while (function_.at(pointer).opcode == Opcode::PtrAdd) {
    const Instruction& add = function_.at(pointer);
    if (function_.at(add.b).opcode != Opcode::Constant) break;
    if (__builtin_add_overflow(offset, function_.at(add.b).offset(), &offset)) break;
    pointer = Value{add.a};
  }
  return {pointer, offset};
}

Value Builder::load(Type type, Value pointer, int64_t offset) {
  ASSERT(typeOf(pointer) == Type::Ptr, "B1");
  const auto [base, bytes] = splitOffset(pointer, offset);
  return emit({.opcode = Opcode::Load, .type = type, .a = base.index, .immediate = static_cast<uint64_t>(bytes)});
}

Value Builder::loadF32(Value pointer, int64_t offset) {
  const auto [base, bytes] = splitOffset(pointer, offset);
  return emit(
      {.opcode = Opcode::LoadF32, .type = Type::F64, .a = base.index, .immediate = static_cast<uint64_t>(bytes)});
}

Value Builder::loadAtomic(Value pointer, int64_t offset) {
  const auto [base, bytes] = splitOffset(pointer, offset);
  return emit(
      {.opcode = Opcode::LoadAtomic, .type = Type::I8, .a = base.index, .immediate = static_cast<uint64_t>(bytes)});
}

void Builder::store(Value value, Value pointer, int64_t offset) {
  ASSERT(typeOf(pointer) == Type::Ptr, "B1");
  const auto [base, bytes] = splitOffset(pointer, offset);
  emit({.opcode = Opcode::Store,
        .operand_type = typeOf(value),
        .a = value.index,
        .b = base.index,
        .immediate = static_cast<uint64_t>(bytes)});
}

void Builder::storeF32(Value value, Value pointer, int64_t offset) {
  const auto [base, bytes] = splitOffset(pointer, offset);
  emit({.opcode = Opcode::StoreF32,
        .operand_type = Type::F64,
        .a = value.index,
        .b = base.index,
        .immediate = static_cast<uint64_t>(bytes)});
}

Value Builder::ptrAdd(Value pointer, Value bytes) {
  ASSERT(typeOf(pointer) == Type::Ptr && typeOf(bytes) == Type::I64, "B1");
  if (isConstant(bytes)) {
    const auto [base, offset] = splitOffset(pointer, function_.at(bytes).offset());
    if (offset == 0) return base;
    if (isConstant(base)) return constant(Type::Ptr, function_.at(base).immediate + static_cast<uint64_t>(offset));
    pointer = base;
    bytes = constI64(offset);
  }
  return emit({.opcode = Opcode::PtrAdd, .type = Type::Ptr, .a = pointer.index, .b = bytes.index});
}

Value Builder::ptrIndex(Value pointer, Value index, uint64_t scale, int64_t offset) {
  ASSERT(typeOf(pointer) == Type::Ptr && typeOf(index) == Type::I64, "B1");
  if (isConstant(index))
    return ptrAdd(pointer, static_cast<int64_t>(function_.at(index).immediate * scale + static_cast<uint64_t>(offset)));
  const auto [base, bytes] = splitOffset(pointer, offset);
  return emit({.opcode = Opcode::PtrIndex,
               .type = Type::Ptr,
               .a = base.index,
               .b = index.index,
               .immediate = static_cast<uint64_t>(bytes),
               .high = scale});
}

Value Builder::allocaBytes(uint64_t bytes) {
  return function_.prepend(Block{0}, {.opcode = Opcode::Alloca, .type = Type::Ptr, .immediate = bytes});
}

Value Builder::hashCombine(Value seed, Value value) {
  switch (typeOf(value)) {
    case Type::I1:
      return hash64(seed, zext(value, Type::I64));
    case Type::I8:
    case Type::I16:
    case Type::I32:
      return hash64(seed, sext(value, Type::I64));
    case Type::I128:
      return hash64(hash64(seed, lo64(value)), hi64(value));
    case Type::F64:
    case Type::Ptr:
      return hash64(seed, bitcast(value, Type::I64));
    default:
      return hash64(seed, value);
  }
}

Value Builder::call(const RuntimeFunction& callee, std::span<const Value> arguments) {
  ASSERT(arguments.size() == callee.parameters.size(), "B1");
  const auto [first, count] = function_.addArguments(arguments);
  const Value value = emit({.opcode = Opcode::CallRuntime,
                            .type = callee.result.type,
                            .list_first = first,
                            .list_count = count,
                            .immediate = reinterpret_cast<uint64_t>(&callee)});
  return callee.result.type == Type::Void ? Value{} : value;
}

Value Builder::call(FunctionId callee, std::span<const Value> arguments) {
  const auto [first, count] = function_.addArguments(arguments);
  const Type result = module_.function(callee).result();
  const Value value = emit(
      {.opcode = Opcode::Call, .type = result, .list_first = first, .list_count = count, .immediate = callee.index});
  return result == Type::Void ? Value{} : value;
}

void Builder::br(Block target) {
  emit({.opcode = Opcode::Br, .a = target.index});
}

void Builder::condBr(Value condition, Block if_true, Block if_false, BranchWeight weight) {
  ASSERT(typeOf(condition) == Type::I1, "B1");
  emit({.opcode = Opcode::CondBr,
        .detail = static_cast<uint8_t>(weight),
        .a = condition.index,
        .b = if_true.index,
        .c = if_false.index});
}

void Builder::switchTo(Value value, Block otherwise, std::span<const std::pair<int64_t, Block>> cases) {
  const auto [first, count] = function_.addCases(cases);
  emit({.opcode = Opcode::Switch,
        .operand_type = typeOf(value),
        .a = value.index,
        .b = otherwise.index,
        .list_first = first,
        .list_count = count});
}

void Builder::ret(Value value) {
  emit({.opcode = Opcode::Ret, .operand_type = typeOf(value), .a = value.index});
}

void Builder::retVoid() {
  emit({.opcode = Opcode::Ret});
}

void Builder::unreachable() {
  emit({.opcode = Opcode::Unreachable});
}

Value Builder::phi(Type type) {
  return emit({.opcode = Opcode::Phi, .type = type});
}

Value Builder::phi(Type type, std::initializer_list<std::pair<Value, Block>> incoming) {
  const Value value = phi(type);
  for (const auto& [from_value, block] : incoming) function_.addIncoming(value, from_value, block);
  return value;
}

}  // namespace gnomon::codegen::ir
