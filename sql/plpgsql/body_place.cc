#include "sql/plpgsql/body_place.h"

#include <optional>

namespace gnomon::sql::plpgsql {
namespace {

/// `literal` begins behind the first quote. The place in it; none: it is not the body.
std::optional<size_t> placeInLiteral(std::string_view literal, std::string_view body, size_t position) {
  size_t place = position;
  size_t at = 0;
  for (size_t i = 0; i < body.size(); ++i) {
    const bool doubles = at < literal.size() && (literal[at] == '\\' || literal[at] == '\'');
    if (doubles) {
      if (literal[at] == '\'' && (at + 1 >= literal.size() || literal[at + 1] != '\'')) return std::nullopt;
      ++at;
      if (i < position) ++place;
    }
    if (at >= literal.size() || literal[at] != body[i]) return std::nullopt;
    ++at;
  }
  const bool ends = at < literal.size() && literal[at] == '\'' && (at + 1 == literal.size() || literal[at + 1] != '\'');
  return ends ? std::optional(place) : std::nullopt;
}

std::optional<size_t> placeInDollars(std::string_view rest, std::string_view body, size_t position) {
  const bool is_body = rest.starts_with(body) && body.size() < rest.size() && rest[body.size()] == '$';
  return is_body ? std::optional(position) : std::nullopt;
}

}  // namespace

int32_t placeInStatement(std::string_view statement, std::string_view body, int32_t position) {
  if (position < 0) return -1;
  const auto wanted = static_cast<size_t>(position);
  std::optional<size_t> found;
  for (size_t i = 0; i + body.size() < statement.size(); ++i) {
    const std::string_view rest = statement.substr(i + 1);
    std::optional<size_t> place;
    if (statement[i] == '$') place = placeInDollars(rest, body, wanted);
    if (statement[i] == '\'') place = placeInLiteral(rest, body, wanted);
    if (!place) continue;
    if (found) return -1;
    found = i + 1 + *place;
  }
  return found ? static_cast<int32_t>(*found) : -1;
}

}  // namespace gnomon::sql::plpgsql
