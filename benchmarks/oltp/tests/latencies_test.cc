#include "benchmarks/oltp/latencies.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

#include "benchmarks/oltp/random.h"

namespace gnomon::oltp {
namespace {

TEST(Latencies, PercentilesAreThoseOfTheSortedValuesOrASixtyFourthHigher) {
  Random random(7);
  Latencies latencies;
  std::vector<uint64_t> values;
  for (int count = 0; count < 20'000; ++count) {
    values.push_back(random.next() >> random.uniform(24, 63));
    latencies.add(values.back());
  }
  std::sort(values.begin(), values.end());
  for (const double share : {0.001, 0.25, 0.5, 0.95, 0.99, 0.999}) {
    const uint64_t exact = values[static_cast<size_t>(share * 20'000) - 1];
    EXPECT_GE(latencies.percentile(share), exact) << share;
    EXPECT_LE(latencies.percentile(share), exact + exact / 64 + 1) << share;
  }
  EXPECT_EQ(latencies.percentile(1), values.back());
  EXPECT_EQ(latencies.most(), values.back());
}

TEST(Latencies, AreAddedUpOverClients) {
  Latencies one, other;
  for (uint64_t value = 1; value <= 50; ++value) one.add(value);
  for (uint64_t value = 51; value <= 60; ++value) other.add(value);
  one.add(other);
  EXPECT_EQ(one.count(), 60);
  EXPECT_EQ(one.percentile(0.5), 30);
  EXPECT_EQ(one.most(), 60);
}

TEST(Random, IsUniformWithBothEnds) {
  Random random(3);
  std::vector<int> seen(10);
  for (int count = 0; count < 100'000; ++count) ++seen.at(static_cast<size_t>(random.uniform(-4, 5) + 4));
  for (const int count : seen) EXPECT_NEAR(count, 10'000, 500);
}

TEST(Deck, DealsEachCardOnceBeforeAnyTwice) {
  Random random(5);
  Deck deck(std::vector<int>{3, 0, 7});
  bool orders_differ = false;
  std::vector<uint16_t> first;
  for (int round = 0; round < 5; ++round) {
    std::vector<int> seen(3);
    std::vector<uint16_t> order;
    for (int card = 0; card < 10; ++card) {
      order.push_back(deck.draw(random));
      ++seen.at(order.back());
    }
    EXPECT_EQ(seen, (std::vector<int>{3, 0, 7}));
    if (round == 0) first = order;
    orders_differ |= order != first;
  }
  EXPECT_TRUE(orders_differ);
}

}  // namespace
}  // namespace gnomon::oltp
