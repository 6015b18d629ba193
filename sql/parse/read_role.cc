#include "base/sql_error.h"
#include "sql/parse/tree_reader.h"

namespace gnomon::sql {

RoleName readRoleName(const PgQuery__RoleSpec& node) {
  using Kind = RoleName::Kind;
  switch (node.roletype) {
    case PG_QUERY__ROLE_SPEC_TYPE__ROLESPEC_CURRENT_USER:
    case PG_QUERY__ROLE_SPEC_TYPE__ROLESPEC_CURRENT_ROLE:
      return {Kind::CurrentUser};
    case PG_QUERY__ROLE_SPEC_TYPE__ROLESPEC_SESSION_USER:
      return {Kind::SessionUser};
    case PG_QUERY__ROLE_SPEC_TYPE__ROLESPEC_PUBLIC:
      return {Kind::Public};
    default:
      return {Kind::Name, node.rolename};
  }
}

std::vector<RoleName> readRoleNames(size_t count, PgQuery__Node* const* nodes) {
  std::vector<RoleName> names;
  for (size_t i = 0; i < count; ++i) names.push_back(readRoleName(*nodes[i]->role_spec));
  return names;
}

std::vector<ast::RoleOption> TreeReader::readRoleOptions(size_t count, PgQuery__Node* const* nodes) {
  std::vector<ast::RoleOption> options;
  for (size_t i = 0; i < count; ++i) {
    const PgQuery__DefElem& node = *nodes[i]->def_elem;
    ast::RoleOption option{.name = node.defname, .value = {}, .position = node.location};
    if (node.arg != nullptr && node.arg->node_case == PG_QUERY__NODE__NODE_LIST)
      option.roles = readRoleNames(node.arg->list->n_items, node.arg->list->items);
    else if (node.arg != nullptr && node.arg->node_case == PG_QUERY__NODE__NODE_BOOLEAN)
      option.value = node.arg->boolean->boolval ? "true" : "false";
    else if (node.arg != nullptr && node.arg->node_case == PG_QUERY__NODE__NODE_INTEGER)
      option.value = std::to_string(node.arg->integer->ival);
    else if (node.arg != nullptr)
      option.value = textOf(*node.arg);
    options.push_back(std::move(option));
  }
  return options;
}

ast::CreateRole TreeReader::readCreateRole(const PgQuery__CreateRoleStmt& node) {
  return {node.role, node.stmt_type == PG_QUERY__ROLE_STMT_TYPE__ROLESTMT_USER,
          readRoleOptions(node.n_options, node.options)};
}

ast::AlterRole TreeReader::readAlterRole(const PgQuery__AlterRoleStmt& node) {
  return {readRoleName(*node.role), readRoleOptions(node.n_options, node.options), node.action > 0};
}

ast::RoleSetting TreeReader::readRoleSetting(const PgQuery__AlterRoleSetStmt& node) {
  if (node.role == nullptr) throwNotSupported("ALTER ROLE ALL", statement_position_);
  if (node.database[0] != 0) throwNotSupported("ALTER ROLE ... IN DATABASE", statement_position_);
  ast::Statement set = readSet(*node.setstmt);
  if (!std::holds_alternative<ast::Set>(set.body))
    throwNotSupported("ALTER ROLE ... SET TRANSACTION", statement_position_);
  return {readRoleName(*node.role), std::get<ast::Set>(std::move(set.body))};
}

ast::DropRole TreeReader::readDropRole(const PgQuery__DropRoleStmt& node) {
  return {readRoleNames(node.n_roles, node.roles), node.missing_ok != 0};
}

ast::GrantRole TreeReader::readGrantRole(const PgQuery__GrantRoleStmt& node) {
  ast::GrantRole grant;
  for (size_t i = 0; i < node.n_granted_roles; ++i) {
    const PgQuery__AccessPriv& role = *node.granted_roles[i]->access_priv;
    if (role.priv_name[0] == 0 || role.n_cols > 0)
      throw SqlError(SqlState("0LP01"), "column names cannot be included in GRANT/REVOKE ROLE");
    grant.roles.emplace_back(role.priv_name);
  }
  grant.members = readRoleNames(node.n_grantee_roles, node.grantee_roles);
  grant.is_grant = node.is_grant != 0;
  grant.is_admin = node.admin_opt != 0;
  if (node.grantor != nullptr) grant.grantor = readRoleName(*node.grantor);
  return grant;
}

}  // namespace gnomon::sql
