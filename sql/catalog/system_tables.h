#pragma once

#include "sql/catalog/search_path.h"
#include "sql/catalog/table_entry.h"

namespace gnomon::txn {
class TransactionManager;
}

namespace gnomon::sql {

class Catalog;

/// Tables of the system that are kept as those of users are: entries of the schema pg_catalog. No statement of a user
/// finds them by their names, and no catalog lists them; what reads and changes them does so for everybody.
inline bool isSystemTable(const TableEntry& entry) {
  return entry.schema == kCatalogSchema;
}

/// Large objects: their owners, rights and comments by oid, and their bytes in pages.
inline constexpr const char* kLargeObjectsTable = "pg_largeobject_owners";
inline constexpr const char* kLargeObjectPagesTable = "pg_largeobject_pages";
/// The unique index of the former, as errors name it.
inline constexpr const char* kLargeObjectsIndex = "pg_largeobject_metadata_oid_index";

/// Makes the tables that the database does not have yet. Before its sessions begin. Failure: 53100.
void createSystemTables(Catalog& catalog, txn::TransactionManager& manager);

/// For as long as it lives, statements that this thread binds find the system's tables by their names.
class SystemTableScope {
 public:
  SystemTableScope();
  ~SystemTableScope();
  SystemTableScope(const SystemTableScope&) = delete;
  SystemTableScope& operator=(const SystemTableScope&) = delete;
  /// Whether there is one.
  static bool isOpen();
};

}  // namespace gnomon::sql
