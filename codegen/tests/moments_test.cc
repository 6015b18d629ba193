#include "codegen/runtime/moments.h"

#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "base/sql_error.h"

namespace gnomon::codegen {
namespace {

constexpr auto kVariance = static_cast<uint8_t>(sql::AggregateId::VarianceSample);
constexpr auto kSlope = static_cast<uint8_t>(sql::AggregateId::RegressionSlope);

TEST(Moments, PartsThatWereMergedAreTheWhole) {
  std::mt19937 random(7);
  std::uniform_real_distribution<double> values(-1000, 1000);
  PairMoments whole{}, parts[2]{};
  DoubleMoments single{}, halves[2]{};
  for (int i = 0; i < 1000; ++i) {
    const double y = values(random), x = values(random);
    rt::pairMomentsAdd(&whole, y, x);
    rt::pairMomentsAdd(&parts[i % 3 == 0], y, x);
    rt::doubleMomentsAdd(&single, x);
    rt::doubleMomentsAdd(&halves[i % 3 == 0], x);
  }
  rt::pairMomentsMerge(&parts[0], &parts[1]);
  rt::doubleMomentsMerge(&halves[0], &halves[1]);
  EXPECT_NEAR(rt::pairMomentsResult(&whole, kSlope), rt::pairMomentsResult(&parts[0], kSlope), 1e-12);
  EXPECT_NEAR(rt::doubleMomentsResult(&single, kVariance) / rt::doubleMomentsResult(&halves[0], kVariance), 1, 1e-12);
  EXPECT_EQ(rt::pairMomentsCount(&parts[0]), 1000);
}

TEST(Moments, OneValueHasNoSampleVariance) {
  DoubleMoments moments{};
  rt::doubleMomentsAdd(&moments, 5);
  EXPECT_TRUE(rt::doubleMomentsIsNull(&moments, kVariance));
  rt::doubleMomentsAdd(&moments, 7);
  EXPECT_FALSE(rt::doubleMomentsIsNull(&moments, kVariance));
  EXPECT_EQ(rt::doubleMomentsResult(&moments, kVariance), 2);
}

TEST(Moments, OverflowOfFiniteValuesIsAnErrorAndInfinityIsNot) {
  DoubleMoments moments{};
  rt::doubleMomentsAdd(&moments, 1e200);
  EXPECT_THROW(rt::doubleMomentsAdd(&moments, -1e200), SqlError);
  DoubleMoments infinite{};
  rt::doubleMomentsAdd(&infinite, INFINITY);
  rt::doubleMomentsAdd(&infinite, 1);
  EXPECT_TRUE(std::isnan(rt::doubleMomentsResult(&infinite, kVariance)));
}

TEST(Moments, SquaresOfLargeIntegersAreExact) {
  Arena arena;
  ExactMoments moments{}, other{};
  rt::exactMomentsAddDecimal(&moments, INT64_MAX, 0, &arena);
  rt::exactMomentsAddDecimal(&moments, INT64_MIN, 0, &arena);
  rt::exactMomentsAddDecimal(&other, 1, 2, &arena);
  rt::exactMomentsMerge(&moments, &other, &arena);
  EXPECT_EQ(moments.count, 3);
  const StringValue result = rt::exactMomentsResult(&moments, kVariance, &arena);
  std::string text;
  sql::BigNumeric::decode(result.view()).appendText(text);
  EXPECT_EQ(text, "85070591730234615856620279821087277056.3367");
}

}  // namespace
}  // namespace gnomon::codegen
