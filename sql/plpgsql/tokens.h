#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/sql_error.h"
#include "sql/plpgsql/keywords.h"

namespace gnomon::sql::plpgsql {

enum class TokenKind : uint8_t {
  End,        ///< behind the last character
  Word,       ///< a name, or a keyword of PL/pgSQL or of SQL
  Parameter,  ///< $1
  String,     ///< '...', E'...', $$...$$
  Integer,    ///< one that an int holds
  Comma,
  Semicolon,
  Dot,
  DotDot,
  Equals,
  ColonEquals,
  ParenthesisOpen,
  ParenthesisClose,
  BracketOpen,
  BracketClose,
  LabelOpen,   ///< <<
  LabelClose,  ///< >>
  Hash,
  Percent,
  Other,  ///< what only SQL has a use for
};

/// A token of SQL. Bytes [begin, end) of the text.
struct Token {
  TokenKind kind = TokenKind::End;
  Keyword keyword = Keyword::None;  ///< of a word without quotes
  bool is_quoted = false;           ///< a word in double quotes
  /// A word that SQL does not take for a variable's name where an assignment begins: reserved, or a function or type.
  bool is_reserved_in_sql = false;
  uint32_t begin = 0;
  uint32_t end = 0;
};

/// The tokens of a text by PostgreSQL's lexical rules; comments are left out. The last one is End.
struct TokenList {
  std::vector<Token> tokens;
  /// What is wrong with the text at the last token, which is no token then: it is thrown by whoever reaches it.
  std::optional<SqlError> error;
};

/// `text` is valid UTF-8 without NUL.
TokenList scanTokens(std::string_view text);

/// The name that a word or a parameter stands for: folded to lower case or without its quotes, 63 bytes at most.
std::string nameOf(std::string_view text, const Token& token);

/// What a string means.
std::string stringOf(std::string_view text, const Token& token);

}  // namespace gnomon::sql::plpgsql
