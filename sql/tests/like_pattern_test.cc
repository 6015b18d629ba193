#include "sql/types/like_pattern.h"

#include <gtest/gtest.h>

#include <random>
#include <string>

#include "base/sql_error.h"
#include "base/string_value.h"

namespace gnomon::sql {
namespace {

/// LIKE by trying everything; ASCII, backslash escapes, no trailing escape.
bool matchesNaively(std::string_view text, std::string_view pattern) {
  if (pattern.empty()) return text.empty();
  if (pattern[0] == '%') {
    for (size_t skipped = 0; skipped <= text.size(); ++skipped)
      if (matchesNaively(text.substr(skipped), pattern.substr(1))) return true;
    return false;
  }
  if (text.empty()) return false;
  if (pattern[0] == '_') return matchesNaively(text.substr(1), pattern.substr(1));
  const size_t literal = pattern[0] == '\\' ? 1 : 0;
  return text[0] == pattern[literal] && matchesNaively(text.substr(1), pattern.substr(literal + 1));
}

std::string stateOf(std::string_view text, std::string_view pattern) {
  try {
    return LikePattern(pattern).matches(text) ? "true" : "false";
  } catch (const SqlError& error) {
    return error.state().text();
  }
}

TEST(LikePattern, AgreesWithTryingEverything) {
  const auto seed = std::random_device()();
  SCOPED_TRACE("seed " + std::to_string(seed));
  std::mt19937_64 random(seed);
  for (int round = 0; round < 100000; ++round) {
    std::string text;
    std::string pattern;
    for (unsigned index = random() % 9; index > 0; --index) text += "ab"[random() % 2];
    for (unsigned index = random() % 7; index > 0; --index) {
      const char piece = "aab_%%\\"[random() % 7];
      pattern += piece;
      if (piece == '\\') pattern += "a%_"[random() % 3];
    }
    ASSERT_EQ(LikePattern(pattern).matches(text), matchesNaively(text, pattern)) << text << " LIKE " << pattern;
  }
}

TEST(LikePattern, UnderscoreIsACharacterNotAByte) {
  EXPECT_TRUE(LikePattern("__").matches("日本"));
  EXPECT_FALSE(LikePattern("_").matches("日本"));
  EXPECT_TRUE(LikePattern("%_本").matches("x日本"));
  EXPECT_TRUE(LikePattern("_%_").matches("日本"));
}

TEST(LikePattern, UnderscoreIsAByteOfBytea) {
  const std::string bytes("\xe6\x97\0z", 4);
  EXPECT_TRUE(LikePattern("____", LikeUnit::Byte).matches(bytes));
  EXPECT_FALSE(LikePattern("___", LikeUnit::Byte).matches(bytes));
  EXPECT_TRUE(LikePattern("%_z", LikeUnit::Byte).matches(bytes));
  EXPECT_TRUE(LikePattern("\xe6%", LikeUnit::Byte).matches(bytes));
  EXPECT_TRUE(LikePattern("\xe6#_", "#", LikeUnit::Byte).matches("\xe6_"));
  EXPECT_THROW(LikePattern("abc", "\xe6\x97", LikeUnit::Byte), SqlError);
}

TEST(LikePattern, CaseIsIgnoredForAsciiLetters) {
  EXPECT_TRUE(LikePattern("a%C_", LikeUnit::CaselessCharacter).matches("ABcD"));
  EXPECT_FALSE(LikePattern("É%", LikeUnit::CaselessCharacter).matches("école"));
}

TEST(LikePattern, EscapeIsAnyCharacterOrNone) {
  EXPECT_TRUE(LikePattern("ax%c", "x", LikeUnit::Character).matches("a%c"));
  EXPECT_FALSE(LikePattern("ax%c", "x", LikeUnit::Character).matches("abc"));
  EXPECT_TRUE(LikePattern("a\\b", "", LikeUnit::Character).matches("a\\b"));
  EXPECT_THROW(LikePattern("abc", "xx", LikeUnit::Character), SqlError);
}

TEST(LikePattern, TrailingEscapeFailsOnlyWhenReached) {
  EXPECT_EQ(stateOf("abc", "abc\\"), "false");
  EXPECT_EQ(stateOf("abcd", "abc\\"), "22025");
  EXPECT_EQ(stateOf("abc", "x\\"), "false");
  EXPECT_EQ(stateOf("abc", "%\\"), "22025");
  EXPECT_EQ(stateOf("", "%\\"), "false");
}

TEST(LikePattern, TellsItsPrefix) {
  EXPECT_EQ(LikePattern("abc%def").prefix(), "abc");
  EXPECT_EQ(LikePattern("ab_c%").prefix(), "ab");
  EXPECT_EQ(LikePattern("a\\%b%").prefix(), "a%b");
  EXPECT_TRUE(LikePattern("abc").isExact());
  EXPECT_FALSE(LikePattern("abc%").isExact());
  EXPECT_EQ(LikePattern("abc%", LikeUnit::CaselessCharacter).prefix(), "");
}

}  // namespace
}  // namespace gnomon::sql
