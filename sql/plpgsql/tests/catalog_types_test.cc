#include "sql/plpgsql/catalog_types.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "base/sql_error.h"
#include "sql/plpgsql/tests/test_catalog.h"

namespace gnomon::sql::plpgsql {
namespace {

class PlpgsqlCatalogTypes : public testing::Test {
 protected:
  /// "name: shape", and what else there is to say.
  static std::string shown(const VariableType& type) {
    constexpr std::string_view kShapes[] = {"scalar", "record", "pseudo"};
    return fmt::format("{}: {}{}{}{}", type.name, kShapes[static_cast<size_t>(type.shape)],
                       type.is_cursor ? " cursor" : "", type.is_collatable ? " collatable" : "",
                       type.domain != 0 ? " domain" : "");
  }
  std::string type(std::string_view text) { return shown(catalog_.typeOfText(text)); }
  template <typename Ask>
  std::string errorOf(Ask&& ask) {
    try {
      ask();
      return "none";
    } catch (const SqlError& error) {
      return fmt::format("{} {}", error.state().text(), error.message());
    }
  }

  TestCatalog catalog_{
      "create domain small as integer; create domain word as text;"
      "create table t (a integer, b varchar(10), c small); create type p as (x integer, y t);"};
};

TEST_F(PlpgsqlCatalogTypes, TellScalarsRecordsAndPseudoTypesApart) {
  EXPECT_EQ(type("integer"), "integer: scalar");
  EXPECT_EQ(type("numeric(10, 2)"), "numeric: scalar");
  EXPECT_EQ(type("text[]"), "text[]: scalar collatable");
  EXPECT_EQ(type("record"), "record: record");
  EXPECT_EQ(type("t"), "t: record");
  EXPECT_EQ(type("t[]"), "t[]: scalar");
  EXPECT_EQ(type("p"), "p: record");
  EXPECT_EQ(type("word"), "word: scalar collatable domain");
  EXPECT_EQ(type("refcursor"), "refcursor: scalar cursor");
  EXPECT_EQ(type("refcursor[]"), "refcursor[]: scalar");
  EXPECT_EQ(type("anyelement"), "anyelement: pseudo");
  EXPECT_EQ(type("\"any\""), "\"any\": pseudo");
}

TEST_F(PlpgsqlCatalogTypes, FindColumns) {
  const auto column = [&](std::string_view schema, std::string_view relation, std::string_view name) {
    const auto found = catalog_.types().columnType(schema, relation, name);
    return found ? shown(*found) : "none";
  };
  EXPECT_EQ(column("", "t", "b"), "character varying: scalar collatable");
  EXPECT_EQ(column("public", "t", "c"), "small: scalar domain");
  EXPECT_EQ(column("", "p", "y"), "t: record");
  EXPECT_EQ(column("", "t", "d"), "none");
  EXPECT_EQ(column("", "u", "a"), "none");
  EXPECT_EQ(column("nowhere", "t", "a"), "none");
}

TEST_F(PlpgsqlCatalogTypes, FindRowsAndCollations) {
  RoutineCatalog& types = catalog_.types();
  EXPECT_EQ(shown(types.rowType("", "t")), "t: record");
  EXPECT_EQ(shown(types.rowType("public", "p")), "p: record");
  EXPECT_EQ(errorOf([&] { types.rowType("", "u"); }), "42P01 relation \"u\" does not exist");
  EXPECT_EQ(errorOf([&] { types.rowType("nowhere", "u"); }), "3F000 schema \"nowhere\" does not exist");
  const std::vector<std::string> c = {"pg_catalog", "C"};
  const std::vector<std::string> nothing = {"nothing"};
  EXPECT_EQ(errorOf([&] { types.requireCollation(c); }), "none");
  EXPECT_EQ(errorOf([&] { types.requireCollation(nothing); }),
            "42704 collation \"nothing\" for encoding \"UTF8\" does not exist");
}

}  // namespace
}  // namespace gnomon::sql::plpgsql
