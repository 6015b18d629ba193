#include "server/session_startup.h"

#include <gtest/gtest.h>

namespace gnomon::server {
namespace {

using Settings = std::vector<std::pair<std::string, std::string>>;

TEST(ParseOptions, KnowsBothSpellingsAndEscapedBlanks) {
  EXPECT_EQ(parseOptions("-c a=b --c-d=e\\ f -cg=h"), (Settings{{"a", "b"}, {"c_d", "e f"}, {"g", "h"}}));
  EXPECT_EQ(parseOptions("  "), Settings{});
}

TEST(ParseOptions, RefusesWhatIsNotASetting) {
  EXPECT_THROW(parseOptions("-d 3"), SqlError);
  EXPECT_THROW(parseOptions("-c novalue"), SqlError);
}

}  // namespace
}  // namespace gnomon::server
