#include "codegen/ir/verifier.h"

#include <gtest/gtest.h>

#include <string>

#include "codegen/ir/builder.h"
#include "codegen/ir/text.h"

namespace gnomon::codegen::ir {
namespace {

std::string problemOf(const Module& module) {
  try {
    verify(module);
  } catch (const InvalidIr& error) {
    const std::string text = error.what();
    return text.substr(text.rfind(": ") + 2);
  }
  return "none";
}

/// A function of i64 %0, ptr %1, i1 %2, f64 %3, i128 %4 with the given body.
std::string problemIn(const std::string& body) {
  return problemOf(parse("function i64 @f(i64 %0, ptr %1, i1 %2, f64 %3, i128 %4) {\nb0:\n" + body + "\n}\n"));
}

TEST(Verifier, AcceptsASoundFunction) {
  EXPECT_EQ(problemIn("  ret i64 %0"), "none");
}

TEST(Verifier, RefusesWrongTypes) {
  const std::string end = "\n  ret i64 0";
  EXPECT_EQ(problemIn("  %5 = add i64 %0, %1" + end), "operands have different types");
  EXPECT_EQ(problemIn("  %5 = add i32 %0, %0" + end), "result has another type than the operands");
  EXPECT_EQ(problemIn("  %5 = add i1 %2, %2" + end), "operands are not integers of 8 bits and more");
  EXPECT_EQ(problemIn("  %5 = fadd f64 %0, %0" + end), "operands are not f64");
  EXPECT_EQ(problemIn("  %5 = fcmp oeq f64 %3, %0" + end), "operands have different types");
  EXPECT_EQ(problemIn("  %5 = icmp eq f64 %3, %3" + end), "operands are neither integers nor ptr");
  EXPECT_EQ(problemIn("  %5 = select i64 %0, %0, %0" + end), "condition is not i1");
  EXPECT_EQ(problemIn("  %5 = select i64 %2, %0, %3" + end), "operand has another type than the result");
  EXPECT_EQ(problemIn("  %5 = sext i64 %0 to i32" + end), "extension to a type that is not wider");
  EXPECT_EQ(problemIn("  %5 = trunc i64 %0 to i128" + end), "truncation to a wider type");
  EXPECT_EQ(problemIn("  %5 = bitcast i128 %4 to ptr" + end), "bitcast is between i64 and f64 or ptr");
  EXPECT_EQ(problemIn("  %5 = load i64 %0, 0" + end), "address is not ptr");
  EXPECT_EQ(problemIn("  store i32 %0, %1, 0" + end), "value has another type than the store");
  EXPECT_EQ(problemIn("  %5 = ptradd %1, %1" + end), "index is not i64");
  EXPECT_EQ(problemIn("  %5 = lo64 i128 %0" + end), "operand is not i128");
  EXPECT_EQ(problemIn("  %5 = popcount i128 %4" + end), "operand is not i8 to i64");
  EXPECT_EQ(problemIn("  %5 = rotl i128 %4, %4" + end), "rotl takes i8 to i64");
  EXPECT_EQ(problemIn("  %5 = alloca 1000000" + end), "alloca too large");
  EXPECT_EQ(problemIn("  ret i128 %4"), "returned value has another type than the function");
  EXPECT_EQ(problemIn("  ret void"), "no value returned");
  EXPECT_EQ(problemIn("  condbr %0, b1, b1\nb1:" + end), "condition is not i1");
  EXPECT_EQ(problemIn("  switch i128 %4, b1 [1: b1]\nb1:" + end), "switch takes i8 to i64");
}

TEST(Verifier, RefusesBrokenControlFlow) {
  EXPECT_EQ(problemIn("  %5 = add i64 %0, 1"), "block has no terminator");
  EXPECT_EQ(problemIn("  br b1\nb1:\n  br b0"), "the entry block has a predecessor");
  EXPECT_EQ(problemIn("  switch i64 %0, b1 [1: b1, 1: b1]\nb1:\n  ret i64 0"), "a case appears twice");
  EXPECT_EQ(problemIn("  br b1\nb1:\n  %5 = alloca 8\n  ret i64 0"), "alloca outside the entry block");
  Module module;
  const FunctionId id = module.addFunction("f", Type::Void, {});
  EXPECT_EQ(problemOf(module), "has no block");
  Builder builder(module, id);
  builder.br(builder.createBlock());
  EXPECT_EQ(problemOf(module), "block is empty");
  module.function(id).at(module.function(id).block(0).last).a = 99;
  EXPECT_EQ(problemOf(module), "branch to a block that does not exist");
}

TEST(Verifier, RefusesUsesThatAreNotDominated) {
  EXPECT_EQ(problemIn("  %5 = add i64 %6, 1\n  %6 = add i64 %0, 1\n  ret i64 %5"), "operand does not dominate its use");
  EXPECT_EQ(problemIn("  condbr %2, b1, b2\nb1:\n  %5 = add i64 %0, 1\n  br b2\nb2:\n  ret i64 %5"),
            "operand does not dominate its use");
  EXPECT_EQ(problemIn("  ret i64 %5\nb1:\n  %5 = add i64 %0, 1\n  ret i64 %5"),
            "operand is in a block that is never reached");
}

TEST(Verifier, RefusesPhisThatDisagreeWithThePredecessors) {
  const std::string diamond = "  condbr %2, b1, b2\nb1:\n  %5 = add i64 %0, 1\n  br b3\nb2:\n  br b3\nb3:\n";
  const std::string end = "\n  ret i64 0";
  EXPECT_EQ(problemIn(diamond + "  %6 = phi i64 [b1: %5], [b2: 0]" + end), "none");
  EXPECT_EQ(problemIn(diamond + "  %6 = phi i64 [b1: %5]" + end), "a predecessor has no incoming value");
  EXPECT_EQ(problemIn(diamond + "  %6 = phi i64 [b1: %5], [b2: 0], [b0: 1]" + end),
            "an incoming block is no predecessor");
  EXPECT_EQ(problemIn(diamond + "  %6 = phi i64 [b1: %5], [b2: 0], [b1: 1]" + end),
            "two incoming values from one block");
  EXPECT_EQ(problemIn(diamond + "  %6 = phi i64 [b1: 0], [b2: %5]" + end),
            "incoming value does not dominate the end of its block");
  EXPECT_EQ(problemIn(diamond + "  %6 = phi i32 [b1: 1], [b2: %0]" + end), "incoming value has another type");
}

TEST(Verifier, RefusesCallsThatDoNotMatchAndRecursion) {
  EXPECT_EQ(problemOf(parse("function i64 @f(i64 %0) {\nb0:\n  %1 = call i64 @f(%0)\n  ret i64 %1\n}\n")),
            "calls form a cycle");
  EXPECT_EQ(problemOf(parse("function i64 @f(i64 %0) {\nb0:\n  %1 = call i64 @g(%0)\n  ret i64 %1\n}\n"
                            "function i64 @g(ptr %0) {\nb0:\n  ret i64 1\n}\n")),
            "argument has another type than the parameter");
  EXPECT_EQ(problemOf(parse("function i64 @f(i64 %0) {\nb0:\n  %1 = call i32 @g()\n  ret i64 1\n}\n"
                            "function i64 @g() {\nb0:\n  ret i64 1\n}\n")),
            "result has another type than the callee's");
}

}  // namespace
}  // namespace gnomon::codegen::ir
