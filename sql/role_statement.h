#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/sql_error.h"

/// Statements that define roles, and say what they are members of.
namespace gnomon::sql {

/// A role as a statement names it.
struct RoleName {
  enum class Kind : uint8_t { Name, CurrentUser, SessionUser, Public };
  Kind kind = Kind::Name;
  std::string name = {};  ///< Name
};

/// What CREATE ROLE and ALTER ROLE say of a role; nothing: they do not.
struct RoleOptions {
  std::optional<bool> is_superuser = {}, inherits = {}, creates_roles = {}, creates_databases = {}, may_log_in = {},
                      may_replicate = {}, bypasses_row_security = {};
  std::optional<int32_t> connection_limit = {};
  /// As it was written, or what is to be stored of it; empty: there is to be none.
  std::optional<std::string> password = {};
  std::optional<int64_t> valid_until = {};
};

struct CreateRoleStatement {
  std::string name;
  RoleOptions options;
  std::vector<RoleName> above = {};          ///< IN ROLE
  std::vector<RoleName> members = {};        ///< ROLE
  std::vector<RoleName> admin_members = {};  ///< ADMIN
  std::vector<SqlError> notices = {};
};

/// ALTER ROLE; ALTER GROUP.
struct AlterRoleStatement {
  RoleName role;
  RoleOptions options;
  std::optional<std::vector<RoleName>> members = {};  ///< of ALTER GROUP
  bool adds_members = false;                          ///< else it drops them
  std::vector<SqlError> notices = {};
};

struct RenameRoleStatement {
  std::string name;
  std::string new_name;
};

/// ALTER ROLE ... SET, RESET.
struct RoleSettingStatement {
  RoleName role;
  std::string name;                  ///< empty: all of them
  std::optional<std::string> value;  ///< as the setting has it; nothing: it is reset
  std::string database = {};         ///< in which it is; empty: in any
  bool is_current = false;           ///< to the value that it has
};

struct DropRoleStatement {
  std::vector<RoleName> roles;
  bool if_exists = false;
};

/// GRANT and REVOKE of roles.
struct GrantRoleStatement {
  std::vector<std::string> roles;
  std::vector<RoleName> members;
  bool is_grant = true;
  bool is_admin = false;            ///< WITH ADMIN OPTION; ADMIN OPTION FOR
  std::optional<RoleName> grantor;  ///< nothing: who asks
};

}  // namespace gnomon::sql
