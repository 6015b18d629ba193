#include "sql/plpgsql/body_place.h"

#include <gtest/gtest.h>

namespace gnomon::sql::plpgsql {
namespace {

TEST(PlpgsqlBodyPlace, IsFoundBetweenDollars) {
  const std::string_view statement = "do $x$ begin a; end $x$";
  EXPECT_EQ(placeInStatement(statement, " begin a; end ", 7), 13);
  EXPECT_EQ(statement[13], 'a');
}

TEST(PlpgsqlBodyPlace, CountsQuotesThatAreDoubled) {
  const std::string_view statement = "do 'begin ''x'' a; end'";
  EXPECT_EQ(placeInStatement(statement, "begin 'x' a; end", 6), 10);
  EXPECT_EQ(placeInStatement(statement, "begin 'x' a; end", 10), 16);
  EXPECT_EQ(statement[16], 'a');
  EXPECT_EQ(placeInStatement("do E'a\\'b c'", "a'b c", 4), 10);
}

TEST(PlpgsqlBodyPlace, IsOnlyOne) {
  EXPECT_EQ(placeInStatement("do 'a' 'a'", "a", 0), -1);
  EXPECT_EQ(placeInStatement("do 'b'", "a", 0), -1);
  EXPECT_EQ(placeInStatement("do E'a\\x20b'", "a b", 2), -1);
  EXPECT_EQ(placeInStatement("do 'a'", "a", -1), -1);
}

}  // namespace
}  // namespace gnomon::sql::plpgsql
