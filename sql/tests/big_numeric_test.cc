#include <gtest/gtest.h>

#include <random>

#include "sql/tests/type_case.h"
#include "sql/types/big_integer.h"
#include "sql/types/big_numeric.h"
#include "sql/types/decimal.h"

namespace gnomon::sql {
namespace {

using test::TypeCase;

/// Calls and what PostgreSQL 15 answered.
const TypeCase kArithmetic[] = {
    {{"add", "1.10", "2.2"}, "3.30"},
    {{"add", "99999999999999999999999999999999999999", "1"}, "100000000000000000000000000000000000000"},
    {{"add", "NaN", "1"}, "NaN"},
    {{"add", "Infinity", "-Infinity"}, "NaN"},
    {{"sub", "1.00", "1.00"}, "0.00"},
    {{"mul", "0.001", "0.001"}, "0.000001"},
    {{"mul", "Infinity", "0"}, "NaN"},
    {{"mul", "123456789012345678901234567890", "-987654321098765432109876543210.5"},
     "-121932631137021795226185032733684651726743636640561880810845.0"},
    {{"div", "1", "3"}, "0.33333333333333333333"},
    {{"div", "2", "3"}, "0.66666666666666666667"},
    {{"div", "10000", "3"}, "3333.3333333333333333"},
    {{"div", "9999", "3"}, "3333.0000000000000000"},
    {{"div", "1", "10001"}, "0.000099990000999900009999"},
    {{"div", "0.0001", "7"}, "0.000014285714285714285714"},
    {{"div", "1e20", "3"}, "33333333333333333333"},
    {{"div", "-7", "2.50"}, "-2.8000000000000000"},
    {{"div", "0", "5.000"}, "0.00000000000000000000"},
    {{"div", "1", "0"}, "22012: division by zero"},
    {{"div", "NaN", "0"}, "NaN"},
    {{"div", "Infinity", "0"}, "22012: division by zero"},
    {{"div", "5", "-Infinity"}, "0"},
    {{"div", "12345678901234567890123456789012345678901234567890", "7.7"},
     "1603334922238255570145903479092512425831329164661.0"},
    {{"mod", "5.5", "-2"}, "1.5"},
    {{"mod", "-5.5", "2.00"}, "-1.50"},
    {{"mod", "1", "0"}, "22012: division by zero"},
    {{"mod", "5", "Infinity"}, "5"},
    {{"mod", "Infinity", "5"}, "NaN"},
    {{"cmp", "1.0", "1.000"}, "0"},
    {{"cmp", "NaN", "Infinity"}, "1"},
    {{"cmp", "-Infinity", "-1e100"}, "-1"},
    {{"round", "2.5", "0"}, "3"},
    {{"round", "-2.5", "0"}, "-3"},
    {{"round", "1.005", "2"}, "1.01"},
    {{"round", "15.5", "-1"}, "20"},
    {{"round", "2.5", "-1"}, "0"},
    {{"round", "1.5", "5"}, "1.50000"},
    {{"trunc", "-15.567", "2"}, "-15.56"},
    {{"trunc", "15.5", "-1"}, "10"},
    {{"ceil", "-2.50"}, "-2"},
    {{"ceil", "2.01"}, "3"},
    {{"floor", "-0.50"}, "-1"},
    {{"abs", "-0.00"}, "0.00"},
    {{"cast", "1e5", "numeric"}, "100000"},
    {{"cast", "1e-5", "numeric"}, "0.00001"},
    {{"cast", ".5", "numeric"}, "0.5"},
    {{"cast", "+5.", "numeric"}, "5"},
    {{"cast", "-0.00", "numeric"}, "0.00"},
    {{"cast", "inf", "numeric"}, "Infinity"},
    {{"cast", ".", "numeric"}, "22P02: invalid input syntax for type numeric: \".\""},
    {{"cast", "1e", "numeric"}, "22P02: invalid input syntax for type numeric: \"1e\""},
    {{"cast", "12 3", "numeric"}, "22P02: invalid input syntax for type numeric: \"12 3\""},
    {{"cast", "1e131072", "numeric"}, "22003: value overflows numeric format"},
    {{"cast", "1e-16384", "numeric"}, "22003: value overflows numeric format"},
    {{"cast", "123.456", "numeric(4,2)"}, "22003: numeric field overflow"},
    {{"cast", "123.456", "numeric(5,2)"}, "123.46"},
    {{"cast", "99.995", "numeric(4,2)"}, "22003: numeric field overflow"},
    {{"cast", "inf", "numeric(5,2)"}, "22003: numeric field overflow"},
    {{"cast", "0.00123", "numeric(3,5)"}, "0.00123"},
    {{"cast", "1e20", "numeric", "int8"}, "22003: bigint out of range"},
    {{"cast", "2.5", "numeric", "int4"}, "3"},
    {{"cast", "-2.5", "numeric", "int4"}, "-3"},
    {{"cast", "NaN", "numeric", "int4"}, "0A000: cannot convert NaN to integer"},
    {{"cast", "0.1", "float8", "numeric"}, "0.1"},
    {{"cast", "1234567.891", "float4", "numeric"}, "1234570"},
    {{"cast", "123456789.123456789", "float8", "numeric"}, "123456789.123457"},
    {{"div", "535051974151811365", "3"}, "178350658050603788"},
    {{"div", "277617531056384.93", "28407.6"}, "9772649961.85474767"},
    {{"div", "7288.0", "225948"}, "0.03225520916317028697"},
    {{"div", "336780590", "3"}, "112260196.666666666667"},
    {{"div", "-1.415", "3"}, "-0.47166666666666666667"},
    {{"div", "-355553268765073.20405608", "7.7"}, "-46175749190269.24728001"},
    {{"div", "81751", "3"}, "27250.333333333333"},
    {{"div", "-4519703713340368.95", "1"}, "-4519703713340368.9500"},
    {{"div", "-4931462696.45", "1.472"}, "-3350178462.26222826"},
    {{"div", "-587095007172249351.476200", "26.926"}, "-21804018687226077.080747"},
    {{"div", "-2625827030488.4279287", "95617.47"}, "-27461791.558471772247"},
    {{"div", "386", "65447"}, "0.00589790211927208275"},
    {{"div", "-580040797855218.159045", "3"}, "-193346932618406.053015"},
    {{"div", "-36128568137372048.74855", "3"}, "-12042856045790682.91618"},
    {{"div", "-2225391935.357", "3"}, "-741797311.78566667"},
    {{"div", "509536288412202328.92320732", "7.7"}, "66173543949636666.09392303"},
    {{"div", "-6.9193350", "974.18"}, "-0.00710272742203699522"},
    {{"div", "-43433787128973637.945266", "145.97"}, "-297552833657420.277764"},
    {{"div", "6476948495373743790", "3"}, "2158982831791247930"},
    {{"div", "-3985629493890.66299447", "3"}, "-1328543164630.22099816"},
    {{"div", "-0.34026078", "7.7"}, "-0.04418971168831168831"},
    {{"div", "-44295903283680932767236.89102448", "3"}, "-14765301094560310922412.29700816"},
    {{"div", "-697520055135774536235.4", "14103"}, "-49458984268295719.8"},
    {{"div", "8368251887185.4714", "3"}, "2789417295728.4905"},
    {{"div", "9405786170982619251473", "3"}, "3135262056994206417158"},
    {{"div", "-8.5", "1.1"}, "-7.7272727272727273"},
    {{"div", "2050464665905288268.472", "3035.1"}, "675583890450162.5213"},
    {{"div", "95146531232150973.40", "52236"}, "1821474294206.1217"},
    {{"div", "-5532310599500.75502429", "3"}, "-1844103533166.91834143"},
    {{"div", "-283393787961370457634355", "50974.051"}, "-5559569671270004764.470"},
    {{"div", "518.6775", "7.7"}, "67.3607142857142857"},
    {{"div", "-2245277729494121215446013.32965345", "7.7"}, "-291594510323911846161819.91294201"},
    {{"div", "9", "23663.0"}, "0.00038034061615179817"},
    {{"div", "-205099.50674965", "3"}, "-68366.502249883333"},
    {{"div", "9045.24307", "3"}, "3015.0810233333333333"},
    {{"div", "1931.473203", "3"}, "643.8244010000000000"},
    {{"div", "9806025419.23230964", "7.7"}, "1273509794.70549476"},
    {{"div", "6305280706018627", "3"}, "2101760235339542.3333"},
    {{"div", "-67781234184.7400328", "7.7"}, "-8802757686.32987439"},
    {{"div", "-93.7", "3"}, "-31.2333333333333333"},
    {{"div", "5887070227791018305234.65228", "250.93"}, "23461005968959543718.30651"},
    {{"div", "-280099301273015.4511", "3"}, "-93366433757671.8170"},
    {{"div", "-306.4168251", "7.7"}, "-39.7943928701298701"},
    {{"div", "-33712480410004158706944.2", "880.038"}, "-38307982621209719020.024"},
    {{"div", "43813756145.992", "67.276"}, "651253881.71104108"},
    {{"div", "-5656793385", "3"}, "-1885597795.00000000"},
    {{"div", "-1910401113965319170.0300937", "475.34"}, "-4019020309600116.0643541"},
    {{"div", "94413777527", "3"}, "31471259175.66666667"},
    {{"div", "-103241324407.43", "7.7"}, "-13407964208.75714286"},
    {{"div", "0.605", "7.7"}, "0.07857142857142857143"},
    {{"div", "1156060693942439901519.5908344", "3"}, "385353564647479967173.1969448"},
    {{"div", "-702305049447544002800.59983", "3"}, "-234101683149181334266.86661"},
    {{"div", "-7609658678975296423647458", "3"}, "-2536552892991765474549153"},
    {{"div", "863.313444", "7.7"}, "112.1186290909090909"},
    {{"div", "-957236088552833706.6367893", "287.26"}, "-3332298574646082.6660057"},
    {{"div", "302.635", "90469.0"}, "0.00334517901159513203"},
    {{"div", "1311261921622461.63971032", "1.197"}, "1095456910294454.16851322"},
    {{"div", "1943647402890225737693", "7.7"}, "252421740635094251648.4"},
    {{"div", "-791885376596.207651", "3"}, "-263961792198.73588367"},
    {{"div", "-171211280128670552330721.19146518", "0.4"}, "-428028200321676380826802.97866295"},
};

TEST(BigNumeric, AnswersAsPostgres) {
  test::checkCases(kArithmetic);
}

/// A random numeric with up to `digits` digits and its integer and scale.
struct RandomNumeric {
  std::string text;
  BigNumeric number;

