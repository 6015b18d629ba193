#include "sql/plpgsql/conditions.h"

#include <gtest/gtest.h>

#include <set>
#include <string>

namespace gnomon::sql::plpgsql {
namespace {

std::string codesOf(std::string_view name) {
  std::string codes;
  for (const SqlState& state : findConditions(name)) codes += std::string(codes.empty() ? "" : " ") + state.text();
  return codes;
}

TEST(PlpgsqlConditions, HaveTheirCodes) {
  EXPECT_EQ(codesOf("division_by_zero"), "22012");
  EXPECT_EQ(codesOf("integrity_constraint_violation"), "23000");
  EXPECT_EQ(codesOf("raise_exception"), "P0001");
  EXPECT_EQ(codesOf("null_value_not_allowed"), "22004 39004");
  EXPECT_EQ(codesOf("modifying_sql_data_not_permitted"), "2F002 38002");
  EXPECT_STREQ(findCondition("null_value_not_allowed")->text(), "22004");
}

TEST(PlpgsqlConditions, AreNeitherWarningsNorOthers) {
  EXPECT_EQ(codesOf("deprecated_feature"), "");
  EXPECT_EQ(codesOf("successful_completion"), "");
  EXPECT_EQ(codesOf("others"), "");
  EXPECT_EQ(findCondition("nonsense"), std::nullopt);
}

TEST(PlpgsqlConditions, AreAllThere) {
  std::set<std::string_view> names;
  for (const NamedCondition& condition : conditions()) names.insert(condition.name);
  EXPECT_EQ(conditions().size(), 249u);
  EXPECT_EQ(names.size(), 245u);
}

TEST(PlpgsqlConditions, CodesAreFiveDigitsAndUpperCaseLetters) {
  EXPECT_STREQ(sqlStateOf("U0001")->text(), "U0001");
  EXPECT_EQ(sqlStateOf("u0001"), std::nullopt);
  EXPECT_EQ(sqlStateOf("2201"), std::nullopt);
  EXPECT_EQ(sqlStateOf("220122"), std::nullopt);
  EXPECT_EQ(sqlStateOf("22-12"), std::nullopt);
}

}  // namespace
}  // namespace gnomon::sql::plpgsql
