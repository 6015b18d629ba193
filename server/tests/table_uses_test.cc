#include "server/table_uses.h"

#include <gtest/gtest.h>

#include <optional>

#include "base/sql_error.h"

namespace gnomon::server {
namespace {

sql::TablePtr tableWith(uint32_t oid) {
  sql::TableEntry table;
  table.oid = oid;
  table.name = "t";
  return std::make_shared<const sql::TableEntry>(std::move(table));
}

bool isUsed(const TableUses& uses, const sql::TablePtr& table) {
  try {
    uses.requireUnused(*table, "DROP TABLE");
    return false;
  } catch (const SqlError& error) {
    EXPECT_STREQ(error.state().text(), "55006");
    EXPECT_EQ(error.message(), "cannot DROP TABLE \"t\" because it is being used by active queries in this session");
    return true;
  }
}

TEST(TableUses, KnowsTheTablesOfThoseThatHaveNotEnded) {
  const sql::TablePtr a = tableWith(1), b = tableWith(2), c = tableWith(3);
  const std::vector<sql::TablePtr> first{a}, second{a, b}, third{c, c};
  TableUses uses;
  EXPECT_FALSE(isUsed(uses, a));
  TableUses::Use one, two;
  one.begin(uses, first);
  two.begin(uses, second);
  {
    TableUses::Use three;
    three.begin(uses, third);
    EXPECT_TRUE(isUsed(uses, a));
    EXPECT_TRUE(isUsed(uses, b));
    EXPECT_TRUE(isUsed(uses, c));
    // Neither the first nor the last of those that began.
    two.release();
    EXPECT_TRUE(isUsed(uses, a));
    EXPECT_FALSE(isUsed(uses, b));
    EXPECT_TRUE(isUsed(uses, c));
  }
  EXPECT_FALSE(isUsed(uses, c));
  two.begin(uses, second);
  // In the place of what it was before.
  one.begin(uses, third);
  EXPECT_TRUE(isUsed(uses, a));
  EXPECT_TRUE(isUsed(uses, c));
  two.release();
  two.release();
  EXPECT_FALSE(isUsed(uses, a));
  EXPECT_TRUE(isUsed(uses, c));
  one.release();
  EXPECT_FALSE(isUsed(uses, c));
}

}  // namespace
}  // namespace gnomon::server
