#pragma once

#include <cstdint>
#include <map>
#include <memory>

#include "sql/catalog/table_entry.h"
#include "txn/table.h"
#include "txn/write_statement.h"

/// Rows of triggers in the catalog.
///
/// Relation 22: table's oid (int32), trigger's oid (int32), name (string), function's oid (int32), timing (int16: 0
///              before, 1 after, 2 instead of), events (int16: a bit each, 1 insert, 2 delete, 4 update, 8 truncate),
///              flags (int16: 1 row, 2 constraint, 4 deferrable, 8 deferred), firing (int16: 0 origin, 1 disabled, 2
///              replica, 3 always), columns (string: numbers from 1, with blanks between them), condition as SQL
///              (string, null: none), arguments (string, each ended by a byte of 0), names of the old and the new
///              transition table (strings, null: none), oids of the constraint, of the table that a constraint refers
///              to, and of the trigger that it was made of (int32, 0: none)
/// Invariants:  T1  a trigger's table and function are there, its columns are the table's
namespace gnomon::sql {

txn::RelationSchema triggersSchema();
void appendTriggers(const TableEntry& table, txn::WriteStatement& rows);
/// Gives the tables, by oid, with their columns, their triggers. Failure: XX001.
void loadTriggers(txn::Table& relation, std::map<uint32_t, std::shared_ptr<TableEntry>>& tables);

}  // namespace gnomon::sql
