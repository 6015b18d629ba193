#include <gtest/gtest.h>

#include <array>
#include <atomic>
#include <bit>
#include <chrono>
#include <cmath>
#include <cstring>
#include <functional>
#include <limits>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "base/sql_error.h"
#include "codegen/backend/compiled_module.h"
#include "codegen/ir/builder.h"
#include "codegen/ir/fold.h"
#include "codegen/ir/text.h"

namespace gnomon::codegen {
namespace {

using ir::Builder;
using ir::FloatPredicate;
using ir::FunctionId;
using ir::Instruction;
using ir::IntPredicate;
using ir::Opcode;
using ir::Type;
using ir::Value;

constexpr Type kIntegers[] = {Type::I8, Type::I16, Type::I32, Type::I64, Type::I128};

/// Canonical bits of edge values of a type.
std::vector<uint128> edgesOf(Type type) {
  std::vector<uint128> edges;
  if (type == Type::F64) {
    using Limits = std::numeric_limits<double>;
    for (const double value : {0.0,
                               -0.0,
                               1.0,
                               -1.5,
                               0.1,
                               127.9,
                               -128.9,
                               32768.0,
                               2147483647.5,
                               -2147483649.0,
                               9.3e18,
                               -9.3e18,
                               1.8e38,
                               -1.8e38,
                               1e300,
                               1e-310,
                               Limits::infinity(),
                               -Limits::infinity(),
                               Limits::quiet_NaN(),
                               3.4028236e38})
      edges.push_back(std::bit_cast<uint64_t>(value));
    return edges;
  }
  if (type == Type::I1) return {0, 1};
  const unsigned width = ir::bitsOf(type);
  const uint128 top = uint128{1} << (width - 1);
  for (const uint128 bits : {uint128{0}, uint128{1}, uint128{2}, uint128{7}, ~uint128{0}, ~uint128{1}, top, top - 1,
                             top + 1, (top >> (width / 2)), (top >> (width / 2)) + 3, uint128{100}})
    edges.push_back(ir::canonical(type, bits));
  if (type == Type::I128) {
    edges.push_back(uint128{1} << 63);
    edges.push_back(uint128{0} - (uint128{1} << 63));
    edges.push_back((uint128{1} << 64) - 1);
    edges.push_back(uint128{10000000000000000000ULL} * 10000000000000000000ULL);
  }
  return edges;
}

std::string hex(uint128 bits) {
  char text[40];
  std::snprintf(text, sizeof(text), "%016llx%016llx", static_cast<unsigned long long>(bits >> 64),
                static_cast<unsigned long long>(bits));
  return text;
}

/// What a run did: a value, or an error's message.
struct Outcome {
  uint128 bits = 0;
  std::string error;
  bool operator==(const Outcome&) const = default;
};

template <typename Run>
Outcome outcomeOf(Type type, Run&& run) {
  alignas(16) char out[32] = {};
  try {
    run(static_cast<void*>(out));
  } catch (const SqlError& error) {
    return {0, error.message()};
  } catch (const DecimalOverflow& error) {
    return {0, error.what()};
  }
  uint128 bits = 0;
  std::memcpy(&bits, out, ir::bytesOf(type));
  bits = ir::canonical(type, bits);
  if (type == Type::F64 && std::isnan(std::bit_cast<double>(static_cast<uint64_t>(bits)))) bits = 0x7ff8ULL << 48;
  return {bits, ""};
}

/// One function void(in, out) per case: loads operands at in + 0, 16, 32, stores the result.
class InstructionTable {
 public:
  using Expect = std::function<Outcome(uint128 a, uint128 b)>;

  Builder begin(const std::string& name, Type a, Type b, Type result, Expect expect) {
    const FunctionId id = module_.addFunction(name, Type::Void, {Type::Ptr, Type::Ptr});
    rows_.push_back({name, a, b, result, std::move(expect), id});
    return Builder(module_, id);
  }
  static void end(Builder& builder, Value result) {
    builder.store(result, builder.parameter(1));
    builder.retVoid();
  }
  static Value operandA(Builder& builder, Type type) { return builder.load(type, builder.parameter(0)); }
  static Value operandB(Builder& builder, Type type) { return builder.load(type, builder.parameter(0), 16); }

