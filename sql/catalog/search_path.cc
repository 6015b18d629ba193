#include "sql/catalog/search_path.h"

#include <algorithm>

#include "base/name_list.h"

namespace gnomon::sql {

SearchPath makeSearchPath(std::string_view setting, const std::string& user, std::string temporary) {
  SearchPath path;
  path.temporary = std::move(temporary);
  // The setting was checked when it was set.
  for (std::string& name : splitNameList(setting).value_or(std::vector<std::string>())) {
    if (name == "$user") name = user;
    const std::string& schema = path.actual(name);
    if (std::ranges::find(path.written, schema) == path.written.end()) path.written.push_back(schema);
  }
  path.schemas = path.written;
  const auto searchFirst = [&path](std::string_view schema) {
    if (schema.empty() || std::ranges::find(path.written, schema) != path.written.end()) return;
    path.schemas.insert(path.schemas.begin(), std::string(schema));
  };
  searchFirst(kCatalogSchema);
  searchFirst(path.temporary);
  return path;
}

}  // namespace gnomon::sql
