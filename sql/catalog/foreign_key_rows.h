#pragma once

#include <cstdint>
#include <map>
#include <memory>

#include "sql/catalog/table_entry.h"
#include "txn/table.h"
#include "txn/write_statement.h"

/// Rows of foreign keys in the catalog.
///
/// Relation 7: child's oid (int32), number (int32), name (string), parent's oid (int32), oid of the parent's index
///             (int32), flags (int16: 1 all rows satisfy it, 2 MATCH FULL), action on delete, on update (int16: 0 no
///             action, 1 restrict, 2 cascade, 3 set null, 4 set default), columns of the child, of the parent, and
///             those that ON DELETE sets (strings: numbers from 1, with blanks between them)
/// Invariants:  K1  a key's tables are there, its index is unique over the parent's columns
///              K2  a column of the child refers to one of the parent whose type is compared with its own
namespace gnomon::sql {

txn::RelationSchema foreignKeysSchema();
void appendForeignKeys(const TableEntry& table, txn::WriteStatement& rows);
/// Gives the tables, by oid, with their columns and indexes, their keys, and those that refer to them. Failure: XX001.
void loadForeignKeys(txn::Table& relation, std::map<uint32_t, std::shared_ptr<TableEntry>>& tables);

}  // namespace gnomon::sql