  void check() {
    CompiledModule compiled(std::move(module_));
    for (const CodeTier tier : {CodeTier::Quick, CodeTier::Full}) {
      ASSERT_TRUE(compiled.compileLlvm(tier));
      checkRows(compiled);
    }
  }

 private:
  void checkRows(const CompiledModule& compiled) {
    for (const Row& row : rows_) {
      const CompiledFunction& function = compiled.function(row.id);
      for (const uint128 a : edgesOf(row.a)) {
        for (const uint128 b : edgesOf(row.b)) {
          alignas(16) char in[48] = {};
          std::memcpy(in, &a, 16);
          std::memcpy(in + 16, &b, 16);
          const auto* input = static_cast<const void*>(in);
          const Outcome expected = row.expect(a, b);
          const Outcome vm = outcomeOf(row.result, [&](void* out) { function.callVm<void>(input, out); });
          const Outcome native = outcomeOf(row.result, [&](void* out) { function.call<void>(input, out); });
          ASSERT_EQ(vm, expected) << row.name << " in the VM of " << hex(a) << ", " << hex(b) << ": " << hex(vm.bits)
                                  << vm.error << " expected " << hex(expected.bits) << expected.error;
          ASSERT_EQ(native, expected) << row.name << " as machine code of " << hex(a) << ", " << hex(b) << ": "
                                      << hex(native.bits) << native.error << " expected " << hex(expected.bits)
                                      << expected.error;
        }
      }
    }
  }

