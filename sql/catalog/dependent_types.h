#pragma once

#include <string>
#include <vector>

#include "sql/catalog/catalog_view.h"

/// What needs types, and goes with them or keeps them.
namespace gnomon::sql {

struct DependentType {
  static constexpr uint32_t kWhole = UINT32_MAX;
  TablePtr entry;            ///< a table with such a column, a view, a composite type or a domain
  uint32_t column = kWhole;  ///< in TableEntry::columns; kWhole: the entry itself goes
  TablePtr type;             ///< what it needs

  /// "column b of table t", "type c".
  [[nodiscard]] std::string describe(const CatalogView& catalog) const;
};

/// Whether values of the column are of the type, or are made of it.
bool isOfType(const ColumnEntry& column, const TableEntry& type);
/// Whether it takes or returns values of the type.
bool usesType(const RoutineEntry& routine, const TableEntry& type);
/// What needs the types, itself or by way of others, in the order in which it was made.
std::vector<DependentType> dependentTypes(const CatalogView& catalog, const std::vector<TablePtr>& types);

}  // namespace gnomon::sql
