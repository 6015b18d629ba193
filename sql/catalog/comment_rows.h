#pragma once

#include <map>
#include <memory>

#include "sql/catalog/table_entry.h"
#include "txn/table.h"
#include "txn/write_statement.h"

/// Rows of comments in the catalog, but for those of schemas.
///
/// Relation 11:  oid of the table that has what is commented on (int32), kind of that (int16: 0 the table, 1 a column,
/// 2
///               an index, 3 the key of an index, 4 a foreign key, 5 a check), number (int32: the column's, from 1; the
///               index's oid; the foreign key's), name (text: the check's, else null), comment (text)
namespace gnomon::sql {

txn::RelationSchema commentsSchema();
/// Those of the table and of what it has.
void appendComments(const TableEntry& table, txn::WriteStatement& rows);
/// Gives them to the tables, by oid. Failure: XX001.
void loadComments(txn::Table& relation, std::map<uint32_t, std::shared_ptr<TableEntry>>& tables);

}  // namespace gnomon::sql
