#pragma once

#include <memory>
#include <vector>

#include "sql/catalog/role_entry.h"
#include "txn/database_storage.h"
#include "txn/write_statement.h"

/// Rows of roles in the catalog.
///
/// Relation 15, roles:  oid (int32), name (string), flags (int16: 1 superuser, 2 inherits, 4 creates roles, 8 creates
///                      databases, 16 may log in, 32 may replicate, 64 bypasses row security), connection limit
///                      (int32), password (string, null: none), end of the password (int64, null: none)
/// Relation 16, members:  the member's oid (int32), oid of the role that it is a member of (int32), grantor's oid
///                      (int32), may make others members (bool)
/// Relation 17, settings:  the role's oid (int32), name (string), value (string), the database's oid (int32, 0: any)
/// Relation 19, default rights:  the role's oid (int32), the schema's (int32, 0: any), kind of objects (int16, a
///                      letter), grantee (int32, 0: everybody), grantor (int32), rights (int32), as in relation 18, the
///                      database's oid (int32)
namespace gnomon::sql {

/// These relations. Threads: as CatalogStore.
class RoleRelations {
 public:
  /// Creates them in a new directory, else opens them.
  explicit RoleRelations(txn::DatabaseStorage& storage);

  /// Writes the rows of a role in the place of those there are. Null: it is new; it goes.
  void record(const RoleEntry* before, const RoleEntry* after, const txn::WriteContext& context);
  /// All roles. Failure: XX001.
  [[nodiscard]] std::vector<RolePtr> load() const;

 private:
  std::shared_ptr<txn::Table> roles_, members_, settings_, defaults_;
};

}  // namespace gnomon::sql
