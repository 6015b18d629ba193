#pragma once

#include <map>
#include <memory>

#include "sql/catalog/table_entry.h"
#include "txn/table.h"
#include "txn/write_statement.h"

/// Rows of views in the catalog.
///
/// Relation 9:  oid (int32; relation 1 has its name, relation 2 its columns), query (text; null in the rows behind the
///              first), oid of what it reads (int32, 0: nothing), number of the column that it reads (int16, 0: none)
/// Invariants:  V1  a view's relation has no rows
///              V2  what it reads is there, and has the column
namespace gnomon::sql {

txn::RelationSchema viewsSchema();
/// Nothing for a table.
void appendView(const TableEntry& view, txn::WriteStatement& rows);
/// Makes those of the tables, by oid, views that are some. Failure: XX001.
void loadViews(txn::Table& relation, std::map<uint32_t, std::shared_ptr<TableEntry>>& tables);

}  // namespace gnomon::sql
