#include "sql/catalog/catalog_view.h"

#include <algorithm>

namespace gnomon::sql {

bool hasCheckOrForeignKey(const TableEntry& table, std::string_view name) {
  return std::ranges::find(table.checks, name, &CheckEntry::name) != table.checks.end() ||
         std::ranges::find(table.foreign_keys, name, &ForeignKeyEntry::name) != table.foreign_keys.end();
}

bool CatalogView::isTaken(std::string_view name) const {
  return find(name) != nullptr || findIndexTable(name) != nullptr || findVirtual("", name) != nullptr;
}

bool CatalogView::hasConstraint(std::string_view name, const TableEntry* except) const {
  return std::ranges::any_of(tables(), [&](const TablePtr& table) {
    if (except != nullptr && table->name == except->name) return false;
    const auto isNamed = [&](const IndexPtr& index) { return index->is_constraint && index->name == name; };
    return hasCheckOrForeignKey(*table, name) || std::ranges::any_of(table->indexes, isNamed);
  });
}

}  // namespace gnomon::sql
