#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "codegen/tests/expression_harness.h"
#include "codegen/translate/value_operations.h"
#include "sql/types/text_io.h"

/// Operations on values of one type: equality, order, hash, copies, rows in memory.
namespace gnomon::codegen::test {
namespace {

/// What the function under test finds out about two values in memory.
struct Findings {
  uint64_t equal, order, left_hash, right_hash;
  uint64_t selected_lo, selected_hi;
};

class PairFunction {
 public:
  PairFunction(Type type, ExecutionMode mode) : type_(type) {
    ir::Module module("pair");
    function_ = module.addFunction("pair", ir::Type::Void, {ir::Type::Ptr, ir::Type::Ptr, ir::Type::Ptr, ir::Type::I1});
    ir::Builder builder(module, function_);
    CodeContext context{builder, {}, {}, resources_};
    const SqlValue left = loadValue(context, type, builder.parameter(0), 0);
    const SqlValue right = loadValue(context, type, builder.parameter(1), 0);
    const ir::Value out = builder.parameter(2);
    const ir::Value seed = builder.constI64(42);
    builder.store(builder.zext(equalValues(context, left, right), ir::Type::I64), out, offsetof(Findings, equal));
    builder.store(builder.sext(compareValues(context, left, right), ir::Type::I64), out, offsetof(Findings, order));
    builder.store(hashValue(context, seed, left), out, offsetof(Findings, left_hash));
    builder.store(hashValue(context, seed, right), out, offsetof(Findings, right_hash));
    const SqlValue selected = selectValue(context, builder.parameter(3), left, right);
    storeValue(context, selected, out, offsetof(Findings, selected_lo));
    builder.retVoid();
    module_ = std::make_unique<CompiledModule>(std::move(module), BackendOptions{.policy = {.mode = mode}});
  }

  Findings run(const Value& left, const Value& right, bool first) const {
    alignas(16) char memory[2][16] = {};
    store(left, memory[0]);
    store(right, memory[1]);
    Findings findings{};
    module_->function(function_).call<void>(static_cast<const void*>(memory[0]), static_cast<const void*>(memory[1]),
                                            &findings, first);
    return findings;
  }

 private:
  void store(const Value& value, char* memory) const {
    const sql::RegisterPair pair = sql::toRegisters(value);
    if (type_.physical() == sql::Physical::Float32) {
      const auto narrow = static_cast<float>(__builtin_bit_cast(double, pair.lo));
      std::memcpy(memory, &narrow, sizeof(narrow));
      return;
    }
    std::memcpy(memory, &pair.lo, std::min<size_t>(8, materialisedBytes(type_)));
    std::memcpy(memory + 8, &pair.hi, 8);
  }

