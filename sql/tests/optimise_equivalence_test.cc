#include <gtest/gtest.h>

#include <cstdlib>

#include "sql/algebra/verify.h"
#include "sql/explain/explain.h"
#include "sql/optimise/optimiser.h"
#include "sql/tests/random_tree.h"

namespace gnomon::sql::test {
namespace {

/// GNOMON_TEST_TREES sets another number, GNOMON_TEST_SEED runs one seed alone.
constexpr uint64_t kTrees = 1000;

uint64_t numberFrom(const char* variable, uint64_t otherwise) {
  const char* text = std::getenv(variable);
  return text == nullptr ? otherwise : std::strtoull(text, nullptr, 10);
}

FakeStatistics randomStatistics(uint64_t seed) {
  std::mt19937_64 random(seed);
  FakeStatistics statistics;
  for (const char* table : {"t0", "t1", "t2", "t3"})
    statistics.rows[table] = static_cast<double>(std::uniform_int_distribution<int>(1, 100000)(random));
  return statistics;
}

/// The result of the seed's tree before and after optimisation.
void compare(uint64_t seed) {
  RandomTree before(seed);
  RandomTree after(seed);
  Plan plain;
  Plan optimised;
  const Database database = before.database();
  before.fill(plain);
  static_cast<void>(after.database());
  after.fill(optimised);
  ASSERT_EQ(findViolation(plain), "") << "seed " << seed;
  const std::string bound = explainPlan(plain);
  optimise(optimised, randomStatistics(seed));
  ASSERT_EQ(findViolation(optimised), "") << "seed " << seed;
  ASSERT_EQ(resultOf(plain, database), resultOf(optimised, database)) << "seed " << seed << "\n"
                                                                      << bound << "\nbecame\n"
                                                                      << explainPlan(optimised);
}

TEST(OptimiseEquivalence, RandomTreesGiveTheSameRowsBeforeAndAfter) {
  if (const uint64_t chosen = numberFrom("GNOMON_TEST_SEED", 0); chosen != 0) return compare(chosen);
  const uint64_t trees = numberFrom("GNOMON_TEST_TREES", kTrees);
  for (uint64_t seed = 1; seed <= trees; ++seed) {
    compare(seed);
    if (HasFatalFailure()) return;
  }
}

}  // namespace
}  // namespace gnomon::sql::test
