#pragma once

#include <memory>
#include <string>
#include <vector>

#include "sql/bind/bind_state.h"
#include "sql/catalog/partitioning.h"
#include "sql/parse/ast.h"
#include "sql/statement.h"

namespace gnomon::sql {

/// PARTITION BY of a table with these columns. Failure: 42703; 42P17 for keys that cannot be; 42704.
std::shared_ptr<const PartitionKey> bindPartitionKey(BindState& state, const ast::PartitionSpecification& specification,
                                                     const std::string& table, const std::vector<ColumnEntry>& columns);
/// A key from the catalog: its types and expressions are bound anew. `catalog` has the routines that these call.
std::shared_ptr<PartitionKey> storedPartitionKey(PartitionStrategy strategy, std::vector<IndexColumn> parts,
                                                 const std::vector<ColumnEntry>& columns, const CatalogView& catalog);

/// What a partition of the table, which may be new, can have. Failure: 42P16, 42P17, 42804; 0A000 for values that are
/// no constants.
std::shared_ptr<const PartitionEntry> bindPartition(BindState& state, const ast::PartitionBound& bound,
                                                    const TableEntry& parent, const std::string& name);
/// "FOR VALUES ..." or "DEFAULT", as PostgreSQL shows it, by the session's settings.
std::string boundText(const PartitionBound& bound);
/// The bound that a text which an earlier server stored stands for.
PartitionBound storedPartitionBound(const std::string& text, const PartitionKey& key);

/// Failure: 0A000 as PostgreSQL says it, for a unique key of a partitioned table that does not have its partition key.
void requirePartitionColumns(const IndexSpecification& index, const PartitionKey& key, const std::string& table,
                             const std::vector<ColumnEntry>& columns);
/// Failure: 0A000 for foreign keys whose actions would change columns of a partition key: of the table's own (null:
/// none), of those above the partition (null: it is none), or of `below`, and for those that refer to their own
/// partitioned table.
void requireSteadyKeys(const CatalogView& catalog, const std::vector<ForeignKeyEntry>& keys, const PartitionKey* own,
                       const PartitionEntry* partition, const std::vector<TablePtr>& below);
/// An index of a partition that is a part of one of its table.
IndexSpecification partitionIndex(const IndexEntry& index);

/// ALTER TABLE ... ATTACH PARTITION, DETACH PARTITION.
PartitionStatement bindPartitionCommand(BindState& state, const ast::AlterTable& alter);

}  // namespace gnomon::sql
