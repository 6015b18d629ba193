#pragma once

#include <map>
#include <memory>

#include "sql/catalog/catalog.h"
#include "sql/catalog/table_entry.h"
#include "txn/table.h"
#include "txn/write_statement.h"

/// Rows of partitioned tables and of partitions in the catalog.
///
/// Relation 13, partition keys:  table oid (int32), strategy (int16: 0 range, 1 list, 2 hash), number from 1 (int16),
///              table's column number (int16, 0: an expression), expression as SQL (string, null: none)
/// Relation 14, partitions:  oid (int32), oid of the partitioned table (int32), bound (string, stored_bound.h)
/// Invariants:  P1  a partitioned table's relation has no rows
///              P2  the table of every partition is there, and has the same columns at the same places
namespace gnomon::sql {

txn::RelationSchema partitionKeysSchema();
txn::RelationSchema partitionsSchema();
/// Nothing for other tables.
void appendPartitionKey(const TableEntry& table, txn::WriteStatement& rows);
void appendPartition(const TableEntry& table, txn::WriteStatement& rows);

/// The tables by oid, and those that they are partitions of: oids.
std::map<uint32_t, uint32_t> loadPartitionParents(txn::Table& relation);
/// Makes tables, whose columns and indexes are known, partitioned and partitions. Failure: XX001.
void loadPartitions(txn::Table& keys, txn::Table& partitions, const KeyExpressionsCompiler& compiler,
                    std::map<uint32_t, std::shared_ptr<TableEntry>>& tables);

}  // namespace gnomon::sql
