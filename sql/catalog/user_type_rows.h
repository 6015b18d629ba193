#pragma once

#include <map>
#include <memory>

#include "sql/catalog/table_entry.h"
#include "txn/table.h"
#include "txn/write_statement.h"

/// Rows of types that users made, in the catalog.
///
/// Relation 12:  oid (int32; relation 1 has its name, relation 2 the attributes of a composite type and the value of a
///               domain, relation 6 a domain's checks), form (int16: 1 enum, 2 domain, 3 composite), the domain right
///               below a domain (int32, 0: none), and of an enum, which has a row for each label, or one: label
///               (string, null: none), key (int64), oid of the label (int32), its sort order (float32)
/// Invariants:  T1  a type's relation has no rows
namespace gnomon::sql {

txn::RelationSchema userTypesSchema();
/// Nothing for a table.
void appendUserType(const TableEntry& entry, txn::WriteStatement& rows);
/// Makes those of the tables, by oid, types that are some. Their columns need not be there. Failure: XX001.
void loadUserTypes(txn::Table& relation, std::map<uint32_t, std::shared_ptr<TableEntry>>& tables);

}  // namespace gnomon::sql
