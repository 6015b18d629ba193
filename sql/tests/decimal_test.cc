#include "sql/types/decimal.h"

#include <gtest/gtest.h>

#include <random>
#include <string>

#include "base/sql_error.h"
#include "sql/types/integer.h"

namespace gnomon::sql {
namespace {

std::string printed(int128 value, unsigned scale) {
  char text[kDecimalTextBytesMax];
  return {text, printWideDecimal(value, scale, text)};
}

std::string textOf(const BigNumeric& number) {
  std::string text;
  number.appendText(text);
  return text;
}

TEST(Decimal, ParsesAsUnlimitedNumericsDo) {
  const auto seed = std::random_device()();
  SCOPED_TRACE("seed " + std::to_string(seed));
  std::mt19937_64 random(seed);
  for (int round = 0; round < 50000; ++round) {
    std::string text = random() % 2 ? "-" : "";
    text += std::to_string(random() % (round % 2 ? 1000000 : 100));
    if (random() % 4) {
      text += '.';
      for (unsigned index = random() % 12; index > 0; --index) text += static_cast<char>('0' + random() % 10);
    }
    if (random() % 16 == 0) text += "e1";
    const auto scale = static_cast<unsigned>(random() % 8);
    const BigNumeric expected = BigNumeric::parse(text).rounded(static_cast<int>(scale));
    const int64_t small = parseSmallDecimal(text, 18, scale);
    char shown[kDecimalTextBytesMax];
    ASSERT_EQ(std::string(shown, printSmallDecimal(small, scale, shown)), textOf(expected)) << text;
    ASSERT_EQ(printed(parseWideDecimal(text, 38, scale), scale), textOf(expected)) << text;
    std::string binary;
    expected.appendBinary(binary);
    char encoded[kDecimalBinaryBytesMax];
    ASSERT_EQ(std::string(encoded, writeDecimalBinary(small, scale, encoded)), binary) << text;
  }
}

TEST(Decimal, RefusesWhatPostgresRefuses) {
  EXPECT_THROW(parseSmallDecimal("1000", 5, 2), SqlError);
  EXPECT_THROW(parseSmallDecimal("999.995", 5, 2), SqlError);
  EXPECT_EQ(parseSmallDecimal("999.994", 5, 2), 99999);
  for (const char* text : {"", ".", "-", "1.2.3", "1x", "--1", "+-1"})
    EXPECT_THROW(parseSmallDecimal(text, 10, 2), SqlError) << text;
  EXPECT_EQ(parseSmallDecimal(" +12.5 ", 10, 2), 1250);
}

TEST(Decimal, RescalesHalfAwayFromZero) {
  int128 result = 0;
  ASSERT_TRUE(rescale(-125, 2, 1, result));
  EXPECT_EQ(static_cast<int>(result), -13);
  ASSERT_TRUE(rescale(powerOfTen(38) / 2, 38, 0, result));
  EXPECT_EQ(static_cast<int>(result), 1);
  EXPECT_FALSE(rescale(powerOfTen(37), 0, 2, result));
}

TEST(Decimal, PrintsTheWholeRange) {
  EXPECT_EQ(printed(powerOfTen(38) - 1, 38), "0." + std::string(38, '9'));
  EXPECT_EQ(printed(-powerOfTen(37), 0), "-1" + std::string(37, '0'));
  EXPECT_EQ(printed(5, 20), "0.00000000000000000005");
  EXPECT_EQ(printed(INT64_MIN, 3), "-9223372036854775.808");
}

TEST(Decimal, AveragesAndDividesWithPostgresDigits) {
  EXPECT_EQ(textOf(averageDecimal(1000, 2, 3)), "3.3333333333333333");
  EXPECT_EQ(textOf(averageDecimal(7, 0, 2)), "3.5000000000000000");
  EXPECT_EQ(textOf(divideDecimals(1, 0, 3, 0)), "0.33333333333333333333");
  EXPECT_THROW(divideDecimals(1, 0, 0, 2), SqlError);
}

TEST(Integer, ParsesTheBoundsAndNothingBeyond) {
  EXPECT_EQ(parseBigint("-9223372036854775808"), INT64_MIN);
  EXPECT_EQ(parseInteger(" +2147483647 "), INT32_MAX);
  EXPECT_EQ(parseSmallint("-32768"), INT16_MIN);
  EXPECT_EQ(parseInteger("-2147483648"), INT32_MIN);
  EXPECT_EQ(parseInteger("000000000000000123456789"), 123456789);
  EXPECT_EQ(parseInteger("1234567890"), 1234567890);
  EXPECT_EQ(parseSmallint("0000000032767"), INT16_MAX);
  EXPECT_EQ(parseBigint("9223372036854775807"), INT64_MAX);
  for (const char* text : {"2147483648", "-2147483649", "3000000000", "12345678901", "99999999999999999999", "", " ",
                           "-", "1.0", "1 2", "0x1", "123456789x", "1234567890x"})
    EXPECT_THROW(parseInteger(text), SqlError) << text;
  for (const char* text : {"32768", "-32769", "40000", "123456"}) EXPECT_THROW(parseSmallint(text), SqlError) << text;
  EXPECT_THROW(parseBigint("9223372036854775808"), SqlError);
  EXPECT_THROW(parseBigint("10000000000000000000"), SqlError);
  char text[kIntegerTextBytesMax];
  EXPECT_EQ(std::string(text, printInteger(INT64_MIN, text)), "-9223372036854775808");
}

}  // namespace
}  // namespace gnomon::sql