 private:
  struct Row {
    std::string name;
    Type a, b, result;
    Expect expect;
    FunctionId id;
  };
  ir::Module module_;
  std::vector<Row> rows_;
};

uint128 canonicalNan(Type type, uint128 bits) {
  const bool is_nan = type == Type::F64 && std::isnan(std::bit_cast<double>(static_cast<uint64_t>(bits)));
  return is_nan ? uint128{0x7ff8} << 48 : bits;
}

Value emitBinary(Builder& builder, Opcode opcode, Value a, Value b, TrapCode code) {
  switch (opcode) {
    case Opcode::Add:
      return builder.add(a, b);
    case Opcode::Sub:
      return builder.sub(a, b);
    case Opcode::Mul:
      return builder.mul(a, b);
    case Opcode::SDiv:
      return builder.sdiv(a, b);
    case Opcode::SRem:
      return builder.srem(a, b);
    case Opcode::UDiv:
      return builder.udiv(a, b);
    case Opcode::URem:
      return builder.urem(a, b);
    case Opcode::And:
      return builder.bitAnd(a, b);
    case Opcode::Or:
      return builder.bitOr(a, b);
    case Opcode::Xor:
      return builder.bitXor(a, b);
    case Opcode::Shl:
      return builder.shl(a, b);
    case Opcode::LShr:
      return builder.lshr(a, b);
    case Opcode::AShr:
      return builder.ashr(a, b);
    case Opcode::RotL:
      return builder.rotl(a, b);
    case Opcode::AddTrap:
      return builder.addTrap(a, b, code);
    case Opcode::SubTrap:
      return builder.subTrap(a, b, code);
    case Opcode::MulTrap:
      return builder.mulTrap(a, b, code);
    case Opcode::SDivTrap:
      return builder.sdivTrap(a, b, code);
    case Opcode::SRemTrap:
      return builder.sremTrap(a, b);
    case Opcode::FAdd:
      return builder.fadd(a, b);
    case Opcode::FSub:
      return builder.fsub(a, b);
    case Opcode::FMul:
      return builder.fmul(a, b);
    case Opcode::FDiv:
      return builder.fdiv(a, b);
    case Opcode::Crc32:
      return builder.crc32(a, b);
    case Opcode::Hash64:
      return builder.hash64(a, b);
    case Opcode::MulWide:
      return builder.mulWide(a, b);
    default:
      return builder.pack128(a, b);
  }
}

/// The error of a trapping instruction whose folding gave nothing.
Outcome trapOutcome(Opcode opcode, uint128 b, TrapCode code) {
  const bool is_division = opcode == Opcode::SDivTrap || opcode == Opcode::SRemTrap;
  if (is_division && b == 0) return {0, "division by zero"};
  switch (code) {
    case TrapCode::SmallintOutOfRange:
      return {0, "smallint out of range"};
    case TrapCode::IntegerOutOfRange:
      return {0, "integer out of range"};
    case TrapCode::BigintOutOfRange:
      return {0, "bigint out of range"};
    default:
      return {0, "decimal overflow"};
  }
}

TrapCode codeOf(Type type) {
  if (type == Type::I16) return TrapCode::SmallintOutOfRange;
  if (type == Type::I32) return TrapCode::IntegerOutOfRange;
  return type == Type::I64 ? TrapCode::BigintOutOfRange : TrapCode::DecimalOverflow;
}

/// Both operands from memory, then the right one a constant of every shape.
void addBinary(InstructionTable& table, Opcode opcode, Type type, Type result) {
  const TrapCode code = codeOf(type);
  const auto expect = [=](uint128 a, uint128 b) -> Outcome {
    const auto folded = ir::foldBinary(opcode, type, a, b);
    return folded ? Outcome{canonicalNan(result, *folded), ""} : trapOutcome(opcode, b, code);
  };
  const bool is_plain_division = opcode >= Opcode::SDiv && opcode <= Opcode::URem;
  const std::string name(std::string(nameOf(opcode)) + "." + std::string(nameOf(type)));
  {
    // Undefined operands are avoided: the right one becomes 3 when the fold is undefined.
    Builder builder = table.begin(name, type, type, result, [=](uint128 a, uint128 b) {
      if (is_plain_division && (b == 0 || ir::canonical(type, b + 1) == 0)) b = 3;
      return expect(a, b);
    });
    const Value a = InstructionTable::operandA(builder, type);
    Value b = InstructionTable::operandB(builder, type);
    if (is_plain_division) {
      const Value is_bad =
          builder.bitOr(builder.eq(b, builder.zero(type)), builder.eq(b, builder.constant(type, ~uint128{0})));
      b = builder.select(is_bad, builder.constant(type, 3), b);
    }
    InstructionTable::end(builder, emitBinary(builder, opcode, a, b, code));
  }
  for (const uint128 constant : {uint128{3}, uint128{0} - 1, uint128{1} << (ir::bitsOf(type) - 1)}) {
    if (is_plain_division && constant == ~uint128{0}) continue;
    const uint128 right = ir::canonical(type, constant);
    Builder builder = table.begin(name + ".const" + hex(right), type, Type::I1, result,
                                  [=](uint128 a, uint128) { return expect(a, right); });
    const Value a = InstructionTable::operandA(builder, type);
    InstructionTable::end(builder, emitBinary(builder, opcode, a, builder.constant(type, right), code));
  }
}

TEST(Instructions, WrappingArithmeticAgreesWithTheFolderInBothBackEnds) {
  InstructionTable table;
  for (const Type type : kIntegers)
    for (const Opcode opcode :
         {Opcode::Add, Opcode::Sub, Opcode::Mul, Opcode::SDiv, Opcode::SRem, Opcode::UDiv, Opcode::URem, Opcode::And,
          Opcode::Or, Opcode::Xor, Opcode::Shl, Opcode::LShr, Opcode::AShr})
      addBinary(table, opcode, type, type);
  for (const Type type : {Type::I8, Type::I16, Type::I32, Type::I64}) addBinary(table, Opcode::RotL, type, type);
  for (const Opcode opcode : {Opcode::And, Opcode::Or, Opcode::Xor}) addBinary(table, opcode, Type::I1, Type::I1);
  for (const Opcode opcode : {Opcode::Crc32, Opcode::Hash64}) addBinary(table, opcode, Type::I64, Type::I64);
  for (const Opcode opcode : {Opcode::MulWide, Opcode::Pack128}) addBinary(table, opcode, Type::I64, Type::I128);
  for (const Opcode opcode : {Opcode::FAdd, Opcode::FSub, Opcode::FMul, Opcode::FDiv})
    addBinary(table, opcode, Type::F64, Type::F64);
  table.check();
}

TEST(Instructions, TrappingArithmeticRaisesExactlyOnOverflow) {
  InstructionTable table;
  for (const Type type : {Type::I16, Type::I32, Type::I64, Type::I128})
    for (const Opcode opcode : {Opcode::AddTrap, Opcode::SubTrap, Opcode::MulTrap, Opcode::SDivTrap, Opcode::SRemTrap})
      addBinary(table, opcode, type, type);
  table.check();
}

void addIntCompare(InstructionTable& table, IntPredicate predicate, Type type) {
  const std::string name = "icmp" + std::to_string(static_cast<int>(predicate)) + "." + std::string(nameOf(type));
  const auto expect = [=](uint128 a, uint128 b) -> Outcome {
    return {ir::foldCompare(predicate, type, a, b) ? uint128{1} : uint128{0}, ""};
  };
  // As a value, and as a branch in both layouts, against a register and a constant.
  for (const bool is_constant : {false, true}) {
    const uint128 right = ir::canonical(type, type == Type::I1 ? 1 : 7);
    for (const int form : {0, 1, 2}) {
      Builder builder = table.begin(name + "." + std::to_string(form) + (is_constant ? "c" : "r"), type, type, Type::I1,
                                    [=](uint128 a, uint128 b) { return expect(a, is_constant ? right : b); });
      const Value a = InstructionTable::operandA(builder, type);
      const Value b = is_constant ? builder.constant(type, right) : InstructionTable::operandB(builder, type);
      const Value result = builder.icmp(predicate, a, b);
      if (form == 0) {
        InstructionTable::end(builder, result);
        continue;
      }
      const ir::Block yes = builder.createBlock("yes");
      const ir::Block no = builder.createBlock("no");
      builder.condBr(result, yes, no, form == 1 ? ir::BranchWeight::Likely : ir::BranchWeight::Unlikely);
      builder.setBlock(yes);
      InstructionTable::end(builder, builder.constI1(true));
      builder.setBlock(no);
      InstructionTable::end(builder, builder.constI1(false));
    }
  }
}

TEST(Instructions, ComparisonsAgreeAsValuesAndAsBranches) {
  InstructionTable table;
  for (int predicate = 0; predicate <= static_cast<int>(IntPredicate::Uge); ++predicate)
    for (const Type type : {Type::I1, Type::I8, Type::I16, Type::I32, Type::I64, Type::I128})
      addIntCompare(table, static_cast<IntPredicate>(predicate), type);
  for (int predicate = 0; predicate <= static_cast<int>(FloatPredicate::Uno); ++predicate) {
    const auto kind = static_cast<FloatPredicate>(predicate);
    Builder builder = table.begin(
        "fcmp" + std::to_string(predicate), Type::F64, Type::F64, Type::I1,
        [=](uint128 a, uint128 b) { return Outcome{ir::foldCompare(kind, a, b) ? uint128{1} : uint128{0}, ""}; });
    const Value a = InstructionTable::operandA(builder, Type::F64);
    InstructionTable::end(builder, builder.fcmp(kind, a, InstructionTable::operandB(builder, Type::F64)));
  }
  table.check();
}

TEST(Instructions, UnaryOperationsAndConversionsAgree) {
  InstructionTable table;
  const auto add = [&](Opcode opcode, Type from, Type to, auto&& emit) {
    const bool is_convert = ir::shapeOf(opcode) == ir::Shape::Convert;
    Builder builder = table.begin(
        std::string(nameOf(opcode)) + "." + std::string(nameOf(from)) + "." + std::string(nameOf(to)), from, Type::I1,
        to, [=](uint128 a, uint128) -> Outcome {
          return {canonicalNan(to, is_convert ? ir::foldConvert(opcode, from, to, a) : ir::foldUnary(opcode, from, a)),
                  ""};
        });
    InstructionTable::end(builder, emit(builder, InstructionTable::operandA(builder, from)));
  };
  const Type all[] = {Type::I1, Type::I8, Type::I16, Type::I32, Type::I64, Type::I128};
  for (const Type from : all) {
    for (const Type to : all) {
      if (ir::bitsOf(from) < ir::bitsOf(to)) {
        add(Opcode::SExt, from, to, [=](Builder& b, Value a) { return b.sext(a, to); });
        add(Opcode::ZExt, from, to, [=](Builder& b, Value a) { return b.zext(a, to); });
      } else if (ir::bitsOf(from) > ir::bitsOf(to)) {
        add(Opcode::Trunc, from, to, [=](Builder& b, Value a) { return b.trunc(a, to); });
      }
    }
  }
  for (const Type type : kIntegers) {
    add(Opcode::SIToFP, type, Type::F64, [](Builder& b, Value a) { return b.sitofp(a); });
    add(Opcode::FPToSI, Type::F64, type, [=](Builder& b, Value a) { return b.fptosi(a, type); });
    if (type == Type::I128) continue;
    add(Opcode::PopCount, type, type, [](Builder& b, Value a) { return b.popcount(a); });
    add(Opcode::CountTrailingZeros, type, type, [](Builder& b, Value a) { return b.ctz(a); });
  }
  add(Opcode::Lo64, Type::I128, Type::I64, [](Builder& b, Value a) { return b.lo64(a); });
  add(Opcode::Hi64, Type::I128, Type::I64, [](Builder& b, Value a) { return b.hi64(a); });
  add(Opcode::FNeg, Type::F64, Type::F64, [](Builder& b, Value a) { return b.fneg(a); });
  add(Opcode::RoundToFloat, Type::F64, Type::F64, [](Builder& b, Value a) { return b.roundToFloat(a); });
  add(Opcode::Bitcast, Type::I64, Type::F64, [](Builder& b, Value a) { return b.bitcast(a, Type::F64); });
  table.check();
}

TEST(Instructions, SelectPicksOfEveryType) {
  InstructionTable table;
  for (const Type type : {Type::I1, Type::I8, Type::I16, Type::I32, Type::I64, Type::I128, Type::F64}) {
    Builder builder =
        table.begin("select." + std::string(nameOf(type)), type, Type::I1, type,
                    [=](uint128 a, uint128 b) { return Outcome{canonicalNan(type, b != 0 ? a : 0), ""}; });
    const Value a = InstructionTable::operandA(builder, type);
    const Value condition = InstructionTable::operandB(builder, Type::I1);
    InstructionTable::end(builder, builder.select(condition, a, builder.zero(type)));
  }
  table.check();
}

TEST(Instructions, MemoryIsReadAndWrittenUnalignedWithOffsetsAndIndexes) {
  ir::Module module;
  const FunctionId id = module.addFunction("copy", Type::F64, {Type::Ptr, Type::Ptr, Type::I64});
  Builder b(module, id);
  const Value from = b.parameter(0);
  const Value to = b.parameter(1);
  const Value index = b.parameter(2);
  int64_t offset = 1;
  for (const Type type : {Type::I1, Type::I8, Type::I16, Type::I32, Type::I64, Type::I128, Type::F64, Type::Ptr}) {
    b.store(b.load(type, from, offset), to, offset);
    b.store(b.load(type, b.ptrIndex(from, index, 64, offset)), b.ptrIndex(to, index, 64, offset));
    // An address with two uses is no part of the load.
    const Value address = b.ptrIndex(from, index, 128, offset);
    b.store(b.load(type, address), b.ptrAdd(to, b.add(b.mul(index, b.constI64(128)), b.constI64(offset))));
    b.store(b.load(Type::I8, address, 0), b.ptrIndex(to, index, int64_t{128}), offset);
    offset += ir::bytesOf(type);
  }
  const Value real = b.loadF32(from, 60);
  b.storeF32(b.fadd(real, b.constF64(0.1)), to, 60);
  const Value far = b.ptrIndex(from, index, uint64_t{1} << 33, -(int64_t{1} << 33));
  b.ret(b.select(b.eq(far, from), real, b.constF64(-1)));
  CompiledModule compiled(std::move(module));
  ASSERT_TRUE(compiled.compileLlvm(CodeTier::Full));
  alignas(16) unsigned char input[256];
  for (size_t i = 0; i < sizeof(input); ++i) input[i] = static_cast<unsigned char>(i * 37 + 1);
  for (const size_t at : {1, 65, 129}) input[at] = 1;
  const float real_value = 2.5F;
  std::memcpy(input + 60, &real_value, 4);
  unsigned char output[2][256] = {};
  const CompiledFunction& function = compiled.function(id);
  EXPECT_EQ(function.callVm<double>(static_cast<void*>(input), static_cast<void*>(output[0]), int64_t{1}), 2.5);
  EXPECT_EQ(function.call<double>(static_cast<void*>(input), static_cast<void*>(output[1]), int64_t{1}), 2.5);
  EXPECT_EQ(std::memcmp(output[0], output[1], sizeof(input)), 0);
  const size_t copied = 1 + 1 + 2 + 4 + 8 + 16 + 8 + 8;
  for (const size_t start : {1, 65, 129}) EXPECT_EQ(std::memcmp(output[0] + start, input + start, copied), 0) << start;
  float stored;
  std::memcpy(&stored, output[0] + 60, 4);
  EXPECT_EQ(stored, static_cast<float>(2.5 + 0.1));
}

/// Machine code of a plain load would look once, before the loop.
TEST(Instructions, AByteThatOtherThreadsWriteIsReadEachTime) {
  ir::Module module;
  const FunctionId id = module.addFunction("wait", Type::I8, {Type::Ptr});
  Builder b(module, id);
  const ir::Block loop = b.createBlock("loop");
  const ir::Block end = b.createBlock("end");
  b.br(loop);
  b.setBlock(loop);
  const Value seen = b.loadAtomic(b.parameter(0), 3);
  b.condBr(b.ne(seen, b.constI8(0)), end, loop);
  b.setBlock(end);
  b.ret(seen);
  CompiledModule compiled(std::move(module));
  ASSERT_TRUE(compiled.compileLlvm(CodeTier::Full));
  const CompiledFunction& function = compiled.function(id);
  for (const bool is_vm : {true, false}) {
    std::array<std::atomic<int8_t>, 4> bytes{};
    std::atomic<bool> has_begun{false};
    int8_t result = 0;
    std::thread waiting([&] {
      has_begun.store(true);
      result = is_vm ? function.callVm<int8_t>(static_cast<void*>(bytes.data()))
                     : function.call<int8_t>(static_cast<void*>(bytes.data()));
    });
    while (!has_begun.load()) std::this_thread::yield();
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
    bytes[3].store(-7);
    waiting.join();
    EXPECT_EQ(result, -7) << is_vm;
  }
}

TEST(Instructions, HashAgreesWithCPlusPlus) {
  ir::Module module;
  const FunctionId id = module.addFunction("hash", Type::I64, {Type::I64, Type::I128});
  Builder b(module, id);
  b.ret(b.hashCombine(b.hash(b.parameter(0)), b.parameter(1)));
  CompiledModule compiled(std::move(module));
  ASSERT_TRUE(compiled.compileLlvm(CodeTier::Full));
  const uint128 wide = (uint128{0x0123456789abcdefULL} << 64) | 0xfedcba9876543210ULL;
  const uint64_t expected = hash128(hash64(kHashSeed, 42), wide);
  EXPECT_EQ(compiled.function(id).callVm<uint64_t>(int64_t{42}, static_cast<int128>(wide)), expected);
  EXPECT_EQ(compiled.function(id).call<uint64_t>(int64_t{42}, static_cast<int128>(wide)), expected);
}

}  // namespace
}  // namespace gnomon::codegen
