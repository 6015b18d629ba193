#include "benchmarks/tatp/inputs.h"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

namespace gnomon::tatp {
namespace {

constexpr int kSubscribers = 1000;
constexpr int kDraws = 500'000;

double chiSquared(Inputs& inputs, const std::vector<double>& shares) {
  std::vector<int> seen(kSubscribers);
  for (int draw = 0; draw < kDraws; ++draw) ++seen.at(static_cast<size_t>(inputs.subscriber() - 1));
  double sum = 0;
  for (size_t value = 0; value < shares.size(); ++value) {
    const double expected = shares[value] * kDraws;
    sum += (seen[value] - expected) * (seen[value] - expected) / expected;
  }
  return sum;
}

TEST(Subscribers, AreDrawnAsTheDescriptionsFormulaHasThem) {
  std::vector<double> shares(kSubscribers);
  for (int mask = 0; mask <= 65'535; ++mask)
    for (int drawn = 1; drawn <= kSubscribers; ++drawn)
      shares[static_cast<size_t>((mask | drawn) % kSubscribers)] += 1.0 / 65'536 / kSubscribers;
  Inputs inputs(1, kSubscribers, false);
  EXPECT_NEAR(chiSquared(inputs, shares), kSubscribers - 1, 5 * std::sqrt(2 * kSubscribers));
}

TEST(Subscribers, AreAllAlikeWhenThatIsAskedFor) {
  Inputs inputs(2, kSubscribers, true);
  EXPECT_NEAR(chiSquared(inputs, std::vector<double>(kSubscribers, 1.0 / kSubscribers)), kSubscribers - 1,
              5 * std::sqrt(2 * kSubscribers));
}

TEST(Subscribers, HaveNumbersOfFifteenDigits) {
  EXPECT_EQ(subscriberNumber(12'345), "000000000012345");
}

TEST(Inputs, MixTheTransactionsAsTheDescriptionDoes) {
  Inputs inputs(3, kSubscribers, false);
  std::vector<int> seen(kKinds);
  for (int draw = 0; draw < 1000; ++draw) ++seen.at(static_cast<size_t>(inputs.kind()));
  EXPECT_EQ(seen, (std::vector<int>{350, 100, 350, 20, 140, 20, 20}));
}

TEST(Inputs, StayInTheirRanges) {
  Inputs inputs(4, kSubscribers, false);
  std::vector<int> starts(17), facilities(5), ends(25);
  for (int draw = 0; draw < 24'000; ++draw) {
    ++starts.at(static_cast<size_t>(inputs.startTime()));
    ++facilities.at(static_cast<size_t>(inputs.facility()));
    ++ends.at(static_cast<size_t>(inputs.endTime()));
  }
  for (const size_t start : {0u, 8u, 16u}) EXPECT_NEAR(starts[start], 8000, 400);
  for (size_t facility = 1; facility <= 4; ++facility) EXPECT_NEAR(facilities[facility], 6000, 400);
  for (size_t end = 1; end <= 24; ++end) EXPECT_NEAR(ends[end], 1000, 160);
}

}  // namespace
}  // namespace gnomon::tatp
