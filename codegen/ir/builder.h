#pragma once

#include <initializer_list>
#include <span>
#include <string_view>
#include <utility>

#include "codegen/ir/function.h"
#include "codegen/ir/hash.h"

namespace gnomon::codegen::ir {

/// Appends instructions to one function, folding constants and the simplest identities on the way: what is returned may
/// be a constant or an operand instead of a new instruction.
///
/// Rules:  B1  operands have the types that README.md's table names (checked in debug builds, and by verify())
///         B2  a block ends with one terminator; blocks may be filled in any order
///         B3  every phi gets one incoming value per predecessor edge's block before the function is verified
/// Lifetime: refers to the module and the function; holds nothing else.
class Builder {
 public:
  /// Positioned at the entry block, which is made if the function has none.
  Builder(Module& module, FunctionId function);

  [[nodiscard]] Function& function() { return function_; }
  [[nodiscard]] Module& module() { return module_; }
  [[nodiscard]] Type typeOf(Value value) const { return function_.at(value).type; }

  Block createBlock(std::string_view name = "") { return function_.addBlock(name); }
  void setBlock(Block block) { block_ = block; }
  [[nodiscard]] Block currentBlock() const { return block_; }
  [[nodiscard]] Block entryBlock() const { return Block{0}; }
  /// Whether the current block already has its terminator.
  [[nodiscard]] bool isTerminated() const;

  [[nodiscard]] Value parameter(unsigned number) const { return function_.parameter(number); }
  Value constant(Type type, uint128 bits) { return function_.constant(type, bits); }
  Value constI1(bool value) { return constant(Type::I1, value ? 1 : 0); }
  Value constI8(int8_t value) { return constant(Type::I8, static_cast<uint128>(int128{value})); }
  Value constI16(int16_t value) { return constant(Type::I16, static_cast<uint128>(int128{value})); }
  Value constI32(int32_t value) { return constant(Type::I32, static_cast<uint128>(int128{value})); }
  Value constI64(int64_t value) { return constant(Type::I64, static_cast<uint128>(int128{value})); }
  Value constU64(uint64_t value) { return constI64(static_cast<int64_t>(value)); }
  Value constI128(int128 value) { return constant(Type::I128, static_cast<uint128>(value)); }
  Value constF64(double value);
  Value constPtr(const void* address) { return constant(Type::Ptr, reinterpret_cast<uint64_t>(address)); }
  Value constNull() { return constant(Type::Ptr, 0); }
  /// A zero of any type.
  Value zero(Type type) { return constant(type, 0); }
  [[nodiscard]] bool isConstant(Value value) const { return function_.isConstant(value); }

  Value add(Value a, Value b) { return binary(Opcode::Add, a, b); }
  Value sub(Value a, Value b) { return binary(Opcode::Sub, a, b); }
  Value mul(Value a, Value b) { return binary(Opcode::Mul, a, b); }
  /// Undefined for a zero divisor and for MIN / -1: use the trapping form unless both are ruled out.
  Value sdiv(Value a, Value b) { return binary(Opcode::SDiv, a, b); }
  Value srem(Value a, Value b) { return binary(Opcode::SRem, a, b); }
  Value udiv(Value a, Value b) { return binary(Opcode::UDiv, a, b); }
  Value urem(Value a, Value b) { return binary(Opcode::URem, a, b); }
  Value bitAnd(Value a, Value b) { return binary(Opcode::And, a, b); }
  Value bitOr(Value a, Value b) { return binary(Opcode::Or, a, b); }
  Value bitXor(Value a, Value b) { return binary(Opcode::Xor, a, b); }
  Value bitNot(Value a) { return bitXor(a, constant(typeOf(a), ~uint128{0})); }
  Value neg(Value a) { return sub(zero(typeOf(a)), a); }
  Value shl(Value a, Value amount) { return binary(Opcode::Shl, a, amount); }
  Value lshr(Value a, Value amount) { return binary(Opcode::LShr, a, amount); }
  Value ashr(Value a, Value amount) { return binary(Opcode::AShr, a, amount); }
  Value rotl(Value a, Value amount) { return binary(Opcode::RotL, a, amount); }
  Value popcount(Value a) { return unary(Opcode::PopCount, a); }
  /// The width for zero.
  Value ctz(Value a) { return unary(Opcode::CountTrailingZeros, a); }

