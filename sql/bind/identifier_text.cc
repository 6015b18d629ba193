#include "sql/bind/identifier_text.h"

namespace gnomon::sql {

size_t identifierEnd(std::string_view text, size_t at) {
  const auto isPart = [](char c) {
    return c == '_' || c == '$' || (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
           static_cast<unsigned char>(c) >= 0x80;
  };
  if (at < text.size() && text[at] == '"') {
    for (++at; at < text.size(); ++at) {
      if (text[at] != '"') continue;
      if (at + 1 == text.size() || text[at + 1] != '"') return at + 1;
      ++at;
    }
    return at;
  }
  while (at < text.size() && isPart(text[at])) ++at;
  return at;
}

std::string unquotedIdentifier(std::string_view identifier) {
  if (!identifier.starts_with('"')) return std::string(identifier);
  std::string result;
  for (size_t i = 1; i + 1 < identifier.size(); ++i) {
    result += identifier[i];
    if (identifier[i] == '"') ++i;
  }
  return result;
}

size_t literalEnd(std::string_view text, size_t at) {
  const bool has_escapes = text[at] == 'E' || text[at] == 'e';
  at += has_escapes ? 2 : 1;
  for (; at < text.size(); ++at) {
    if (has_escapes && text[at] == '\\') {
      ++at;
    } else if (text[at] == '\'') {
      if (at + 1 == text.size() || text[at + 1] != '\'') return at + 1;
      ++at;
    }
  }
  return at;
}

std::string asLiteral(std::string_view text) {
  std::string result = "'";
  for (const char c : text) result.append(c == '\'' ? 2 : 1, c);
  return result + '\'';
}

}  // namespace gnomon::sql
