#include "sql/catalog/dependent_keys.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/assert.h"
#include "sql/catalog/catalog_view.h"

namespace gnomon::sql {

TablePtr findTable(const CatalogView& catalog, uint32_t oid) {
  for (TablePtr& table : catalog.tables())
    if (table->oid == oid) return std::move(table);
  return nullptr;
}

const ForeignKeyEntry* findKey(const TableEntry& table, std::string_view name) {
  const auto found = std::ranges::find(table.foreign_keys, name, &ForeignKeyEntry::name);
  return found == table.foreign_keys.end() ? nullptr : &*found;
}

const ForeignKeyEntry* findKey(const TableEntry& table, uint32_t number) {
  const auto found = std::ranges::find(table.foreign_keys, number, &ForeignKeyEntry::number);
  return found == table.foreign_keys.end() ? nullptr : &*found;
}

const ForeignKeyEntry& DependentKey::key() const {
  const ForeignKeyEntry* const found = findKey(*child, number);
  CHECK(found != nullptr, "a parent knows the keys that refer to it");
  return *found;
}

std::string DependentKey::describe() const {
  return fmt::format("constraint {} on table {}", key().name, child->name);
}

std::vector<DependentKey> dependentKeys(const CatalogView& catalog, const TableEntry& parent) {
  std::vector<DependentKey> keys;
  if (parent.referring_keys.empty()) return keys;
  const std::vector<TablePtr> tables = catalog.tables();
  for (const ReferringKey& referring : parent.referring_keys) {
    const auto child = std::ranges::find(tables, referring.table, [](const TablePtr& table) { return table->oid; });
    // Where somebody is about to drop one of the two, the caller looks again once it has the tables.
    if (child != tables.end() && findKey(**child, referring.number) != nullptr)
      keys.push_back({*child, referring.number});
  }
  return keys;
}

SqlError dependentsExist(std::string_view what, std::string_view on, const std::vector<DependentKey>& keys) {
  std::string detail;
  for (const DependentKey& key : keys)
    detail += fmt::format("{}{} depends on {}", detail.empty() ? "" : "\n", key.describe(), on);
  return SqlError(sqlstate::kDependentObjectsStillExist,
                  fmt::format("cannot drop {} because other objects depend on it", what))
      .detail(std::move(detail))
      .hint("Use DROP ... CASCADE to drop the dependent objects too.");
}

SqlError dependentsExist(const std::vector<TablePtr>& parents, const std::vector<DependentKey>& keys) {
  std::string detail;
  for (const DependentKey& key : keys) {
    const auto parent = std::ranges::find(parents, key.key().parent, [](const TablePtr& table) { return table->oid; });
    CHECK(parent != parents.end(), "keys refer to the tables that they depend on");
    detail += fmt::format("{}{} depends on table {}", detail.empty() ? "" : "\n", key.describe(), (*parent)->name);
  }
  return SqlError(sqlstate::kDependentObjectsStillExist,
                  parents.size() == 1
                      ? fmt::format("cannot drop table {} because other objects depend on it", parents.front()->name)
                      : "cannot drop desired object(s) because other objects depend on them")
      .detail(std::move(detail))
      .hint("Use DROP ... CASCADE to drop the dependent objects too.");
}

std::optional<SqlError> cascadeNotice(const std::vector<DependentKey>& keys) {
  if (keys.empty()) return std::nullopt;
  constexpr SqlState kSuccess("00000");
  if (keys.size() == 1) return SqlError(kSuccess, fmt::format("drop cascades to {}", keys.front().describe()));
  std::string detail;
  for (const DependentKey& key : keys)
    detail += fmt::format("{}drop cascades to {}", detail.empty() ? "" : "\n", key.describe());
  return SqlError(kSuccess, fmt::format("drop cascades to {} other objects", keys.size())).detail(std::move(detail));
}

}  // namespace gnomon::sql
