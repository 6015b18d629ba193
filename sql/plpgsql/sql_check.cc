#include "sql/plpgsql/sql_check.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <string>

#include "sql/parse/parser.h"
#include "sql/plpgsql/tokens.h"

namespace gnomon::sql::plpgsql {
namespace {

constexpr std::string_view kSelect = "SELECT ";

/// What the grammar says of a text of which all but `before` bytes stand at `offset` in the body. What Gnomon does not
/// do is found when the text is bound.
std::optional<SqlError> grammarError(std::string_view text, uint32_t offset, size_t before) {
  try {
    parse(text);
    return std::nullopt;
  } catch (const SqlError& error) {
    SqlError placed = error;
    const int32_t position = error.position() - static_cast<int32_t>(before);
    return placed.dropPosition().position(static_cast<int32_t>(offset) + std::max(position, 0));
  }
}

SqlError syntaxErrorAt(std::string_view token, uint32_t position) {
  return SqlError(sqlstate::kSyntaxError, fmt::format("syntax error at or near \"{}\"", token))
      .position(static_cast<int32_t>(position));
}

/// Where a set operation or an INTO stands in an expression that the grammar takes for a SELECT's rest: outside of
/// parentheses, and neither as a field's nor as a column's name.
std::optional<Token> findBeyondExpression(std::string_view text) {
  const TokenList list = scanTokens(text);
  int depth = 0;
  for (size_t i = 0; i < list.tokens.size(); ++i) {
    const Token& token = list.tokens[i];
    if (token.kind == TokenKind::ParenthesisOpen || token.kind == TokenKind::BracketOpen) ++depth;
    if (token.kind == TokenKind::ParenthesisClose || token.kind == TokenKind::BracketClose) --depth;
    if (token.kind != TokenKind::Word || token.is_quoted || depth != 0) continue;
    const std::string word = nameOf(text, token);
    if (word != "union" && word != "intersect" && word != "except" && word != "into") continue;
    if (i > 0) {
      const Token& previous = list.tokens[i - 1];
      const bool is_label = previous.kind == TokenKind::Word && !previous.is_quoted && nameOf(text, previous) == "as";
      if (previous.kind == TokenKind::Dot || is_label) continue;
    }
    return token;
  }
  return std::nullopt;
}

void checkExpression(std::string_view text, uint32_t offset) {
  const std::optional<SqlError> error = grammarError(std::string(kSelect) + std::string(text), offset, kSelect.size());
  const std::optional<Token> beyond = findBeyondExpression(text);
  if (beyond && (!error || error->position() >= static_cast<int32_t>(offset + beyond->begin)))
    throw syntaxErrorAt(text.substr(beyond->begin, beyond->end - beyond->begin), offset + beyond->begin);
  if (error) throw SqlError(*error);
}

/// Behind the bracket that closes the one at `token`.
uint32_t skipBrackets(const TokenCursor& cursor, uint32_t token) {
  int depth = 0;
  do {
    const TokenKind kind = cursor.token(token).kind;
    if (kind == TokenKind::BracketOpen || kind == TokenKind::ParenthesisOpen) ++depth;
    if (kind == TokenKind::BracketClose || kind == TokenKind::ParenthesisClose) --depth;
    ++token;
  } while (depth > 0);
  return token;
}

}  // namespace

void checkSql(const Routine& routine, const Fragment& fragment) {
  const std::string text = routine.textOf(fragment);
  if (fragment.kind == Fragment::Kind::Expression) return checkExpression(text, fragment.offset);
  if (const auto error = grammarError(text, fragment.offset, 0)) throw SqlError(*error);
}

uint32_t checkAssignmentTarget(const TokenCursor& cursor, std::string_view body, uint32_t first_token,
                               uint32_t behind_names, uint32_t end_token, uint32_t end, bool checks) {
  const Token& first = cursor.token(first_token);
  if (first.is_reserved_in_sql) throw syntaxErrorAt(cursor.textOf(first), first.begin);
  uint32_t token = behind_names;
  bool is_complete = true;
  while (token < end_token && is_complete) {
    const TokenKind kind = cursor.token(token).kind;
    if (kind == TokenKind::BracketOpen) {
      token = skipBrackets(cursor, token);
    } else if (kind == TokenKind::Dot) {
      ++token;
      const Token& name = cursor.token(token);
      is_complete = name.kind == TokenKind::Word || cursor.textOf(name) == "*";
      if (is_complete) ++token;
    } else {
      break;
    }
  }
  if (checks) {
    // The name may be one that SQL keeps for itself elsewhere.
    std::string text(kSelect);
    text.append(first.end - first.begin, 'x').append(body.substr(first.end, cursor.token(token - 1).end - first.end));
    if (!is_complete) text.resize(text.size() - 1);
    if (const auto error = grammarError(text, first.begin, kSelect.size())) throw SqlError(*error);
  }
  const Token& sign = cursor.token(token);
  const bool is_sign = sign.kind == TokenKind::Equals || sign.kind == TokenKind::ColonEquals;
  if (is_complete && is_sign && token < end_token) return token;
  if (token < end_token) throw syntaxErrorAt(cursor.textOf(sign), sign.begin);
  throw SqlError(sqlstate::kSyntaxError, "syntax error at end of input").position(static_cast<int32_t>(end));
}

}  // namespace gnomon::sql::plpgsql
