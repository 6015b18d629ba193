#include "sql/parse/grammar_error.h"

#include <cctype>
#include <string>

#include "base/sql_error.h"

namespace gnomon::sql {
namespace {

/// Byte offset of the character with this number, from 1.
int32_t byteOffset(std::string_view text, int character) {
  if (character <= 0) return -1;
  size_t at = 0;
  for (int i = 1; i < character && at < text.size(); ++i) {
    ++at;
    while (at < text.size() && (static_cast<unsigned char>(text[at]) & 0xc0) == 0x80) ++at;
  }
  return static_cast<int32_t>(at);
}

bool isNamePart(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) || c == '_' || c == '$' || (c & 0x80) != 0;
}

/// The grammar names a part of the token that begins with a number; PostgreSQL names all of it.
std::string withWholeToken(std::string_view message, std::string_view text, int32_t position) {
  const size_t quote = message.find('"');
  if (position < 0 || quote == std::string_view::npos || !message.ends_with('"')) return std::string(message);
  const auto begin = static_cast<size_t>(position);
  size_t end = begin + message.size() - quote - 2;
  if (end <= text.size() && end > begin && isNamePart(text[end - 1]))
    while (end < text.size() && isNamePart(text[end])) ++end;
  return std::string(message.substr(0, quote + 1)).append(text.substr(begin, end - begin)).append("\"");
}

}  // namespace

void throwGrammarError(std::string_view message, int character, std::string_view text) {
  const int32_t position = byteOffset(text, character);
  SqlState state = sqlstate::kSyntaxError;
  if (message.ends_with("not yet implemented") || message.ends_with("is only supported for ON DELETE actions") ||
      message.ends_with("is not supported") || message.contains(" constraints cannot be marked ") ||
      message.ends_with(" cannot include schema elements"))
    state = sqlstate::kFeatureNotSupported;
  if (message.starts_with("frame ") && (message.contains(" cannot be ") || message.contains(" cannot have ")))
    state = sqlstate::kWindowingError;
  const bool is_of_role = message.starts_with("role name ") && message.ends_with(" is reserved");
  if (is_of_role || message.ends_with(" cannot be used as a role name here")) state = SqlState("42939");
  if (message.starts_with("stack depth limit exceeded")) state = sqlstate::kStatementTooComplex;
  if (message.starts_with("unsafe use of \\'")) state = SqlState("22P06");
  if (message.starts_with("invalid byte sequence for encoding")) state = sqlstate::kCharacterNotInRepertoire;
  if (message == "invalid Unicode escape" && position >= 0) {
    // In E'' the escape begins with \u or \U, in U&'' never.
    const std::string_view escape = text.substr(static_cast<size_t>(position), 2);
    const bool is_extended = escape == "\\u" || escape == "\\U";
    throw SqlError(is_extended ? sqlstate::kInvalidEscapeSequence : state, std::string(message))
        .hint(is_extended ? "Unicode escapes must be \\uXXXX or \\UXXXXXXXX."
                          : "Unicode escapes must be \\XXXX or \\+XXXXXX.")
        .position(position);
  }
  if (message.starts_with("trailing junk after "))
    throw SqlError(state, withWholeToken(message, text, position)).position(position);
  throw SqlError(state, std::string(message)).position(position);
}

}  // namespace gnomon::sql
