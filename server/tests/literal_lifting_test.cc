#include "server/literal_lifting.h"

#include <gtest/gtest.h>

namespace gnomon::server {
namespace {

/// "text | kind:value ..." with i, b and s for integers, bigints and strings; "-" where nothing is lifted.
std::string lifted(std::string_view text) {
  const auto found = liftLiterals(text);
  if (!found) return "-";
  std::string result = found->text + " |";
  for (const LiftedText::Literal& literal : found->literals)
    result += std::string(" ") +
              (literal.type.kind == sql::TypeKind::Integer  ? "i:"
               : literal.type.kind == sql::TypeKind::Bigint ? "b:"
                                                            : "s:") +
              literal.text;
  return result;
}

TEST(LiteralLifting, LiftsBehindComparisonsAndSigns) {
  EXPECT_EQ(lifted("select a from t where a = 5"), "select a from t where a = $1 | i:5");
  EXPECT_EQ(lifted("SELECT a FROM t WHERE a>=5 AND b<'x''y';"), "SELECT a FROM t WHERE a>=$1 AND b<$2 | i:5 s:x'y");
  EXPECT_EQ(lifted("update t set a = a + 17, b = -3 where c <> 4000000000"),
            "update t set a = a + $1, b = -$2 where c <> $3 | i:17 i:3 b:4000000000");
  EXPECT_EQ(lifted("delete from t where a between 1 and 2 and b"),
            "delete from t where a between $1 and $2 and b | i:1 i:2");
  EXPECT_EQ(lifted("select a from t where a = 2147483647 or a = 2147483648"),
            "select a from t where a = $1 or a = $2 | i:2147483647 b:2147483648");
}

TEST(LiteralLifting, LiftsListsOfInAndValues) {
  EXPECT_EQ(lifted("select a from t where a in (1, 'x', 3)"), "select a from t where a in ($1, $2, $3) | i:1 s:x i:3");
  EXPECT_EQ(lifted("insert into t (a, b) values (1, 'x'), (f(2, 3), null)"),
            "insert into t (a, b) values ($1, $2), (f(2, 3), null) | i:1 s:x");
}

TEST(LiteralLifting, LeavesWhatMeansSomethingElse) {
  EXPECT_EQ(lifted("select f(1), 2, 'x' from t where a = 5 order by 2 limit 10"),
            "select f(1), 2, 'x' from t where a = $1 order by 2 limit 10 | i:5");
  EXPECT_EQ(lifted("select a from t where d = date '2020-01-01' and a = 1"),
            "select a from t where d = date '2020-01-01' and a = $1 | i:1");
  EXPECT_EQ(lifted("select a from t where n = 1.5 and a = 1"), "select a from t where n = 1.5 and a = $1 | i:1");
  EXPECT_EQ(lifted("select a from t where a = -2147483648 and b = -'5'  and c = 1"),
            "select a from t where a = -2147483648 and b = -'5'  and c = $1 | i:1");
  EXPECT_EQ(lifted("select \"a = 5\" from t where \"x\"\"y\" = 6"),
            "select \"a = 5\" from t where \"x\"\"y\" = $1 | i:6");
}

TEST(LiteralLifting, LeavesWholeStatements) {
  for (const std::string_view text : {"select 1",
                                      "begin",
                                      "set a = 5",
                                      "copy t from stdin",
                                      "explain select a from t where a = 5",
                                      "",
                                      ";",
                                      "select a from t where a = 5; select 6",
                                      "select a from t where a = 5 -- comment",
                                      "select a from t where a = /* 4 */ 5",
                                      "select a from t where a = E'x'",
                                      "select a from t where a = U&'x'",
                                      "select a from t where a = $1 and b = 5",
                                      "select a from t where a = $$x$$ and b = 5",
                                      "select a from t where a = '5'::int",
                                      "select a from t where a = 5::bigint",
                                      "select a, count(*) from t group by a, b + 1",
                                      "select a from t where a = 0x10",
                                      "select a from t where a = 5e3",
                                      "select a from t where a = 'x\\y'",
                                      "select a from t where a = 'x",
                                      "select a from t where (a = 5",
                                      "select a from t where a = 'x'\n'y'",
                                      "select a from t where a = 5abc",
                                      "with x as (select 1) select a from t where a = 5",
                                      "select a from t where a = interval '1 day' + 5",
                                      "select a from t where a[5] = 5"})
    EXPECT_EQ(lifted(text), "-") << text;
}

}  // namespace
}  // namespace gnomon::server
