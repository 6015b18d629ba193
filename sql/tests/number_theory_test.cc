#include "sql/types/number_theory.h"

#include <gtest/gtest.h>

#include "base/sql_error.h"
#include "sql/types/numeric_moments.h"

namespace gnomon::sql {
namespace {

BigNumeric numeric(std::string_view text) {
  return BigNumeric::parse(text);
}

std::string textOf(const BigNumeric& number) {
  std::string text;
  number.appendText(text);
  return text;
}

TEST(NumberTheory, CommonDivisorsAndMultiplesOfNumericsKeepTheLargerScale) {
  EXPECT_EQ(textOf(greatestCommonDivisor(numeric("330.3"), numeric("462"))), "0.3");
  EXPECT_EQ(textOf(leastCommonMultiple(numeric("330.3"), numeric("462.00"))), "508662.00");
  EXPECT_EQ(textOf(greatestCommonDivisor(numeric("0"), numeric("-4.50"))), "4.50");
  EXPECT_EQ(textOf(greatestCommonDivisor(numeric("NaN"), numeric("1"))), "NaN");
}

TEST(NumberTheory, TheSmallestIntegerHasNoPositiveDivisor) {
  EXPECT_EQ(greatestCommonDivisor(INT32_MIN, 6, INT32_MAX), 2);
  EXPECT_THROW(greatestCommonDivisor(INT32_MIN, 0, INT32_MAX), SqlError);
  EXPECT_THROW(greatestCommonDivisor(INT64_MIN, INT64_MIN, INT64_MAX), SqlError);
  EXPECT_THROW(leastCommonMultiple(int64_t{INT32_MAX}, int64_t{INT32_MAX - 1}, INT32_MAX), SqlError);
  EXPECT_EQ(leastCommonMultiple(int64_t{INT32_MAX}, int64_t{INT32_MAX - 1}, INT64_MAX),
            int64_t{INT32_MAX} * (INT32_MAX - 1));
}

TEST(NumberTheory, QuotientsAreCutTowardsZero) {
  EXPECT_EQ(textOf(integralQuotient(numeric("-7"), numeric("2"))), "-3");
  EXPECT_EQ(textOf(integralQuotient(numeric("5"), numeric("Infinity"))), "0");
  EXPECT_THROW(integralQuotient(numeric("1"), numeric("0")), SqlError);
}

TEST(NumberTheory, BucketsOfFallingBoundsAreMirrored) {
  EXPECT_EQ(widthBucket(numeric("5.35"), numeric("0.024"), numeric("10.06"), 5), 3);
  EXPECT_EQ(widthBucket(numeric("10"), numeric("10"), numeric("0"), 5), 1);
  EXPECT_EQ(widthBucket(numeric("0"), numeric("10"), numeric("0"), 5), 6);
  EXPECT_EQ(widthBucket(11.0, 10.0, 0.0, 5), 0);
  EXPECT_EQ(widthBucket(0.3, 0.0, 1.0, 10), 4);
  EXPECT_THROW(widthBucket(100.0, 0.0, 10.0, INT32_MAX), SqlError);
}

TEST(NumberTheory, ScalesLoseTrailingZerosOnly) {
  EXPECT_EQ(minimumScale(numeric("8.4100")), 2U);
  EXPECT_EQ(minimumScale(numeric("100")), 0U);
  EXPECT_EQ(minimumScale(numeric("0.000")), 0U);
}

TEST(NumericMoments, VarianceOfEqualNumbersIsZeroWithoutDigits) {
  EXPECT_EQ(textOf(numericVariance(numeric("4.00"), numeric("8.0000"), 2, {true, false})), "0");
}

TEST(NumericMoments, DigitsArePostgresqls) {
  EXPECT_EQ(textOf(numericVariance(numeric("60"), numeric("1400"), 3, {true, false})), "100.0000000000000000");
  EXPECT_EQ(textOf(numericVariance(numeric("60"), numeric("1400"), 3, {false, true})), "8.1649658092772603");
  EXPECT_EQ(textOf(numericVariance(numeric("NaN"), numeric("1"), 2, {false, true})), "NaN");
}

}  // namespace
}  // namespace gnomon::sql
