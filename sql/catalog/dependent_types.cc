#include "sql/catalog/dependent_types.h"

#include <fmt/format.h>

#include <algorithm>

#include "sql/catalog/dependent_views.h"
#include "sql/catalog/user_types.h"

namespace gnomon::sql {

std::string DependentType::describe(const CatalogView& catalog) const {
  if (column == kWhole) return gnomon::sql::describe(catalog, *entry);
  const std::string owner = entry->type ? fmt::format("composite type {}", catalog.shownName(*entry))
                                        : gnomon::sql::describe(catalog, *entry);
  return fmt::format("column {} of {}", entry->columns[column].name, owner);
}

bool isOfType(const ColumnEntry& column, const TableEntry& type) {
  if (column.isDropped()) return false;
  return domainOid(column.domain) == type.oid || (column.type.isDefined() && column.type.definition() == type.oid);
}

bool usesType(const RoutineEntry& routine, const TableEntry& type) {
  const auto isOf = [&](Type used, uint32_t domain) {
    return domainOid(domain) == type.oid || (used.isDefined() && used.definition() == type.oid);
  };
  return isOf(routine.result, routine.result_domain) ||
         std::ranges::any_of(routine.parameters, [&](const RoutineEntry::Parameter& parameter) {
           return isOf(parameter.type, parameter.domain);
         });
}

std::vector<DependentType> dependentTypes(const CatalogView& catalog, const std::vector<TablePtr>& types) {
  std::vector<TablePtr> entries = catalog.entries();
  std::ranges::sort(entries, {}, &TableEntry::oid);
  const auto isIn = [](const std::vector<TablePtr>& list, const TablePtr& entry) {
    return std::ranges::find(list, entry->oid, [](const TablePtr& each) { return each->oid; }) != list.end();
  };
  std::vector<DependentType> result;
  std::vector<TablePtr> gone = types;
  for (size_t i = 0; i < gone.size(); ++i) {
    const TablePtr type = gone[i];
    for (const TablePtr& entry : entries) {
      if (isIn(gone, entry)) continue;
      const bool reads = usesAny(*entry, type->oid);
      const bool is_domain = entry->type && entry->type->form == TypeEntry::Form::Domain;
      const bool is_above =
          is_domain && (domainOid(entry->type->base_domain) == type->oid || isOfType(entry->columns[0], *type));
      if (reads || is_above || (entry->routine && usesType(*entry->routine, *type))) {
        result.push_back({entry, DependentType::kWhole, type});
        gone.push_back(entry);
        continue;
      }
      if (entry->view) continue;
      for (uint32_t column = 0; column < entry->columns.size(); ++column)
        if (isOfType(entry->columns[column], *type)) {
          result.push_back({entry, column, type});
          for (const TablePtr& view : viewsReading(catalog, *entry, column)) {
            if (isIn(gone, view)) continue;
            result.push_back({view, DependentType::kWhole, entry});
            gone.push_back(view);
          }
        }
    }
  }
  return result;
}

}  // namespace gnomon::sql
