#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/sql_error.h"
#include "sql/catalog/table_entry.h"

/// Statements that define sequences.
namespace gnomon::sql {

/// A sequence that is made with a column, of type serial or GENERATED AS IDENTITY, which takes its values from it.
struct ColumnSequence {
  uint32_t column = 0;  ///< in the table's columns
  ObjectPath path;      ///< empty name: chosen as PostgreSQL would; empty schema: the table's
  SequenceDefinition definition;
};

struct CreateSequenceStatement {
  ObjectPath path;
  SequenceDefinition definition;
  TablePtr owner;  ///< null: none
  bool if_not_exists = false;
};

/// How a sequence is to be.
struct SequenceChange {
  TablePtr sequence;
  ObjectPath path;                ///< afterwards
  SequenceDefinition definition;  ///< afterwards
  bool has_values = false;        ///< more is said than of its name and owner: its values are the transaction's
  bool restarts = false;
  std::optional<int64_t> restart;  ///< where; none: at its start
};

struct AlterSequenceStatement {
  SequenceChange change;  ///< sequence null: there is none, and IF EXISTS was given
  TablePtr owner;         ///< who comes to own it; null: nobody else than before
  std::vector<SqlError> notices;
};

struct DropSequenceStatement {
  std::vector<ObjectPath> names;  ///< as they are written
  bool if_exists = false;
  bool is_cascade = false;  ///< defaults that need them go as well
};

}  // namespace gnomon::sql
