#pragma once

#include <memory>
#include <string>
#include <vector>

#include "sql/bind/bind_state.h"
#include "sql/parse/ast.h"
#include "sql/statement.h"

namespace gnomon::sql {

/// The table that foreign keys are added to, as far as the statement has defined or changed it.
struct ReferringTable {
  const ObjectPath& path;
  const std::vector<ColumnEntry>& columns;
  std::vector<ForeignKeyEntry>& keys;
  std::vector<TablePtr>& parents;                  ///< gets the other tables that new keys refer to
  const std::vector<IndexSpecification>& indexes;  ///< that the statement adds
  const TableEntry* changed = nullptr;             ///< by ALTER TABLE; null: it is a new one
  const std::vector<std::string>* dropped_indexes = nullptr;
  std::vector<std::string> constraint_names = {};  ///< of its other constraints
};

/// Adds a key to the table's, under a name as PostgreSQL would choose it when it has none; that name. Failure: 42P01,
/// 42809, 42703, 42704, 42710, 42804, 42830, 42P10, 54011; 0A000 for types that are not compared.
std::string bindForeignKey(BindState& state, const ReferringTable& table, const ast::ForeignKey& key);

/// Numbers the keys that have none from `number` on, and says which index those refer to that refer to the table
/// itself. The table and its indexes have their oids.
void finishForeignKeys(TableEntry& table, uint32_t number);

}  // namespace gnomon::sql
