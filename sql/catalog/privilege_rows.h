#pragma once

#include <map>
#include <memory>
#include <vector>

#include "sql/catalog/role_entry.h"
#include "sql/catalog/schema_entry.h"
#include "sql/catalog/table_entry.h"
#include "txn/database_storage.h"
#include "txn/write_statement.h"

namespace gnomon::sql {

/// Rows of what roles may do with objects, in the catalog.
///
/// Relation 18, privileges:  oid of the object (int32), kind (int16: 0 a table, view, sequence or type, 1 a column of
///                           one, 2 a schema), number of the column, from 1 (int32), grantee (int32, 0: everybody),
///                           grantor (int32), rights (int32; those that may be given on are 16 bits above)
/// An object without rows has no ACL of its own; one whose ACL is empty has a row of no rights. The rows of an object
/// are in the order of its ACL.
class PrivilegeRelation {
 public:
  /// Creates it in a new directory, else opens it.
  explicit PrivilegeRelation(txn::DatabaseStorage& storage);

  /// Writes the rows of an entry, or schema, in the place of those there are. Null: it is new; it goes.
  void record(const TableEntry* before, const TableEntry* after, const txn::WriteContext& context);
  void record(const SchemaEntry* before, const SchemaEntry* after, const txn::WriteContext& context);
  /// Gives them what they have. Failure: XX001.
  void load(std::map<uint32_t, std::shared_ptr<TableEntry>>& tables, std::vector<SchemaPtr>& schemas) const;

 private:
  std::shared_ptr<txn::Table> rows_;
};

}  // namespace gnomon::sql
