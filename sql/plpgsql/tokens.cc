#include "sql/plpgsql/tokens.h"

#include <pg_query.h>
#include <pg_query/pg_query.pb-c.h>

#include <algorithm>
#include <memory>
#include <variant>

#include "base/assert.h"
#include "base/name_list.h"
#include "sql/parse/ast.h"
#include "sql/parse/ast_statement.h"
#include "sql/parse/grammar_error.h"
#include "sql/parse/parser.h"

namespace gnomon::sql::plpgsql {
namespace {

struct ListDeleter {
  void operator()(PgQuery__ScanResult* list) const { pg_query__scan_result__free_unpacked(list, nullptr); }
};
using List = std::unique_ptr<PgQuery__ScanResult, ListDeleter>;

/// Null: the text is not made of tokens, and `error` says why.
List scan(std::string_view text, std::optional<SqlError>& error) {
  const std::string terminated(text);
  const PgQueryScanResult scanned = pg_query_scan(terminated.c_str());
  List list;
  if (scanned.error == nullptr) {
    list.reset(
        pg_query__scan_result__unpack(nullptr, scanned.pbuf.len, reinterpret_cast<const uint8_t*>(scanned.pbuf.data)));
    CHECK(list != nullptr, "the scanner's output unpacks");
  } else {
    try {
      throwGrammarError(scanned.error->message, scanned.error->cursorpos, text);
    } catch (const SqlError& found) {
      error = found;
    }
  }
  pg_query_free_scan_result(scanned);
  return list;
}

TokenKind kindOf(const PgQuery__ScanToken& token, std::string_view text) {
  switch (static_cast<int>(token.token)) {
    case PG_QUERY__TOKEN__IDENT:
      return TokenKind::Word;
    case PG_QUERY__TOKEN__PARAM:
      return TokenKind::Parameter;
    case PG_QUERY__TOKEN__SCONST:
      return TokenKind::String;
    case PG_QUERY__TOKEN__ICONST:
      return TokenKind::Integer;
    case PG_QUERY__TOKEN__DOT_DOT:
      return TokenKind::DotDot;
    case PG_QUERY__TOKEN__COLON_EQUALS:
      return TokenKind::ColonEquals;
    case PG_QUERY__TOKEN__Op:
      if (text == "<<") return TokenKind::LabelOpen;
      if (text == ">>") return TokenKind::LabelClose;
      return text == "#" ? TokenKind::Hash : TokenKind::Other;
    case ',':
      return TokenKind::Comma;
    case ';':
      return TokenKind::Semicolon;
    case '.':
      return TokenKind::Dot;
    case '=':
      return TokenKind::Equals;
    case '(':
      return TokenKind::ParenthesisOpen;
    case ')':
      return TokenKind::ParenthesisClose;
    case '[':
      return TokenKind::BracketOpen;
    case ']':
      return TokenKind::BracketClose;
    case '%':
      return TokenKind::Percent;
    default:
      return token.keyword_kind == PG_QUERY__KEYWORD_KIND__NO_KEYWORD ? TokenKind::Other : TokenKind::Word;
  }
}

/// Where U&'...' or U&"..." ends: the scanner says it of the other tokens only.
uint32_t unicodeTokenEnd(std::string_view text, size_t begin) {
  size_t at = text.find_first_of("'\"", begin);
  const char quote = text[at];
  for (++at; at < text.size(); ++at) {
    if (text[at] != quote) continue;
    if (at + 1 == text.size() || text[at + 1] != quote) break;
    ++at;
  }
  return static_cast<uint32_t>(std::min(at + 1, text.size()));
}

Token tokenOf(std::string_view text, const PgQuery__ScanToken& scanned) {
  Token token;
  token.begin = static_cast<uint32_t>(scanned.start);
  token.end = static_cast<uint32_t>(scanned.end);
  if (scanned.token == PG_QUERY__TOKEN__UIDENT || scanned.token == PG_QUERY__TOKEN__USCONST)
    token.end = unicodeTokenEnd(text, token.begin);
  token.kind = kindOf(scanned, text.substr(token.begin, token.end - token.begin));
  if (token.kind == TokenKind::Word) {
    token.is_quoted = text[token.begin] == '"';
    token.is_reserved_in_sql = scanned.keyword_kind == PG_QUERY__KEYWORD_KIND__RESERVED_KEYWORD ||
                               scanned.keyword_kind == PG_QUERY__KEYWORD_KIND__TYPE_FUNC_NAME_KEYWORD;
    if (!token.is_quoted) token.keyword = findKeyword(nameOf(text, token));
  }
  return token;
}

}  // namespace

TokenList scanTokens(std::string_view text) {
  TokenList result;
  // What is before the place of the first error is cut into tokens again; it may end inside of one.
  size_t size = text.size();
  List list;
  for (std::optional<SqlError> error; (list = scan(text.substr(0, size), error)) == nullptr; error.reset()) {
    if (!result.error) result.error = error;
    size = std::min(static_cast<size_t>(std::max(error->position(), 0)), size - 1);
  }
  result.tokens.reserve(list->n_tokens + 1);
  for (size_t i = 0; i < list->n_tokens; ++i) {
    const PgQuery__ScanToken& scanned = *list->tokens[i];
    if (scanned.token == PG_QUERY__TOKEN__SQL_COMMENT || scanned.token == PG_QUERY__TOKEN__C_COMMENT) continue;
    result.tokens.push_back(tokenOf(text, scanned));
  }
  const auto end = static_cast<uint32_t>(size);
  result.tokens.push_back({.kind = TokenKind::End, .begin = end, .end = end});
  return result;
}

std::string nameOf(std::string_view text, const Token& token) {
  const std::string_view written = text.substr(token.begin, token.end - token.begin);
  if (token.kind == TokenKind::Parameter) return std::string(written);
  const auto names = splitNameList(written);
  CHECK(names && names->size() == 1, "a word is one name");
  return names->front();
}

std::string stringOf(std::string_view text, const Token& token) {
  const std::string query = "SELECT " + std::string(text.substr(token.begin, token.end - token.begin));
  const std::vector<ParsedStatement> statements = parse(query);
  CHECK(statements.size() == 1 && statements[0].tree != nullptr, "a string is an expression");
  return std::get<ast::QueryPtr>(statements[0].tree->body)->items.at(0).expression->text;
}

}  // namespace gnomon::sql::plpgsql
