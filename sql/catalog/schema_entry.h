#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "sql/catalog/privilege.h"
#include "sql/catalog/role_entry.h"

namespace gnomon::sql {

inline constexpr uint32_t kCatalogSchemaOid = 11;
inline constexpr uint32_t kPublicSchemaOid = 2200;
inline constexpr uint32_t kInformationSchemaOid = 13207;
/// Oids from here on are of what users made.
inline constexpr uint32_t kFirstUserOid = 16384;

/// A schema as the catalog knows it. Immutable.
struct SchemaEntry {
  uint32_t oid = 0;
  std::string name;
  bool is_temporary = false;  ///< of one session: nothing of it is stored in the catalog's relations
  std::string comment = {};   ///< empty: none
  uint32_t owner = kRoleOid;
  AclPtr acl = {};  ///< null: what its owner has, and nobody else
};
using SchemaPtr = std::shared_ptr<const SchemaEntry>;

/// The only database.
inline constexpr std::string_view kDatabaseName = "postgres";
inline constexpr uint32_t kDatabaseOid = 5;

/// The database as the catalog knows it. Immutable.
struct DatabaseEntry {
  uint32_t owner = kRoleOid;
  AclPtr acl = {};  ///< null: what its owner has, and what everybody may do with one
};
using DatabasePtr = std::shared_ptr<const DatabaseEntry>;

}  // namespace gnomon::sql
