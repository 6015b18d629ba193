#include "sql/plpgsql/returned_query.h"

#include <algorithm>
#include <array>
#include <span>

#include "sql/plpgsql/tokens.h"

namespace gnomon::sql::plpgsql {

std::optional<std::string_view> onlyReturnedQuery(std::string_view body) {
  const TokenList list = scanTokens(body);
  if (list.error) return std::nullopt;
  constexpr std::array kBefore = {Keyword::Begin, Keyword::Return, Keyword::Query};
  std::span<const Token> tokens = list.tokens;
  const auto isKeyword = [](const Token& token, Keyword keyword) { return token.keyword == keyword; };
  if (tokens.size() <= kBefore.size() || !std::ranges::equal(tokens.first(kBefore.size()), kBefore, isKeyword))
    return std::nullopt;
  tokens = tokens.subspan(kBefore.size());
  // Between parentheses and brackets there are no semicolons.
  const auto end = std::ranges::find(tokens, TokenKind::Semicolon, &Token::kind);
  if (end == tokens.end() || tokens.front().keyword == Keyword::Execute) return std::nullopt;
  const std::string_view query = body.substr(tokens.front().begin, end->begin - tokens.front().begin);
  tokens = tokens.subspan(static_cast<size_t>(end - tokens.begin()) + 1);
  if (tokens.front().keyword != Keyword::End) return std::nullopt;
  tokens = tokens.subspan(1);
  if (tokens.front().kind == TokenKind::Semicolon) tokens = tokens.subspan(1);
  if (tokens.front().kind != TokenKind::End) return std::nullopt;
  return query;
}

}  // namespace gnomon::sql::plpgsql
