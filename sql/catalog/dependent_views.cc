#include "sql/catalog/dependent_views.h"

#include <fmt/format.h>

#include <algorithm>

namespace gnomon::sql {

std::string describe(const TableEntry& entry) {
  return fmt::format("{} {}", entry.view ? "view" : entry.sequence ? "sequence" : "table", entry.name);
}

std::vector<DependentView> dependentViews(const CatalogView& catalog, const std::vector<TablePtr>& tables) {
  std::vector<TablePtr> views = catalog.tables();
  std::erase_if(views, [&](const TablePtr& table) {
    return !table->view || std::ranges::find(tables, table->oid, &TableEntry::oid) != tables.end();
  });
  // In the order in which they were made.
  std::ranges::sort(views, {}, &TableEntry::oid);
  std::vector<DependentView> result;
  std::vector<TablePtr> gone = tables;
  for (size_t i = 0; i < gone.size(); ++i) {
    const TablePtr used = gone[i];
    std::erase_if(views, [&](const TablePtr& view) {
      const auto& uses = view->view->uses;
      if (std::ranges::find(uses, used->oid, &ViewEntry::Use::table) == uses.end()) return false;
      result.push_back({view, used});
      gone.push_back(view);
      return true;
    });
  }
  return result;
}

std::vector<TablePtr> viewsReading(const CatalogView& catalog, const TableEntry& table, uint32_t column) {
  std::vector<TablePtr> result;
  for (const TablePtr& view : catalog.tables())
    if (view->view && std::ranges::find(view->view->uses, ViewEntry::Use{table.oid, column}) != view->view->uses.end())
      result.push_back(view);
  return result;
}

SqlError viewsExist(const std::vector<TablePtr>& dropped, const std::vector<DependentView>& views) {
  std::string detail;
  for (const DependentView& each : views)
    detail += fmt::format("{}view {} depends on {}", detail.empty() ? "" : "\n", each.view->name, describe(*each.used));
  return SqlError(sqlstate::kDependentObjectsStillExist,
                  dropped.size() == 1
                      ? fmt::format("cannot drop {} because other objects depend on it", describe(*dropped.front()))
                      : "cannot drop desired object(s) because other objects depend on them")
      .detail(std::move(detail))
      .hint("Use DROP ... CASCADE to drop the dependent objects too.");
}

SqlError cascadeNotice(const std::vector<DependentView>& views) {
  constexpr SqlState kSuccess("00000");
  if (views.size() == 1) return SqlError(kSuccess, fmt::format("drop cascades to view {}", views.front().view->name));
  std::string detail;
  for (const DependentView& each : views)
    detail += fmt::format("{}drop cascades to view {}", detail.empty() ? "" : "\n", each.view->name);
  return SqlError(kSuccess, fmt::format("drop cascades to {} other objects", views.size())).detail(std::move(detail));
}

}  // namespace gnomon::sql
