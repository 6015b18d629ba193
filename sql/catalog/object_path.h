#pragma once

#include <string>
#include <string_view>

namespace gnomon::sql {

/// The name of an object of the catalog as a text has it.
struct ObjectPath {
  std::string schema;  ///< empty: none given
  std::string name;
};

/// [schema.]name, in quotes or not. Failure: 42602, 0A000 for more parts.
ObjectPath readObjectPath(std::string_view text);

}  // namespace gnomon::sql
