#pragma once

#include "base/sql_error.h"
#include "sql/catalog/table_entry.h"
#include "storage/relation/schema.h"

namespace gnomon::sql {

/// 23503 for a row of the child whose parent is missing; `values`: of the key's columns, not null.
SqlError missingParent(const TableEntry& child, const ForeignKeyEntry& key, const TableEntry& parent,
                       const storage::Datum* values);
/// 23503 for a row of the child that has some of the values, where the key is MATCH FULL.
SqlError mixedNulls(const TableEntry& child, const ForeignKeyEntry& key);
/// 23503 for a row of the parent that is still referred to; `values`: of the parent's columns of the key, not null.
SqlError stillReferenced(const TableEntry& parent, const ForeignKeyEntry& key, const TableEntry& child,
                         const storage::Datum* values);

/// The same for a partition that is about to be none; `key`: the part for it, of the child.
SqlError removedPartition(const TableEntry& partition, const ForeignKeyEntry& key, const TableEntry& child,
                          const storage::Datum* values);

/// 0A000 for a row that would leave the partitioned table, below `root`, that a key of the child refers to. `part`: of
/// that key, for a partition.
SqlError forbiddenMove(const TableEntry& root, const TableEntry& child, const ForeignKeyEntry& part);

}  // namespace gnomon::sql
