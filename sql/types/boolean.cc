#include "sql/types/boolean.h"

#include <fmt/format.h>
#include <strings.h>

#include "base/sql_error.h"
#include "sql/types/integer.h"

namespace gnomon::sql {
namespace {

/// `text` is a prefix of `word` of at least `length_min` letters, in any case.
bool isPrefixOf(std::string_view text, std::string_view word, size_t length_min) {
  return text.size() >= length_min && text.size() <= word.size() &&
         strncasecmp(text.data(), word.data(), text.size()) == 0;
}

}  // namespace

bool parseBoolean(std::string_view text) {
  const std::string_view word = trimSpace(text);
  // "o" alone could become on or off.
  if (isPrefixOf(word, "true", 1) || isPrefixOf(word, "yes", 1) || isPrefixOf(word, "on", 2) || word == "1")
    return true;
  if (isPrefixOf(word, "false", 1) || isPrefixOf(word, "no", 1) || isPrefixOf(word, "off", 2) || word == "0")
    return false;
  throw SqlError(sqlstate::kInvalidTextRepresentation,
                 fmt::format("invalid input syntax for type boolean: \"{}\"", text));
}

}  // namespace gnomon::sql
