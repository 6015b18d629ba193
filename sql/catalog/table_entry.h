#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "sql/types/type.h"

namespace gnomon::txn {
class Table;
}

namespace gnomon::sql {

struct ColumnEntry {
  std::string name;
  Type type;
  bool not_null = false;
  std::string default_text;  ///< the DEFAULT expression as SQL, bound anew at each use; empty: NULL
};

/// A table as the catalog knows it. Immutable once published; a statement that holds the pointer keeps it alive across
/// a concurrent DROP (which waits for the table's lock before the pages go).
struct TableEntry {
  uint32_t oid = 0;  ///< from 16384 upward, as PostgreSQL's; also the relation's id
  std::string schema = "public";
  std::string name;
  std::vector<ColumnEntry> columns;
  std::shared_ptr<txn::Table> storage;
};
using TablePtr = std::shared_ptr<const TableEntry>;

}  // namespace gnomon::sql
