#include "server/pgwire/error_message.h"

#include <gtest/gtest.h>

namespace gnomon::server {
namespace {

TEST(CharacterPosition, CountsCharactersFromOne) {
  EXPECT_EQ(characterPosition("select x", 0), 1u);
  EXPECT_EQ(characterPosition("select x", 7), 8u);
  EXPECT_EQ(characterPosition("select x", -1), 0u);
}

TEST(CharacterPosition, CountsACharacterOfSeveralBytesOnce) {
  const std::string_view text = "select 'h\xc3\xa9\xe2\x82\xac\xf0\x9f\x98\x80', y";
  EXPECT_EQ(characterPosition(text, static_cast<int32_t>(text.find('y'))), 16u);
}

TEST(CharacterPosition, StaysInsideTheText) {
  EXPECT_EQ(characterPosition("ab", 100), 3u);
}

}  // namespace
}  // namespace gnomon::server
