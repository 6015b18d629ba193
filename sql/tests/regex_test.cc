#include "sql/regex/regex.h"

#include <gtest/gtest.h>

#include <atomic>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "base/cancel_scope.h"
#include "base/sql_error.h"

namespace gnomon::sql {
namespace {

/// The groups of the first match, the whole first, as {ab,a,-}; empty: there is none.
std::string matchOf(std::string_view pattern, std::string_view text, std::string_view flags = "") {
  const Regex regex(pattern, parseRegexFlags(flags));
  RegexScan scan(regex, text, RegexScan::Wanted::Groups);
  if (!scan.find(0)) return "";
  std::string result;
  for (uint32_t group = 0; group <= regex.groupCount(); ++group) {
    const RegexScan::Span span = scan.group(group);
    result.append(group == 0 ? "{" : ",").append(span.isSet() ? scan.textOf(span) : "-");
  }
  return result + "}";
}

std::string errorOf(std::string_view pattern) {
  try {
    const Regex regex(pattern, {});
  } catch (const SqlError& error) {
    return std::string(error.state().text()) + " " + error.what();
  }
  return "";
}

TEST(Regex, TakesTheMatchThatBeginsFirstAndThenTheLongest) {
  EXPECT_EQ(matchOf("b|abcd|c", "xabcd"), "{abcd}");
  EXPECT_EQ(matchOf("(?:a|ab)(?:c|bcd)", "abcd"), "{abcd}");
}

TEST(Regex, FirstPartsTakeAsMuchAsTheyPrefer) {
  EXPECT_EQ(matchOf("(a|ab)(c|bcd)(d*)", "abcd"), "{abcd,ab,c,d}");
  EXPECT_EQ(matchOf("(a+?)(a*)", "aaa"), "{a,a,}");
  EXPECT_EQ(matchOf("(a*)(a+?)", "aaa"), "{aaa,aa,a}");
}

TEST(Regex, LastRepetitionGivesTheGroup) {
  EXPECT_EQ(matchOf("(?:(a)|b)*", "ab"), "{ab,-}");
  EXPECT_EQ(matchOf("(a|b){2,3}", "abb"), "{abb,b}");
  EXPECT_EQ(matchOf("(x)?oo", "foo"), "{oo,-}");
}

TEST(Regex, BackReferencesMatchWhatTheGroupDid) {
  EXPECT_EQ(matchOf("(.)(.)\\2\\1", "xabba"), "{abba,a,b}");
  EXPECT_EQ(matchOf("(a+)\\1", "aaaaa"), "{aaaa,aa}");
  EXPECT_EQ(matchOf("(a)\\1", "aA", "i"), "{aA,a}");
  EXPECT_EQ(matchOf("(a)|\\1", "b"), "");
}

TEST(Regex, LooksAround) {
  EXPECT_EQ(matchOf("a(?=b)", "acab"), "{a}");
  EXPECT_EQ(matchOf("(?<!x)b.", "xbybz"), "{bz}");
  EXPECT_EQ(matchOf("(?<=(?<!a)b)c", "abcbbc"), "{c}");
}

TEST(Regex, CharactersBeyondAsciiAreWhole) {
  EXPECT_EQ(matchOf("(.)[^a]", "äöü"), "{äö,ä}");
  EXPECT_EQ(matchOf("[à-ÿ]+?(ü)", "aäöü"), "{äöü,ü}");
}

TEST(Regex, RefusesWhatPostgresqlRefuses) {
  EXPECT_EQ(errorOf("("), "2201B invalid regular expression: parentheses () not balanced");
  EXPECT_EQ(errorOf("[a"), "2201B invalid regular expression: brackets [] not balanced");
  EXPECT_EQ(errorOf("a**"), "2201B invalid regular expression: quantifier operand invalid");
  EXPECT_EQ(errorOf("(a\\1)"), "2201B invalid regular expression: invalid backreference number");
}

TEST(Regex, ExpressionsTooLargeOrDeepAreRefusedInTime) {
  const std::string complex = "2201B invalid regular expression: regular expression is too complex";
  EXPECT_EQ(errorOf("((a{255}){255}){255}"), complex);
  EXPECT_EQ(errorOf("(?:(?:(?:(?:){255}){255}){255}){255}"), "");
  EXPECT_EQ(errorOf(std::string(100'000, '(')), complex);
  std::string doubled = "(a)";
  for (int i = 1; i < 30; ++i) doubled += "(\\" + std::to_string(i) + "\\" + std::to_string(i) + ")";
  EXPECT_EQ(errorOf(doubled), complex);
}

TEST(Regex, TextsThatLeadAstrayAreMatchedInTime) {
  EXPECT_EQ(matchOf("^(a*)*$", std::string(2000, 'a') + "b"), "");
  EXPECT_NE(matchOf("^(a?){50}a{50}$", std::string(50, 'a')), "");
  EXPECT_EQ(matchOf("^((a|aa)*)*c", std::string(2000, 'a')), "");
}

TEST(Regex, SearchInPartsOfATextSeesWhatStandsBefore) {
  const Regex regex("^a|\\mb", {});
  RegexScan scan(regex, "aab b", RegexScan::Wanted::Extent);
  ASSERT_TRUE(scan.find(1));
  EXPECT_EQ(scan.group(0).begin, 4U);
  EXPECT_EQ(scan.nextStart(), std::optional<size_t>(5));
}

TEST(Regex, ThreadsShareOne) {
  const Regex regex("(a|b)*c", {});
  std::atomic<int> found = 0;
  std::vector<std::thread> threads;
  for (int i = 0; i < 4; ++i)
    threads.emplace_back([&] {
      for (int round = 0; round < 1000; ++round) found += regex.isMatch("xababc") && !regex.isMatch("abab") ? 1 : 0;
    });
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(found, 4000);
}

TEST(Regex, StopsWhenItsStatementIsCancelled) {
  CancelToken token;
  const CancelScope scope(token);
  token.request(CancelToken::Reason::UserRequest);
  const Regex regex("(a+)\\1\\1b", {});
  RegexScan scan(regex, "aaaab", RegexScan::Wanted::Groups);
  EXPECT_THROW(scan.find(0), SqlError);
}

TEST(RegexFlags, TheLastOneDecides) {
  EXPECT_TRUE(parseRegexFlags("ci").is_caseless);
  EXPECT_FALSE(parseRegexFlags("ic").is_caseless);
  EXPECT_EQ(parseRegexFlags("qb").syntax, RegexOptions::Syntax::Basic);
  EXPECT_THROW(parseRegexFlags("y"), SqlError);
}

TEST(SimilarPattern, IsARegularExpressionOfTheWholeText) {
  EXPECT_EQ(similarPattern("a%(b|c)_", "\\"), "^(?:a.*(?:b|c).)$");
  EXPECT_EQ(similarPattern("a#%.", "#"), "^(?:a\\%\\.)$");
  EXPECT_EQ(similarPattern("a#\"%#\"[]\"]", "#"), "^(?:a){1,1}?(.*){1,1}(?:[]\"])$");
  EXPECT_THROW(similarPattern("#\"#\"#\"", "#"), SqlError);
}

}  // namespace
}  // namespace gnomon::sql
