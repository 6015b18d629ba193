#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "base/sql_error.h"
#include "codegen/tests/expression_harness.h"

/// Numbers: arithmetic, mathematics, casts among them, comparisons.
namespace gnomon::codegen::test {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
const double kNaN = std::numeric_limits<double>::quiet_NaN();

/// A call over two columns, one row each.
Outcome binary(FunctionId function, Type type, Value left, Value right) {
  Row row;
  row.add(left.type);
  row.add(right.type);
  return evaluate(row, *call(function, type, row.column(0), row.column(1)), {{left, right}}).front();
}

Outcome unary(FunctionId function, Type type, Value value) {
  Row row;
  row.add(value.type);
  return evaluate(row, *call(function, type, row.column(0)), {{value}}).front();
}

Outcome cast(Value value, Type type, bool is_explicit = true) {
  Row row;
  row.add(value.type);
  return evaluate(row, *Expression::cast(row.column(0), type, is_explicit), {{value}}).front();
}

Value big(std::string_view input) {
  return parsed(kBig, input);
}
Value number(std::string_view input, unsigned precision, unsigned scale) {
  return parsed(Type::decimal(precision, scale), input);
}
std::string shown(const Outcome& outcome) {
  return describe(outcome);
}

TEST(ExpressionNumber, IntegersTrapAtTheirTypesBounds) {
  EXPECT_EQ(binary(FunctionId::Add, kInteger, integer(INT32_MAX), integer(0)), gives(integer(INT32_MAX)));
  EXPECT_EQ(binary(FunctionId::Add, kInteger, integer(INT32_MAX), integer(1)), fails("22003 integer out of range"));
  EXPECT_EQ(binary(FunctionId::Add, kSmallint, integer(INT16_MAX, kSmallint), integer(1, kSmallint)),
            fails("22003 smallint out of range"));
  EXPECT_EQ(binary(FunctionId::Subtract, kBigint, integer(INT64_MIN, kBigint), integer(1, kBigint)),
            fails("22003 bigint out of range"));
  EXPECT_EQ(binary(FunctionId::Multiply, kBigint, integer(INT64_MAX, kBigint), integer(2, kBigint)),
            fails("22003 bigint out of range"));
  EXPECT_EQ(unary(FunctionId::Negate, kInteger, integer(INT32_MIN)), fails("22003 integer out of range"));
  EXPECT_EQ(unary(FunctionId::Absolute, kSmallint, integer(INT16_MIN, kSmallint)),
            fails("22003 smallint out of range"));
  EXPECT_EQ(unary(FunctionId::Absolute, kBigint, integer(-7, kBigint)), gives(integer(7, kBigint)));
}

TEST(ExpressionNumber, DivisionTruncatesAndRefusesZero) {
  EXPECT_EQ(binary(FunctionId::Divide, kInteger, integer(-7), integer(2)), gives(integer(-3)));
  EXPECT_EQ(binary(FunctionId::Modulo, kInteger, integer(-7), integer(2)), gives(integer(-1)));
  EXPECT_EQ(binary(FunctionId::Divide, kInteger, integer(1), integer(0)), fails("22012 division by zero"));
  EXPECT_EQ(binary(FunctionId::Modulo, kBigint, integer(1, kBigint), integer(0, kBigint)),
            fails("22012 division by zero"));
  EXPECT_EQ(binary(FunctionId::Divide, kInteger, integer(INT32_MIN), integer(-1)), fails("22003 integer out of range"));
  EXPECT_EQ(binary(FunctionId::Modulo, kInteger, integer(INT32_MIN), integer(-1)), gives(integer(0)));
}

TEST(ExpressionNumber, IntegersOfDifferentWidthMeetInTheResult) {
  EXPECT_EQ(binary(FunctionId::Add, kBigint, integer(INT32_MAX), integer(1, kBigint)),
            gives(integer(2147483648, kBigint)));
  EXPECT_EQ(binary(FunctionId::Less, kBoolean, integer(-1, kSmallint), integer(5000000000, kBigint)),
            gives(boolean(true)));
}

TEST(ExpressionNumber, NullArgumentsRaiseNothing) {
  EXPECT_EQ(binary(FunctionId::Divide, kInteger, null(kInteger), integer(0)), gives(null(kInteger)));
  EXPECT_EQ(binary(FunctionId::Add, kInteger, null(kInteger), integer(INT32_MAX)), gives(null(kInteger)));
  // A NULL of a value that would overflow: the sum below is NULL whatever stands in its register.
  Row row;
  row.add(kInteger);
  row.add(kInteger);
  auto sum = call(FunctionId::Multiply, kInteger, call(FunctionId::Add, kInteger, row.column(0), row.column(1)),
                  constant(integer(INT32_MAX)));
  EXPECT_EQ(evaluate(row, *sum, {{null(kInteger), integer(5)}}).front(), gives(null(kInteger)));
}

TEST(ExpressionNumber, DecimalProductsAddScalesAndWiden) {
  const Type price = Type::decimal(15, 2);
  const Value left = number("9999999999999.99", 15, 2);
  EXPECT_EQ(shown(binary(FunctionId::Multiply, Type::decimal(30, 4), left, left)), "99999999999999800000000000.0001");
  EXPECT_EQ(shown(binary(FunctionId::Subtract, Type::decimal(16, 2), number("1", 1, 0), number("0.07", 15, 2))),
            "0.93");
  EXPECT_EQ(binary(FunctionId::Multiply, Type::decimal(60, 4), number("99999999999999999999999999999999999.99", 37, 2),
                   number("99999999999999999999999999999999999.99", 37, 2)),
            fails("decimal overflow"));
  EXPECT_EQ(shown(unary(FunctionId::Negate, price, left)), "-9999999999999.99");
  EXPECT_EQ(shown(unary(FunctionId::Absolute, price, number("-1.50", 15, 2))), "1.50");
}

TEST(ExpressionNumber, CheckedSumsLeaveTheRangeLoudly) {
  const Type wide = Type::decimal(39, 0);
  const Value greatest = decimal(static_cast<int128>(~uint128{0} >> 1), wide);
  EXPECT_EQ(binary(FunctionId::Add, wide, greatest, decimal(1, wide)), fails("decimal overflow"));
  EXPECT_EQ(shown(binary(FunctionId::Subtract, wide, greatest, decimal(1, wide))),
            "170141183460469231731687303715884105726");
  const Type finer = Type::decimal(39, 2);
  EXPECT_EQ(binary(FunctionId::Add, finer, greatest, number("0.01", 3, 2)), fails("decimal overflow"));
}

TEST(ExpressionNumber, DecimalDivisionHasPostgresDigits) {
  EXPECT_EQ(shown(binary(FunctionId::Divide, kBig, number("1.00", 15, 2), number("3", 1, 0))),
            "0.33333333333333333333");
  EXPECT_EQ(shown(binary(FunctionId::Divide, kBig, number("100.00", 15, 2), number("3.0", 3, 1))),
            "33.3333333333333333");
  EXPECT_EQ(binary(FunctionId::Divide, kBig, number("1", 1, 0), number("0", 1, 0)), fails("22012 division by zero"));
  EXPECT_EQ(shown(binary(FunctionId::Modulo, Type::decimal(15, 3), number("-7.25", 15, 2), number("2.500", 15, 3))),
            "-2.250");
  EXPECT_EQ(binary(FunctionId::Modulo, Type::decimal(15, 2), number("1", 15, 2), number("0", 15, 2)),
            fails("22012 division by zero"));
}

TEST(ExpressionNumber, DecimalsOfAnyFormCompareByNumber) {
  const Value small = number("1.50", 15, 2);
  for (const Value& other : {number("1.5", 15, 1), number("1.5000000000000000000000", 38, 22), big("1.500")}) {
    EXPECT_EQ(binary(FunctionId::Equal, kBoolean, small, other), gives(boolean(true)));
    EXPECT_EQ(binary(FunctionId::Less, kBoolean, small, other), gives(boolean(false)));
    EXPECT_EQ(binary(FunctionId::GreaterEqual, kBoolean, other, small), gives(boolean(true)));
    EXPECT_EQ(binary(FunctionId::NotEqual, kBoolean, other, small), gives(boolean(false)));
  }
  const Value great = number("12345678901234567890123456789012345678", 38, 0);
  EXPECT_EQ(binary(FunctionId::Greater, kBoolean, great, number("0.000000000000000000000000000001", 38, 30)),
            gives(boolean(true)));
  EXPECT_EQ(binary(FunctionId::Greater, kBoolean, big("NaN"), great), gives(boolean(true)));
}

TEST(ExpressionNumber, RoundingDecimals) {
  const Value value = number("-2.345", 15, 3);
  const auto rounded = [&](FunctionId function, Type type, int digits) {
    Row row;
    row.add(value.type);
    return shown(evaluate(row, *call(function, type, row.column(0), constant(integer(digits))), {{value}}).front());
  };
  EXPECT_EQ(rounded(FunctionId::Round, Type::decimal(15, 2), 2), "-2.35");
  EXPECT_EQ(rounded(FunctionId::Truncate, Type::decimal(15, 2), 2), "-2.34");
  EXPECT_EQ(rounded(FunctionId::Round, Type::decimal(15, 0), -1), "0");
  EXPECT_EQ(rounded(FunctionId::Round, kBig, 5), "-2.34500");
  EXPECT_EQ(shown(unary(FunctionId::Ceil, Type::decimal(15, 0), value)), "-2");
  EXPECT_EQ(shown(unary(FunctionId::Floor, Type::decimal(15, 0), value)), "-3");
  EXPECT_EQ(shown(unary(FunctionId::Round, Type::decimal(15, 0), number("2.5", 3, 1))), "3");
  EXPECT_EQ(shown(unary(FunctionId::Sign, Type::decimal(1, 0), value)), "-1");
}

TEST(ExpressionNumber, BigNumericsKeepTheirDigits) {
  EXPECT_EQ(shown(binary(FunctionId::Add, kBig, big("123456789012345678901234567890123456789012345.5"), big("0.25"))),
            "123456789012345678901234567890123456789012345.75");
  EXPECT_EQ(shown(binary(FunctionId::Multiply, kBig, number("1.50", 15, 2), big("2.0"))), "3.000");
  EXPECT_EQ(shown(binary(FunctionId::Power, kBig, number("2", 1, 0), number("0.5", 2, 1))), "1.4142135623730950");
  EXPECT_EQ(shown(unary(FunctionId::SquareRoot, kBig, number("2", 1, 0))), "1.414213562373095");
  EXPECT_EQ(unary(FunctionId::NaturalLogarithm, kBig, number("0", 1, 0)).error.substr(0, 5), "2201E");
  EXPECT_EQ(shown(unary(FunctionId::Negate, kBig, big("1.10"))), "-1.10");
}

TEST(ExpressionNumber, FloatsRaisePostgresErrors) {
  EXPECT_EQ(binary(FunctionId::Add, kDouble, floating(0.5), floating(0.25)), gives(floating(0.75)));
  EXPECT_EQ(binary(FunctionId::Multiply, kDouble, floating(1e200), floating(1e200)),
            fails("22003 value out of range: overflow"));
  EXPECT_EQ(binary(FunctionId::Multiply, kDouble, floating(1e-200), floating(1e-200)),
            fails("22003 value out of range: underflow"));
  EXPECT_EQ(binary(FunctionId::Multiply, kDouble, floating(0), floating(1e300)), gives(floating(0)));
  EXPECT_EQ(binary(FunctionId::Divide, kDouble, floating(1), floating(0)), fails("22012 division by zero"));
  EXPECT_EQ(binary(FunctionId::Add, kDouble, floating(kInfinity), floating(1)), gives(floating(kInfinity)));
  EXPECT_EQ(binary(FunctionId::Add, kReal, floating(3e38, kReal), floating(3e38, kReal)),
            fails("22003 value out of range: overflow"));
  EXPECT_EQ(binary(FunctionId::Divide, kReal, floating(1, kReal), floating(3, kReal)),
            gives(floating(static_cast<double>(1.0F / 3.0F), kReal)));
  EXPECT_EQ(unary(FunctionId::Absolute, kDouble, floating(-2.5)), gives(floating(2.5)));
  EXPECT_EQ(unary(FunctionId::Round, kDouble, floating(2.5)), gives(floating(2)));
  EXPECT_EQ(unary(FunctionId::SquareRoot, kDouble, floating(-1)).error.substr(0, 5), "2201F");
}

TEST(ExpressionNumber, NaNIsEqualToItselfAndAboveAllNumbers) {
  const double samples[] = {-kInfinity, -1, -0.0, 0.0, 1, kInfinity, kNaN};
  const auto rank = [](double x) {
    return std::isnan(x) ? 5 : x == kInfinity ? 4 : x == -kInfinity ? 0 : x < 0 ? 1 : x > 0 ? 3 : 2;
  };
  for (const double a : samples) {
    for (const double b : samples) {
      const auto compared = [&](FunctionId function) {
        const Outcome of_columns = binary(function, kBoolean, floating(a), floating(b));
        Row row;
        row.add(kDouble);
        EXPECT_EQ(
            evaluate(row, *call(function, kBoolean, row.column(0), constant(floating(b))), {{floating(a)}}).front(),
            of_columns);
        return of_columns.value.lo != 0;
      };
      EXPECT_EQ(compared(FunctionId::Equal), rank(a) == rank(b)) << a << " " << b;
      EXPECT_EQ(compared(FunctionId::NotEqual), rank(a) != rank(b)) << a << " " << b;
      EXPECT_EQ(compared(FunctionId::Less), rank(a) < rank(b)) << a << " " << b;
      EXPECT_EQ(compared(FunctionId::LessEqual), rank(a) <= rank(b)) << a << " " << b;
      EXPECT_EQ(compared(FunctionId::Greater), rank(a) > rank(b)) << a << " " << b;
      EXPECT_EQ(compared(FunctionId::GreaterEqual), rank(a) >= rank(b)) << a << " " << b;
    }
  }
}

TEST(ExpressionNumber, CastsBetweenNumbersRoundAndCheck) {
  EXPECT_EQ(cast(integer(70000), kSmallint), fails("22003 smallint out of range"));
  EXPECT_EQ(cast(integer(-5), kBigint), gives(integer(-5, kBigint)));
  EXPECT_EQ(cast(number("2.5", 3, 1), kInteger), gives(integer(3)));
  EXPECT_EQ(cast(number("-2.5", 3, 1), kInteger), gives(integer(-3)));
  EXPECT_EQ(cast(number("-2.4999", 15, 4), kInteger), gives(integer(-2)));
  EXPECT_EQ(cast(number("99999999999", 11, 0), kInteger), fails("22003 integer out of range"));
  EXPECT_EQ(cast(number("1234567890123456789012.5", 30, 1), kBigint), fails("22003 bigint out of range"));
  EXPECT_EQ(cast(floating(2.5), kInteger), gives(integer(2)));
  EXPECT_EQ(cast(floating(3e9), kInteger), fails("22003 integer out of range"));
  EXPECT_EQ(cast(floating(kNaN), kBigint), fails("22003 bigint out of range"));
  EXPECT_EQ(cast(floating(1e300), kReal), fails("22003 value out of range: overflow"));
  EXPECT_EQ(cast(integer(9007199791611905, kBigint), kReal), gives(floating(9007200328482816.0, kReal)));
  EXPECT_EQ(cast(boolean(true), kInteger), gives(integer(1)));
  EXPECT_EQ(cast(integer(-3), kBoolean), gives(boolean(true)));
}

TEST(ExpressionNumber, CastsToDecimalsRoundHalfAwayFromZeroAndCheckThePrecision) {
  const Type five_two = sql::numericWithModifier(5, 2);
  EXPECT_EQ(shown(cast(integer(7), five_two)), "7.00");
  EXPECT_EQ(shown(cast(integer(-999), five_two)), "-999.00");
  EXPECT_EQ(cast(integer(1000), five_two), fails("22003 numeric field overflow"));
  EXPECT_EQ(shown(cast(number("1.005", 15, 3), five_two)), "1.01");
  EXPECT_EQ(shown(cast(number("-1.005", 15, 3), five_two)), "-1.01");
  EXPECT_EQ(cast(number("999.995", 15, 3), five_two), fails("22003 numeric field overflow"));
  EXPECT_EQ(shown(cast(number("12345678901234567890.126", 38, 3), sql::numericWithModifier(38, 2))),
            "12345678901234567890.13");
  EXPECT_EQ(shown(cast(floating(0.1), sql::numericWithModifier(10, 3))), "0.100");
  EXPECT_EQ(shown(cast(integer(INT64_MIN, kBigint), Type::decimal(19, 0))), "-9223372036854775808");
  EXPECT_EQ(shown(cast(number("1.50", 15, 2), kBig)), "1.50");
  EXPECT_EQ(shown(cast(big("1.555"), sql::numericWithModifier(10, 2))), "1.56");
  EXPECT_EQ(cast(big("1e10"), sql::numericWithModifier(5, 2)), fails("22003 numeric field overflow"));
  EXPECT_EQ(cast(number("0.10", 15, 2), kDouble), gives(floating(0.1)));
  EXPECT_EQ(cast(number("12345678901234567.891", 30, 3), kDouble), gives(floating(12345678901234567.891)));
}

TEST(ExpressionNumber, WhatPostgresLacksIsRefusedByName) {
  Row row;
  row.add(kBoolean);
  const ExpressionPtr sum = call(FunctionId::Add, kBoolean, row.column(0), row.column(0));
  EXPECT_THROW(Compiled(row, *sum, {.mode = ExecutionMode::Vm}), SqlError);
}

}  // namespace
}  // namespace gnomon::codegen::test
