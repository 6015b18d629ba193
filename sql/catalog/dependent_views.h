#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/sql_error.h"
#include "sql/catalog/catalog_view.h"

namespace gnomon::sql {

/// In the place of a column that a view uses: its GROUP BY relies on the table's primary key.
inline constexpr uint32_t kPrimaryKeyUse = ViewEntry::Use::kNoColumn - 1;

/// What the query of a view, or a routine's body in the manner of the standard, reads and names itself; none: it is
/// neither.
std::vector<ViewEntry::Use> usesOf(const TableEntry& entry);
/// Whether that is among it.
bool uses(const TableEntry& entry, const ViewEntry::Use& use);
/// Whether that is, or any column of it.
bool usesAny(const TableEntry& entry, uint32_t oid);

/// A view, or a routine, and what it needs of what is to go.
struct DependentView {
  TablePtr view;
  TablePtr used;

  /// "view v".
  [[nodiscard]] std::string describe(const CatalogView& catalog) const;
};

/// "table", "view", "materialized view", "sequence", "type", "function", "procedure".
std::string_view kindName(const TableEntry& entry);
/// The same with its name.
std::string describe(const CatalogView& catalog, const TableEntry& entry);

/// The views, and routines with such bodies, that read one of the tables, and those that read these, and so on, each
/// once; none of `tables` itself.
std::vector<DependentView> dependentViews(const CatalogView& catalog, const std::vector<TablePtr>& tables);
/// The views and routines that read the column, or use the primary key (kPrimaryKeyUse).
std::vector<TablePtr> viewsReading(const CatalogView& catalog, const TableEntry& table, uint32_t column);

}  // namespace gnomon::sql
