#include "codegen/backend/compiled_module.h"

#include <gtest/gtest.h>

#include <atomic>
#include <memory>
#include <stdexcept>
#include <thread>
#include <vector>

#include "base/sql_error.h"
#include "base/string_value.h"
#include "codegen/ir/builder.h"
#include "codegen/ir/text.h"
#include "codegen/ir/verifier.h"

namespace gnomon::codegen {
namespace {

using ir::Block;
using ir::Builder;
using ir::FunctionId;
using ir::Type;
using ir::Value;

int64_t failOnNegative(int64_t value) {
  if (value < 0) throw SqlError(sqlstate::kDivisionByZero, "negative value");
  return value * 2;
}
StringValue makeText(uint64_t number) {
  return StringValue::refer("n" + std::to_string(number), StringValue::Storage::Persistent);
}

/// i64 sum(ptr column, i64 count): the sum of an array, each through failOnNegative when `is_checked`.
ir::Module sumModule(bool is_checked) {
  ir::Module module;
  const FunctionId id = module.addFunction("sum", Type::I64, {Type::Ptr, Type::I64});
  Builder b(module, id);
  const Block loop = b.createBlock("loop");
  const Block exit = b.createBlock("exit");
  const Value zero = b.constI64(0);
  b.condBr(b.sgt(b.parameter(1), zero), loop, exit);
  b.setBlock(loop);
  const Value row = b.phi(Type::I64, {{zero, b.entryBlock()}});
  const Value sum = b.phi(Type::I64, {{zero, b.entryBlock()}});
  Value value = b.load(Type::I64, b.ptrIndex(b.parameter(0), row, 8));
  if (is_checked) value = b.call(RUNTIME_FUNCTION(failOnNegative), {value});
  const Value next_sum = b.addTrap(sum, value, TrapCode::BigintOutOfRange);
  const Value next_row = b.add(row, b.constI64(1));
  b.addIncoming(row, next_row, loop);
  b.addIncoming(sum, next_sum, loop);
  b.condBr(b.slt(next_row, b.parameter(1)), loop, exit, ir::BranchWeight::Likely);
  b.setBlock(exit);
  b.ret(b.phi(Type::I64, {{zero, b.entryBlock()}, {next_sum, loop}}));
  return module;
}

const void* dataOf(const std::vector<int64_t>& values) {
  return values.data();
}

TEST(CompiledModule, RunsInTheVmFirstAndAsMachineCodeOnceCompiled) {
  CompiledModule module(sumModule(false));
  const CompiledFunction& sum = *module.find("sum");
  const std::vector<int64_t> values{1, 2, 3, 4};
  EXPECT_FALSE(sum.isNative());
  EXPECT_EQ(sum.call<int64_t>(dataOf(values), int64_t{4}), 10);
  EXPECT_EQ(module.tier(), CodeTier::Bytecode);
  const void* quick_code = nullptr;
  for (const CodeTier tier : {CodeTier::Quick, CodeTier::Full}) {
    ASSERT_TRUE(module.compileLlvm(tier));
    EXPECT_EQ(module.tier(), tier);
    EXPECT_NE(sum.native(), quick_code);
    EXPECT_EQ(sum.call<int64_t>(dataOf(values), int64_t{4}), 10);
    EXPECT_EQ(sum.call<int64_t>(dataOf(values), int64_t{0}), 0);
    quick_code = sum.native();
  }
  // A lower tier than the one that runs changes nothing.
  EXPECT_TRUE(module.compileLlvm(CodeTier::Quick));
  EXPECT_EQ(module.tier(), CodeTier::Full);
  EXPECT_EQ(sum.native(), quick_code);
  EXPECT_GT(module.llvmMicroseconds(), 0U);
  EXPECT_EQ(module.find("no such function"), nullptr);
}

TEST(CompiledModule, LetsExceptionsOfRuntimeFunctionsAndTrapsThroughToTheCaller) {
  CompiledModule module(sumModule(true), {.policy = {.mode = ExecutionMode::Llvm}});
  const CompiledFunction& sum = *module.find("sum");
  ASSERT_TRUE(sum.isNative());
  const std::vector<int64_t> bad{1, 2, -3, 4};
  const std::vector<int64_t> large{INT64_MAX / 2, INT64_MAX / 2};
  for (const bool is_vm : {true, false}) {
    const auto run = [&](const std::vector<int64_t>& values, int64_t count) {
      return is_vm ? sum.callVm<int64_t>(dataOf(values), count) : sum.call<int64_t>(dataOf(values), count);
    };
    EXPECT_EQ(run(bad, 2), 6);
    try {
      run(bad, 4);
      FAIL() << "no exception";
    } catch (const SqlError& error) {
      EXPECT_EQ(error.message(), "negative value");
      EXPECT_STREQ(error.state().text(), "22012");
    }
    try {
      run(large, 2);
      FAIL() << "no exception";
    } catch (const SqlError& error) {
      EXPECT_EQ(error.message(), "bigint out of range");
      EXPECT_STREQ(error.state().text(), "22003");
    }
  }
}

TEST(CompiledModule, LetsExceptionsThroughWhileOtherModulesComeAndGo) {
  const std::vector<int64_t> bad{1, -2};
  const auto raises = [&](const CompiledModule& module) {
    try {
      module.find("sum")->call<int64_t>(dataOf(bad), int64_t{2});
    } catch (const SqlError& error) {
      return error.message() == "negative value";
    }
    return false;
  };
  const auto compiled = [] {
    return std::make_unique<CompiledModule>(sumModule(true), BackendOptions{.policy = {.mode = ExecutionMode::Llvm}});
  };
  const std::unique_ptr<CompiledModule> first = compiled();
  std::atomic<int> lost{0};
  constexpr int kThreads = 3, kRounds = 12;
  std::vector<std::thread> threads;
  for (int thread = 0; thread < kThreads; ++thread)
    threads.emplace_back([&] {
      std::vector<std::unique_ptr<CompiledModule>> own;
      for (int round = 0; round < kRounds; ++round) {
        own.push_back(compiled());
        // Every third goes, and its memory may be the next one's.
        if (round % 3 == 2) own.erase(own.begin());
        for (const auto& module : own) lost += raises(*module) ? 0 : 1;
        lost += raises(*first) ? 0 : 1;
      }
    });
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(lost.load(), 0);
}

TEST(CompiledModule, RaisesDecimalOverflowAsItsOwnType) {
  ir::Module module;
  const FunctionId id = module.addFunction("square", Type::I128, {Type::I128});
  Builder b(module, id);
  b.ret(b.mulTrap(b.parameter(0), b.parameter(0), TrapCode::DecimalOverflow));
  CompiledModule compiled(std::move(module), {.policy = {.mode = ExecutionMode::Llvm}});
  const CompiledFunction& square = compiled.function(id);
  const int128 small = int128{1} << 62;
  EXPECT_TRUE(square.call<int128>(small) == small * small);
  EXPECT_TRUE(square.callVm<int128>(small) == small * small);
  EXPECT_THROW(square.call<int128>(small * 4), DecimalOverflow);
  EXPECT_THROW(square.callVm<int128>(small * 4), DecimalOverflow);
}

TEST(CompiledModule, TakesAStringAsOneWideValue) {
  ir::Module module;
  const FunctionId id = module.addFunction("text", Type::Void, {Type::I64, Type::Ptr});
  Builder b(module, id);
  const Value text = b.call(RUNTIME_FUNCTION(makeText), {b.parameter(0)});
  b.store(b.lo64(text), b.parameter(1));
  b.store(b.hi64(text), b.parameter(1), 8);
  b.retVoid();
  CompiledModule compiled(std::move(module), {.policy = {.mode = ExecutionMode::Llvm}});
  for (const bool is_vm : {true, false}) {
    StringValue result;
    void* out = &result;
    if (is_vm)
      compiled.function(id).callVm<void>(uint64_t{1234567890}, out);
    else
      compiled.function(id).call<void>(uint64_t{1234567890}, out);
    EXPECT_EQ(result.view(), "n1234567890");
  }
}

TEST(CompiledModule, StaysInTheVmOverTheLimitsAndInVmMode) {
  CompiledModule capped(sumModule(false), {.policy = {.mode = ExecutionMode::Llvm}, .llvm_instructions_max = 3});
  EXPECT_FALSE(capped.isLlvmAllowed());
  EXPECT_FALSE(capped.compileLlvm(CodeTier::Full));
  const std::vector<int64_t> values{5, 6};
  EXPECT_EQ(capped.find("sum")->call<int64_t>(dataOf(values), int64_t{2}), 11);
  CompiledModule vm_only(sumModule(false), {.policy = {.mode = ExecutionMode::Vm}});
  EXPECT_FALSE(vm_only.compileLlvm(CodeTier::Full));
}

TEST(CompiledModule, RefusesBrokenIr) {
  EXPECT_THROW(CompiledModule(ir::parse("function i64 @f(i32 %0) {\nb0:\n  ret i64 %0\n}\n")), ir::InvalidIr);
}

TEST(CompiledModule, RefusesAFunctionWithMoreValuesThanTheVmCanName) {
  ir::Module module;
  const FunctionId id = module.addFunction("wide", Type::I64, {Type::Ptr});
  Builder b(module, id);
  std::vector<Value> values;
  for (int i = 0; i < 40000; ++i) values.push_back(b.load(Type::I64, b.parameter(0), i * 8));
  Value sum = b.constI64(0);
  for (size_t i = values.size(); i-- > 0;) sum = b.add(sum, values[i]);
  b.ret(sum);
  try {
    const CompiledModule compiled(std::move(module));
    FAIL() << "no exception";
  } catch (const SqlError& error) {
    EXPECT_STREQ(error.state().text(), "54001");
  }
}

// The inner loop's variable is the outer one's next value, and the inner loop still reads the outer one.
TEST(CompiledModule, KeepsALoopVariableThatAnInnerLoopReads) {
  CompiledModule module(ir::parse(R"(function i64 @nested(i64 %0) {
b0:
  br b1
b1 "outer":
  %1 = phi i64 [b0: 1], [b3: %3]
  %2 = phi i64 [b0: 0], [b3: %8]
  br b2
b2 "inner":
  %3 = phi i64 [b1: 0], [b2: %6]
  %4 = phi i64 [b1: 0], [b2: %5]
  %5 = add i64 %4, 1
  %6 = add i64 %3, %1
  %7 = icmp slt i64 %5, 3
  condbr %7, b2, b3
b3:
  %8 = add i64 %2, 1
  %9 = icmp slt i64 %8, %0
  condbr %9, b1, b4
b4:
  ret i64 %3
}
)"));
  const CompiledFunction& nested = *module.find("nested");
  // x becomes 0, x, 2x: the inner variable after three rounds is twice the outer one.
  EXPECT_EQ(nested.callVm<int64_t>(int64_t{5}), 32);
  ASSERT_TRUE(module.compileLlvm(CodeTier::Full));
  EXPECT_EQ(nested.call<int64_t>(int64_t{5}), 32);
}

TEST(CompiledModule, PrintsEveryForm) {
  const CompiledModule module(sumModule(false));
  EXPECT_NE(module.irText().find("addtrap i64"), std::string::npos);
  EXPECT_NE(module.bytecodeText().find("LoadIndexI64"), std::string::npos);
  // The loop's back edge is one operation and moves nothing.
  EXPECT_NE(module.bytecodeText().find("AddJumpSlt"), std::string::npos);
  EXPECT_NE(module.llvmText().find("sadd.with.overflow.i64"), std::string::npos);
  EXPECT_NE(module.assemblyText().find("retq"), std::string::npos);
}

// Runners:   call call call call ...          (VM, then machine code)
// Two compilers:   compileLlvm(Quick), compileLlvm(Full); the later one waits, same answer
TEST(CompiledModule, SwitchesUnderConcurrentCalls) {
  for (int round = 0; round < 5; ++round) {
    CompiledModule module(sumModule(true));
    const CompiledFunction& sum = *module.find("sum");
    std::vector<int64_t> values(100);
    for (size_t i = 0; i < values.size(); ++i) values[i] = static_cast<int64_t>(i);
    std::atomic<uint64_t> wrong{0};
    std::atomic<uint64_t> native_calls{0};
    std::vector<std::thread> threads;
    for (int t = 0; t < 3; ++t) {
      threads.emplace_back([&] {
        for (int i = 0; i < 200 || native_calls.load() == 0; ++i) {
          native_calls += sum.isNative() ? 1 : 0;
          if (sum.call<int64_t>(dataOf(values), int64_t{100}) != 9900) ++wrong;
        }
      });
    }
    for (int t = 0; t < 2; ++t)
      threads.emplace_back([&] {
        for (const CodeTier tier : {CodeTier::Quick, CodeTier::Full}) wrong += module.compileLlvm(tier) ? 0 : 1;
      });
    for (std::thread& thread : threads) thread.join();
    EXPECT_EQ(wrong.load(), 0U);
  }
}

TEST(CompiledModule, CompilesAndFreesManyModulesOnManyThreads) {
  std::vector<std::thread> threads;
  std::atomic<uint64_t> wrong{0};
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([&wrong, t] {
      for (int64_t i = 0; i < 8; ++i) {
        ir::Module module;
        const FunctionId id = module.addFunction("f", Type::I64, {Type::I64});
        Builder b(module, id);
        b.ret(b.add(b.parameter(0), b.constI64(t * 100 + i)));
        const CompiledModule compiled(std::move(module), {.policy = {.mode = ExecutionMode::Llvm}});
        if (!compiled.isNative() || compiled.function(id).call<int64_t>(int64_t{1}) != 1 + t * 100 + i) ++wrong;
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(wrong.load(), 0U);
}

}  // namespace
}  // namespace gnomon::codegen
