#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "sql/catalog/privilege.h"
#include "sql/catalog/role_entry.h"

namespace gnomon::sql {

/// The databases that there are from the start, unless they were given other names, or dropped.
inline constexpr uint32_t kDatabaseOid = 5;
inline constexpr std::string_view kDatabaseName = "postgres";
inline constexpr uint32_t kTemplateOid = 1;
inline constexpr std::string_view kTemplateName = "template1";
inline constexpr uint32_t kEmptyTemplateOid = 4;
inline constexpr std::string_view kEmptyTemplateName = "template0";

/// A database as the catalog knows it: what schemas belong to. Immutable.
struct DatabaseEntry {
  uint32_t oid = kDatabaseOid;
  std::string name = std::string(kDatabaseName);
  uint32_t owner = kRoleOid;
  bool allows_connections = true;
  bool is_template = false;       ///< whoever may create databases may copy it
  int32_t connection_limit = -1;  ///< of sessions that are no superusers'; -1: none
  std::string comment = {};       ///< empty: none
  AclPtr acl = {};                ///< null: what its owner has, and what everybody may do with one
  std::vector<std::pair<std::string, std::string>> settings = {};  ///< what sessions in it begin with
};
using DatabasePtr = std::shared_ptr<const DatabaseEntry>;

/// Those of a new data directory.
std::vector<DatabasePtr> firstDatabases();

}  // namespace gnomon::sql
