#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "sql/catalog/privilege.h"
#include "sql/catalog/table_entry.h"
#include "sql/role_statement.h"

/// Statements about owners of objects, and rights on them.
namespace gnomon::sql {

/// GRANT and REVOKE of rights on one object.
struct GrantTarget {
  TablePtr entry;             ///< null: a schema, database or large object
  std::string schema = {};    ///< its name; empty: none
  std::string database = {};  ///< the same
  uint32_t large_object = 0;  ///< 0: none
  Privilege rights = Privilege::None;
  bool are_all = false;  ///< ALL PRIVILEGES
  /// Rights on columns, by their places, beside.
  std::vector<std::pair<uint32_t, Privilege>> columns = {};
  bool are_all_of_columns = false;
};

struct GrantStatement {
  bool is_grant = true;
  bool is_option = false;  ///< WITH GRANT OPTION; GRANT OPTION FOR
  bool is_cascade = false;
  std::vector<GrantTarget> targets;
  std::vector<uint32_t> grantees;      ///< roles, or kPublicGrantee
  std::vector<SqlError> notices = {};  ///< warnings
};

/// ALTER DEFAULT PRIVILEGES.
struct DefaultPrivilegesStatement {
  std::vector<uint32_t> roles;    ///< whose objects
  std::vector<uint32_t> schemas;  ///< 0: of any
  char kind = 'r';                ///< pg_default_acl.defaclobjtype
  bool is_grant = true;
  bool is_option = false;
  bool is_cascade = false;
  Privilege rights = Privilege::None;
  std::vector<uint32_t> grantees;
};

/// ALTER ... OWNER TO of a table, view, sequence or type, or of a database.
struct OwnerStatement {
  TablePtr entry;             ///< null: there is none, and IF EXISTS was given, or it is a database
  std::string database = {};  ///< its name; empty: none
  uint32_t large_object = 0;  ///< 0: none
  uint32_t owner = 0;
  std::vector<SqlError> notices = {};
};

/// REASSIGN OWNED, DROP OWNED.
struct OwnedStatement {
  std::vector<uint32_t> roles;
  uint32_t new_owner = 0;  ///< 0: DROP
  bool is_cascade = false;
};

}  // namespace gnomon::sql
