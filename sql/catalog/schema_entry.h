#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "sql/catalog/database_entry.h"
#include "sql/catalog/privilege.h"
#include "sql/catalog/role_entry.h"

namespace gnomon::sql {

inline constexpr uint32_t kCatalogSchemaOid = 11;
/// `public` of the databases that there are from the start: of kDatabaseName, and of the templates.
inline constexpr uint32_t kPublicSchemaOid = 2200;
inline constexpr uint32_t kTemplatePublicOid = 16382;
inline constexpr uint32_t kEmptyTemplatePublicOid = 16383;
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
  AclPtr acl = {};                   ///< null: what its owner has, and nobody else
  uint32_t database = kDatabaseOid;  ///< in which it is; the system's are in all of them
};
using SchemaPtr = std::shared_ptr<const SchemaEntry>;

/// Whether it is one that the system has in every database.
inline bool isSystemSchema(uint32_t oid) {
  return oid == kCatalogSchemaOid || oid == kInformationSchemaOid;
}

}  // namespace gnomon::sql
