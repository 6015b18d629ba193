#include <fmt/format.h>

#include <algorithm>

#include "base/sql_error.h"
#include "sql/catalog/catalog_transaction.h"
#include "sql/catalog/dependent_views.h"
#include "sql/catalog/grant.h"
#include "sql/catalog/partitioning.h"
#include "sql/catalog/roles.h"

/// What CatalogTransaction does with rights on objects, and their owners.
namespace gnomon::sql {
namespace {

using enum Privilege;

constexpr SqlState kNotGranted("01007");
constexpr SqlState kNotRevoked("01006");

/// An object whose ACL changes.
struct Secured {
  Securable kind;
  uint32_t owner;
  Acl acl;
  std::string shown;  ///< "table t": for who may do nothing with it
  std::string name;   ///< t: for who may not do all of it
};

/// The ACL afterwards, and what is to be said. Failure: 42501, 0LP01, 2BP01.
Acl granted(const CatalogView& catalog, const GrantStatement& statement, const Secured& object, Privilege rights,
            bool are_all, const Acl& acl_above, std::vector<SqlError>& notices) {
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
    notices.emplace_back(statement.is_grant ? kNotGranted : kNotRevoked,
                         fmt::format("no privileges {} for {}",
                                     statement.is_grant ? "were granted" : "could be revoked", object.name));
  else if (!are_all && changed != rights)
    notices.emplace_back(statement.is_grant ? kNotGranted : kNotRevoked,
                         fmt::format("not all privileges {} for {}",
                                     statement.is_grant ? "were granted" : "could be revoked", object.name));
  return changedAcl(catalog, object.acl, object.owner, grantor.role,
                    {statement.is_grant, statement.is_option, statement.is_cascade, changed, statement.grantees});
}

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

/// Default rights are kept, and given, in this order.
Acl sorted(Acl acl) {
  std::ranges::sort(acl, {}, [](const AclItem& item) { return std::pair(item.grantee, item.grantor); });
  return acl;
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
void CatalogTransaction::noteSystemColumns(const GrantStatement& statement, const GrantTarget& target,
                                           const TableEntry& entry, std::vector<SqlError>& notices) const {
  const Privilege taken = takenOfColumns(entry, statement, target);
  if (taken == None || entry.view || mayTake(*this, entry, taken)) return;
  const bool is_nothing = bestGrantor(*this, actors().current, entry.owner, aclOf(entry), taken).grantable == None;
  for (const char* const name : {"tableoid", "cmax", "xmax", "cmin", "xmin", "ctid"})
    notices.emplace_back(kNotRevoked, fmt::format("{} privileges could be revoked for column \"{}\" of relation \"{}\"",
                                                  is_nothing ? "no" : "not all", name, entry.name));
}

void CatalogTransaction::grantOnEntry(const GrantStatement& statement, const GrantTarget& target,
                                      const DefinitionContext& context, std::vector<SqlError>& notices) {
  const TablePtr before = findEntry(target.entry->oid);
  auto after = std::make_shared<TableEntry>(*before);
  const Acl acl = aclOf(*before);
  if (target.rights != None)
    after->acl = shared(granted(*this, statement,
                                {securableOf(*before), before->owner, acl,
                                 fmt::format("{} {}", kindName(*before), before->name),
                                 fmt::format("\"{}\"", before->name)},
                                target.rights, target.are_all, {}, notices));
  noteSystemColumns(statement, target, *before, notices);
  for (const auto& [column, rights] : columnRights(*this, *before, statement, target)) {
    ColumnEntry& changed = after->columns[column];
    const std::string shown = fmt::format("column \"{}\" of relation \"{}\"", changed.name, before->name);
    Acl now = granted(*this, statement,
                      {Securable::Column, before->owner, changed.acl ? *changed.acl : Acl(), shown, shown},
                      rights, false, acl, notices);
    changed.acl = now.empty() ? nullptr : shared(std::move(now));
  }
  redefine(before, std::move(after), context);
}

void CatalogTransaction::grantOnSchema(const GrantStatement& statement, const GrantTarget& target,
                                       const DefinitionContext& context, std::vector<SqlError>& notices) {
  lockName({{}, target.schema}, context);
  const SchemaPtr before = findSchema(target.schema);
  if (!before) raiseNoSchema(target.schema);
  auto after = std::make_shared<SchemaEntry>(*before);
  if (before->oid < kFirstUserOid && before->oid != kPublicSchemaOid)
    throwNotSupported(fmt::format("changing schema \"{}\"", before->name));
  after->acl = shared(granted(*this, statement,
                              {Securable::Schema, before->owner,
                               aclOf(Securable::Schema, before->owner, before->acl),
                               fmt::format("schema {}", before->name), fmt::format("\"{}\"", before->name)},
                              target.rights, target.are_all, {}, notices));
  changeSchema(before, after, context);
}

void CatalogTransaction::claimGrantees(const std::vector<uint32_t>& roles, const DefinitionContext& context) {
  for (const uint32_t role : roles)
    if (role != kPublicGrantee) claimRoleOf(role, context);
}

void CatalogTransaction::grant(const GrantStatement& statement, const DefinitionContext& context,
                               std::vector<SqlError>& notices) {
  claimGrantees(statement.grantees, context);
  std::vector<TablePtr> claimed;
  for (const GrantTarget& target : statement.targets)
    if (target.entry) claimed.push_back(target.entry);
  claim(claimed, context, {}, txn::LockMode::Exclusive);
  for (const GrantTarget& target : statement.targets)
    if (target.entry)
      grantOnEntry(statement, target, context, notices);
    else
      grantOnSchema(statement, target, context, notices);
}

void CatalogTransaction::setDefaults(const DefaultPrivilegesStatement& statement, const DefinitionContext& context) {
  claimGrantees(statement.grantees, context);
  const Securable kind = statement.kind == 'r'   ? Securable::Table
                         : statement.kind == 'S' ? Securable::Sequence
                         : statement.kind == 'T' ? Securable::Type
                                                 : Securable::Schema;
  for (const uint32_t oid : statement.roles) {
    const RolePtr before = claimRole(roleName(*this, oid), context);
    auto after = std::make_shared<RoleEntry>(*before);
    for (const uint32_t schema : statement.schemas) {
      const Acl first = schema == 0 ? sorted(defaultAcl(kind, oid)) : Acl();
      const auto found = std::ranges::find_if(after->defaults, [&](const DefaultAcl& each) {
        return each.schema == schema && each.kind == statement.kind;
      });
      const Acl now = sorted(changedAcl(*this, found == after->defaults.end() ? first : found->acl, oid, oid,
                                        {statement.is_grant, statement.is_option, statement.is_cascade,
                                         statement.rights, statement.grantees}));
      if (found != after->defaults.end()) after->defaults.erase(found);
      if (now != first) after->defaults.push_back({schema, statement.kind, now});
    }
    changeRole(before, after, context);
  }
}

AclPtr CatalogTransaction::firstAcl(char kind, const std::string& schema_name) const {
  const uint32_t owner = actors().current;
  const RolePtr role = findRole(owner);
  if (!role || role->defaults.empty()) return nullptr;
  const SchemaPtr schema = findSchema(schema_name);
  const auto find = [&](uint32_t in) -> const DefaultAcl* {
    for (const DefaultAcl& each : role->defaults)
      if (each.kind == kind && each.schema == in) return &each;
    return nullptr;
  };
  const DefaultAcl* const everywhere = find(0);
  const DefaultAcl* const there = schema ? find(schema->oid) : nullptr;
  const Securable securable = kind == 'r'   ? Securable::Table
                              : kind == 'S' ? Securable::Sequence
                              : kind == 'T' ? Securable::Type
                                            : Securable::Schema;
  const Acl first = sorted(defaultAcl(securable, owner));
  Acl acl = everywhere != nullptr ? everywhere->acl : first;
  for (const AclItem& item : there != nullptr ? there->acl : Acl()) {
    acl = changedAcl(*this, std::move(acl), owner, item.grantor, {true, false, false, item.rights, {item.grantee}});
    if (item.grantable != None)
      acl = changedAcl(*this, std::move(acl), owner, item.grantor, {true, true, false, item.grantable, {item.grantee}});
  }
  acl = sorted(std::move(acl));
  return acl == first ? nullptr : shared(std::move(acl));
}

/// A superuser may give everything to everybody.
void CatalogTransaction::requireMayGive(uint32_t owner, const std::string& schema) const {
  if (isSuperuser(*this)) return;
  if (!isMemberOf(*this, actors().current, owner))
    throw SqlError(sqlstate::kInsufficientPrivilege,
                   fmt::format("must be member of role \"{}\"", roleName(*this, owner)));
  const SchemaPtr entry = findSchema(schema);
  if (entry && rightsOn(*this, owner, *entry, Create) == None)
    throw SqlError(sqlstate::kInsufficientPrivilege, fmt::format("permission denied for schema {}", schema));
}

void CatalogTransaction::giveEntry(const TablePtr& entry, uint32_t owner, const DefinitionContext& context) {
  auto after = std::make_shared<TableEntry>(*entry);
  after->owner = owner;
  if (after->acl) after->acl = shared(reownedAcl(*after->acl, entry->owner, owner));
  for (ColumnEntry& column : after->columns)
    if (column.acl) column.acl = shared(reownedAcl(*column.acl, entry->owner, owner));
  redefine(entry, std::move(after), context);
}

void CatalogTransaction::giveSchema(const SchemaPtr& schema, uint32_t owner, const DefinitionContext& context) {
  auto after = std::make_shared<SchemaEntry>(*schema);
  after->owner = owner;
  if (after->acl) after->acl = shared(reownedAcl(*after->acl, schema->owner, owner));
  changeSchema(schema, after, context);
}

void CatalogTransaction::changeOwner(const OwnerStatement& statement, const DefinitionContext& context) {
  claimRoleOf(statement.owner, context);
  std::vector<TablePtr> claimed = sequencesOf({statement.entry});
  claimed.push_back(statement.entry);
  claim(claimed, context, {}, txn::LockMode::Exclusive);
  if (statement.entry->owner == statement.owner) return;
  requireOwner(*this, *statement.entry);
  requireMayGive(statement.owner, statement.entry->schema);
  for (const TablePtr& each : claimed) giveEntry(findEntry(each->oid), statement.owner, context);
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

void CatalogTransaction::reassignOwned(const OwnedStatement& statement, const DefinitionContext& context) {
  claimRoleOf(statement.new_owner, context);
  const auto isOurs = [&](uint32_t owner) {
    return std::ranges::find(statement.roles, owner) != statement.roles.end();
  };
  for (const uint32_t role : statement.roles)
    if (role < kFirstUserOid)
      throw SqlError(sqlstate::kDependentObjectsStillExist,
                     fmt::format("cannot reassign ownership of objects owned by role {} because they are required by "
                                 "the database system",
                                 roleName(*this, role)));
  std::vector<TablePtr> claimed;
  for (const TablePtr& entry : entries())
    if (isOurs(entry->owner) && !isOthersTemporary(*entry)) claimed.push_back(entry);
  claim(claimed, context, {}, txn::LockMode::Exclusive);
  for (const TablePtr& each : claimed) giveEntry(findEntry(each->oid), statement.new_owner, context);
  for (const SchemaPtr& schema : schemas()) {
    if (!isOurs(schema->owner) || schema->is_temporary) continue;
    lockName({{}, schema->name}, context);
    giveSchema(findSchema(schema->name), statement.new_owner, context);
  }
}

/// Those of the roles on what others own, and their default rights for objects of others.
void CatalogTransaction::dropRightsOf(const std::vector<uint32_t>& roles, const DefinitionContext& context) {
  const auto isOurs = [&](uint32_t role) { return std::ranges::find(roles, role) != roles.end(); };
  for (const TablePtr& entry : entries()) {
    auto after = std::make_shared<TableEntry>(*entry);
    bool is_changed = false;
    if (auto acl = withoutRoles(*this, entry->acl, entry->owner, roles)) {
      after->acl = shared(std::move(*acl));
      is_changed = true;
    }
    for (ColumnEntry& column : after->columns)
      if (auto acl = withoutRoles(*this, column.acl, entry->owner, roles)) {
        column.acl = acl->empty() ? nullptr : shared(std::move(*acl));
        is_changed = true;
      }
    if (!is_changed) continue;
    claim({entry}, context, {}, txn::LockMode::Exclusive);
    redefine(entry, std::move(after), context);
  }
  for (const SchemaPtr& schema : schemas())
    if (auto acl = withoutRoles(*this, schema->acl, schema->owner, roles)) {
      lockName({{}, schema->name}, context);
      auto after = std::make_shared<SchemaEntry>(*schema);
      after->acl = shared(std::move(*acl));
      changeSchema(schema, after, context);
    }
  for (const RolePtr& role : this->roles()) {
    if (role->defaults.empty()) continue;
    auto after = std::make_shared<RoleEntry>(*role);
    if (isOurs(role->oid)) after->defaults.clear();
    for (DefaultAcl& each : after->defaults)
      if (auto acl = withoutRoles(*this, shared(each.acl), role->oid, roles)) each.acl = std::move(*acl);
    changeRole(claimRole(role->name, context), after, context);
  }
}

/// As the statement of its kind does.
void CatalogTransaction::dropEntry(const TableEntry& entry, bool is_cascade, const DefinitionContext& context,
                                   std::vector<SqlError>* notices) {
  const std::vector<ObjectPath> names{entry.path()};
  if (entry.type)
    return dropTypes({.names = names,
                      .is_cascade = is_cascade,
                      .are_domains = entry.type->form == TypeEntry::Form::Domain},
                     context, notices);
  if (entry.sequence) return dropSequences({.names = names, .is_cascade = is_cascade}, context, notices);
  dropTables({.names = names,
              .is_cascade = is_cascade,
              .are_views = entry.view != nullptr,
              .are_materialized = entry.materialized != nullptr},
             context, notices);
}

void CatalogTransaction::dropOwned(const OwnedStatement& statement, const DefinitionContext& context,
                                   std::vector<SqlError>* notices) {
  const auto isOurs = [&](uint32_t owner) {
    return std::ranges::find(statement.roles, owner) != statement.roles.end();
  };
  for (const uint32_t role : statement.roles)
    if (role < kFirstUserOid)
      throw SqlError(sqlstate::kDependentObjectsStillExist,
                     fmt::format("cannot drop objects owned by role {} because they are required by the database "
                                 "system",
                                 roleName(*this, role)));
  // What was made later may need what was made before.
  std::vector<TablePtr> owned = entries();
  std::ranges::sort(owned, std::ranges::greater(), [](const TablePtr& entry) { return entry->oid; });
  std::erase_if(owned, [&](const TablePtr& entry) {
    const bool goes_with_table = entry->sequence && entry->sequence->owner != 0;
    return !isOurs(entry->owner) || isOthersTemporary(*entry) || goes_with_table;
  });
  try {
    for (const TablePtr& each : owned)
      if (const TablePtr entry = findEntry(each->oid)) dropEntry(*entry, statement.is_cascade, context, notices);
  } catch (const SqlError& error) {
    if (owned.size() == 1 || !(error.state() == sqlstate::kDependentObjectsStillExist)) throw;
    throw SqlError(error.state(), "cannot drop desired object(s) because other objects depend on them")
        .detail(error.detail())
        .hint(error.hint());
  }
  for (const SchemaPtr& schema : schemas())
    if (isOurs(schema->owner) && !schema->is_temporary)
      dropSchemas({.names = {schema->name}, .is_cascade = statement.is_cascade}, context, notices);
  dropRightsOf(statement.roles, context);
}

}  // namespace gnomon::sql
