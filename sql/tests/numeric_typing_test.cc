#include "sql/functions/numeric_typing.h"

#include "sql/tests/bind_fixture.h"

namespace gnomon::sql {
namespace {

class NumericTypingTest : public BindTest {
 protected:
  void SetUp() override {
    execute(
        "create table t (a integer, b bigint, s smallint, n numeric(15,2), m numeric(10,4), w numeric(30,5), u "
        "numeric, f float8)");
  }
};

TEST_F(NumericTypingTest, AddsAndMultipliesPrecisionAndScale) {
  EXPECT_EQ(typeOf("n + n"), "numeric Small(16,2)");
  EXPECT_EQ(typeOf("n - m"), "numeric Small(18,4)");
  EXPECT_EQ(typeOf("n * m"), "numeric Wide(25,6)");
  EXPECT_EQ(typeOf("n * (1 - n)"), "numeric Wide(31,4)");
  EXPECT_EQ(typeOf("n % m"), "numeric Small(17,4)");
  EXPECT_EQ(typeOf("-n"), "numeric Small(15,2)");
  EXPECT_EQ(typeOf("abs(n)"), "numeric Small(15,2)");
}

TEST_F(NumericTypingTest, GivesIntegersTheDigitsOfTheirType) {
  EXPECT_EQ(typeOf("s + 1.5"), "numeric Small(7,1)");
  EXPECT_EQ(typeOf("a + n"), "numeric Small(16,2)");
  EXPECT_EQ(typeOf("b + n"), "numeric Wide(22,2)");
  EXPECT_EQ(typeOf("a::numeric"), "numeric Small(10,0)");
  EXPECT_EQ(typeOf("b::numeric"), "numeric Wide(19,0)");
  EXPECT_EQ(typeOf("f::numeric"), "numeric Big");
}

TEST_F(NumericTypingTest, GivesConstantsTheirOwnDigits) {
  EXPECT_EQ(typeOf("1.50"), "numeric Small(3,2)");
  EXPECT_EQ(typeOf("0.05"), "numeric Small(2,2)");
  EXPECT_EQ(typeOf("1e3"), "numeric Small(4,0)");
  EXPECT_EQ(typeOf("n + 1"), "numeric Small(16,2)");
  EXPECT_EQ(typeOf("9223372036854775808"), "numeric Wide(19,0)");
  EXPECT_EQ(typeOf("1e40"), "numeric Big");
}

TEST_F(NumericTypingTest, LeavesToTheValuesWhatDependsOnThem) {
  EXPECT_EQ(typeOf("n / m"), "numeric Big");
  EXPECT_EQ(typeOf("n ^ 2"), "numeric Big");
  EXPECT_EQ(typeOf("sqrt(n)"), "numeric Big");
  EXPECT_EQ(typeOf("u + n"), "numeric Big");
  EXPECT_EQ(typeOf("round(n, a)"), "numeric Big");
}

TEST_F(NumericTypingTest, TakesForBigWhatMayBeNan) {
  EXPECT_EQ(typeOf("f::numeric(5,1) + 1"), "numeric Big");
  EXPECT_EQ(typeOf("-(u::numeric(5,1))"), "numeric Big");
  EXPECT_EQ(typeOf("round(f::numeric(30,2), 1)"), "numeric Big");
  EXPECT_EQ(typeOf("sum(u::numeric(5,1))"), "numeric Big");
  EXPECT_EQ(typeOf("'NaN'::numeric(5,1) * n"), "numeric Big");
  EXPECT_EQ(typeOf("coalesce(f::numeric(5,1), n)"), "numeric Big");
  // None of these can be.
  EXPECT_EQ(typeOf("a::numeric(12,1) + n"), "numeric Small(16,2)");
  EXPECT_EQ(typeOf("n::numeric(5,1) + 1"), "numeric Small(6,1)");
  EXPECT_EQ(typeOf("'7.5'::numeric(5,1) + 1"), "numeric Small(6,1)");
  // What is chosen stays what it is.
  EXPECT_EQ(typeOf("max(f::numeric(5,1))"), "numeric Small(5,1)");
}

TEST_F(NumericTypingTest, RoundsToAStaticScale) {
  EXPECT_EQ(typeOf("round(n, 1)"), "numeric Small(15,1)");
  EXPECT_EQ(typeOf("round(n, 4)"), "numeric Small(18,4)");
  EXPECT_EQ(typeOf("round(n, -1)"), "numeric Big");
  EXPECT_EQ(typeOf("round(n)"), "numeric Small(14,0)");
  EXPECT_EQ(typeOf("ceil(n)"), "numeric Small(14,0)");
  EXPECT_EQ(typeOf("n::numeric(5,1)"), "numeric(5,1) Small(5,1)");
}

TEST_F(NumericTypingTest, MarksWhatMayExceedThirtyEightDigits) {
  EXPECT_EQ(typeOf("w * w"), "numeric Wide(39,10)");
  EXPECT_EQ(typeOf("w * w", true), "numeric Big");
  EXPECT_EQ(typeOf("n * m", true), "numeric Wide(25,6)");
}

TEST_F(NumericTypingTest, TypesAggregates) {
  EXPECT_EQ(typeOf("sum(a)"), "bigint");
  EXPECT_EQ(typeOf("sum(b)"), "numeric Wide(38,0)");
  EXPECT_EQ(typeOf("sum(n)"), "numeric Wide(38,2)");
  EXPECT_EQ(typeOf("sum(w)"), "numeric Wide(39,5)");
  EXPECT_EQ(typeOf("sum(w)", true), "numeric Big");
  EXPECT_EQ(typeOf("sum(u)"), "numeric Big");
  EXPECT_EQ(typeOf("avg(n)"), "numeric Big");
  EXPECT_EQ(typeOf("avg(f)"), "double precision");
  EXPECT_EQ(typeOf("min(n)"), "numeric Small(15,2)");
}

TEST_F(NumericTypingTest, KeepsScalesThatAgreeWhereBranchesMeet) {
  EXPECT_EQ(typeOf("case when a = 1 then n else n + 1 end"), "numeric Small(16,2)");
  EXPECT_EQ(typeOf("case when a = 1 then n else 0 end"), "numeric Big");
  EXPECT_EQ(typeOf("case when a = 1 then n end"), "numeric Small(15,2)");
  EXPECT_EQ(typeOf("coalesce(n, 0.00)"), "numeric Small(15,2)");
  EXPECT_EQ(typeOf("greatest(n, m)"), "numeric Big");
}

TEST_F(NumericTypingTest, GivesExtractTheScaleOfItsField) {
  EXPECT_EQ(typeOf("extract(year from date '2020-01-01')").substr(0, 7), "numeric");
  EXPECT_NE(typeOf("extract(year from date '2020-01-01')"), "numeric Big");
}

}  // namespace
}  // namespace gnomon::sql
