#include "sql/bind/object_literal.h"

#include "sql/bind/identifier_text.h"
#include "sql/bind/stored_reference.h"

namespace gnomon::sql {

std::optional<ObjectPath> readObjectLiteral(std::string_view content) {
  if (!content.starts_with("\"@")) return std::nullopt;
  const size_t end = identifierEnd(content, 0);
  if (end == content.size() || content[end] != '.' || identifierEnd(content, end + 1) != content.size())
    return std::nullopt;
  ObjectPath path{unquotedIdentifier(content.substr(0, end)), unquotedIdentifier(content.substr(end + 1))};
  return oidOf(path.schema) ? std::optional(std::move(path)) : std::nullopt;
}

std::optional<uint32_t> oidOfLiteral(std::string_view content) {
  const std::optional<ObjectPath> path = readObjectLiteral(content);
  return path ? oidOf(path->schema) : std::nullopt;
}

}  // namespace gnomon::sql
