#include "sql/catalog/rights_definer.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/sql_error.h"
#include "sql/catalog/dependent_views.h"
#include "sql/catalog/grant.h"
#include "sql/catalog/partitioning.h"
#include "sql/catalog/roles.h"

namespace gnomon::sql {
namespace {

using enum Privilege;

constexpr SqlState kNotGranted("01007");
constexpr SqlState kNotRevoked("01006");

}  // namespace

Acl grantedAcl(const CatalogView& catalog, const GrantStatement& statement, const SecuredObject& object,
               Privilege rights, bool are_all, const Acl& acl_above, std::vector<SqlError>& notices) {
  const uint32_t role = catalog.actors().current;
  Acl considered = acl_above;
  considered.insert(considered.end(), object.acl.begin(), object.acl.end());
  const Grantor grantor = bestGrantor(catalog, role, object.owner, considered, rights);
  if (grantor.grantable == None) {
    const Privilege all = allRights(object.kind);
    const bool has_any = rightsIn(catalog, role, considered, all) != None ||
                         grantableIn(catalog, role, object.owner, considered, all) != None;
    if (!has_any)
      throw SqlError(sqlstate::kInsufficientPrivilege, fmt::format("permission denied for {}", object.shown));
  }
  const Privilege changed = rights & grantor.grantable;
  if (changed == None)
    notices.emplace_back(
        statement.is_grant ? kNotGranted : kNotRevoked,
        fmt::format("no privileges {} for {}", statement.is_grant ? "were granted" : "could be revoked", object.name));
  else if (!are_all && changed != rights)
    notices.emplace_back(statement.is_grant ? kNotGranted : kNotRevoked,
                         fmt::format("not all privileges {} for {}",
                                     statement.is_grant ? "were granted" : "could be revoked", object.name));
  return changedAcl(catalog, object.acl, object.owner, grantor.role,
                    {statement.is_grant, statement.is_option, statement.is_cascade, changed, statement.grantees});
}

namespace {

AclPtr shared(Acl acl) {
  return std::make_shared<const Acl>(std::move(acl));
}

/// What REVOKE on a whole table takes of its columns.
Privilege takenOfColumns(const TableEntry& entry, const GrantStatement& statement, const GrantTarget& target) {
  return statement.is_grant || entry.sequence || entry.type ? None : target.rights & allRights(Securable::Column);
}

bool mayTake(const CatalogView& catalog, const TableEntry& entry, Privilege taken) {
  return bestGrantor(catalog, catalog.actors().current, entry.owner, aclOf(entry), taken).grantable == taken;
}

/// The rights on columns that a statement says, or takes with those on the whole table.
std::vector<std::pair<uint32_t, Privilege>> columnRights(const CatalogView& catalog, const TableEntry& entry,
                                                         const GrantStatement& statement, const GrantTarget& target) {
  std::vector<std::pair<uint32_t, Privilege>> result = target.columns;
  const Privilege taken = takenOfColumns(entry, statement, target);
  // Who may not take it is told so of each.
  const bool are_all = !mayTake(catalog, entry, taken);
  for (uint32_t i = 0; taken != None && i < entry.columns.size(); ++i) {
    if (entry.columns[i].isDropped() || (!entry.columns[i].acl && !are_all)) continue;
    const auto known = std::ranges::find(result, i, &std::pair<uint32_t, Privilege>::first);
    if (known != result.end())
      known->second = known->second | taken;
    else
      result.emplace_back(i, taken);
  }
  return result;
}

}  // namespace

/// They are columns of every table, too.
void RightsDefiner::noteSystemColumns(const GrantStatement& statement, const GrantTarget& target,
                                      const TableEntry& entry, std::vector<SqlError>& notices) const {
  const Privilege taken = takenOfColumns(entry, statement, target);
  if (taken == None || entry.view || mayTake(catalog_, entry, taken)) return;
  const bool is_nothing =
      bestGrantor(catalog_, catalog_.actors().current, entry.owner, aclOf(entry), taken).grantable == None;
  for (const char* const name : {"tableoid", "cmax", "xmax", "cmin", "xmin", "ctid"})
    notices.emplace_back(kNotRevoked, fmt::format("{} privileges could be revoked for column \"{}\" of relation \"{}\"",
                                                  is_nothing ? "no" : "not all", name, entry.name));
}

void RightsDefiner::grantOnEntry(const GrantStatement& statement, const GrantTarget& target,
                                 std::vector<SqlError>& notices) {
  const TablePtr before = catalog_.findEntry(target.entry->oid);
  auto after = std::make_shared<TableEntry>(*before);
  const Acl acl = aclOf(*before);
  if (target.rights != None)
    after->acl = shared(
        grantedAcl(catalog_, statement,
                   {securableOf(*before), before->owner, acl,
                    fmt::format("{} {}", kindName(*before), before->calledName()), fmt::format("\"{}\"", before->name)},
                   target.rights, target.are_all, {}, notices));
  noteSystemColumns(statement, target, *before, notices);
  for (const auto& [column, rights] : columnRights(catalog_, *before, statement, target)) {
    ColumnEntry& changed = after->columns[column];
    const std::string shown = fmt::format("column \"{}\" of relation \"{}\"", changed.name, before->name);
    Acl now = grantedAcl(catalog_, statement,
                         {Securable::Column, before->owner, changed.acl ? *changed.acl : Acl(), shown, shown}, rights,
                         false, acl, notices);
    changed.acl = now.empty() ? nullptr : shared(std::move(now));
  }
  catalog_.redefine(before, std::move(after), context_);
}

void RightsDefiner::grantOnSchema(const GrantStatement& statement, const GrantTarget& target,
                                  std::vector<SqlError>& notices) {
  catalog_.lockName({{}, target.schema}, context_);
  const SchemaPtr before = catalog_.findSchema(target.schema);
  if (!before) raiseNoSchema(target.schema);
  auto after = std::make_shared<SchemaEntry>(*before);
  if (isSystemSchema(before->oid)) throwNotSupported(fmt::format("changing schema \"{}\"", before->name));
  after->acl =
      shared(grantedAcl(catalog_, statement,
                        {Securable::Schema, before->owner, aclOf(Securable::Schema, before->owner, before->acl),
                         fmt::format("schema {}", before->name), fmt::format("\"{}\"", before->name)},
                        target.rights, target.are_all, {}, notices));
  catalog_.changeSchema(before, after, context_);
}

DatabasePtr RightsDefiner::claimDatabase(const std::string& name) {
  DatabasePtr database = catalog_.claimDatabase(name, context_);
  if (!database) raiseNoDatabase(name);
  return database;
}

void RightsDefiner::grantOnDatabase(const GrantStatement& statement, const GrantTarget& target,
                                    std::vector<SqlError>& notices) {
  const DatabasePtr before = claimDatabase(target.database);
  auto after = std::make_shared<DatabaseEntry>(*before);
  after->acl =
      shared(grantedAcl(catalog_, statement,
                        {Securable::Database, before->owner, aclOf(Securable::Database, before->owner, before->acl),
                         fmt::format("database {}", before->name), fmt::format("\"{}\"", before->name)},
                        target.rights, target.are_all, {}, notices));
  catalog_.changeDatabase(before, after, context_);
}

void RightsDefiner::claimGrantees(const std::vector<uint32_t>& roles) {
  for (const uint32_t role : roles)
    if (role != kPublicGrantee) catalog_.claimRoleOf(role, context_);
}

void RightsDefiner::grant(const GrantStatement& statement, std::vector<SqlError>& notices) {
  claimGrantees(statement.grantees);
  std::vector<TablePtr> claimed;
  for (const GrantTarget& target : statement.targets)
    if (target.entry) claimed.push_back(target.entry);
  catalog_.claim(claimed, context_, {}, txn::LockMode::Exclusive);
  for (const GrantTarget& target : statement.targets)
    if (target.entry)
      grantOnEntry(statement, target, notices);
    else if (!target.database.empty())
      grantOnDatabase(statement, target, notices);
    else
      grantOnSchema(statement, target, notices);
}

void RightsDefiner::setDefaults(const DefaultPrivilegesStatement& statement) {
  claimGrantees(statement.grantees);
  const Securable kind = securableOf(statement.kind);
  for (const uint32_t oid : statement.roles) {
    const RolePtr before = catalog_.claimRole(roleName(catalog_, oid), context_);
    const uint32_t database = catalog_.catalog_.databaseOid();
    auto after = std::make_shared<RoleEntry>(*before);
    for (const uint32_t schema : statement.schemas) {
      const Acl first = schema == 0 ? sortedAcl(defaultAcl(kind, oid)) : Acl();
      const auto found = std::ranges::find_if(after->defaults, [&](const DefaultAcl& each) {
        return each.database == database && each.schema == schema && each.kind == statement.kind;
      });
      const Acl now = sortedAcl(changedAcl(
          catalog_, found == after->defaults.end() ? first : found->acl, oid, oid,
          {statement.is_grant, statement.is_option, statement.is_cascade, statement.rights, statement.grantees}));
      if (found != after->defaults.end()) after->defaults.erase(found);
      if (now != first) after->defaults.push_back({database, schema, statement.kind, now});
    }
    catalog_.changeRole(before, after, context_);
  }
}

void RightsDefiner::dropDefaults(const SchemaEntry& schema) {
  const uint32_t database = catalog_.catalog_.databaseOid();
  const auto isOfSchema = [&](const DefaultAcl& each) {
    return each.database == database && each.schema == schema.oid;
  };
  for (const RolePtr& role : catalog_.roles()) {
    if (std::ranges::none_of(role->defaults, isOfSchema)) continue;
    const RolePtr before = catalog_.claimRole(role->name, context_);
    auto after = std::make_shared<RoleEntry>(*before);
    std::erase_if(after->defaults, isOfSchema);
    catalog_.changeRole(before, after, context_);
  }
}

void RightsDefiner::giveEntry(const TablePtr& entry, uint32_t owner) {
  auto after = std::make_shared<TableEntry>(*entry);
  after->owner = owner;
  if (after->acl) after->acl = shared(reownedAcl(*after->acl, entry->owner, owner));
  for (ColumnEntry& column : after->columns)
    if (column.acl) column.acl = shared(reownedAcl(*column.acl, entry->owner, owner));
  catalog_.redefine(entry, std::move(after), context_);
}

void RightsDefiner::giveSchema(const SchemaPtr& schema, uint32_t owner) {
  auto after = std::make_shared<SchemaEntry>(*schema);
  after->owner = owner;
  if (after->acl) after->acl = shared(reownedAcl(*after->acl, schema->owner, owner));
  catalog_.changeSchema(schema, after, context_);
}

void RightsDefiner::giveDatabase(const DatabasePtr& database, uint32_t owner) {
  auto after = std::make_shared<DatabaseEntry>(*database);
  if (after->acl) after->acl = shared(reownedAcl(*after->acl, database->owner, owner));
  after->owner = owner;
  catalog_.changeDatabase(database, after, context_);
}

void RightsDefiner::changeOwner(const SchemaPtr& schema, uint32_t owner) {
  catalog_.claimRoleOf(owner, context_);
  if (schema->owner == owner) return;
  requireOwner(catalog_, *schema);
  requireMayGive(catalog_, owner, {});
  requireRightOnDatabase(catalog_, Privilege::Create);
  giveSchema(schema, owner);
}

void RightsDefiner::changeOwner(const OwnerStatement& statement) {
  catalog_.claimRoleOf(statement.owner, context_);
  if (!statement.database.empty()) {
    const DatabasePtr database = claimDatabase(statement.database);
    if (database->owner == statement.owner) return;
    requireOwner(catalog_, *database);
    requireMayGive(catalog_, statement.owner, {});
    if (!mayCreateDatabases(catalog_))
      throw SqlError(sqlstate::kInsufficientPrivilege, "permission denied to change owner of database");
    return giveDatabase(database, statement.owner);
  }
  std::vector<TablePtr> claimed = catalog_.sequencesOf({statement.entry});
  claimed.push_back(statement.entry);
  catalog_.claim(claimed, context_, {}, txn::LockMode::Exclusive);
  if (statement.entry->owner == statement.owner) return;
  requireOwner(catalog_, *statement.entry);
  requireMayGive(catalog_, statement.owner, statement.entry->schema);
  for (const TablePtr& each : claimed) giveEntry(catalog_.findEntry(each->oid), statement.owner);
}

namespace {

/// Without what the roles have; nothing: that is as it was.
std::optional<Acl> withoutRoles(const CatalogView& catalog, const AclPtr& acl, uint32_t owner,
                                const std::vector<uint32_t>& roles) {
  if (!acl) return std::nullopt;
  const auto isOfRoles = [&](const AclItem& item) {
    return item.grantee != owner && std::ranges::find(roles, item.grantee) != roles.end();
  };
  if (std::ranges::none_of(*acl, isOfRoles)) return std::nullopt;
  Acl now = *acl;
  for (const AclItem& item : *acl)
    if (isOfRoles(item))
      now = changedAcl(catalog, std::move(now), owner, item.grantor,
                       {false, false, true, item.rights | item.grantable, {item.grantee}});
  return now;
}

}  // namespace

void RightsDefiner::reassignOwned(const OwnedStatement& statement) {
  catalog_.claimRoleOf(statement.new_owner, context_);
  const auto isOurs = [&](uint32_t owner) {
    return std::ranges::find(statement.roles, owner) != statement.roles.end();
  };
  for (const uint32_t role : statement.roles)
    if (role < kFirstUserOid)
      throw SqlError(sqlstate::kDependentObjectsStillExist,
                     fmt::format("cannot reassign ownership of objects owned by role {} because they are required by "
                                 "the database system",
                                 roleName(catalog_, role)));
  std::vector<TablePtr> claimed;
  for (const TablePtr& entry : catalog_.entries())
    if (isOurs(entry->owner) && !isOthersTemporary(*entry)) claimed.push_back(entry);
  catalog_.claim(claimed, context_, {}, txn::LockMode::Exclusive);
  for (const TablePtr& each : claimed) giveEntry(catalog_.findEntry(each->oid), statement.new_owner);
  for (const SchemaPtr& schema : catalog_.schemas()) {
    if (!isOurs(schema->owner) || schema->is_temporary) continue;
    catalog_.lockName({{}, schema->name}, context_);
    giveSchema(catalog_.findSchema(schema->name), statement.new_owner);
  }
  for (const DatabasePtr& database : catalog_.databases())
    if (isOurs(database->owner)) giveDatabase(claimDatabase(database->name), statement.new_owner);
}

/// Those of the roles on what others own, and their default rights for objects of others.
void RightsDefiner::dropRightsOf(const std::vector<uint32_t>& roles) {
  const auto isOurs = [&](uint32_t role) { return std::ranges::find(roles, role) != roles.end(); };
  for (const TablePtr& entry : catalog_.entries()) {
    auto after = std::make_shared<TableEntry>(*entry);
    bool is_changed = false;
    if (auto acl = withoutRoles(catalog_, entry->acl, entry->owner, roles)) {
      after->acl = shared(std::move(*acl));
      is_changed = true;
    }
    for (ColumnEntry& column : after->columns)
      if (auto acl = withoutRoles(catalog_, column.acl, entry->owner, roles)) {
        column.acl = acl->empty() ? nullptr : shared(std::move(*acl));
        is_changed = true;
      }
    if (!is_changed) continue;
    catalog_.claim({entry}, context_, {}, txn::LockMode::Exclusive);
    catalog_.redefine(entry, std::move(after), context_);
  }
  for (const SchemaPtr& schema : catalog_.schemas())
    if (auto acl = withoutRoles(catalog_, schema->acl, schema->owner, roles)) {
      catalog_.lockName({{}, schema->name}, context_);
      auto after = std::make_shared<SchemaEntry>(*schema);
      after->acl = shared(std::move(*acl));
      catalog_.changeSchema(schema, after, context_);
    }
  for (const DatabasePtr& database : catalog_.databases())
    if (auto acl = withoutRoles(catalog_, database->acl, database->owner, roles)) {
      const DatabasePtr before = claimDatabase(database->name);
      auto after = std::make_shared<DatabaseEntry>(*before);
      after->acl = shared(std::move(*acl));
      catalog_.changeDatabase(before, after, context_);
    }
  for (const RolePtr& role : catalog_.roles()) {
    if (role->defaults.empty()) continue;
    auto after = std::make_shared<RoleEntry>(*role);
    const uint32_t database = catalog_.catalog_.databaseOid();
    if (isOurs(role->oid))
      std::erase_if(after->defaults, [&](const DefaultAcl& each) { return each.database == database; });
    for (DefaultAcl& each : after->defaults)
      if (each.database != database)
        continue;
      else if (auto acl = withoutRoles(catalog_, shared(each.acl), role->oid, roles))
        each.acl = std::move(*acl);
    catalog_.changeRole(catalog_.claimRole(role->name, context_), after, context_);
  }
}

/// As the statement of its kind does.
void RightsDefiner::dropEntry(const TableEntry& entry, bool is_cascade, std::vector<SqlError>* notices) {
  const std::vector<ObjectPath> names{entry.path()};
  if (entry.type)
    return catalog_.dropTypes(
        {.names = names, .is_cascade = is_cascade, .are_domains = entry.type->form == TypeEntry::Form::Domain},
        context_, notices);
  if (entry.sequence) return catalog_.dropSequences({.names = names, .is_cascade = is_cascade}, context_, notices);
  catalog_.dropTables({.names = names,
                       .is_cascade = is_cascade,
                       .are_views = entry.view != nullptr,
                       .are_materialized = entry.materialized != nullptr},
                      context_, notices);
}

void RightsDefiner::dropOwned(const OwnedStatement& statement, std::vector<SqlError>* notices) {
  const auto isOurs = [&](uint32_t owner) {
    return std::ranges::find(statement.roles, owner) != statement.roles.end();
  };
  for (const uint32_t role : statement.roles)
    if (role < kFirstUserOid)
      throw SqlError(sqlstate::kDependentObjectsStillExist,
                     fmt::format("cannot drop objects owned by role {} because they are required by the database "
                                 "system",
                                 roleName(catalog_, role)));
  // What was made later may need what was made before.
  std::vector<TablePtr> owned = catalog_.entries();
  std::ranges::sort(owned, std::ranges::greater(), [](const TablePtr& entry) { return entry->oid; });
  std::erase_if(owned, [&](const TablePtr& entry) {
    const bool goes_with_table = entry->sequence && entry->sequence->owner != 0;
    return !isOurs(entry->owner) || isOthersTemporary(*entry) || goes_with_table;
  });
  try {
    for (const TablePtr& each : owned)
      if (const TablePtr entry = catalog_.findEntry(each->oid)) dropEntry(*entry, statement.is_cascade, notices);
  } catch (const SqlError& error) {
    if (owned.size() == 1 || !(error.state() == sqlstate::kDependentObjectsStillExist)) throw;
    throw SqlError(error.state(), "cannot drop desired object(s) because other objects depend on them")
        .detail(error.detail())
        .hint(error.hint());
  }
  for (const SchemaPtr& schema : catalog_.schemas())
    if (isOurs(schema->owner) && !schema->is_temporary)
      catalog_.dropSchemas({.names = {schema->name}, .is_cascade = statement.is_cascade}, context_, notices);
  dropRightsOf(statement.roles);
}

}  // namespace gnomon::sql
