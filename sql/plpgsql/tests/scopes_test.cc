#include "sql/plpgsql/scopes.h"

#include <gtest/gtest.h>

namespace gnomon::sql::plpgsql {
namespace {

using Kind = Scopes::Entry::Kind;

/// f(a) <<outer>> (r record, b) <<inner>> (b)
class ScopesTest : public testing::Test {
 protected:
  ScopesTest() {
    scopes_.push(Kind::Block, "f");
    scopes_.add(Kind::Variable, DatumId(0), "a");
    scopes_.push(Kind::Block, "outer");
    scopes_.add(Kind::Record, DatumId(1), "r");
    scopes_.add(Kind::Variable, DatumId(2), "b");
    outside_ = scopes_.top();
    scopes_.push(Kind::Loop, "inner");
    scopes_.add(Kind::Variable, DatumId(3), "b");
  }
  /// "datum/names used", or "none".
  std::string find(ScopeId from, std::string_view first, std::string_view second = {}, std::string_view third = {}) {
    const auto found = scopes_.find(from, first, second, third);
    return found ? std::to_string(found->datum.value) + "/" + std::to_string(found->names_used) : "none";
  }
  std::string find(std::string_view first, std::string_view second = {}, std::string_view third = {}) {
    return find(scopes_.top(), first, second, third);
  }

  Scopes scopes_;
  ScopeId outside_;
};

TEST_F(ScopesTest, FindsTheInnermost) {
  EXPECT_EQ(find("b"), "3/1");
  EXPECT_EQ(find(outside_, "b"), "2/1");
  EXPECT_EQ(find("a"), "0/1");
  EXPECT_EQ(find("c"), "none");
}

TEST_F(ScopesTest, FindsBehindLabels) {
  EXPECT_EQ(find("outer", "b"), "2/2");
  EXPECT_EQ(find("inner", "b"), "3/2");
  EXPECT_EQ(find("f", "a"), "0/2");
  EXPECT_EQ(find("inner", "a"), "none");
  EXPECT_EQ(find(outside_, "inner", "b"), "none");
}

TEST_F(ScopesTest, LeavesFieldsToRecordsAlone) {
  EXPECT_EQ(find("r", "field"), "1/1");
  EXPECT_EQ(find("r", "field", "field"), "1/1");
  EXPECT_EQ(find("outer", "r", "field"), "1/2");
  EXPECT_EQ(find("b", "field"), "none");
  EXPECT_EQ(find("outer", "b", "field"), "none");
}

TEST_F(ScopesTest, KnowsTheNewestLevel) {
  EXPECT_TRUE(scopes_.isDeclaredHere("b"));
  EXPECT_FALSE(scopes_.isDeclaredHere("a"));
  EXPECT_EQ(scopes_.entry(*scopes_.nearestLoop()).name, "inner");
  scopes_.pop();
  EXPECT_EQ(scopes_.top(), outside_);
  EXPECT_EQ(scopes_.nearestLoop(), std::nullopt);
  EXPECT_EQ(scopes_.findLabel("inner"), std::nullopt);
  EXPECT_EQ(scopes_.entry(*scopes_.findLabel("f")).kind, Kind::Block);
}

}  // namespace
}  // namespace gnomon::sql::plpgsql
