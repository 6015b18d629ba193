#include "sql/bind/grant_definition.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/sql_error.h"
#include "sql/bind/routine_definition.h"
#include "sql/catalog/access.h"
#include "sql/catalog/catalog_session.h"
#include "sql/catalog/roles.h"
#include "sql/catalog/sequences.h"

namespace gnomon::sql {
namespace {

using On = ast::Grant::On;
using enum Privilege;

constexpr SqlState kInvalidGrant("0LP01");
constexpr SqlState kSuccess("00000");

[[noreturn]] void raiseWrongKind(const std::string& name, std::string_view what) {
  throw SqlError(sqlstate::kWrongObjectType, fmt::format("\"{}\" is {}", name, what));
}

uint32_t granteeOf(const CatalogView& catalog, const RoleName& name) {
  return name.kind == RoleName::Kind::Public ? kPublicGrantee : requireRole(catalog, name)->oid;
}

std::vector<uint32_t> granteesOf(const CatalogView& catalog, const std::vector<RoleName>& names) {
  std::vector<uint32_t> grantees;
  for (const RoleName& name : names) grantees.push_back(granteeOf(catalog, name));
  return grantees;
}

/// Rights that may be named, and what the kind of objects is called.
std::pair<Privilege, std::string_view> rightsOf(On on) {
  switch (on) {
    case On::Table:
      return {allRights(Securable::Table) | allRights(Securable::Sequence), "relation"};
    case On::Sequence:
      return {allRights(Securable::Sequence), "sequence"};
    case On::Database:
      return {allRights(Securable::Database), "database"};
    case On::Schema:
      return {allRights(Securable::Schema), "schema"};
    case On::Function:
      return {allRights(Securable::Function), "function"};
    case On::LargeObject:
      return {allRights(Securable::LargeObject), "large object"};
    default:
      return {allRights(Securable::Type), "type"};
  }
}

Privilege readRight(const std::string& name, Privilege known, std::string_view kind) {
  const Privilege right = findPrivilege(name);
  if (right == None) throw SqlError(sqlstate::kSyntaxError, fmt::format("unrecognized privilege type \"{}\"", name));
  if (!overlaps(known, right))
    throw SqlError(kInvalidGrant, fmt::format("invalid privilege type {} for {}", privilegeName(right), kind));
  return right;
}

/// What is said of rights, but for which objects.
struct GrantedRights {
  Privilege rights = None;
  bool are_all = false;
  std::vector<const ast::GrantedRight*> of_columns;
};

GrantedRights readRights(const ast::Grant& grant) {
  GrantedRights result;
  result.are_all = grant.rights.empty();
  const auto& [known, kind] = rightsOf(grant.on);
  for (const ast::GrantedRight& each : grant.rights) {
    if (!each.columns.empty()) {
      if (grant.on != On::Table) throw SqlError(kInvalidGrant, "column privileges are only valid for relations");
      if (!each.name.empty()) readRight(each.name, allRights(Securable::Column), "column");
      result.of_columns.push_back(&each);
    } else if (each.name.empty()) {
      result.are_all = true;
    } else {
      result.rights = result.rights | readRight(each.name, known, kind);
    }
  }
  return result;
}

uint32_t columnOf(const TableEntry& table, const std::string& name) {
  const auto found = std::ranges::find(table.columns, name, &ColumnEntry::name);
  if (found == table.columns.end())
    throw SqlError(sqlstate::kUndefinedColumn,
                   fmt::format("column \"{}\" of relation \"{}\" does not exist", name, table.name));
  return static_cast<uint32_t>(found - table.columns.begin());
}

/// The rights on one relation.
GrantTarget targetOf(const TablePtr& entry, const GrantedRights& said, On on, std::vector<SqlError>& notices) {
  GrantTarget target{.entry = entry, .schema = {}, .rights = said.rights, .are_all = said.are_all};
  if (on == On::Sequence && !entry->sequence) raiseWrongKind(entry->name, "not a sequence");
  const Privilege all = allRights(securableOf(*entry));
  if (said.are_all) {
    target.rights = all;
  } else if (entry->sequence && !contains(all, said.rights)) {
    notices.emplace_back(
        kInvalidGrant, fmt::format("sequence \"{}\" only supports USAGE, SELECT, and UPDATE privileges", entry->name));
    target.rights = said.rights & all;
  } else if (!entry->sequence && !entry->type && !entry->routine && overlaps(said.rights, Usage)) {
    throw SqlError(kInvalidGrant, "invalid privilege type USAGE for table");
  }
  for (const ast::GrantedRight* each : said.of_columns) {
    if (entry->sequence) throwNotSupported("rights on columns of a sequence");
    const Privilege rights = each->name.empty() ? allRights(Securable::Column) : findPrivilege(each->name);
    for (const std::string& name : each->columns) {
      const uint32_t column = columnOf(*entry, name);
      const auto known = std::ranges::find(target.columns, column, &std::pair<uint32_t, Privilege>::first);
      if (known != target.columns.end())
        known->second = known->second | rights;
      else
        target.columns.emplace_back(column, rights);
    }
  }
  return target;
}

TablePtr findGrantable(const CatalogView& catalog, const ast::RelationName& name) {
  const ObjectPath path{name.schema, name.name};
  const FoundRelation found = catalog.findRelation(path);
  if (!found) raiseNoRelation(catalog, path);
  if (found.system) throwNotSupported(fmt::format("GRANT and REVOKE on system catalog \"{}\"", name.name));
  if (found.index) raiseWrongKind(name.name, "an index");
  return found.table;
}

SchemaPtr requireSchema(const CatalogView& catalog, const std::string& name) {
  SchemaPtr schema = catalog.findSchema(catalog.searchPath().actual(name));
  if (!schema) raiseNoSchema(name);
  return schema;
}

TablePtr findGrantedType(const CatalogView& catalog, const ast::RelationName& name) {
  const TablePtr type = catalog.findType(name.schema, name.name);
  if (!type)
    throw SqlError(sqlstate::kUndefinedObject,
                   fmt::format("type \"{}\" does not exist", ObjectPath{name.schema, name.name}.shown()));
  if (!type->type) throwNotSupported("GRANT and REVOKE on the type of a table's rows");
  return type;
}

/// ALL TABLES or SEQUENCES IN SCHEMA.
std::vector<TablePtr> relationsIn(const CatalogView& catalog, const ast::Grant& grant) {
  std::vector<TablePtr> result;
  for (const ast::RelationName& name : grant.names) {
    const SchemaPtr schema = requireSchema(catalog, name.name);
    requireRight(catalog, *schema, Usage);
    for (const TablePtr& routine : catalog.routines()) {
      const bool is_procedure = routine->routine->form == RoutineEntry::Form::Procedure;
      const bool is_wanted = grant.routine_kind == ast::RoutineKind::Routine ||
                             is_procedure == (grant.routine_kind == ast::RoutineKind::Procedure);
      if (grant.on == On::Function && routine->schema == schema->name && is_wanted) result.push_back(routine);
    }
    for (const TablePtr& table : catalog.tables())
      if (grant.on != On::Function && table->schema == schema->name &&
          (table->sequence != nullptr) == (grant.on == On::Sequence))
        result.push_back(table);
  }
  // In PostgreSQL's order: by their kinds, then as they were made.
  std::ranges::sort(result, {}, [](const TablePtr& table) {
    return std::pair(table->partitioning ? 3 : table->materialized ? 2 : table->view ? 1 : 0, table->oid);
  });
  return result;
}

void requireDatabase(const CatalogView& catalog, const std::string& name) {
  if (!catalog.findDatabase(name)) raiseNoDatabase(name);
}

void refuseOthers(const ast::Grant& grant) {
  if (grant.on == On::Other) throwNotSupported("GRANT and REVOKE on this kind of objects");
}

}  // namespace

GrantStatement bindGrant(BindState& state, const ast::Grant& grant) {
  const CatalogView& catalog = state.context.catalog;
  refuseOthers(grant);
  if (grant.grantor && requireRole(catalog, *grant.grantor)->oid != catalog.actors().current)
    throw SqlError(sqlstate::kFeatureNotSupported, "grantor must be current user");
  GrantStatement result{.is_grant = grant.is_grant,
                        .is_option = grant.is_option,
                        .is_cascade = grant.is_cascade,
                        .targets = {},
                        .grantees = {}};
  std::vector<TablePtr> entries;
  std::vector<SchemaPtr> schemas;
  if (grant.is_all_in_schema)
    entries = relationsIn(catalog, grant);
  else if (grant.on == On::Database)
    for (const ast::RelationName& name : grant.names) requireDatabase(catalog, name.name);
  else if (grant.on == On::Function)
    for (const ast::RoutineName& name : grant.routines) entries.push_back(findRoutine(state, name, grant.routine_kind));
  else if (grant.on == On::Schema)
    for (const ast::RelationName& name : grant.names) schemas.push_back(requireSchema(catalog, name.name));
  else if (grant.on != On::LargeObject)
    for (const ast::RelationName& name : grant.names)
      entries.push_back(grant.on == On::Type ? findGrantedType(catalog, name) : findGrantable(catalog, name));
  result.grantees = granteesOf(catalog, grant.grantees);
  const GrantedRights said = readRights(grant);
  for (const TablePtr& entry : entries)
    if (std::ranges::find(result.targets, entry, &GrantTarget::entry) == result.targets.end())
      result.targets.push_back(targetOf(entry, said, grant.on, result.notices));
  for (const SchemaPtr& schema : schemas)
    result.targets.push_back({.entry = nullptr,
                              .schema = schema->name,
                              .rights = said.are_all ? allRights(Securable::Schema) : said.rights,
                              .are_all = said.are_all});
  for (const ast::RelationName& name : grant.on == On::Database ? grant.names : std::vector<ast::RelationName>())
    result.targets.push_back({.entry = nullptr,
                              .database = name.name,
                              .rights = said.are_all ? allRights(Securable::Database) : said.rights,
                              .are_all = said.are_all});
  for (const uint32_t oid : grant.large_objects)
    result.targets.push_back({.entry = nullptr,
                              .large_object = oid,
                              .rights = said.are_all ? allRights(Securable::LargeObject) : said.rights,
                              .are_all = said.are_all});
  return result;
}

DefaultPrivilegesStatement bindDefaultPrivileges(const BindState& state, const ast::DefaultPrivileges& defaults) {
  const CatalogView& catalog = state.context.catalog;
  const ast::Grant& grant = defaults.grant;
  refuseOthers(grant);
  if (grant.on == On::Function) throwNotSupported("default privileges on functions");
  const GrantedRights said = readRights(grant);
  if (!said.of_columns.empty()) throw SqlError(kInvalidGrant, "default privileges cannot be set for columns");
  static constexpr char kKinds[] = {'r', 'S', 'd', 'n', 'T'};
  DefaultPrivilegesStatement result{.roles = {},
                                    .schemas = {},
                                    .kind = kKinds[static_cast<size_t>(grant.on)],
                                    .is_grant = grant.is_grant,
                                    .is_option = grant.is_option,
                                    .is_cascade = grant.is_cascade,
                                    .rights = said.rights,
                                    .grantees = granteesOf(catalog, grant.grantees)};
  if (said.are_all) result.rights = grant.on == On::Table ? allRights(Securable::Table) : rightsOf(grant.on).first;
  if (grant.on == On::Table && !said.are_all && overlaps(said.rights, Usage))
    throw SqlError(kInvalidGrant, "invalid privilege type USAGE for relation");
  for (const RoleName& name : defaults.roles) {
    const RolePtr role = requireRole(catalog, name);
    if (!isMemberOf(catalog, catalog.actors().current, role->oid))
      throw SqlError(sqlstate::kInsufficientPrivilege, fmt::format("must be member of role \"{}\"", role->name));
    result.roles.push_back(role->oid);
  }
  if (result.roles.empty()) result.roles.push_back(catalog.actors().current);
  if (grant.on == On::Schema && !defaults.schemas.empty())
    throw SqlError(kInvalidGrant, "cannot use IN SCHEMA clause when using GRANT/REVOKE ON SCHEMAS");
  for (const std::string& name : defaults.schemas) result.schemas.push_back(requireSchema(catalog, name)->oid);
  if (result.schemas.empty()) result.schemas.push_back(0);
  return result;
}

namespace {

void requireOwnable(const CatalogView& catalog, const TableEntry& entry, ast::AlterOwner::What what) {
  using What = ast::AlterOwner::What;
  if (what == What::View && !entry.view) raiseWrongKind(entry.name, "not a view");
  if (what == What::MaterializedView && !entry.materialized) raiseWrongKind(entry.name, "not a materialized view");
  if (what == What::Sequence && !entry.sequence) raiseWrongKind(entry.name, "not a sequence");
  if (what == What::Domain && (!entry.type || entry.type->form != TypeEntry::Form::Domain))
    throw SqlError(sqlstate::kWrongObjectType, fmt::format("{} is not a domain", catalog.shownName(entry)));
  if (entry.sequence && entry.sequence->owner != 0) {
    const TablePtr owner = findTable(catalog, entry.sequence->owner);
    throw SqlError(sqlstate::kFeatureNotSupported, fmt::format("cannot change owner of sequence \"{}\"", entry.name))
        .detail(fmt::format("Sequence \"{}\" is linked to table \"{}\".", entry.name, owner ? owner->name : ""));
  }
}

}  // namespace

OwnerStatement bindAlterOwner(BindState& state, const ast::AlterOwner& alter) {
  using What = ast::AlterOwner::What;
  const CatalogView& catalog = state.context.catalog;
  OwnerStatement result{.entry = nullptr};
  if (alter.what == What::Type || alter.what == What::Domain) {
    result.entry = findGrantedType(catalog, alter.name);
    requireOwnable(catalog, *result.entry, alter.what);
    result.owner = requireRole(catalog, alter.owner)->oid;
    return result;
  }
  if (alter.what == What::Routine) {
    result.entry = findRoutine(state, alter.routine, alter.routine_kind);
    result.owner = requireRole(catalog, alter.owner)->oid;
    return result;
  }
  if (alter.what == What::LargeObject) {
    result.large_object = alter.large_object;
    result.owner = requireRole(catalog, alter.owner)->oid;
    return result;
  }
  if (alter.what == What::Database) {
    requireDatabase(catalog, alter.name.name);
    result.database = alter.name.name;
    result.owner = requireRole(catalog, alter.owner)->oid;
    return result;
  }
  const ObjectPath path{alter.name.schema, alter.name.name};
  result.owner = requireRole(catalog, alter.owner)->oid;
  const FoundRelation found = catalog.findRelation(path);
  if (!found && alter.if_exists)
    result.notices.emplace_back(kSuccess, fmt::format("relation \"{}\" does not exist, skipping", path.name));
  if (!found && !alter.if_exists) raiseNoRelation(catalog, path);
  if (!found) return result;
  if (found.system)
    throw SqlError(sqlstate::kInsufficientPrivilege,
                   fmt::format("permission denied: \"{}\" is a system catalog", path.name));
  if (found.index) {
    if (alter.what != What::Table && alter.what != What::Index) raiseWrongKind(path.name, "an index");
    result.notices.push_back(
        SqlError(sqlstate::kWrongObjectType, fmt::format("cannot change owner of index \"{}\"", path.name))
            .hint("Change the ownership of the index's table, instead."));
    return result;
  }
  requireOwnable(catalog, *found.table, alter.what);
  result.entry = found.table;
  return result;
}

OwnedStatement bindOwned(const BindState& state, const ast::Owned& owned) {
  const CatalogView& catalog = state.context.catalog;
  OwnedStatement result;
  result.is_cascade = owned.is_cascade;
  const std::string_view what = owned.new_owner ? "reassign" : "drop";
  const auto requireRights = [&](const RoleEntry& role) {
    if (hasRightsOf(catalog, catalog.actors().current, role.oid)) return;
    throw SqlError(sqlstate::kInsufficientPrivilege, fmt::format("permission denied to {} objects", what));
  };
  for (const RoleName& name : owned.roles) {
    const RolePtr role = requireRole(catalog, name);
    requireRights(*role);
    result.roles.push_back(role->oid);
  }
  if (!owned.new_owner) return result;
  const RolePtr role = requireRole(catalog, *owned.new_owner);
  requireRights(*role);
  result.new_owner = role->oid;
  return result;
}

}  // namespace gnomon::sql
