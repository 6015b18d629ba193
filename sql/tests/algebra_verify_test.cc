#include "sql/algebra/verify.h"

#include <gtest/gtest.h>

#include "sql/optimise/join_keys.h"
#include "sql/tests/random_tree.h"

namespace gnomon::sql::test {
namespace {

/// A join of two tables under an Output, and handles to its parts.
struct JoinPlan {
  JoinPlan() {
    auto output = std::make_unique<Output>();
    auto owned = std::make_unique<Join>();
    join = owned.get();
    for (Iu& unit : units) {
      auto scan = std::make_unique<TableScan>();
      auto table = std::make_shared<TableEntry>();
      table->name = "t";
      table->columns.push_back({"a", Type::of(TypeKind::Integer), false, ""});
      unit = plan.makeUnit("a", table->columns[0].type, true);
      scan->table = table;
      scan->columns.push_back({0, unit});
      join->inputs.push_back(std::move(scan));
    }
    output->inputs.push_back(std::move(owned));
    output->columns.push_back({"a", units[0]});
    plan.root = std::move(output);
  }
  Plan plan;
  Join* join;
  Iu units[2];
};

TEST(Verify, AcceptsTheTreesTheTestsMake) {
  for (uint64_t seed = 1; seed < 200; ++seed) {
    Plan plan;
    RandomTree(seed).fill(plan);
    ASSERT_EQ(findViolation(plan), "") << "seed " << seed;
  }
}

TEST(Verify, FindsAUnitThatIsNotBelow) {
  JoinPlan sound;
  EXPECT_EQ(findViolation(sound.plan), "");
  sound.join->keys.push_back({Expression::column(sound.units[1]), Expression::column(sound.units[0])});
  EXPECT_EQ(findViolation(sound.plan).substr(0, 2), "A2");
}

TEST(Verify, FindsAUnitProducedTwice) {
  JoinPlan plan;
  static_cast<TableScan&>(*plan.join->inputs[1]).columns[0].iu = plan.units[0];
  EXPECT_EQ(findViolation(plan.plan).substr(0, 2), "A3");
}

TEST(Verify, FindsAConditionThatIsNotBoolean) {
  JoinPlan plan;
  plan.join->conditions.push_back(Expression::column(plan.units[0]));
  EXPECT_EQ(findViolation(plan.plan).substr(0, 2), "A4");
}

TEST(Verify, FindsKeysHeldDifferently) {
  JoinPlan plan;
  plan.join->keys.push_back({Expression::column(plan.units[0]),
                             Expression::cast(Expression::column(plan.units[1]), Type::of(TypeKind::Bigint), false)});
  EXPECT_EQ(findViolation(plan.plan).substr(0, 2), "A5");
}

TEST(Verify, FindsANullExtendedUnitThatCannotBeNull) {
  JoinPlan plan;
  plan.join->join_kind = Join::JoinKind::LeftOuter;
  plan.join->null_extended.emplace_back(plan.units[1], plan.plan.makeUnit("a", plan.units[1]->type, false));
  EXPECT_EQ(findViolation(plan.plan).substr(0, 2), "A6");
}

TEST(JoinKeys, MeetInATypeThatHoldsBoth) {
  Plan plan;
  const auto aligned = [&](Type left, Type right) {
    ExpressionPtr one = Expression::column(plan.makeUnit("l", left, true));
    ExpressionPtr other = Expression::column(plan.makeUnit("r", right, true));
    if (!alignKeyTypes(one, other)) return std::string("none");
    EXPECT_TRUE(sameKeyType(one->type, other->type));
    const Type type = one->type;
    if (type.kind != TypeKind::Numeric) return type.name();
    constexpr const char* kForms[] = {"small", "wide", "big"};
    return std::string(kForms[static_cast<int>(type.form)]) + " " + std::to_string(type.scale);
  };
  const Type integer = Type::of(TypeKind::Integer);
  EXPECT_EQ(aligned(Type::of(TypeKind::Smallint), Type::of(TypeKind::Bigint)), "bigint");
  EXPECT_EQ(aligned(integer, integer), "integer");
  EXPECT_EQ(aligned(Type::of(TypeKind::Real), Type::of(TypeKind::Double)), "double precision");
  EXPECT_EQ(aligned(integer, Type::of(TypeKind::Text)), "none");
  EXPECT_EQ(aligned(Type::of(TypeKind::Char, 14), Type::of(TypeKind::Text)), "none");
  EXPECT_EQ(aligned(Type::decimal(15, 2), Type::decimal(12, 2)), "small 2");
  EXPECT_EQ(aligned(Type::decimal(15, 2), Type::decimal(15, 4)), "small 4");
  EXPECT_EQ(aligned(Type::decimal(18, 0), Type::decimal(15, 4)), "wide 4");
  EXPECT_EQ(aligned(Type::decimal(38, 0), Type::decimal(15, 4)), "big 0");
  EXPECT_EQ(aligned(Type::decimal(15, 2), Type::bigNumeric()), "big 0");
}

}  // namespace
}  // namespace gnomon::sql::test
