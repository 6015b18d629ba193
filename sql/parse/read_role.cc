#include "base/sql_error.h"
#include "sql/parse/ast_statement.h"
#include "sql/parse/tree_reader.h"
#include "sql/types/text_io.h"

namespace gnomon::sql {

uint32_t readOid(const PgQuery__Node& node) {
  // A number that fits an integer may be negative.
  if (node.node_case == PG_QUERY__NODE__NODE_INTEGER) return static_cast<uint32_t>(node.integer->ival);
  const char* const text = node.node_case == PG_QUERY__NODE__NODE_FLOAT ? node.float_->fval : "";
  return static_cast<uint32_t>(parseText(Type::of(TypeKind::Oid), text).lo);
}

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
  ast::Statement set = readSet(*node.setstmt);
  if (!std::holds_alternative<ast::Set>(set.body))
    throwNotSupported("ALTER ROLE ... SET TRANSACTION", statement_position_);
  return {readRoleName(*node.role), std::get<ast::Set>(std::move(set.body)), node.database};
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

ast::Grant TreeReader::readGrant(const PgQuery__GrantStmt& node) {
  using On = ast::Grant::On;
  ast::Grant grant;
  grant.is_grant = node.is_grant != 0;
  grant.is_option = node.grant_option != 0;
  grant.is_cascade = node.behavior == PG_QUERY__DROP_BEHAVIOR__DROP_CASCADE;
  grant.is_all_in_schema = node.targtype == PG_QUERY__GRANT_TARGET_TYPE__ACL_TARGET_ALL_IN_SCHEMA;
  grant.grantees = readRoleNames(node.n_grantees, node.grantees);
  if (node.grantor != nullptr) grant.grantor = readRoleName(*node.grantor);
  for (size_t i = 0; i < node.n_privileges; ++i) {
    const PgQuery__AccessPriv& right = *node.privileges[i]->access_priv;
    grant.rights.push_back({right.priv_name, textsOf(right.n_cols, right.cols)});
  }
  switch (node.objtype) {
    case PG_QUERY__OBJECT_TYPE__OBJECT_TABLE:
      break;
    case PG_QUERY__OBJECT_TYPE__OBJECT_SEQUENCE:
      grant.on = On::Sequence;
      break;
    case PG_QUERY__OBJECT_TYPE__OBJECT_DATABASE:
      grant.on = On::Database;
      break;
    case PG_QUERY__OBJECT_TYPE__OBJECT_SCHEMA:
      grant.on = On::Schema;
      break;
    case PG_QUERY__OBJECT_TYPE__OBJECT_TYPE:
    case PG_QUERY__OBJECT_TYPE__OBJECT_DOMAIN:
      grant.on = On::Type;
      break;
    case PG_QUERY__OBJECT_TYPE__OBJECT_FUNCTION:
    case PG_QUERY__OBJECT_TYPE__OBJECT_PROCEDURE:
    case PG_QUERY__OBJECT_TYPE__OBJECT_ROUTINE:
      grant.on = On::Function;
      grant.routine_kind = routineKindOf(node.objtype);
      break;
    case PG_QUERY__OBJECT_TYPE__OBJECT_LARGEOBJECT:
      grant.on = On::LargeObject;
      for (size_t i = 0; i < node.n_objects; ++i) grant.large_objects.push_back(readOid(*node.objects[i]));
      return grant;
    default:
      grant.on = On::Other;
  }
  for (size_t i = 0; i < node.n_objects; ++i) {
    const PgQuery__Node& object = *node.objects[i];
    if (object.node_case == PG_QUERY__NODE__NODE_RANGE_VAR)
      grant.names.push_back(readRelation(*object.range_var));
    else if (object.node_case == PG_QUERY__NODE__NODE_LIST)
      grant.names.push_back(readTypeNameList(object.list->n_items, object.list->items));
    else if (object.node_case == PG_QUERY__NODE__NODE_OBJECT_WITH_ARGS)
      grant.routines.push_back(readRoutineName(*object.object_with_args));
    else if (object.node_case == PG_QUERY__NODE__NODE_STRING)
      grant.names.push_back({{}, object.string->sval});
    else
      grant.on = On::Other;
  }
  return grant;
}

ast::DefaultPrivileges TreeReader::readDefaultPrivileges(const PgQuery__AlterDefaultPrivilegesStmt& node) {
  ast::DefaultPrivileges result;
  result.grant = readGrant(*node.action);
  for (size_t i = 0; i < node.n_options; ++i) {
    const PgQuery__DefElem& option = *node.options[i]->def_elem;
    if (std::string_view(option.defname) == "schemas")
      result.schemas = textsOf(option.arg->list->n_items, option.arg->list->items);
    else
      result.roles = readRoleNames(option.arg->list->n_items, option.arg->list->items);
  }
  return result;
}

ast::Statement TreeReader::readAlterOwner(const PgQuery__AlterOwnerStmt& node) {
  using What = ast::AlterOwner::What;
  const RoleName owner = readRoleName(*node.newowner);
  switch (node.object_type) {
    case PG_QUERY__OBJECT_TYPE__OBJECT_SCHEMA:
      return {ast::AlterSchema{textOf(*node.object), {}, owner}};
    case PG_QUERY__OBJECT_TYPE__OBJECT_TYPE:
    case PG_QUERY__OBJECT_TYPE__OBJECT_DOMAIN: {
      const bool is_domain = node.object_type == PG_QUERY__OBJECT_TYPE__OBJECT_DOMAIN;
      return {ast::AlterOwner{is_domain ? What::Domain : What::Type,
                              readTypeNameList(node.object->list->n_items, node.object->list->items), owner}};
    }
    case PG_QUERY__OBJECT_TYPE__OBJECT_FUNCTION:
    case PG_QUERY__OBJECT_TYPE__OBJECT_PROCEDURE:
    case PG_QUERY__OBJECT_TYPE__OBJECT_ROUTINE:
      return {ast::AlterOwner{.what = What::Routine,
                              .name = {},
                              .owner = owner,
                              .routine = readRoutineName(*node.object->object_with_args),
                              .routine_kind = routineKindOf(node.object_type)}};
    case PG_QUERY__OBJECT_TYPE__OBJECT_DATABASE:
      return {ast::AlterOwner{What::Database, {{}, textOf(*node.object)}, owner}};
    case PG_QUERY__OBJECT_TYPE__OBJECT_LARGEOBJECT:
      return {ast::AlterOwner{
          .what = What::LargeObject, .name = {}, .owner = owner, .large_object = readOid(*node.object)}};
    default:
      throwNotSupported("ALTER ... OWNER TO of this kind of object", statement_position_);
  }
}

std::optional<ast::AlterOwner> TreeReader::readOwnerOfRelation(const PgQuery__AlterTableStmt& node) {
  using What = ast::AlterOwner::What;
  const PgQuery__AlterTableCmd& command = *node.cmds[0]->alter_table_cmd;
  if (node.n_cmds != 1 || command.subtype != PG_QUERY__ALTER_TABLE_TYPE__AT_ChangeOwner) return std::nullopt;
  ast::AlterOwner result{.name = readRelation(*node.relation), .owner = readRoleName(*command.newowner)};
  result.if_exists = node.missing_ok != 0;
  switch (node.objtype) {
    case PG_QUERY__OBJECT_TYPE__OBJECT_VIEW:
      result.what = What::View;
      break;
    case PG_QUERY__OBJECT_TYPE__OBJECT_MATVIEW:
      result.what = What::MaterializedView;
      break;
    case PG_QUERY__OBJECT_TYPE__OBJECT_SEQUENCE:
      result.what = What::Sequence;
      break;
    case PG_QUERY__OBJECT_TYPE__OBJECT_INDEX:
      result.what = What::Index;
      break;
    default:
      break;
  }
  return result;
}

ast::Owned TreeReader::readReassignOwned(const PgQuery__ReassignOwnedStmt& node) {
  return {readRoleNames(node.n_roles, node.roles), readRoleName(*node.newrole)};
}

ast::Owned TreeReader::readDropOwned(const PgQuery__DropOwnedStmt& node) {
  return {readRoleNames(node.n_roles, node.roles), {}, node.behavior == PG_QUERY__DROP_BEHAVIOR__DROP_CASCADE};
}

}  // namespace gnomon::sql
