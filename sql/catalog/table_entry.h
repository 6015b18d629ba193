#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "sql/types/type.h"
#include "storage/relation/schema.h"

namespace gnomon::txn {
class Table;
class TableIndex;
}  // namespace gnomon::txn

namespace gnomon::sql {

struct ColumnEntry {
  std::string name;  ///< empty: the column was dropped; it keeps its place, for leaves still hold it
  Type type;
  bool not_null = false;
  std::string default_text;           ///< the DEFAULT expression as SQL, bound anew at each use; empty: NULL
  storage::StoredColumn stored = {};  ///< how its values lie in leaves; may be nullable where the column is not

  [[nodiscard]] bool isDropped() const { return name.empty(); }
};

struct IndexColumn {
  uint32_t column = 0;  ///< in TableEntry::columns
  bool descending = false;
  bool nulls_first = false;
};

/// An index as it is asked for.
struct IndexSpecification {
  std::string name;  ///< empty: chosen as PostgreSQL would
  std::vector<IndexColumn> columns;
  bool is_unique = false;
  bool is_primary = false;
  bool is_constraint = false;  ///< PRIMARY KEY or UNIQUE of a table
};

/// An index as the catalog knows it. Immutable once published.
struct IndexEntry : IndexSpecification {
  uint32_t oid = 0;  ///< also the relation id of its pages
  std::shared_ptr<txn::TableIndex> storage;
};
using IndexPtr = std::shared_ptr<const IndexEntry>;

/// A table as the catalog knows it. Immutable once published; a statement that holds the pointer keeps it alive across
/// a concurrent DROP (which waits for the table's lock before the pages go).
struct TableEntry {
  uint32_t oid = 0;  ///< from 16384 upward, as PostgreSQL's; also the relation's id
  std::string schema = "public";
  std::string name;
  std::vector<ColumnEntry> columns;
  std::vector<IndexPtr> indexes;
  std::shared_ptr<txn::Table> storage;
};
using TablePtr = std::shared_ptr<const TableEntry>;

}  // namespace gnomon::sql
