#pragma once

#include <fmt/format.h>

#include <string>
#include <vector>

#include "base/sql_error.h"
#include "sql/catalog/catalog_view.h"

namespace gnomon::sql {

/// What CASCADE says of objects, as "view v", that went as well; there is one.
inline SqlError cascadeNotice(const std::vector<std::string>& objects) {
  constexpr SqlState kSuccess("00000");
  if (objects.size() == 1) return SqlError(kSuccess, fmt::format("drop cascades to {}", objects.front()));
  std::string detail;
  for (const std::string& object : objects)
    detail += fmt::format("{}drop cascades to {}", detail.empty() ? "" : "\n", object);
  return SqlError(kSuccess, fmt::format("drop cascades to {} other objects", objects.size())).detail(std::move(detail));
}

/// The same of whatever describes itself.
template <typename Dependent>
void addDescriptions(const CatalogView& catalog, const std::vector<Dependent>& dependents,
                     std::vector<std::string>& objects) {
  for (const Dependent& each : dependents) objects.push_back(each.describe(catalog));
}

}  // namespace gnomon::sql
