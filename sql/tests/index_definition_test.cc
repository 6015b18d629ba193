#include "sql/bind/index_definition.h"

#include <gmock/gmock.h>

#include "sql/tests/bind_fixture.h"

namespace gnomon::sql {
namespace {

using ::testing::ElementsAre;

class IndexDefinitionTest : public BindTest {
 protected:
  void SetUp() override {
    execute(R"(create table t (a text, b integer, "Odd ""Name" integer, c varchar(5), d date, "select" integer))");
  }
  IndexSpecification specification(std::string_view text) {
    return std::get<CreateIndexStatement>(bindText(text).body).index;
  }
  IndexEntry entry(std::string_view text) {
    IndexEntry entry;
    static_cast<IndexSpecification&>(entry) = specification(text);
    entry.expressions = bindIndexExpressions(catalog_.find({"public", "t"})->columns, entry, catalog_);
    return entry;
  }
  std::vector<std::string> labels(std::string_view text) {
    std::vector<std::string> result;
    for (const IndexColumn& part : specification(text).columns) result.push_back(part.label);
    return result;
  }
};

TEST_F(IndexDefinitionTest, PlainColumnsHaveNoExpressions) {
  const IndexEntry index = entry("create index on t (b, (a))");
  EXPECT_EQ(index.expressions, nullptr);
  EXPECT_EQ(index.columns[1].column, 0u);
  EXPECT_THAT(dependedColumns(index), ElementsAre(0u, 1u));
}

TEST_F(IndexDefinitionTest, NamesPartsAsPostgresqlDoes) {
  EXPECT_THAT(labels("create index on t (lower(a), (b + 1), b, (b + 2), b, (b::bigint), coalesce(a, c))"),
              ElementsAre("lower", "expr", "b", "expr1", "b1", "b2", "coalesce"));
}

TEST_F(IndexDefinitionTest, TextsNameColumnsWithoutTheirTable) {
  const IndexSpecification index = specification(
      R"(create index on t ((t.a || public.t.c), (t."Odd ""Name" + "select")) where t.b > 1 and d is not null)");
  EXPECT_EQ(index.columns[0].expression, "a || c");
  EXPECT_EQ(index.columns[1].expression, R"("Odd ""Name" + "select")");
  EXPECT_EQ(index.predicate, "b > 1 AND d IS NOT NULL");
}

TEST_F(IndexDefinitionTest, TextsMayHaveLettersOfSeveralBytes) {
  execute(R"(create table u ("Größe" integer, "ñ" integer, b text))");
  IndexSpecification index =
      specification(R"(create index on u ((b || 'äöü' || b), ("Größe" + u."ñ")) where "Größe" > 1 and u.b <> 'ß')");
  EXPECT_EQ(index.columns[0].expression, "(b || 'äöü') || b");
  EXPECT_EQ(index.columns[1].expression, R"("Größe" + "ñ")");
  EXPECT_EQ(index.predicate, R"("Größe" > 1 AND b <> 'ß')");
  renameColumn(index, "ñ", "n");
  renameColumn(index, "b", "Breite");
  EXPECT_EQ(index.columns[0].expression, R"(("Breite" || 'äöü') || "Breite")");
  EXPECT_EQ(index.columns[1].expression, R"("Größe" + n)");
}

TEST_F(IndexDefinitionTest, DependsOnEveryColumnThatItsTextsMention) {
  EXPECT_THAT(dependedColumns(entry("create index on t (lower(a), d) where b > 1")), ElementsAre(0u, 1u, 4u));
  EXPECT_THAT(dependedColumns(entry(R"(create index on t ("select") where "Odd ""Name" = 3)")), ElementsAre(2u, 5u));
}

TEST_F(IndexDefinitionTest, ARenamedColumnHasItsNewNameInTheTexts) {
  IndexSpecification index = specification(
      R"(create index on t ((a || 'a' || upper(a)), (b + "select"), c) where a <> 'a' and "Odd ""Name" > b)");
  renameColumn(index, "a", "b\"c");
  renameColumn(index, "Odd \"Name", "plain");
  renameColumn(index, "select", "a");
  renameColumn(index, "nobody", "x");
  EXPECT_EQ(index.columns[0].expression, R"(("b""c" || 'a') || upper("b""c"))");
  EXPECT_EQ(index.columns[1].expression, "b + a");
  EXPECT_EQ(index.predicate, R"("b""c" <> 'a' AND plain > b)");
}

TEST_F(IndexDefinitionTest, RefusesWhatDependsOnSettingsOrTheSession) {
  for (const char* part : {"(d::text)", "(a::date)", "(a || d)", "(current_user)", "version()", "pg_typeof(b)"})
    EXPECT_EQ(errorOf(std::string("create index on t (") + part + ")"),
              "42P17 -1 functions in index expression must be marked IMMUTABLE")
        << part;
  EXPECT_EQ(errorOf("create index on t (b) where a = current_user"),
            "42P17 -1 functions in index predicate must be marked IMMUTABLE");
}

}  // namespace
}  // namespace gnomon::sql
