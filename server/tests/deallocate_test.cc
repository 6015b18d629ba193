#include "server/deallocate.h"

#include <gtest/gtest.h>

namespace gnomon::server {
namespace {

std::string nameIn(std::string_view statement) {
  const auto found = readDeallocate(statement);
  return found ? found->name.empty() ? "<all>" : found->name : "<none>";
}

TEST(ReadDeallocate, KnowsEverySpelling) {
  EXPECT_EQ(nameIn("DEALLOCATE ALL"), "<all>");
  EXPECT_EQ(nameIn("deallocate prepare all"), "<all>");
  EXPECT_EQ(nameIn(" /* a /* b */ */ -- c\n deallocate Statement_1"), "statement_1");
  EXPECT_EQ(nameIn("deallocate prepare \"A \"\"b\"\"\""), "A \"b\"");
  EXPECT_EQ(nameIn("deallocate \"all\""), "all");
  EXPECT_EQ(nameIn("deallocate prepare"), "prepare");
}

TEST(ReadDeallocate, LeavesOtherStatementsAlone) {
  EXPECT_EQ(nameIn("select deallocate"), "<none>");
  EXPECT_EQ(nameIn("deallocated"), "<none>");
  EXPECT_EQ(nameIn(""), "<none>");
}

}  // namespace
}  // namespace gnomon::server
