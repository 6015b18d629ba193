#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "sql/catalog/table_entry.h"
#include "sql/types/value.h"

namespace gnomon::sql {

using VirtualRows = std::vector<std::vector<Value>>;

/// A relation whose rows are not stored but made anew for each execution that reads it. Immutable.
///
/// To users it is a view, or a catalog, that cannot be changed. No lock is taken for it.
struct VirtualRelation {
  uint32_t oid = 0;  ///< below those of users' tables; only shown to clients
  std::string schema = "pg_catalog";
  std::string name;
  char kind = 'v';  ///< pg_class.relkind: v (view) or r (catalog)
  std::vector<ColumnEntry> columns;
  std::string query = {};      ///< SQL with these columns, bound instead at each use; empty: `rows` makes them
  bool is_superusers = false;  ///< others may not read it
  double rows_expected = 1;
  /// Called when an execution starts, once for each place of the statement that reads the relation. A row has one value
  /// for each column, of exactly its type. Threads: any, at once. Failure: SqlError, which fails the statement.
  std::function<VirtualRows()> rows;
};
using VirtualRelationPtr = std::shared_ptr<const VirtualRelation>;

/// The virtual relations by name. Threads: added to before sessions begin, read by any.
class VirtualRelations {
 public:
  /// Its name is not among those of its schema yet.
  void add(VirtualRelation relation);
  /// Null: none of that name.
  [[nodiscard]] VirtualRelationPtr find(std::string_view schema, std::string_view name) const;
  [[nodiscard]] const std::vector<VirtualRelationPtr>& all() const { return relations_; }

 private:
  std::vector<VirtualRelationPtr> relations_;
};

}  // namespace gnomon::sql
