#include <gtest/gtest.h>

#include <cstdlib>
#include <optional>

#include "base/sql_error.h"
#include "sql/algebra/rewrite.h"
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

/// The plan's result; none: a subquery has several rows.
std::optional<std::multiset<Tuple>> outcomeOf(const Plan& plan, const Database& database) {
  try {
    return resultOf(plan, database);
  } catch (const SqlError& error) {
    EXPECT_STREQ(error.state().text(), "21000");
    return std::nullopt;
  }
}

/// False: the plan has a correlated subquery that is refused.
bool optimises(Plan& plan, const TableStatistics& statistics) {
  try {
    optimise(plan, statistics);
    return true;
  } catch (const SqlError& error) {
    EXPECT_STREQ(error.state().text(), "0A000");
    return false;
  }
}

/// A subquery that has a scalar subquery in it: that one is executed even if no row asks for the outer one.
bool hasValueInSubquery(OperatorPtr& root) {
  bool has_value = false;
  forEachOperator(root, [&](OperatorPtr& op) {
    if (op->kind != Operator::Kind::Join || !static_cast<Join&>(*op).is_dependent) return;
    forEachOperator(op->inputs[1], [&](OperatorPtr& inner) {
      has_value |=
          inner->kind == Operator::Kind::Join && static_cast<Join&>(*inner).join_kind == Join::JoinKind::Single;
    });
  });
  return has_value;
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
  if (!optimises(optimised, randomStatistics(seed))) return;
  ASSERT_EQ(findViolation(optimised), "") << "seed " << seed;
  // What would have several rows may not have been asked for any more.
  const auto expected = outcomeOf(plain, database);
  const auto found = outcomeOf(optimised, database);
  if (!expected || (!found && hasValueInSubquery(plain.root))) return;
  ASSERT_EQ(expected, found) << "seed " << seed << "\n" << bound << "\nbecame\n" << explainPlan(optimised);
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
