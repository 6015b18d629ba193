#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <string>

#include "base/sql_error.h"
#include "codegen/ir/trap.h"
#include "codegen/runtime/cast_runtime.h"
#include "codegen/runtime/math_runtime.h"
#include "codegen/runtime/numeric_runtime.h"
#include "sql/types/decimal.h"

namespace gnomon::codegen::rt {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
const double kNaN = std::nan("");

template <typename Call>
std::string errorOf(Call call) {
  try {
    call();
  } catch (const SqlError& error) {
    return std::string(error.state().text()) + ": " + error.message();
  }
  return "none";
}

std::string shown(StringValue numeric) {
  std::string text;
  sql::BigNumeric::decode(numeric.view()).appendText(text);
  return text;
}

TEST(MathRuntime, OverflowUnderflowAndDivisionAreErrors) {
  EXPECT_EQ(errorOf([] { multiplyDouble(1e200, 1e200); }), "22003: value out of range: overflow");
  EXPECT_EQ(errorOf([] { multiplyDouble(1e-200, 1e-200); }), "22003: value out of range: underflow");
  EXPECT_EQ(errorOf([] { divideDouble(1, 0); }), "22012: division by zero");
  EXPECT_EQ(errorOf([] { multiplyReal(3e38, 10); }), "22003: value out of range: overflow");
  EXPECT_EQ(errorOf([] { exponentialDouble(1000); }), "22003: value out of range: overflow");
  EXPECT_EQ(addDouble(kInfinity, 1), kInfinity);
  EXPECT_TRUE(std::isnan(divideDouble(kNaN, 0)));
  EXPECT_EQ(divideDouble(1, kInfinity), 0);
}

TEST(MathRuntime, DomainErrorsHavePostgresStates) {
  EXPECT_EQ(errorOf([] { squareRootDouble(-1); }), "2201F: cannot take square root of a negative number");
  EXPECT_EQ(errorOf([] { naturalLogarithmDouble(0); }), "2201E: cannot take logarithm of zero");
  EXPECT_EQ(errorOf([] { logarithmDouble(-1); }), "2201E: cannot take logarithm of a negative number");
  EXPECT_EQ(errorOf([] { powerDouble(0, -1); }), "2201F: zero raised to a negative power is undefined");
  EXPECT_EQ(errorOf([] { powerDouble(-1, 0.5); }),
            "2201F: a negative number raised to a non-integer power yields a complex result");
  EXPECT_EQ(powerDouble(kNaN, 0), 1);
  EXPECT_EQ(powerDouble(-kInfinity, 3), -kInfinity);
}

TEST(MathRuntime, NaNIsGreatestAndZerosAreOne) {
  EXPECT_EQ(compareDoubles(kNaN, kInfinity), 1);
  EXPECT_EQ(compareDoubles(kNaN, -kNaN), 0);
  EXPECT_EQ(hashDouble(0.0), hashDouble(-0.0));
  EXPECT_EQ(hashDouble(kNaN), hashDouble(-kNaN));
  EXPECT_EQ(moduloInteger(INT64_MIN, -1), 0);
  EXPECT_EQ(moduloInteger(-7, 3), -1);
}

TEST(CastRuntime, FloatsRoundHalfToEvenWithinTheRange) {
  EXPECT_EQ(doubleToInteger(2.5), 2);
  EXPECT_EQ(doubleToInteger(3.5), 4);
  EXPECT_EQ(doubleToInteger(2147483647.4), INT32_MAX);
  EXPECT_EQ(errorOf([] { doubleToInteger(2147483647.5); }), "22003: integer out of range");
  EXPECT_EQ(errorOf([] { doubleToBigint(9223372036854775807.0); }), "22003: bigint out of range");
  EXPECT_EQ(errorOf([] { doubleToSmallint(kNaN); }), "22003: smallint out of range");
  EXPECT_EQ(errorOf([] { doubleToReal(1e300); }), "22003: value out of range: overflow");
}

TEST(NumericRuntime, RoundsDecimalsBeforeAndAfterThePoint) {
  EXPECT_EQ(static_cast<int64_t>(roundDecimal(1555, 2, 1)), 156);
  EXPECT_EQ(static_cast<int64_t>(roundDecimal(1550, 2, -1)), 20);
  EXPECT_EQ(static_cast<int64_t>(roundDecimal(450, 2, -1)), 0);
  EXPECT_EQ(static_cast<int64_t>(truncateDecimal(-1559, 2, 1)), -155);
  EXPECT_EQ(static_cast<int64_t>(truncateDecimal(1559, 2, -1)), 10);
  EXPECT_EQ(static_cast<int64_t>(ceilingDecimal(-250, 2)), -2);
  EXPECT_EQ(static_cast<int64_t>(floorDecimal(-250, 2)), -3);
  EXPECT_EQ(static_cast<int64_t>(roundDecimal(1, 0, -100)), 0);
}

TEST(NumericRuntime, DecimalsAndBigFormsAgree) {
  Arena arena;
  const StringValue big = decimalToNumeric(-12345, 2, &arena);
  EXPECT_EQ(shown(big), "-123.45");
  EXPECT_EQ(hashNumeric(big.lo(), big.hi()), hashDecimal(-1234500, 4));
  EXPECT_EQ(compareDecimals(sql::powerOfTen(37), 0, 1, 30), 1);
  EXPECT_EQ(shown(divideDecimals(1, 0, 3, 0, &arena)), "0.33333333333333333333");
  EXPECT_EQ(shown(averageDecimal(1000, 2, 3, &arena)), "3.3333333333333333");
  EXPECT_EQ(static_cast<int64_t>(numericToDecimal(big.lo(), big.hi(), 10, 1)), -1235);
  EXPECT_EQ(errorOf([&] { numericToDecimal(big.lo(), big.hi(), 3, 2); }), "22003: numeric field overflow");
  EXPECT_THROW(rescaleDecimal(sql::powerOfTen(38), 0, 5), DecimalOverflow);
  const StringValue wide = multiplyNumeric(big.lo(), big.hi(), big.lo(), big.hi(), &arena);
  EXPECT_EQ(shown(wide), "15239.9025");
}

}  // namespace
}  // namespace gnomon::codegen::rt
