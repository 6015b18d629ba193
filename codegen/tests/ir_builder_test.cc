#include "codegen/ir/builder.h"

#include <gtest/gtest.h>

#include "codegen/ir/dead_code.h"
#include "codegen/ir/text.h"

namespace gnomon::codegen::ir {
namespace {

class BuilderTest : public testing::Test {
 protected:
  Module module_;
  FunctionId id_ = module_.addFunction("f", Type::I64, {Type::I64, Type::I64, Type::Ptr, Type::I1});
  Builder b_{module_, id_};
  Value x_ = b_.parameter(0);
  Value y_ = b_.parameter(1);
  Value p_ = b_.parameter(2);
  Value truth_ = b_.parameter(3);

  int64_t number(Value value) { return b_.function().at(value).offset(); }
  uint32_t instructionCount() {
    uint32_t count = 0;
    for (uint32_t at = b_.function().block(0).first; at != Value::kNone; at = b_.function().at(at).next) ++count;
    return count;
  }
};

TEST_F(BuilderTest, FoldsConstantsOfEveryWidth) {
  EXPECT_EQ(number(b_.add(b_.constI64(40), b_.constI64(2))), 42);
  EXPECT_EQ(number(b_.add(b_.constI32(INT32_MAX), b_.constI32(1))), INT32_MIN);
  EXPECT_EQ(number(b_.lshr(b_.constI8(-1), b_.constI8(4))), 15);
  EXPECT_EQ(number(b_.zext(b_.constI16(-1), Type::I64)), 65535);
  EXPECT_EQ(number(b_.sext(b_.constI1(true), Type::I32)), -1);
  const Value wide = b_.mulWide(b_.constI64(INT64_MAX), b_.constI64(4));
  EXPECT_EQ(b_.function().at(wide).constant(), uint128{INT64_MAX} * 4);
  EXPECT_EQ(number(b_.hi64(wide)), 1);
  EXPECT_EQ(number(b_.fptosi(b_.constF64(1e30), Type::I32)), INT32_MAX);
  EXPECT_EQ(number(b_.fptosi(b_.constF64(-2.9), Type::I16)), -2);
  EXPECT_EQ(number(b_.hash(b_.constI64(7))), static_cast<int64_t>(gnomon::codegen::hash64(kHashSeed, 7)));
  EXPECT_EQ(number(b_.ult(b_.constI64(-1), b_.constI64(1))), 0);
  EXPECT_EQ(instructionCount(), 0U);
}

TEST_F(BuilderTest, LeavesTrapsThatWouldRaise) {
  const Value overflow = b_.addTrap(b_.constI32(INT32_MAX), b_.constI32(1), TrapCode::IntegerOutOfRange);
  EXPECT_FALSE(b_.isConstant(overflow));
  EXPECT_FALSE(b_.isConstant(b_.sdivTrap(b_.constI64(1), b_.constI64(0), TrapCode::BigintOutOfRange)));
  EXPECT_EQ(number(b_.sremTrap(b_.constI64(INT64_MIN), b_.constI64(-1))), 0);
  EXPECT_EQ(number(b_.mulTrap(b_.constI32(6), b_.constI32(7), TrapCode::IntegerOutOfRange)), 42);
  EXPECT_EQ(instructionCount(), 2U);
}

TEST_F(BuilderTest, SimplifiesIdentities) {
  const Value zero = b_.constI64(0);
  const Value one = b_.constI64(1);
  EXPECT_EQ(b_.add(zero, x_), x_);
  EXPECT_EQ(b_.sub(x_, zero), x_);
  EXPECT_EQ(b_.mulTrap(one, x_, TrapCode::BigintOutOfRange), x_);
  EXPECT_EQ(b_.bitAnd(x_, b_.constI64(-1)), x_);
  EXPECT_EQ(number(b_.bitXor(x_, x_)), 0);
  EXPECT_EQ(b_.select(truth_, x_, x_), x_);
  EXPECT_EQ(b_.select(b_.constI1(false), x_, y_), y_);
  EXPECT_EQ(number(b_.sle(x_, x_)), 1);
  EXPECT_EQ(b_.eq(truth_, b_.constI1(true)), truth_);
  EXPECT_EQ(b_.lo64(b_.sext(x_, Type::I128)), x_);
  EXPECT_EQ(b_.hi64(b_.pack128(x_, y_)), y_);
  EXPECT_EQ(b_.trunc(b_.sext(x_, Type::I128), Type::I64), x_);
  EXPECT_EQ(b_.ptrAdd(p_, 0), p_);
}

TEST_F(BuilderTest, PutsConstantsRightAndInvertsComparisons) {
  const Instruction& compare = b_.function().at(b_.slt(b_.constI64(5), x_));
  EXPECT_EQ(static_cast<IntPredicate>(compare.detail), IntPredicate::Sgt);
  EXPECT_EQ(compare.a, x_.index);
  const Instruction& inverted = b_.function().at(b_.bitNot(b_.ult(x_, y_)));
  EXPECT_EQ(inverted.opcode, Opcode::ICmp);
  EXPECT_EQ(static_cast<IntPredicate>(inverted.detail), IntPredicate::Uge);
}

TEST_F(BuilderTest, CollectsPointerOffsets) {
  const Value field = b_.ptrAdd(b_.ptrAdd(p_, 8), 16);
  const Instruction& load = b_.function().at(b_.load(Type::I64, field, 4));
  EXPECT_EQ(load.a, p_.index);
  EXPECT_EQ(load.offset(), 28);
  const Instruction& index = b_.function().at(b_.ptrIndex(field, x_, 4, 2));
  EXPECT_EQ(index.a, p_.index);
  EXPECT_EQ(index.offset(), 26);
}

TEST(DeadCode, DropsUnusedValuesUnreachedBlocksAndTheirPhiEdgesButNoTraps) {
  Module module = parse(R"(function i64 @f(ptr %0, i64 %1) {
b0:
  %2 = load i64 %0, 8
  %3 = add i64 %1, 1
  %4 = addtrap i64 %1, 1, BigintOutOfRange
  condbr true, b1, b2
b1:
  br b3
b2:
  %5 = mul i64 %1, 3
  br b3
b3:
  %6 = phi i64 [b1: 7], [b2: %5]
  ret i64 %6
}
)");
  EXPECT_EQ(removeDeadCode(module), 4U);
  EXPECT_EQ(print(module), R"(function i64 @f(ptr %0, i64 %1) {
b0:
  %2 = addtrap i64 %1, 1, BigintOutOfRange
  br b1
b1:
  br b2
b2:
  %3 = phi i64 [b1: 7]
  ret i64 %3
}
)");
}

}  // namespace
}  // namespace gnomon::codegen::ir
