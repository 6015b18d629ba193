#include "sql/parse/identifier.h"

#include <algorithm>

#include "sql/parse/keywords.h"

namespace gnomon::sql {
namespace {

bool isPlain(std::string_view name) {
  const auto isLetter = [](char c) { return (c >= 'a' && c <= 'z') || c == '_'; };
  const auto isDigit = [](char c) { return c >= '0' && c <= '9'; };
  return !name.empty() && isLetter(name[0]) &&
         std::ranges::all_of(name, [&](char c) { return isLetter(c) || isDigit(c); });
}

/// It cannot be a name everywhere.
bool isKeyword(std::string_view word) {
  const Keyword* const keyword = findKeyword(word);
  return keyword != nullptr && keyword->category != 'U';
}

}  // namespace

std::string quotedIdentifier(std::string_view name) {
  if (isPlain(name) && !isKeyword(name)) return std::string(name);
  std::string quoted = "\"";
  for (const char c : name) quoted += c == '"' ? "\"\"" : std::string(1, c);
  return quoted + '"';
}

}  // namespace gnomon::sql
