#pragma once

#include <fmt/format.h>

#include <ranges>
#include <string>
#include <string_view>
#include <vector>

#include "base/sql_error.h"
#include "sql/catalog/catalog_view.h"

namespace gnomon::sql {

/// A line for each, up to a number; `prefix` stands in front of it.
inline std::string listedObjects(const std::vector<std::string>& objects, std::string_view prefix = {}) {
  constexpr size_t kListedMax = 100;
  std::string text;
  for (const std::string& object : objects | std::views::take(kListedMax))
    text.append(text.empty() ? "" : "\n").append(prefix).append(object);
  if (const size_t count = objects.size(); count > kListedMax)
    text += fmt::format("\nand {} other object{} (see server log for list)", count - kListedMax,
                        count == kListedMax + 1 ? "" : "s");
  return text;
}

/// What CASCADE says of objects, as "view v", that went as well; there is one.
inline SqlError cascadeNotice(const std::vector<std::string>& objects) {
  constexpr SqlState kSuccess("00000");
  if (objects.size() == 1) return SqlError(kSuccess, fmt::format("drop cascades to {}", objects.front()));
  return SqlError(kSuccess, fmt::format("drop cascades to {} other objects", objects.size()))
      .detail(listedObjects(objects, "drop cascades to "));
}

/// The same of whatever describes itself.
template <typename Dependent>
void addDescriptions(const CatalogView& catalog, const std::vector<Dependent>& dependents,
                     std::vector<std::string>& objects) {
  for (const Dependent& each : dependents) objects.push_back(each.describe(catalog));
}

}  // namespace gnomon::sql
