#include "sql/plpgsql/tokens.h"

#include <gtest/gtest.h>

namespace gnomon::sql::plpgsql {
namespace {

/// The tokens' texts with a bar between them.
std::string cut(std::string_view text) {
  std::string result;
  for (const Token& token : scanTokens(text).tokens)
    if (token.kind != TokenKind::End)
      result += std::string(result.empty() ? "" : "|").append(text.substr(token.begin, token.end - token.begin));
  return result;
}

TEST(PlpgsqlTokens, AreCutAsSqlDoes) {
  EXPECT_EQ(cut("a.b:=c[1]..2<<x>> #o %t;"), "a|.|b|:=|c|[|1|]|..|2|<<|x|>>|#|o|%|t|;");
  EXPECT_EQ(cut("x -- y\n/* z /* */ */ 'a; b' $q$c; $ d$q$ \"e f\""), "x|'a; b'|$q$c; $ d$q$|\"e f\"");
  EXPECT_EQ(cut("u&\"x\" U&'y''z' w"), "u&\"x\"|U&'y''z'|w");
  EXPECT_EQ(cut(""), "");
}

TEST(PlpgsqlTokens, KnowKeywords) {
  const std::string_view text = "BEGIN \"begin\" Elseif return table ctid";
  const std::vector<Token> tokens = scanTokens(text).tokens;
  EXPECT_EQ(tokens[0].keyword, Keyword::Begin);
  EXPECT_EQ(tokens[1].keyword, Keyword::None);
  EXPECT_EQ(tokens[2].keyword, Keyword::Elsif);
  EXPECT_EQ(tokens[3].keyword, Keyword::Return);
  EXPECT_TRUE(tokens[4].is_reserved_in_sql);
  EXPECT_FALSE(tokens[3].is_reserved_in_sql);
  EXPECT_EQ(tokens[5].keyword, Keyword::None);
}

TEST(PlpgsqlTokens, MeanNamesAndStrings) {
  const std::string_view text = "ABC \"A\"\"b\" $12 'it''s' E'\\t' $x$y$x$";
  const std::vector<Token> tokens = scanTokens(text).tokens;
  EXPECT_EQ(nameOf(text, tokens[0]), "abc");
  EXPECT_EQ(nameOf(text, tokens[1]), "A\"b");
  EXPECT_EQ(nameOf(text, tokens[2]), "$12");
  EXPECT_EQ(stringOf(text, tokens[3]), "it's");
  EXPECT_EQ(stringOf(text, tokens[4]), "\t");
  EXPECT_EQ(stringOf(text, tokens[5]), "y");
}

TEST(PlpgsqlTokens, EndWhereTheTextIsWrong) {
  const TokenList list = scanTokens("begin x := 'open");
  EXPECT_EQ(list.tokens.size(), 4u);
  EXPECT_EQ(list.tokens.back().begin, 11u);
  ASSERT_TRUE(list.error);
  EXPECT_EQ(list.error->message(), "unterminated quoted string at or near \"'open\"");
  // The escape is wrong inside of a string: that is no token either.
  const TokenList escape = scanTokens("a E'b\\u00zz' c");
  EXPECT_EQ(escape.tokens.size(), 2u);
  EXPECT_EQ(escape.error->position(), 5);
}

}  // namespace
}  // namespace gnomon::sql::plpgsql
