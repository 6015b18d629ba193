#pragma once

#include "sql/parse/ast_role.h"
#include "sql/role_statement.h"

namespace gnomon::sql {

/// Failure: 22023, 42601, and as a timestamp is read.
CreateRoleStatement bindCreateRole(const ast::CreateRole& create);
AlterRoleStatement bindAlterRole(const ast::AlterRole& alter);

}  // namespace gnomon::sql
