#include "sql/catalog/dependent_keys.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/assert.h"
#include "sql/catalog/catalog_view.h"
#include "sql/catalog/partitioning.h"

namespace gnomon::sql {

TablePtr findTable(const CatalogView& catalog, uint32_t oid) {
  TablePtr entry = catalog.findEntry(oid);
  return entry && entry->type ? nullptr : std::move(entry);
}

const ForeignKeyEntry* findKey(const TableEntry& table, std::string_view name) {
  const auto found = std::ranges::find(table.foreign_keys, name, &ForeignKeyEntry::name);
  return found == table.foreign_keys.end() ? nullptr : &*found;
}

const ForeignKeyEntry* findKey(const TableEntry& table, uint32_t number) {
  const auto found = std::ranges::find(table.foreign_keys, number, &ForeignKeyEntry::number);
  return found == table.foreign_keys.end() ? nullptr : &*found;
}

bool isAmong(const ForeignKeyEntry& key, const std::vector<ForeignKeyEntry>& of_partition) {
  return std::ranges::any_of(of_partition, [&](const ForeignKeyEntry& own) {
    return own.part_of == 0 && own.name == key.name && own.columns == key.columns && own.parent == key.parent &&
           own.parent_columns == key.parent_columns && own.on_delete == key.on_delete &&
           own.on_update == key.on_update && own.is_full == key.is_full && own.is_valid &&
           own.is_deferrable == key.is_deferrable && own.is_deferred == key.is_deferred;
  });
}

const ForeignKeyEntry& DependentKey::key() const {
  const ForeignKeyEntry* const found = findKey(*child, number);
  CHECK(found != nullptr, "a parent knows the keys that refer to it");
  return *found;
}

const ForeignKeyEntry& DependentKey::whole() const {
  const ForeignKeyEntry& own = key();
  const ForeignKeyEntry* const found = own.part_of == 0 ? &own : findKey(*child, own.part_of);
  CHECK(found != nullptr, "parts of a key go with it");
  return *found;
}

std::string DependentKey::describe(const CatalogView& catalog) const {
  return fmt::format("constraint {} on table {}", whole().name, catalog.shownName(*child));
}

std::vector<DependentKey> dependentKeys(const CatalogView& catalog, const TableEntry& parent) {
  std::vector<DependentKey> keys;
  if (parent.referring_keys.empty()) return keys;
  const std::vector<TablePtr> tables = catalog.tables();
  for (const ReferringKey& referring : parent.referring_keys) {
    const auto child = std::ranges::find(tables, referring.table, [](const TablePtr& table) { return table->oid; });
    // Where somebody is about to drop one of the two, the caller looks again once it has the tables.
    if (child != tables.end() && findKey(**child, referring.number) != nullptr)
      keys.push_back({*child, referring.number, parent.oid});
  }
  return keys;
}

SqlError dependentsExist(const CatalogView& catalog, std::string_view what, std::string_view on,
                         const std::vector<DependentKey>& keys) {
  std::string detail;
  for (const DependentKey& key : keys)
    detail += fmt::format("{}{} depends on {}", detail.empty() ? "" : "\n", key.describe(catalog), on);
  return SqlError(sqlstate::kDependentObjectsStillExist,
                  fmt::format("cannot drop {} because other objects depend on it", what))
      .detail(std::move(detail))
      .hint("Use DROP ... CASCADE to drop the dependent objects too.");
}

}  // namespace gnomon::sql
