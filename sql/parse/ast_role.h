#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "sql/parse/ast_expression.h"
#include "sql/parse/ast_routine.h"
#include "sql/parse/ast_session.h"
#include "sql/role_statement.h"

/// The trees of statements about roles.
namespace gnomon::sql::ast {

struct RoleOption {
  std::string name;                  ///< as the grammar has it
  std::optional<std::string> value;  ///< nothing: NULL
  std::vector<RoleName> roles = {};
  int32_t position = -1;
};

/// CREATE ROLE, USER and GROUP.
struct CreateRole {
  std::string name;
  bool may_log_in = false;  ///< unless the options say so: of CREATE USER
  std::vector<RoleOption> options;
};

/// ALTER ROLE and USER; ALTER GROUP, which has one option.
struct AlterRole {
  RoleName role;
  std::vector<RoleOption> options;
  bool adds_members = false;
};

struct RenameRole {
  std::string name;
  std::string new_name;
};

/// ALTER ROLE ... SET, RESET.
struct RoleSetting {
  RoleName role;
  Set set;
  std::string database = {};  ///< empty: in any
};

struct DropRole {
  std::vector<RoleName> roles;
  bool if_exists = false;
};

/// GRANT and REVOKE of roles.
struct GrantRole {
  std::vector<std::string> roles;
  std::vector<RoleName> members;
  bool is_grant = true;
  bool is_admin = false;
  std::optional<RoleName> grantor;
};

/// A right that GRANT or REVOKE names, and the columns of which it does.
struct GrantedRight {
  std::string name;  ///< empty: ALL
  std::vector<std::string> columns = {};
};

/// GRANT and REVOKE of rights on objects.
struct Grant {
  enum class On : uint8_t { Table, Sequence, Database, Schema, Type, Function, LargeObject, Other };
  bool is_grant = true;
  bool is_option = false;
  bool is_cascade = false;
  On on = On::Table;
  bool is_all_in_schema = false;  ///< `names` are of schemas
  std::vector<RelationName> names;
  std::vector<RoutineName> routines = {};  ///< of Function
  RoutineKind routine_kind = RoutineKind::Function;
  std::vector<uint32_t> large_objects = {};  ///< of LargeObject
  std::vector<GrantedRight> rights;          ///< none: ALL
  std::vector<RoleName> grantees;
  std::optional<RoleName> grantor;
};

/// ALTER DEFAULT PRIVILEGES.
struct DefaultPrivileges {
  std::vector<RoleName> roles;
  std::vector<std::string> schemas;
  Grant grant;
};

/// ALTER ... OWNER TO, but of schemas.
struct AlterOwner {
  enum class What : uint8_t {
    Table,
    View,
    MaterializedView,
    Sequence,
    Index,
    Type,
    Domain,
    Database,
    Routine,
    LargeObject
  };
  What what = What::Table;
  RelationName name;
  RoleName owner;
  bool if_exists = false;
  RoutineName routine = {};  ///< of Routine
  RoutineKind routine_kind = RoutineKind::Function;
  uint32_t large_object = 0;
};

/// REASSIGN OWNED, DROP OWNED.
struct Owned {
  std::vector<RoleName> roles;
  std::optional<RoleName> new_owner;  ///< nothing: DROP
  bool is_cascade = false;
};

}  // namespace gnomon::sql::ast
