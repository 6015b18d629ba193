#include "sql/types/regex_syntax.h"

#include <gtest/gtest.h>

#include "base/sql_error.h"

namespace gnomon::sql {
namespace {

std::string stateOf(std::string_view pattern) {
  try {
    translateRegex(pattern, {});
  } catch (const SqlError& error) {
    return std::string(error.state().text());
  }
  return "";
}

TEST(RegexSyntax, RefusesWhatPostgresqlRefuses) {
  for (const std::string_view pattern : {"(", ")", "[", "*a", "a**", "a{2,1}", "a{256}", "a{1", "[b-a]", "[[:nosuch:]]",
                                         "a\\", "\\q", "(?z)a", "^*", "[a-c-e]", "***a"})
    EXPECT_EQ(stateOf(pattern), "2201B") << pattern;
}

TEST(RegexSyntax, NamesWhatCannotBeDone) {
  for (const std::string_view pattern : {"(a)\\1", "a(?=b)", "(?<!a)b", "\\mword", "[[:<:]]a", "[[.a.]]"})
    EXPECT_EQ(stateOf(pattern), "0A000") << pattern;
}

TEST(RegexSyntax, KnowsWhereMatchesMayDiffer) {
  EXPECT_TRUE(translateRegex("a+?b", {}).has_shortest);
  EXPECT_TRUE(translateRegex("(a|ab)(c)", {}).has_free_groups);
  EXPECT_TRUE(translateRegex("(a)*", {}).has_free_groups);
  const RegexSyntax plain = translateRegex("(a+)(?:b)(c{2})", {});
  EXPECT_FALSE(plain.has_shortest || plain.has_free_groups);
  EXPECT_EQ(plain.group_count, 2U);
}

TEST(RegexSyntax, WritesCaselessLettersAsClasses) {
  RegexOptions options;
  options.is_caseless = true;
  EXPECT_EQ(translateRegex("k", options).pattern, "[\\x{6b}-\\x{6b}\\x{4b}-\\x{4b}]");
  EXPECT_EQ(translateRegex("\u00e4", options).pattern, "\\x{e4}");
}

TEST(RegexSyntax, PatternsOfSimilarToMatchTheWholeText) {
  EXPECT_EQ(similarPattern("a%(b|c)_", "\\"), "^(?:a.*(?:b|c).)$");
  EXPECT_EQ(similarPattern("a#%.", "#"), "^(?:a\\%\\.)$");
}

}  // namespace
}  // namespace gnomon::sql
