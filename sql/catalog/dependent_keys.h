#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/sql_error.h"
#include "sql/catalog/table_entry.h"

namespace gnomon::sql {

class CatalogView;

/// The table with this oid; null: none.
TablePtr findTable(const CatalogView& catalog, uint32_t oid);

/// A foreign key that refers to some table, with its own.
struct DependentKey {
  TablePtr child;
  uint32_t number;
  uint32_t needed = 0;  ///< oid of that table

  [[nodiscard]] const ForeignKeyEntry& key() const;
  /// The same, or that of which it is a part.
  [[nodiscard]] const ForeignKeyEntry& whole() const;
  /// "constraint x on table y".
  [[nodiscard]] std::string describe(const CatalogView& catalog) const;
};

/// The keys of all tables that refer to the table, in their order.
std::vector<DependentKey> dependentKeys(const CatalogView& catalog, const TableEntry& parent);

/// 2BP01 for something that keys depend on. `what`: "table x"; `on`: as the keys' details call it.
SqlError dependentsExist(const CatalogView& catalog, std::string_view what, std::string_view on,
                         const std::vector<DependentKey>& keys);

/// Whether a partition has a key of its table: of the same name that says the same.
bool isAmong(const ForeignKeyEntry& key, const std::vector<ForeignKeyEntry>& of_partition);

/// The key of a table with this name or number; null: none.
const ForeignKeyEntry* findKey(const TableEntry& table, std::string_view name);
const ForeignKeyEntry* findKey(const TableEntry& table, uint32_t number);

}  // namespace gnomon::sql
