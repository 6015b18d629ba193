#include "sql/catalog/dependent_views.h"

#include <fmt/format.h>

#include <algorithm>

#include "sql/catalog/routines.h"
#include "sql/catalog/stored_body.h"

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
  // A procedure is a function here, as in PostgreSQL.
  if (entry.routine) return fmt::format("function {}", shownRoutine(catalog, entry));
  return fmt::format("{} {}", kindName(entry), catalog.shownName(entry));
}

std::vector<ViewEntry::Use> usesOf(const TableEntry& entry) {
  if (const ViewEntry* const query = entry.query()) return query->uses;
  return entry.routine && StoredBody::isOne(*entry.routine) ? StoredBody::of(*entry.routine).uses
                                                            : std::vector<ViewEntry::Use>{};
}

bool uses(const TableEntry& entry, const ViewEntry::Use& use) {
  const std::vector<ViewEntry::Use> all = usesOf(entry);
  return std::ranges::find(all, use) != all.end();
}

bool usesAny(const TableEntry& entry, uint32_t oid) {
  const std::vector<ViewEntry::Use> all = usesOf(entry);
  return std::ranges::find(all, oid, &ViewEntry::Use::table) != all.end();
}

std::string DependentView::describe(const CatalogView& catalog) const {
  return sql::describe(catalog, *view);
}

std::vector<DependentView> dependentViews(const CatalogView& catalog, const std::vector<TablePtr>& tables) {
  std::vector<TablePtr> views = catalog.entries();
  std::erase_if(views, [&](const TablePtr& table) {
    return usesOf(*table).empty() || std::ranges::find(tables, table->oid, &TableEntry::oid) != tables.end();
  });
  // In the order in which they were made.
  std::ranges::sort(views, {}, &TableEntry::oid);
  std::vector<DependentView> result;
  std::vector<TablePtr> gone = tables;
  for (size_t i = 0; i < gone.size(); ++i) {
    const TablePtr used = gone[i];
    std::erase_if(views, [&](const TablePtr& view) {
      if (!usesAny(*view, used->oid)) return false;
      result.push_back({view, used});
      gone.push_back(view);
      return true;
    });
  }
  return result;
}

std::vector<TablePtr> viewsReading(const CatalogView& catalog, const TableEntry& table, uint32_t column) {
  std::vector<TablePtr> result;
  for (const TablePtr& view : catalog.entries())
    if (uses(*view, {table.oid, column})) result.push_back(view);
  return result;
}

}  // namespace gnomon::sql
