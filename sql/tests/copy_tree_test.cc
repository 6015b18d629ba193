#include "sql/algebra/copy_tree.h"

#include <regex>

#include "sql/algebra/set_operators.h"
#include "sql/explain/explain.h"
#include "sql/tests/bind_fixture.h"

namespace gnomon::sql {
namespace {

class CopyTreeTest : public BindTest {
 protected:
  void SetUp() override {
    execute("CREATE TABLE t (a integer, b integer, c text, d numeric)");
    execute("CREATE TABLE s (a integer, b integer, c text)");
  }
};

/// The plan's text without the numbers that tell units of one name apart.
std::string shapeOf(const Plan& plan) {
  static const std::regex kNumber("#[0-9]+");
  return std::regex_replace(explainPlan(plan), kNumber, "#");
}

/// The plan with a copy in the place of its tree, which is gone: a unit of its own that the copy reads would be none of
/// those below.
TEST_F(CopyTreeTest, IsTheSameTreeOverUnitsOfItsOwn) {
  const char* const queries[] = {
      "SELECT * FROM t WHERE a > 1 AND c LIKE 'x%'",
      "SELECT a + b AS x, d * 2 FROM t ORDER BY x DESC NULLS LAST LIMIT 3 OFFSET 1",
      "SELECT t.a, s.c FROM t JOIN s ON t.a = s.a AND t.b < s.b",
      "SELECT t.a, s.c FROM t LEFT JOIN s ON t.a = s.a",
      "SELECT t.a, s.c FROM t FULL JOIN s USING (a)",
      "SELECT b, count(*), sum(DISTINCT a), string_agg(c, ',' ORDER BY a DESC), corr(a, b) FROM t GROUP BY b",
      "SELECT percentile_disc(0.5) WITHIN GROUP (ORDER BY a DESC) FROM t",
      "SELECT rank() OVER w, sum(a) OVER (w RANGE BETWEEN 1 PRECEDING AND 2 FOLLOWING EXCLUDE TIES), lag(c, 2, 'z') "
      "OVER w FROM t WINDOW w AS (PARTITION BY c ORDER BY b DESC)",
      "SELECT a, (SELECT max(s.b) FROM s WHERE s.a > t.a), a IN (SELECT b FROM s WHERE s.c = t.c) FROM t",
      "SELECT * FROM t WHERE EXISTS (SELECT 1 FROM s WHERE s.a = t.a AND s.b NOT IN (SELECT a FROM t AS u))",
      "SELECT * FROM t, LATERAL (SELECT s.b FROM s WHERE s.a < t.a ORDER BY s.b LIMIT 2) AS q",
      "SELECT a FROM t UNION ALL SELECT b FROM s UNION SELECT 1",
      "SELECT a FROM t EXCEPT ALL SELECT b FROM s",
      "SELECT * FROM (VALUES (1, 'x'), (2, 'y')) AS v (n, m)",
      "SELECT * FROM generate_series(1, 9, 2) WITH ORDINALITY AS g (x, n)",
      "SELECT a, unnest(ARRAY[a, b]), generate_series(1, b) FROM t",
      "SELECT b, c, count(*), grouping(b, c) FROM t GROUP BY ROLLUP (b, c)",
      "WITH w AS (SELECT a FROM t) SELECT * FROM w AS one, w AS other",
      "SELECT * FROM t, LATERAL (WITH RECURSIVE r AS (SELECT t.a AS n UNION SELECT n + 1 FROM r WHERE n < t.b) "
      "SELECT sum(n) FROM r) AS q",
  };
  for (const char* const text : queries) {
    SCOPED_TRACE(text);
    const BoundStatement bound = bindText(text);
    Plan& plan = *std::get<QueryStatement>(bound.body).plan;
    const std::string before = shapeOf(plan);
    auto& output = static_cast<Output&>(*plan.root);
    UnitRenaming copies;
    output.inputs[0] = copyTree(plan, *output.inputs[0], copies);
    for (Output::Column& column : output.columns) column.iu = copies.at(column.iu);
    EXPECT_EQ(findViolation(plan), "");
    EXPECT_EQ(shapeOf(plan), before);
    for (const auto& [unit, copy] : copies) {
      EXPECT_NE(unit, copy);
      EXPECT_EQ(unit->type, copy->type);
      EXPECT_EQ(unit->nullable, copy->nullable);
    }
  }
}

TEST_F(CopyTreeTest, ReadsTheSameUnitsOfQueriesAroundIt) {
  const BoundStatement bound = bindText("SELECT * FROM t, LATERAL (SELECT s.b FROM s WHERE s.a < t.a) AS q");
  Plan& plan = *std::get<QueryStatement>(bound.body).plan;
  auto* const join = static_cast<Join*>(plan.root->inputs[0].get());
  ASSERT_EQ(join->kind, Operator::Kind::Join);
  UnitRenaming copies;
  const OperatorPtr copy = copyTree(plan, *join->inputs[1], copies);
  EXPECT_EQ(freeUnits(*copy), freeUnits(*join->inputs[1]));
  EXPECT_FALSE(freeUnits(*copy).empty());
}

TEST_F(CopyTreeTest, WorkingRowsAreThoseOfTheCopiedRecursion) {
  const BoundStatement bound = bindText(
      "SELECT * FROM t, LATERAL (WITH RECURSIVE r AS (SELECT t.a AS n UNION ALL SELECT n + 1 FROM r WHERE n < 9) "
      "SELECT n FROM r) AS q");
  Plan& plan = *std::get<QueryStatement>(bound.body).plan;
  UnitRenaming copies;
  OperatorPtr copy = copyTree(plan, *plan.root->inputs[0], copies);
  std::vector<const Operator*> recursions;
  std::vector<const Recursion*> scanned;
  forEachOperator(copy, [&](OperatorPtr& op) {
    if (op->kind == Operator::Kind::Recursion) recursions.push_back(op.get());
    if (op->kind == Operator::Kind::WorkingScan) scanned.push_back(static_cast<WorkingScan&>(*op).recursion);
  });
  ASSERT_EQ(recursions.size(), 1u);
  ASSERT_EQ(scanned.size(), 1u);
  EXPECT_EQ(scanned[0], recursions[0]);
}

}  // namespace
}  // namespace gnomon::sql
