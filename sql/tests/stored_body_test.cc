#include "sql/catalog/stored_body.h"

#include <gtest/gtest.h>

#include "base/sql_error.h"

namespace gnomon::sql {
namespace {

RoutineEntry routineWith(std::string body) {
  RoutineEntry routine;
  routine.body = std::move(body);
  return routine;
}

TEST(StoredBody, IsReadAsItWasWritten) {
  StoredBody body;
  body.is_atomic = true;
  body.uses = {{16'384}, {16'384, 2}, {16'400, ViewEntry::Use::kNoColumn - 1}};
  body.returns = {1};
  body.statements = "0;SELECT 1;\nSELECT 'a b;c'";
  const RoutineEntry routine = routineWith(body.text());
  ASSERT_TRUE(StoredBody::isOne(routine));
  const StoredBody read = StoredBody::of(routine);
  EXPECT_TRUE(read.is_atomic);
  EXPECT_EQ(read.uses, body.uses);
  EXPECT_EQ(read.returns, body.returns);
  EXPECT_EQ(read.statements, body.statements);
}

TEST(StoredBody, IsNoBodyThatIsGivenAsAText) {
  EXPECT_FALSE(StoredBody::isOne(routineWith("R0 0 0;SELECT 1")));
  EXPECT_FALSE(StoredBody::isOne(routineWith("")));
}

TEST(StoredBody, DamagedOnesAreRefused) {
  StoredBody body;
  body.uses = {{16'384, 2}};
  body.statements = "0;SELECT 1";
  const std::string text = body.text();
  for (size_t size = 1; size < text.find("0;"); ++size)
    EXPECT_THROW(StoredBody::of(routineWith(text.substr(0, size))), SqlError) << size;
}

}  // namespace
}  // namespace gnomon::sql
