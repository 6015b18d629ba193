#pragma once

#include <compare>
#include <string>
#include <string_view>

namespace gnomon::sql {

/// The name of an object of the catalog.
struct ObjectPath {
  std::string schema;  ///< empty: none given
  std::string name;

  auto operator<=>(const ObjectPath&) const = default;
  /// "schema.name", or the name alone, as messages have it: without quotes.
  [[nodiscard]] std::string shown() const { return schema.empty() ? name : schema + "." + name; }
};

/// [schema.]name, in quotes or not. Failure: 42602, 0A000 for more parts.
ObjectPath readObjectPath(std::string_view text);

}  // namespace gnomon::sql
