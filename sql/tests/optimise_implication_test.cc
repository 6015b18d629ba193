#include "sql/optimise/implication.h"

#include <gtest/gtest.h>

#include <random>

#include "sql/algebra/rewrite.h"
#include "sql/optimise/simplify.h"
#include "sql/tests/bind_fixture.h"
#include "sql/tests/tree_interpreter.h"

namespace gnomon::sql {
namespace {

using test::evaluate;
using test::Number;
using test::Row;

class ImplicationTest : public BindTest {
 protected:
  void SetUp() override {
    execute("create table t (a integer, b integer, n integer not null, s text, v varchar(9), d date)");
  }

  /// Whether `facts` imply `claim`: both bound in one statement, so that they read the same units.
  bool holds(const std::string& facts, const std::string& claim) {
    BoundStatement bound = bindText("SELECT " + claim + ", " + facts + " FROM t");
    Plan& plan = *std::get<QueryStatement>(bound.body).plan;
    std::vector<ExpressionPtr> expressions;
    forEachOperator(plan.root, [&](OperatorPtr& op) {
      if (op->kind != Operator::Kind::Map) return;
      for (const Map::Computed& computed : static_cast<Map&>(*op).computed)
        expressions.push_back(computed.expression->clone());
    });
    EXPECT_EQ(expressions.size(), 2u);
    std::vector<ExpressionPtr> conditions;
    conditions.push_back(std::move(expressions[1]));
    conditions = simplifyConditions(std::move(conditions));
    return implies(conditions, *simplifyExpression(std::move(expressions[0])));
  }
};

TEST_F(ImplicationTest, KnowsWhatIsSaidLiterally) {
  EXPECT_TRUE(holds("a + b = 3 AND s = 'x'", "a + b = 3"));
  EXPECT_TRUE(holds("lower(s) LIKE 'x%'", "lower(s) LIKE 'x%'"));
  EXPECT_FALSE(holds("lower(s) LIKE 'x%'", "lower(s) LIKE 'y%'"));
  EXPECT_FALSE(holds("a = 3 OR b = 3", "a = 3"));
  EXPECT_TRUE(holds("a = 3", "a = 3 OR b = 3"));
  EXPECT_TRUE(holds("a = 3 AND b = 4 AND s = 'x'", "s = 'x' AND a = 3"));
}

TEST_F(ImplicationTest, KnowsWhatIsNotNull) {
  EXPECT_TRUE(holds("a > 3", "a IS NOT NULL"));
  EXPECT_TRUE(holds("a > b", "b IS NOT NULL"));
  EXPECT_TRUE(holds("a + 1 > 3", "a IS NOT NULL"));
  EXPECT_TRUE(holds("lower(s) = 'x'", "lower(s) IS NOT NULL"));
  EXPECT_TRUE(holds("lower(s) = 'x'", "s IS NOT NULL"));
  EXPECT_TRUE(holds("a = 1", "n IS NOT NULL"));
  EXPECT_FALSE(holds("a IS NULL", "a IS NOT NULL"));
  EXPECT_FALSE(holds("a > 3", "b IS NOT NULL"));
  EXPECT_FALSE(holds("coalesce(a, 1) = 1", "a IS NOT NULL"));
  EXPECT_FALSE(holds("a = 3 OR b = 3", "a IS NOT NULL"));
  EXPECT_TRUE(holds("a = 3 OR a > b", "a IS NOT NULL"));
}

TEST_F(ImplicationTest, ComparesConstants) {
  EXPECT_TRUE(holds("a > 7", "a > 5"));
  EXPECT_TRUE(holds("a > 5", "a > 5"));
  EXPECT_FALSE(holds("a >= 5", "a > 5"));
  EXPECT_TRUE(holds("a >= 6", "a > 5"));
  EXPECT_TRUE(holds("a BETWEEN 6 AND 9", "a > 5"));
  EXPECT_TRUE(holds("8 = a", "5 < a"));
  EXPECT_TRUE(holds("a IN (6, 7, NULL)", "a > 5"));
  EXPECT_FALSE(holds("a IN (6, 5)", "a > 5"));
  EXPECT_TRUE(holds("a = 6 OR a > 9", "a > 5"));
  EXPECT_TRUE(holds("a = 6", "a IN (1, 6)"));
  EXPECT_TRUE(holds("a < 3", "a <> 3"));
  EXPECT_FALSE(holds("a <= 3", "a <> 3"));
  EXPECT_TRUE(holds("s = 'x'", "s > 'w'"));
  EXPECT_TRUE(holds("v >= 'x'", "v > 'w'"));
  EXPECT_TRUE(holds("d > '2020-01-02'", "d > '2020-01-01'"));
  EXPECT_FALSE(holds("d > '2020-01-01'", "d > '2020-01-02'"));
  EXPECT_FALSE(holds("b > 7", "a > 5"));
  EXPECT_FALSE(holds("a > b", "a > 5"));
}

TEST_F(ImplicationTest, GivesUpOnConditionsThatAreTooLarge) {
  std::string fact = "a = 1", claim = "a = 2";
  for (int i = 2; i < 60; ++i) {
    const std::string number = std::to_string(i);
    const char* joint = i % 2 == 0 ? " OR " : " AND ";
    fact = "(" + fact + joint + "b = " + number + ")";
    claim = "(" + claim + joint + "n > " + number + ")";
  }
  EXPECT_FALSE(holds(fact, claim));
  EXPECT_TRUE(holds(fact, fact));
}

/// Random conditions over a and b, small enough to try every row.
std::string randomCondition(std::mt19937_64& random, int depth) {
  const auto below = [&](uint64_t bound) { return random() % bound; };
  const auto number = [&] { return std::to_string(below(5)); };
  const std::string subject = std::array{"a", "b", "n", "(a + b)"}[below(4)];
  if (depth > 0 && below(3) == 0)
    return "(" + randomCondition(random, depth - 1) + (below(2) == 0 ? " AND " : " OR ") +
           randomCondition(random, depth - 1) + ")";
  if (depth > 0 && below(8) == 0) return "NOT (" + randomCondition(random, depth - 1) + ")";
  switch (below(8)) {
    case 0:
      return subject + (below(3) == 0 ? " IS NULL" : " IS NOT NULL");
    case 1:
      return subject + " IN (" + number() + ", " + number() + (below(3) == 0 ? ", NULL)" : ")");
    case 2:
      return subject + " BETWEEN " + number() + " AND " + number();
    case 3:
      return "(" + subject + " > " + number() + ") IS " + (below(2) == 0 ? "TRUE" : "NOT FALSE");
    default:
      return subject + " " + std::array{"=", "<>", "<", "<=", ">", ">="}[below(6)] + " " + number();
  }
}

TEST_F(ImplicationTest, NeverClaimsWhatSomeRowDenies) {
  std::mt19937_64 random(23);
  int implied_count = 0;
  for (int i = 0; i < 4000; ++i) {
    const std::string facts = randomCondition(random, 2), claim = randomCondition(random, 2);
    BoundStatement bound = bindText("SELECT * FROM t WHERE (" + facts + ") AND (" + claim + ") IS NOT NULL");
    Plan& plan = *std::get<QueryStatement>(bound.body).plan;
    TableScan* scan = nullptr;
    Selection* selection = nullptr;
    forEachOperator(plan.root, [&](OperatorPtr& op) {
      if (op->kind == Operator::Kind::TableScan) scan = static_cast<TableScan*>(op.get());
      if (op->kind == Operator::Kind::Selection) selection = static_cast<Selection*>(op.get());
    });
    ASSERT_TRUE(scan != nullptr && selection != nullptr);
    ASSERT_EQ(selection->conditions.size(), 1u);
    const Expression& both = *selection->conditions[0];
    std::vector<ExpressionPtr> fact_list;
    fact_list.push_back(both.children[0]->clone());
    const ExpressionPtr fact = both.children[0]->clone();
    const ExpressionPtr asserted = both.children[1]->children[0]->clone();
    fact_list = simplifyConditions(std::move(fact_list));
    if (!implies(fact_list, *simplifyExpression(asserted->clone()))) continue;
    ++implied_count;
    const Number values[] = {std::nullopt, -1, 0, 1, 2, 3, 4, 5};
    for (const Number& a : values)
      for (const Number& b : values)
        for (const Number& n : values) {
          if (!n) continue;
          const Row row{{scan->columns[0].iu, a}, {scan->columns[1].iu, b}, {scan->columns[2].iu, n}};
          if (evaluate(*fact, row) == 1)
            ASSERT_EQ(evaluate(*asserted, row), Number(1)) << facts << " does not imply " << claim;
        }
  }
  EXPECT_GT(implied_count, 100);
}

}  // namespace
}  // namespace gnomon::sql
