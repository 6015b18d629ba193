#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

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

}  // namespace gnomon::sql::ast
