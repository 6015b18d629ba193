#pragma once

#include <memory>
#include <vector>

#include "sql/algebra/check_expressions.h"
#include "sql/catalog/key_conversion.h"
#include "sql/catalog/table_entry.h"
#include "sql/types/value.h"

namespace gnomon::sql {

/// What foreign keys ask of a statement that changes rows: tables where it must look for rows that are referred to, or
/// that refer to what it changes, and whose rows it may change in turn. Immutable.
struct KeyWork {
  /// A key and the two tables; numbers are those in `tables`.
  struct Key {
    const ForeignKeyEntry* key;  ///< in the entry of its child, which `tables` keep alive
    size_t child, parent;
    std::vector<KeyConversion> to_parent;  ///< of each column's values
    std::vector<KeyConversion> to_child;
    TablePtr declared = nullptr;  ///< of a partition: the table that it has the key from; null: it is its own
    uint32_t own_number = 0;      ///< of the child's own entry, by which it is put off
    /// Where a row goes to another partition of the statement's table: of a part of a key the part, or the whole, for
    /// that table. Null: the row is gone, as far as the key goes, or `forbids_moves`.
    const ForeignKeyEntry* moved = nullptr;
    bool forbids_moves = false;
  };
  struct Table {
    TablePtr table;
    bool may_change = false;       ///< rows may be deleted or changed
    std::vector<size_t> outgoing;  ///< in `keys`, those of the table's own that its rows may break, in their order
    std::vector<size_t> incoming;  ///< those that refer to the table and may be broken
    std::vector<Value> defaults;   ///< of all columns, where a key sets them; empty: none does
    CheckForms checks;             ///< of the table, where keys change its rows; null: none
  };
  /// Of a partitioned table: what each leaf's own keys ask, and those that refer to it; null for those that ask
  /// nothing. Empty: all ask what is said here, of whose first table each takes the place.
  std::vector<std::shared_ptr<const KeyWork>> leaves;
  TablePtr moved_in;  ///< of such a leaf: the partitioned table
  std::vector<Key> keys;
  std::vector<Table> tables;  ///< the first is the statement's
};

}  // namespace gnomon::sql