  Type type_;
  ProgramResources resources_;
  ir::FunctionId function_;
  std::unique_ptr<CompiledModule> module_;
};

/// Values in ascending order; `equals_previous` marks one that equals the one before it.
struct Sample {
  Value value;
  bool equals_previous = false;
};

void expectConsistent(Type type, const std::vector<Sample>& samples) {
  for (const ExecutionMode mode : {ExecutionMode::Vm, ExecutionMode::Llvm}) {
    const PairFunction function(type, mode);
    int left_rank = -1;
    for (const Sample& left : samples) {
      left_rank += left.equals_previous ? 0 : 1;
      int right_rank = -1;
      for (const Sample& right : samples) {
        right_rank += right.equals_previous ? 0 : 1;
        const Findings found = function.run(left.value, right.value, true);
        EXPECT_EQ(found.equal != 0, left_rank == right_rank) << type.name() << left_rank << right_rank;
        const auto order = static_cast<int64_t>(found.order);
        EXPECT_EQ((order > 0) - (order < 0), (left_rank > right_rank) - (left_rank < right_rank)) << type.name();
        EXPECT_EQ(found.left_hash == found.right_hash, left_rank == right_rank) << type.name();
      }
    }
  }
}

TEST(ExpressionValue, EqualityOrderAndHashAgree) {
  const double infinity = std::numeric_limits<double>::infinity();
  expectConsistent(kBoolean, {{boolean(false)}, {boolean(true)}});
  expectConsistent(kSmallint, {{integer(-3, kSmallint)}, {integer(0, kSmallint)}, {integer(9, kSmallint)}});
  expectConsistent(kBigint, {{integer(INT64_MIN, kBigint)}, {integer(0, kBigint)}, {integer(INT64_MAX, kBigint)}});
  const Type wide = Type::decimal(30, 2);
  expectConsistent(wide, {{decimal(-(int128{1} << 90), wide)}, {decimal(0, wide)}, {decimal(int128{1} << 64, wide)}});
  for (const Type type : {kDouble, kReal})
    expectConsistent(type, {{floating(-infinity, type)},
                            {floating(-0.0, type)},
                            {floating(0.0, type), true},
                            {floating(0.5, type)},
                            {floating(infinity, type)},
                            {floating(std::nan(""), type)},
                            {floating(-std::nan("1"), type), true}});
  expectConsistent(
      kText,
      {{text("")}, {text("abcdefghijkl")}, {text("abcdefghijklmnop")}, {text("abcdefghijklmnoq")}, {text("abd")}});
  const Type fixed = Type::of(TypeKind::Char);
  expectConsistent(fixed, {{text("a", fixed)},
                           {text("a   ", fixed), true},
                           {text("ab                  ", fixed)},
                           {text("ab", fixed), true}});
  expectConsistent(kBig, {{parsed(kBig, "-1")},
                          {parsed(kBig, "1.5")},
                          {parsed(kBig, "1.500"), true},
                          {parsed(kBig, "1e40")},
                          {parsed(kBig, "NaN")}});
  expectConsistent(kInterval, {{parsed(kInterval, "29 days")},
                               {parsed(kInterval, "30 days")},
                               {parsed(kInterval, "1 month"), true},
                               {parsed(kInterval, "1 year")}});
}

TEST(ExpressionValue, EqualLongStringsAtDifferentPlacesAreEqual) {
  const std::string bytes(100, 'q');
  expectConsistent(kText, {{text(bytes)}, {text(std::string(bytes)), true}});
}

TEST(ExpressionValue, SelectionsTakeBothHalves) {
  const PairFunction function(kInterval, ExecutionMode::Llvm);
  const Value left = parsed(kInterval, "1 month 2 days 3 seconds");
  const Value right = parsed(kInterval, "7 days");
  EXPECT_EQ(function.run(left, right, true).selected_hi, left.hi);
  EXPECT_EQ(function.run(left, right, false).selected_hi, right.hi);
}

TEST(ExpressionValue, NullsHaveAHashOfTheirOwnAndEqualEachOther) {
  ir::Module module("nulls");
  const ir::FunctionId id = module.addFunction("nulls", ir::Type::I64, {ir::Type::I64, ir::Type::I1});
  ir::Builder builder(module, id);
  ProgramResources resources;
  CodeContext context{builder, {}, {}, resources};
  const SqlValue value{kBigint, builder.parameter(0), {}, builder.parameter(1)};
  builder.ret(hashValue(context, builder.constI64(1), value));
  const CompiledModule compiled(std::move(module), {.policy = {.mode = ExecutionMode::Vm}});
  const auto hash = [&](int64_t number, bool is_null) { return compiled.function(id).call<uint64_t>(number, is_null); };
  EXPECT_EQ(hash(5, true), hash(7, true));
  EXPECT_NE(hash(0, true), hash(0, false));
}

/// Results of functions lie in the scratch arena: a row that keeps one keeps a copy in the execution's arena.
TEST(ExpressionValue, TransientStringsAreCopiedAndOthersAreNot) {
  ir::Module module("copy");
  const ir::FunctionId id = module.addFunction("copy", ir::Type::Void, {ir::Type::Ptr, ir::Type::Ptr, ir::Type::Ptr});
  ir::Builder builder(module, id);
  ProgramResources resources;
  CodeContext context{builder, {}, {}, resources};
  storeValue(context, copyValue(context, loadValue(context, kText, builder.parameter(0), 0), builder.parameter(1)),
             builder.parameter(2), 0);
  builder.retVoid();
  const CompiledModule compiled(std::move(module), {.policy = {.mode = ExecutionMode::Vm}});
  const std::string bytes = "a text of more than twelve bytes";
  for (const auto storage :
       {StringValue::Storage::Persistent, StringValue::Storage::Transient, StringValue::Storage::Temporary}) {
    Arena arena;
    const StringValue original = StringValue::refer(bytes, storage);
    StringValue copy;
    compiled.function(id).call<void>(&original, &arena, &copy);
    EXPECT_EQ(copy.view(), bytes);
    const bool is_copied = storage == StringValue::Storage::Transient;
    EXPECT_EQ(copy.view().data() != original.view().data(), is_copied);
    if (is_copied) EXPECT_EQ(copy.storage(), StringValue::Storage::Temporary);
  }
}

TEST(ExpressionValue, FunctionsGiveTransientStrings) {
  Row row;
  row.add(kText);
  const auto joined = call(FunctionId::Concat, kText, row.column(0), constant(text(" and some more bytes")));
  const Compiled compiled(row, *joined, {.mode = ExecutionMode::Vm});
  EXPECT_EQ(compiled.storageOf({text("begun")}), StringValue::Storage::Transient);
  const Compiled cast(row, *Expression::cast(row.column(0), kBig, true), {.mode = ExecutionMode::Vm});
  EXPECT_EQ(cast.storageOf({text("1234567890123456789012345678901234567890")}), StringValue::Storage::Transient);
}

}  // namespace
}  // namespace gnomon::codegen::test
