#include "sql/catalog/dependent_views.h"

#include <fmt/format.h>

#include <algorithm>

#include "sql/catalog/routines.h"

namespace gnomon::sql {

std::string_view kindName(const TableEntry& entry) {
  return entry.routine        ? routineKindName(*entry.routine)
         : entry.type         ? "type"
         : entry.view         ? "view"
         : entry.materialized ? "materialized view"
         : entry.sequence     ? "sequence"
                              : "table";
}

std::string describe(const CatalogView& catalog, const TableEntry& entry) {
  return fmt::format("{} {}", kindName(entry), entry.routine ? shownRoutine(catalog, entry) : catalog.shownName(entry));
}

std::string DependentView::describe(const CatalogView& catalog) const {
  return sql::describe(catalog, *view);
}

std::vector<DependentView> dependentViews(const CatalogView& catalog, const std::vector<TablePtr>& tables) {
  std::vector<TablePtr> views = catalog.tables();
  std::erase_if(views, [&](const TablePtr& table) {
    return table->query() == nullptr || std::ranges::find(tables, table->oid, &TableEntry::oid) != tables.end();
  });
  // In the order in which they were made.
  std::ranges::sort(views, {}, &TableEntry::oid);
  std::vector<DependentView> result;
  std::vector<TablePtr> gone = tables;
  for (size_t i = 0; i < gone.size(); ++i) {
    const TablePtr used = gone[i];
    std::erase_if(views, [&](const TablePtr& view) {
      const auto& uses = view->query()->uses;
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
  for (const TablePtr& view : catalog.tables()) {
    const ViewEntry* const query = view->query();
    if (query != nullptr && std::ranges::find(query->uses, ViewEntry::Use{table.oid, column}) != query->uses.end())
      result.push_back(view);
  }
  return result;
}

}  // namespace gnomon::sql