  /// i16, i32, i64, i128. On overflow raiseTrap(code) is called and throws.
  Value addTrap(Value a, Value b, TrapCode code) { return trapping(Opcode::AddTrap, a, b, code); }
  Value subTrap(Value a, Value b, TrapCode code) { return trapping(Opcode::SubTrap, a, b, code); }
  Value mulTrap(Value a, Value b, TrapCode code) { return trapping(Opcode::MulTrap, a, b, code); }
  Value negTrap(Value a, TrapCode code) { return subTrap(zero(typeOf(a)), a, code); }
  /// A zero divisor raises DivisionByZero, MIN / -1 `code`.
  Value sdivTrap(Value a, Value b, TrapCode code) { return trapping(Opcode::SDivTrap, a, b, code); }
  /// A zero divisor raises DivisionByZero; MIN % -1 is 0.
  Value sremTrap(Value a, Value b) { return trapping(Opcode::SRemTrap, a, b, TrapCode::DivisionByZero); }
  /// Calls raiseTrap(code) and ends the block.
  void trap(TrapCode code);
  /// Calls raiseTrap(code) if `condition` holds; goes on in a new block.
  void trapIf(Value condition, TrapCode code);

  /// i64 x i64 -> i128, signed.
  Value mulWide(Value a, Value b) { return binary(Opcode::MulWide, a, b); }
  Value pack128(Value lo, Value hi) { return binary(Opcode::Pack128, lo, hi); }
  Value lo64(Value a) { return unary(Opcode::Lo64, a); }
  Value hi64(Value a) { return unary(Opcode::Hi64, a); }

  Value fadd(Value a, Value b) { return binary(Opcode::FAdd, a, b); }
  Value fsub(Value a, Value b) { return binary(Opcode::FSub, a, b); }
  Value fmul(Value a, Value b) { return binary(Opcode::FMul, a, b); }
  Value fdiv(Value a, Value b) { return binary(Opcode::FDiv, a, b); }
  Value fneg(Value a) { return unary(Opcode::FNeg, a); }
  /// Rounds to the nearest float, held as f64.
  Value roundToFloat(Value a) { return unary(Opcode::RoundToFloat, a); }

  /// Integers and ptr.
  Value icmp(IntPredicate predicate, Value a, Value b);
  Value eq(Value a, Value b) { return icmp(IntPredicate::Eq, a, b); }
  Value ne(Value a, Value b) { return icmp(IntPredicate::Ne, a, b); }
  Value slt(Value a, Value b) { return icmp(IntPredicate::Slt, a, b); }
  Value sle(Value a, Value b) { return icmp(IntPredicate::Sle, a, b); }
  Value sgt(Value a, Value b) { return icmp(IntPredicate::Sgt, a, b); }
  Value sge(Value a, Value b) { return icmp(IntPredicate::Sge, a, b); }
  Value ult(Value a, Value b) { return icmp(IntPredicate::Ult, a, b); }
  Value fcmp(FloatPredicate predicate, Value a, Value b);
  Value isNan(Value a) { return fcmp(FloatPredicate::Uno, a, a); }
  Value select(Value condition, Value if_true, Value if_false);

