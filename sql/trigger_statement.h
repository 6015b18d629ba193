#pragma once

#include <vector>

#include "base/sql_error.h"
#include "sql/catalog/table_entry.h"

/// Statements that define triggers.
namespace gnomon::sql {

/// CREATE, DROP, ALTER TRIGGER, ALTER TABLE ... ENABLE and DISABLE TRIGGER.
struct DefineTriggersStatement {
  /// In the place of the oid of the trigger above, where that has the same name and is not made yet.
  static constexpr uint32_t kNewParent = UINT32_MAX;
  struct Part {
    TablePtr table;
    std::vector<TriggerEntry> triggers;  ///< afterwards, in the order of their names
  };
  std::vector<Part> parts;     ///< the table, and partitions below it, none before those above it; empty: IF EXISTS
  std::vector<TablePtr> used;  ///< functions and what conditions name
  std::vector<SqlError> notices;
};

}  // namespace gnomon::sql
