#pragma once

#include <memory>
#include <vector>

#include "sql/catalog/database_entry.h"
#include "txn/database_storage.h"
#include "txn/write_statement.h"

/// Rows of databases in the catalog.
///
/// Relation 30, databases:  oid (int32), name (string), owner (int32), flags (int16: 1 allows connections, 2 is a
///                          template, 4 has an ACL of its own), connection limit (int32), comment (string, null: none)
/// Relation 31, settings:  the database's oid (int32), name (string), value (string)
/// Relation 32, rights:  the database's oid (int32), grantee (int32, 0: everybody), grantor (int32), rights (int32), as
///                       in relation 18
namespace gnomon::sql {

/// These relations. Threads: as CatalogStore.
class DatabaseRelations {
 public:
  /// Creates them in a new directory, else opens them.
  explicit DatabaseRelations(txn::DatabaseStorage& storage);

  /// Writes the rows of a database in the place of those there are. Null: it is new; it goes.
  void record(const DatabaseEntry* before, const DatabaseEntry* after, const txn::WriteContext& context);
  /// All databases. Failure: XX001.
  [[nodiscard]] std::vector<DatabasePtr> load() const;

 private:
  std::shared_ptr<txn::Table> databases_, settings_, rights_;
};

}  // namespace gnomon::sql