  Value sext(Value a, Type to) { return convert(Opcode::SExt, a, to); }
  Value zext(Value a, Type to) { return convert(Opcode::ZExt, a, to); }
  Value trunc(Value a, Type to) { return convert(Opcode::Trunc, a, to); }
  Value sitofp(Value a) { return convert(Opcode::SIToFP, a, Type::F64); }
  /// Towards zero; saturates, NaN gives 0.
  Value fptosi(Value a, Type to) { return convert(Opcode::FPToSI, a, to); }
  /// f64 <-> i64, ptr <-> i64.
  Value bitcast(Value a, Type to) { return convert(Opcode::Bitcast, a, to); }

  /// Memory operands may be unaligned.
  Value load(Type type, Value pointer, int64_t offset = 0);
  void store(Value value, Value pointer, int64_t offset = 0);
  Value loadF32(Value pointer, int64_t offset = 0);
  /// A byte that other threads may write: read anew each time.
  Value loadAtomic(Value pointer, int64_t offset = 0);
  /// Rounds to the nearest float.
  void storeF32(Value value, Value pointer, int64_t offset = 0);
  Value ptrAdd(Value pointer, Value bytes);
  Value ptrAdd(Value pointer, int64_t bytes) { return ptrAdd(pointer, constI64(bytes)); }
  /// pointer + index * scale + offset; index is i64.
  Value ptrIndex(Value pointer, Value index, uint64_t scale, int64_t offset = 0);
  /// Stack memory of the call, aligned to 16, uninitialised; whatever the current block, it is taken once, in the
  /// entry.
  Value allocaBytes(uint64_t bytes);

  Value crc32(Value seed, Value value) { return binary(Opcode::Crc32, seed, value); }
  /// hash64(seed, value) of codegen/ir/hash.h: i64, i64 -> i64.
  Value hash64(Value seed, Value value) { return binary(Opcode::Hash64, seed, value); }
  /// Adds a value of any type to a hash: integers sign-extended to i64 (i1 zero-extended), i128 as its two halves,
  /// f64 by its bits (the caller normalises -0 and NaN).
  Value hashCombine(Value seed, Value value);
  /// hashCombine with kHashSeed.
  Value hash(Value value) { return hashCombine(constU64(kHashSeed), value); }

  /// The invalid Value for void functions.
  Value call(const RuntimeFunction& callee, std::span<const Value> arguments);
  Value call(const RuntimeFunction& callee, std::initializer_list<Value> arguments) {
    return call(callee, std::span(arguments.begin(), arguments.size()));
  }
  Value call(FunctionId callee, std::span<const Value> arguments);
  Value call(FunctionId callee, std::initializer_list<Value> arguments) {
    return call(callee, std::span(arguments.begin(), arguments.size()));
  }

  void br(Block target);
  void condBr(Value condition, Block if_true, Block if_false, BranchWeight weight = BranchWeight::None);
  /// `cases` are distinct; `value` is i8 to i64.
  void switchTo(Value value, Block otherwise, std::span<const std::pair<int64_t, Block>> cases);
  void switchTo(Value value, Block otherwise, std::initializer_list<std::pair<int64_t, Block>> cases) {
    switchTo(value, otherwise, std::span(cases.begin(), cases.size()));
  }
  void ret(Value value);
  void retVoid();
  void unreachable();

  /// At the head of the current block.
  Value phi(Type type);
  Value phi(Type type, std::initializer_list<std::pair<Value, Block>> incoming);
  void addIncoming(Value phi, Value value, Block from) { function_.addIncoming(phi, value, from); }

 private:
  Value binary(Opcode opcode, Value a, Value b);
  Value unary(Opcode opcode, Value a);
  Value convert(Opcode opcode, Value a, Type to);
  Value trapping(Opcode opcode, Value a, Value b, TrapCode code);
  Value emit(Instruction instruction) { return function_.append(block_, instruction); }
  Value identityOf(Opcode opcode, Value a, Value b);
  std::pair<Value, int64_t> splitOffset(Value pointer, int64_t offset) const;

  Module& module_;
  Function& function_;
  Block block_;
};

}  // namespace gnomon::codegen::ir
