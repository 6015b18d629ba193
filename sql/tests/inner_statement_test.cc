#include "sql/parse/inner_statement.h"

#include <gtest/gtest.h>

namespace gnomon::sql {
namespace {

std::string_view innerOf(std::string_view statement) {
  return statement.substr(innerStatementBegin(statement));
}

TEST(InnerStatement, BeginsBehindItsWord) {
  EXPECT_EQ(innerOf("prepare p as select 1 as a"), " select 1 as a");
  EXPECT_EQ(innerOf("PREPARE \"as\" (int, text) /* as */ AS values (1)"), " values (1)");
  EXPECT_EQ(innerOf("declare \"for\" cursor with hold for select 1 for update"), " select 1 for update");
}

TEST(InnerStatement, StandsInThePlaceOfExecute) {
  EXPECT_EQ(withQueryForExecute("explain (costs off) execute p", "select 1"), "explain (costs off) select 1\n");
  EXPECT_EQ(withQueryForExecute("create table t as execute p((1 + 2) * 3, ')') with no data", "select 1 -- x"),
            "create table t as select 1 -- x\n with no data");
  EXPECT_EQ(withQueryForExecute("create table \"execute\" as execute p", "select $1"),
            "create table \"execute\" as select $1\n");
}

}  // namespace
}  // namespace gnomon::sql
