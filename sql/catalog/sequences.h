#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/sql_error.h"
#include "sql/catalog/catalog_view.h"

/// Sequences among the tables of a catalog.
namespace gnomon::sql {

/// The columns of every sequence: last_value, log_cnt, is_called.
std::vector<ColumnEntry> sequenceColumns();

/// The sequence that a text names as PostgreSQL's regclass reads it: [schema.]name, in quotes or not, or an oid.
/// Failure: 42602, 42P01, 3F000; 42809 for what is no sequence.
TablePtr findSequence(const CatalogView& catalog, std::string_view text);
/// The sequence that a name means; null: none. Failure: 42809 for what is no sequence.
TablePtr findNamedSequence(const CatalogView& catalog, const ObjectPath& path);

/// Those that go with a table, or with one of its columns; in the order of their oids.
std::vector<TablePtr> ownedSequences(const CatalogView& catalog, uint32_t table,
                                     std::optional<uint32_t> column = std::nullopt);

/// A default that takes values of a sequence, or calls a routine.
struct DependentDefault {
  TablePtr table;
  uint32_t column;  ///< in its columns
  TablePtr needed;

  /// "default value for column x of table y".
  [[nodiscard]] std::string describe(const CatalogView& catalog) const;
};

/// Those of all tables, in the order of their oids, that need one of the sequences.
std::vector<DependentDefault> dependentDefaults(const CatalogView& catalog, const std::vector<TablePtr>& sequences);
/// 2BP01 for what they need, `what`; "sequence x". `others`: what else depends on it, a line each; may be empty.
SqlError defaultsExist(const CatalogView& catalog, std::string_view what, const std::vector<DependentDefault>& defaults,
                       std::string others = {});

/// The virtual relation that shows where the sequence stands: one row.
VirtualRelation sequenceView(const TablePtr& sequence);

}  // namespace gnomon::sql
