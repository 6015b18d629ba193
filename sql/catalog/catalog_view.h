#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "sql/catalog/table_entry.h"
#include "sql/catalog/virtual_relation.h"

namespace gnomon::sql {

/// The tables and indexes there are for somebody, by name (schema public).
///
/// Invariants:  C1  what find() hands out is immutable
///              C2  names are unique: tables, indexes and virtual relations of pg_catalog together (but for tables that
///              are older than
///                  a virtual relation of their name; they hide it)
class CatalogView {
 public:
  CatalogView() = default;
  CatalogView(const CatalogView&) = delete;
  CatalogView& operator=(const CatalogView&) = delete;
  virtual ~CatalogView() = default;

  /// The table of schema public with this name; null: none.
  [[nodiscard]] virtual TablePtr find(std::string_view name) const = 0;
  /// The table that has an index of this name; null: none.
  [[nodiscard]] virtual TablePtr findIndexTable(std::string_view name) const = 0;
  /// The virtual relation with this name; null: none. `schema` empty: pg_catalog.
  [[nodiscard]] virtual VirtualRelationPtr findVirtual(std::string_view schema, std::string_view name) const = 0;
  [[nodiscard]] virtual const std::vector<VirtualRelationPtr>& virtualRelations() const = 0;
  /// All tables in the order of their names.
  [[nodiscard]] virtual std::vector<TablePtr> tables() const = 0;

  /// Whether a table, index or virtual relation has the name.
  [[nodiscard]] bool isTaken(std::string_view name) const;
  /// Whether a table other than `except` has a constraint of this name.
  [[nodiscard]] bool hasConstraint(std::string_view name, const TableEntry* except) const;
};

/// Whether the table has a CHECK constraint or a FOREIGN KEY of this name.
bool hasCheckOrForeignKey(const TableEntry& table, std::string_view name);

}  // namespace gnomon::sql
