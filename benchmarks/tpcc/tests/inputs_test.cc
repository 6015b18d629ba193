// Shares and distributions of what the terminals enter, beside the specification's; five standard deviations are
// allowed, with seeds that are fixed.

#include "benchmarks/tpcc/inputs.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <set>
#include <vector>

namespace gnomon::tpcc {
namespace {

constexpr int kDraws = 200'000;

void expectShare(int seen, int all, double share, const char* what) {
  const double deviation = std::sqrt(share * (1 - share) / all);
  EXPECT_NEAR(static_cast<double>(seen) / all, share, 5 * deviation) << what;
}

/// Of NURand's values, by going through all pairs that the formula draws.
std::vector<double> exactShares(int a, int constant, int least, int most) {
  std::vector<double> shares(static_cast<size_t>(most - least + 1));
  const double each = 1.0 / (a + 1.0) / (most - least + 1.0);
  for (int one = 0; one <= a; ++one)
    for (int other = least; other <= most; ++other)
      shares[static_cast<size_t>(((one | other) + constant) % (most - least + 1))] += each;
  return shares;
}

TEST(NonUniform, HasTheSharesOfItsFormula) {
  for (const auto& [a, constant, least, most] :
       {std::array{255, kLastNameConstant, 0, 999}, std::array{1023, kCustomerConstant, 1, kCustomers}}) {
    oltp::Random random(11);
    std::vector<int> seen(static_cast<size_t>(most - least + 1));
    for (int draw = 0; draw < kDraws; ++draw)
      ++seen.at(static_cast<size_t>(nonUniform(random, a, constant, least, most) - least));
    const std::vector<double> shares = exactShares(a, constant, least, most);
    double chi_squared = 0;
    double degrees = -1;
    for (size_t value = 0; value < shares.size(); ++value) {
      if (shares[value] == 0) {
        EXPECT_EQ(seen[value], 0) << value;
        continue;
      }
      const double expected = shares[value] * kDraws;
      chi_squared += (seen[value] - expected) * (seen[value] - expected) / expected;
      ++degrees;
    }
    EXPECT_NEAR(chi_squared, degrees, 5 * std::sqrt(2 * degrees)) << a;
  }
}

TEST(NonUniform, KeepsTheDistanceOfTheConstantsOfLastNames) {
  const int distance = std::abs(kLastNameConstant - kLoadedLastNameConstant);
  EXPECT_TRUE(distance >= 65 && distance <= 119 && distance != 96 && distance != 112) << distance;
}

TEST(LastName, IsMadeOfThreeSyllables) {
  EXPECT_EQ(lastName(0), "BARBARBAR");
  EXPECT_EQ(lastName(371), "PRICALLYOUGHT");
  EXPECT_EQ(lastName(999), "EINGEINGEING");
  std::set<std::string> names;
  for (int number = 0; number < 1000; ++number) names.insert(lastName(number));
  EXPECT_EQ(names.size(), 1000);
}

TEST(NewOrder, HasTheSharesOfTheSpecification) {
  Inputs inputs(1, 10, 1, 1);
  NewOrder order;
  int lines = 0, remote = 0, rolled_back = 0, quantities = 0;
  std::vector<int> counts(16);
  for (int draw = 0; draw < kDraws; ++draw) {
    inputs.draw(order);
    ++counts.at(order.items.size());
    lines += static_cast<int>(order.items.size());
    bool unused = false;
    for (size_t line = 0; line < order.items.size(); ++line) {
      remote += order.suppliers[line] != order.warehouse;
      quantities += order.quantities[line];
      ASSERT_TRUE(order.suppliers[line] >= 1 && order.suppliers[line] <= 10);
      ASSERT_TRUE(order.quantities[line] >= 1 && order.quantities[line] <= 10);
      if (order.items[line] != kUnusedItem) continue;
      ASSERT_EQ(line + 1, order.items.size());
      unused = true;
    }
    rolled_back += unused;
    ASSERT_TRUE(order.district >= 1 && order.district <= kDistricts);
  }
  for (int count = 0; count < 16; ++count)
    expectShare(counts[static_cast<size_t>(count)], kDraws, count < 5 ? 0 : 1.0 / 11, "lines of an order");
  expectShare(remote, lines, 0.01, "lines from other warehouses");
  expectShare(rolled_back, kDraws, 0.01, "orders that are rolled back");
  EXPECT_NEAR(static_cast<double>(quantities) / lines, 5.5, 0.02);
}

TEST(NewOrder, HasItsLinesInTheOrderOfSuppliersAndItems) {
  Inputs inputs(2, 10, 1, 1);
  NewOrder order;
  for (int draw = 0; draw < 1000; ++draw) {
    inputs.draw(order);
    std::vector<std::pair<int, int>> lines;
    for (size_t line = 0; line < order.items.size(); ++line)
      if (order.items[line] != kUnusedItem) lines.emplace_back(order.suppliers[line], order.items[line]);
    ASSERT_TRUE(std::is_sorted(lines.begin(), lines.end()));
  }
}

TEST(Payment, HasTheSharesOfTheSpecification) {
  Inputs inputs(3, 10, 1, 1);
  Payment payment;
  int remote = 0, by_name = 0;
  double cents = 0;
  for (int draw = 0; draw < kDraws; ++draw) {
    inputs.draw(payment);
    remote += payment.customer.warehouse != payment.warehouse;
    by_name += payment.customer.number == 0;
    cents += payment.cents;
    if (payment.customer.warehouse == payment.warehouse) ASSERT_EQ(payment.customer.district, payment.district);
    ASSERT_TRUE(payment.cents >= 100 && payment.cents <= 500'000);
  }
  expectShare(remote, kDraws, 0.15, "customers of other warehouses");
  expectShare(by_name, kDraws, 0.6, "customers by last name");
  EXPECT_NEAR(cents / kDraws, 250'050, 2000);
}

TEST(Inputs, OfOneWarehouseHaveNothingRemote) {
  Inputs inputs(4, 1, 1, 1);
  Payment payment;
  NewOrder order;
  for (int draw = 0; draw < 2000; ++draw) {
    inputs.draw(payment);
    ASSERT_EQ(payment.customer.warehouse, 1);
    inputs.draw(order);
    for (const int supplier : order.suppliers) ASSERT_EQ(supplier, 1);
  }
}

TEST(Inputs, AreAtHomeInTheClientsOwnWarehouses) {
  Inputs inputs(5, 10, 3, 4);
  std::set<int> homes;
  Payment payment;
  for (int draw = 0; draw < 1000; ++draw) {
    inputs.draw(payment);
    homes.insert(payment.warehouse);
  }
  EXPECT_EQ(homes, (std::set<int>{3, 7}));
}

TEST(Inputs, MixTheTransactionsAsTheSpecificationAllows) {
  Inputs inputs(6, 1, 1, 1);
  std::vector<int> seen(kKinds);
  for (int draw = 0; draw < 1000; ++draw) ++seen.at(static_cast<size_t>(inputs.kind()));
  EXPECT_EQ(seen, (std::vector<int>{450, 430, 40, 40, 40}));
}

}  // namespace
}  // namespace gnomon::tpcc
