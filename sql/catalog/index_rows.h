#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <vector>

#include "sql/catalog/table_entry.h"
#include "txn/table.h"
#include "txn/write_statement.h"

/// Rows of indexes in the catalog.
///
/// Relation 3, indexes:  oid (int32), table oid (int32), name (string), flags (int16: 1 unique, 2 primary,
///                       4 constraint, times 8 the fillfactor (0: not said), 1024 hash, 2048 deferrable, 4096 deferred,
///                       8192 not valid, 16384 gin), predicate as SQL (string, null: none), relation id (int32), oid of
///                       the index of which it is a part (int32, 0: none)
/// Relation 4, index columns:  index oid (int32), number from 1 (int16), table's column number (int16, 0: an
///                       expression), flags (int16: 1 descending, 2 nulls first, times 4 an operator class of texts,
///                       16 included, 32 jsonb_path_ops, 64 no column but a storage parameter), expression as SQL, or
///                       the parameter (string, null: none)
namespace gnomon::sql {

txn::RelationSchema indexesSchema();
txn::RelationSchema indexColumnsSchema();
void appendIndex(const TableEntry& table, const IndexEntry& index, txn::WriteStatement& indexes,
                 txn::WriteStatement& parts);

/// An index as its rows say; neither bound nor opened.
struct StoredIndex {
  std::shared_ptr<IndexEntry> index;
  TableEntry* table;
  txn::RelationId relation;
};
/// All, in the order of their oids, of tables by their oids. Failure: XX001.
std::vector<StoredIndex> readIndexes(txn::Table& indexes, txn::Table& index_columns,
                                     const std::map<uint32_t, std::shared_ptr<TableEntry>>& tables);

}  // namespace gnomon::sql
