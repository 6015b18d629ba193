#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace gnomon::sql {

inline constexpr std::string_view kCatalogSchema = "pg_catalog";
/// What a session calls the schema of its temporary tables.
inline constexpr std::string_view kTemporarySchema = "pg_temp";

/// Where names without a schema are looked for, and created. Schemas that are not there are passed over when somebody
/// looks.
struct SearchPath {
  std::vector<std::string> schemas;  ///< in their order, with those that everybody searches
  std::vector<std::string> written;  ///< those that the setting names: the first that is there gets new objects
  std::string temporary;             ///< the session's schema of temporary tables; empty: no session

  /// The name of a schema as the catalog has it: pg_temp is the session's.
  [[nodiscard]] const std::string& actual(const std::string& schema) const {
    return schema == kTemporarySchema && !temporary.empty() ? temporary : schema;
  }
};

/// The path that the value of search_path, which is a list of names, says for a user.
SearchPath makeSearchPath(std::string_view setting, const std::string& user, std::string temporary);

}  // namespace gnomon::sql