  RandomNumeric(std::mt19937_64& random, unsigned digits) {
    std::string integer;
    for (unsigned index = random() % digits + 1; index > 0; --index) integer += static_cast<char>('0' + random() % 10);
    const auto scale = static_cast<unsigned>(random() % (digits / 2 + 1));
    BigInteger value;
    mpz_set_str(value.get(), integer.c_str(), 10);
    if (random() % 2) mpz_neg(value.get(), value.get());
    number = BigNumeric::fromInteger(value.get(), scale);
    number.appendText(text);
  }
};

std::string textOf(const BigNumeric& number) {
  std::string text;
  number.appendText(text);
  return text;
}

/// left op right over rationals of GMP, printed with `scale` digits: exact for + - *.
std::string exactly(char operation, const BigNumeric& left, const BigNumeric& right, unsigned scale) {
  BigInteger first;
  BigInteger second;
  left.getInteger(first.get());
  right.getInteger(second.get());
  if (operation == '*') {
    mpz_mul(first.get(), first.get(), second.get());
  } else {
    first.scaleUp(scale - left.scale());
    second.scaleUp(scale - right.scale());
    if (operation == '+') mpz_add(first.get(), first.get(), second.get());
    if (operation == '-') mpz_sub(first.get(), first.get(), second.get());
  }
  return textOf(BigNumeric::fromInteger(first.get(), scale));
}

TEST(BigNumeric, AgreesWithIntegersOfUnlimitedSize) {
  const auto seed = std::random_device()();
  SCOPED_TRACE("seed " + std::to_string(seed));
  std::mt19937_64 random(seed);
  for (int round = 0; round < 20000; ++round) {
    const RandomNumeric left(random, round % 3 == 0 ? 80 : 20);
    const RandomNumeric right(random, round % 2 == 0 ? 60 : 18);
    const unsigned scale = std::max(left.number.scale(), right.number.scale());
    ASSERT_EQ(textOf(left.number + right.number), exactly('+', left.number, right.number, scale));
    ASSERT_EQ(textOf(left.number - right.number), exactly('-', left.number, right.number, scale));
    ASSERT_EQ(textOf(left.number * right.number),
              exactly('*', left.number, right.number, left.number.scale() + right.number.scale()));
    const std::string encoded = left.number.encoded();
    ASSERT_EQ(textOf(BigNumeric::decode(encoded)), left.text);
    ASSERT_EQ(textOf(BigNumeric::parse(left.text)), left.text);
    std::string binary;
    left.number.appendBinary(binary);
    ASSERT_EQ(textOf(BigNumeric::parseBinary(binary)), left.text);
    ASSERT_EQ(BigNumeric::compare(left.number, right.number), (left.number - right.number).sign());
    if (right.number.sign() == 0) continue;
    // |left - quotient * right| <= |right| / 2 at the quotient's last digit.
    const BigNumeric quotient = left.number / right.number;
    const BigNumeric rest = (left.number - quotient * right.number).absolute() * BigNumeric(2);
    ASSERT_LE(BigNumeric::compare(rest, right.number.absolute() * BigNumeric(1, quotient.scale())), 0);
  }
}

TEST(BigNumeric, EqualNumbersOfDifferentScaleHashAlike) {
  for (const char* text : {"0", "1.5", "-12345678901234567890", "99999999999999999999999999999999999999999.25"}) {
    const BigNumeric number = BigNumeric::parse(text);
    const BigNumeric longer = number.rounded(static_cast<int>(number.scale()) + 25);
    EXPECT_EQ(number, longer);
    EXPECT_EQ(number.hash(), longer.hash());
    EXPECT_EQ(hashEncodedNumeric(longer.encoded()), number.hash());
  }
  EXPECT_EQ(hashDecimal(150, 2), BigNumeric::parse("1.5").hash());
  EXPECT_NE(BigNumeric::parse("1.5").hash(), BigNumeric::parse("-1.5").hash());
}

TEST(BigNumeric, TwentyFourDigitsFitAStringsInlineBytes) {
  EXPECT_LE(BigNumeric::parse("-999999999999999999999999").encodedBytes(), 12U);
  EXPECT_EQ(BigNumeric::parse("0.00").encodedBytes(), 2U);
}

TEST(BigNumeric, OrderedBytesAreOrderedAsTheNumbers) {
  std::mt19937_64 random(5);
  std::vector<BigNumeric> numbers;
  for (const char* text : {"NaN",      "Infinity", "-Infinity", "0",     "0.00",  "1",      "1.000", "-1",
                           "10",       "100",      "99",        "0.1",   "0.01",  "0.099",  "-0.01", "123e300",
                           "-123e300", "1e-300",   "-1e-300",   "12300", "12345", "12345.0"})
    numbers.push_back(BigNumeric::parse(text));
  for (int i = 0; i < 300; ++i) {
    std::string text = random() % 2 ? "-" : "";
    const size_t digits = 1 + random() % (random() % 8 == 0 ? 80 : 6);
    for (size_t digit = 0; digit < digits; ++digit)
      text += static_cast<char>('0' + (random() % 3 == 0 ? random() % 10 : random() % 2));
    numbers.push_back(BigNumeric::parse(text + "e" + std::to_string(static_cast<int>(random() % 20) - 10)));
  }
  for (const BigNumeric& left : numbers)
    for (const BigNumeric& right : numbers) {
      std::string left_bytes, right_bytes;
      left.appendOrdered(left_bytes);
      right.appendOrdered(right_bytes);
      const int expected = compareEncodedNumerics(left.encoded(), right.encoded());
      const int compared = left_bytes.compare(right_bytes);
      std::string shown;
      left.appendText(shown);
      shown += " and ";
      right.appendText(shown);
      ASSERT_EQ(compared < 0 ? -1 : compared > 0 ? 1 : 0, expected) << shown;
      if (expected != 0)
        ASSERT_FALSE(left_bytes.starts_with(right_bytes) || right_bytes.starts_with(left_bytes)) << shown;
    }
}

}  // namespace
}  // namespace gnomon::sql
