#include "codegen/ir/text.h"

#include <gtest/gtest.h>

#include <string>

#include "codegen/ir/verifier.h"

namespace gnomon::codegen::ir {
namespace {

int64_t textTestFunction(bool, double value) {
  return static_cast<int64_t>(value);
}

/// Every instruction once.
constexpr const char* kEverything = R"(function i64 @everything(ptr %0, i64 %1, i32 %2, i128 %3, f64 %4) {
b0 "entry":
  %5 = alloca 32
  %6 = add i64 %1, -1
  %7 = sub i64 %6, %1
  %8 = mul i64 %7, 12
  %9 = sdiv i64 %8, 3
  %10 = srem i64 %9, 4
  %11 = udiv i64 %10, 5
  %12 = urem i64 %11, 6
  %13 = and i64 %12, 7
  %14 = or i64 %13, 8
  %15 = xor i64 %14, 9
  %16 = shl i32 %2, 1
  %17 = lshr i32 %16, 2
  %18 = ashr i32 %17, 3
  %19 = rotl i32 %18, 4
  %20 = fadd f64 %4, 0.1
  %21 = fsub f64 %20, -1e+300
  %22 = fmul f64 %21, 0x7ff0000000000000
  %23 = fdiv f64 %22, %4
  %24 = fneg f64 %23
  %25 = roundtofloat f64 %24
  %26 = popcount i32 %19
  %27 = ctz i64 %15
  %28 = addtrap i32 %26, 1, IntegerOutOfRange
  %29 = subtrap i64 %27, 1, BigintOutOfRange
  %30 = multrap i128 %3, -170141183460469231731687303715884105728, DecimalOverflow
  %31 = sdivtrap i64 %29, %1, BigintOutOfRange
  %32 = sremtrap i64 %31, %1, DivisionByZero
  %33 = crc32 i64 %32, 1
  %34 = hash64 i64 %33, %1
  %35 = mulwide i64 %34, %1
  %36 = pack128 i64 %34, 0
  %37 = lo64 i128 %35
  %38 = hi64 i128 %36
  %39 = icmp ult i64 %37, %38
  %40 = fcmp uno f64 %25, %25
  %41 = select i64 %39, %37, 0
  %42 = sext i32 %28 to i128
  %43 = zext i1 %40 to i64
  %44 = trunc i128 %42 to i16
  %45 = sitofp i16 %44 to f64
  %46 = fptosi f64 %45 to i128
  %47 = bitcast ptr %0 to i64
  %48 = load i8 %0, -3
  %49 = loadf32 f64 %0, 4
  %50 = loadatomic i8 %0, 5
  store i8 %48, %5, 0
  storef32 f64 %49, %5, 8
  %51 = ptradd %0, %47
  %52 = ptrindex %51, %43, 24, -8
  store i128 %46, %52, 0
  %53 = callrt i64 @textTestFunction(true, %45)
  callrt void @raiseTrap(4)
  switch i32 %2, b1 [-1: b2, 5: b3]
b1 "loop":
  %54 = phi i64 [b0: %53], [b1: %55]
  %55 = call i64 @callee(%54, null)
  %56 = icmp ne i64 %55, 0
  condbr %56, b1, b3 likely
b2:
  unreachable
b3:
  ret i64 %41
}

function i64 @callee(i64 %0, ptr %1) {
b0:
  br b1
b1:
  %2 = icmp eq ptr %1, null
  condbr %2, b2, b3 unlikely
b2:
  ret i64 %0
b3:
  ret i64 -9223372036854775808
}
)";

TEST(Text, PrintsWhatItParsedForEveryInstruction) {
  registerRuntimeFunction("textTestFunction", &textTestFunction);
  registerRuntimeFunction("raiseTrap", &raiseTrap);
  const Module module = parse(kEverything);
  EXPECT_EQ(print(module), kEverything);
  EXPECT_NO_THROW(verify(module));
}

TEST(Text, NumbersAnew) {
  const Module module = parse(R"(
# The numbers of a text need not be dense.
function void @f(i64 %0) {
b7 "start":
  %30 = add i64 %0, 1
  br b2
b2:
  ret void
}
)");
  EXPECT_EQ(print(module), R"(function void @f(i64 %0) {
b0 "start":
  %1 = add i64 %0, 1
  br b1
b1:
  ret void
}
)");
}

std::string errorOf(const std::string& body) {
  try {
    (void)parse("function i64 @f(i64 %0) {\nb0:\n" + body + "\n}\n");
  } catch (const IrSyntaxError& error) {
    return error.what();
  }
  return "no error";
}

TEST(Text, NamesTheLineOfAnError) {
  EXPECT_EQ(errorOf("  %1 = frobnicate i64 %0"), "line 3: unknown instruction 'frobnicate'");
  EXPECT_EQ(errorOf("  ret i64 %0\n  br b9"), "line 4: unknown block 'b9'");
  EXPECT_EQ(errorOf("  %1 = add i65 %0, 1"), "line 3: unknown type 'i65'");
  EXPECT_EQ(errorOf("  %1 = add i64 %0 1"), "line 3: expected ','");
  EXPECT_EQ(errorOf("  %1 = icmp lower i64 %0, 1"), "line 3: unknown predicate 'lower'");
  EXPECT_EQ(errorOf("  %1 = callrt i64 @nobody()"), "line 3: unknown runtime function 'nobody'");
  EXPECT_EQ(errorOf("  %1 = addtrap i64 %0, 1, Nonsense"), "line 3: unknown trap code 'Nonsense'");
  EXPECT_EQ(errorOf("  ret i64 %7").substr(8), "undefined value %7");
}

}  // namespace
}  // namespace gnomon::codegen::ir
