#include "sql/catalog/role_definer.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/sql_error.h"
#include "sql/catalog/role_dependencies.h"
#include "sql/catalog/roles.h"

namespace gnomon::sql {
namespace {

constexpr SqlState kReservedName("42939");
constexpr SqlState kInvalidGrant("0LP01");
constexpr SqlState kSuccess("00000");
constexpr SqlState kWarning("01000");

[[noreturn]] void raiseDenied(std::string message) {
  throw SqlError(sqlstate::kInsufficientPrivilege, std::move(message));
}

[[noreturn]] void raiseTakenRole(const std::string& name) {
  throw SqlError(sqlstate::kDuplicateObject, fmt::format("role \"{}\" already exists", name));
}

void requireUsersName(const std::string& name) {
  if (name.starts_with("pg_"))
    throw SqlError(kReservedName, fmt::format("role name \"{}\" is reserved", name))
        .detail("Role names starting with \"pg_\" are reserved.");
}

/// Of a statement that changes it.
void requireNotReserved(const RoleName& role) {
  if (role.kind == RoleName::Kind::Name && role.name.starts_with("pg_"))
    throw SqlError(kReservedName, fmt::format("role name \"{}\" is reserved", role.name))
        .detail("Cannot alter reserved roles.");
}

void apply(const RoleOptions& options, RoleEntry& role) {
  const auto set = [](auto& value, const auto& said) {
    if (said) value = *said;
  };
  set(role.is_superuser, options.is_superuser);
  set(role.inherits, options.inherits);
  set(role.creates_roles, options.creates_roles);
  set(role.creates_databases, options.creates_databases);
  set(role.may_log_in, options.may_log_in);
  set(role.may_replicate, options.may_replicate);
  set(role.bypasses_row_security, options.bypasses_row_security);
  set(role.connection_limit, options.connection_limit);
  set(role.password, options.password);
  if (options.valid_until) role.valid_until = options.valid_until;
}

/// Of CREATE ROLE.
void requireMayCreate(const CatalogView& catalog, const RoleOptions& options) {
  if (isSuperuser(catalog)) return;
  if (options.is_superuser.value_or(false)) raiseDenied("must be superuser to create superusers");
  if (options.may_replicate.value_or(false)) raiseDenied("must be superuser to create replication users");
  if (options.bypasses_row_security.value_or(false)) raiseDenied("must be superuser to create bypassrls users");
  if (!mayCreateRoles(catalog)) raiseDenied("permission denied to create role");
}

/// Of ALTER ROLE.
void requireMayAlter(const CatalogView& catalog, const RoleEntry& role, const AlterRoleStatement& statement) {
  if (isSuperuser(catalog)) return;
  const RoleOptions& options = statement.options;
  if (role.is_superuser || options.is_superuser)
    raiseDenied("must be superuser to alter superuser roles or change superuser attribute");
  if (role.may_replicate || options.may_replicate)
    raiseDenied("must be superuser to alter replication roles or change replication attribute");
  if (options.bypasses_row_security) raiseDenied("must be superuser to change bypassrls attribute");
  if (mayCreateRoles(catalog)) return;
  const bool is_more_than_password = options.inherits || options.creates_roles || options.creates_databases ||
                                     options.may_log_in || options.connection_limit || statement.members ||
                                     options.valid_until || !options.password;
  if (is_more_than_password || role.oid != catalog.actors().current) raiseDenied("permission denied");
}

/// 0: in any.
uint32_t databaseOf(const CatalogView& catalog, const RoleSettingStatement& statement) {
  if (statement.database.empty()) return 0;
  const DatabasePtr database = catalog.findDatabase(statement.database);
  if (!database) raiseNoDatabase(statement.database);
  return database->oid;
}

std::vector<Membership>::iterator findMembership(RoleEntry& member, uint32_t role) {
  return std::ranges::find(member.memberships, role, &Membership::role);
}

void requireMayGrant(const CatalogView& catalog, const RoleEntry& role, uint32_t grantor) {
  if (role.is_superuser) {
    if (!isSuperuser(catalog)) raiseDenied("must be superuser to alter superusers");
  } else if (!mayCreateRoles(catalog) && !isAdminOf(catalog, grantor, role.oid)) {
    raiseDenied(fmt::format("must have admin option on role \"{}\"", role.name));
  }
}

}  // namespace

void RoleDefiner::create(const CreateRoleStatement& statement) {
  requireMayCreate(catalog_, statement.options);
  requireUsersName(statement.name);
  catalog_.lockName({kRoleLocks, statement.name}, context_);
  if (catalog_.findRole(statement.name)) raiseTakenRole(statement.name);
  RoleEntry role{.oid = catalog_.catalog_.newOid(), .name = statement.name};
  apply(statement.options, role);
  const RolePtr made = std::make_shared<const RoleEntry>(std::move(role));
  catalog_.changeRole(nullptr, made, context_);
  const uint32_t grantor = catalog_.actors().current;
  for (const RoleName& each : statement.above) {
    const RolePtr above = requireRole(catalog_, each);
    requireMayGrant(catalog_, *above, grantor);
    addMember(above, catalog_.findRole(made->oid), grantor, false);
  }
  for (const RoleName& each : statement.admin_members) addMember(made, requireRole(catalog_, each), grantor, true);
  for (const RoleName& each : statement.members) addMember(made, requireRole(catalog_, each), grantor, false);
}

void RoleDefiner::alter(const AlterRoleStatement& statement) {
  requireNotReserved(statement.role);
  const RolePtr before = catalog_.claimRole(requireRole(catalog_, statement.role)->name, context_);
  requireMayAlter(catalog_, *before, statement);
  auto after = std::make_shared<RoleEntry>(*before);
  apply(statement.options, *after);
  catalog_.changeRole(before, after, context_);
  if (!statement.members) return;
  const uint32_t grantor = catalog_.actors().current;
  requireMayGrant(catalog_, *after, grantor);
  for (const RoleName& each : *statement.members)
    if (statement.adds_members)
      addMember(after, requireRole(catalog_, each), grantor, false);
    else
      removeMember(after, requireRole(catalog_, each), false);
}

void RoleDefiner::rename(const RenameRoleStatement& statement) {
  const RolePtr before = catalog_.claimRole(statement.name, context_);
  if (before->oid == catalog_.actors().session)
    throw SqlError(sqlstate::kFeatureNotSupported, "session user cannot be renamed");
  if (before->oid == catalog_.actors().current)
    throw SqlError(sqlstate::kFeatureNotSupported, "current user cannot be renamed");
  requireUsersName(before->name);
  requireUsersName(statement.new_name);
  catalog_.lockName({kRoleLocks, statement.new_name}, context_);
  if (catalog_.findRole(statement.new_name)) raiseTakenRole(statement.new_name);
  if (before->is_superuser && !isSuperuser(catalog_)) raiseDenied("must be superuser to rename superusers");
  if (!mayCreateRoles(catalog_)) raiseDenied("permission denied to rename role");
  auto after = std::make_shared<RoleEntry>(*before);
  after->name = statement.new_name;
  catalog_.changeRole(before, after, context_);
}

void RoleDefiner::setFor(const RoleSettingStatement& statement) {
  requireNotReserved(statement.role);
  const RolePtr before = catalog_.claimRole(requireRole(catalog_, statement.role)->name, context_);
  if (before->is_superuser && !isSuperuser(catalog_)) raiseDenied("must be superuser to alter superusers");
  if (!mayCreateRoles(catalog_) && before->oid != catalog_.actors().current) raiseDenied("permission denied");
  auto after = std::make_shared<RoleEntry>(*before);
  const uint32_t database = databaseOf(catalog_, statement);
  auto& settings = after->settings;
  const auto found = std::ranges::find_if(
      settings, [&](const RoleSetting& each) { return each.database == database && each.name == statement.name; });
  if (statement.name.empty())
    std::erase_if(settings, [&](const RoleSetting& each) { return each.database == database; });
  else if (statement.value && found != settings.end())
    found->value = *statement.value;
  else if (statement.value)
    settings.push_back({database, statement.name, *statement.value});
  else if (found != settings.end())
    settings.erase(found);
  catalog_.changeRole(before, after, context_);
}

void RoleDefiner::drop(const DropRoleStatement& statement) {
  if (!mayCreateRoles(catalog_)) raiseDenied("permission denied to drop role");
  std::vector<RolePtr> dropped;
  for (const RoleName& each : statement.roles) {
    if (each.kind != RoleName::Kind::Name)
      throw SqlError(sqlstate::kInvalidParameterValue, "cannot use special role specifier in DROP ROLE");
    catalog_.lockName({kRoleLocks, each.name}, context_);
    const RolePtr role = catalog_.findRole(each.name);
    if (!role && !statement.if_exists) static_cast<void>(requireRole(catalog_, each.name));
    if (!role) {
      notices_.emplace_back(kSuccess, fmt::format("role \"{}\" does not exist, skipping", each.name));
      continue;
    }
    if (role->oid == catalog_.actors().current)
      throw SqlError(sqlstate::kObjectInUse, "current user cannot be dropped");
    if (role->oid == catalog_.actors().session)
      throw SqlError(sqlstate::kObjectInUse, "session user cannot be dropped");
    if (role->is_superuser && !isSuperuser(catalog_)) raiseDenied("must be superuser to drop superusers");
    requireNothingOf(catalog_, *role, catalog_.catalog_.cluster());
    // What it was a member of, and the rows that say so, go with it.
    for (const RolePtr& member : catalog_.roles()) {
      auto after = std::make_shared<RoleEntry>(*member);
      const auto found = findMembership(*after, role->oid);
      if (found == after->memberships.end()) continue;
      after->memberships.erase(found);
      catalog_.changeRole(member, after, context_);
    }
    catalog_.changeRole(catalog_.findRole(role->oid), nullptr, context_);
  }
}

/// Who may make others members of the role. Failure: 42501.
void RoleDefiner::addMember(const RolePtr& role, const RolePtr& member, uint32_t grantor, bool with_admin) {
  if (role->oid == kDatabaseOwnerRole)
    throw SqlError(sqlstate::kInternalError, fmt::format("role \"{}\" cannot have explicit members", role->name));
  if (member->oid == kDatabaseOwnerRole)
    throw SqlError(sqlstate::kInternalError, fmt::format("role \"{}\" cannot be a member of any role", member->name));
  if (isMemberOfAsGranted(catalog_, role->oid, member->oid))
    throw SqlError(kInvalidGrant, fmt::format("role \"{}\" is a member of role \"{}\"", role->name, member->name));
  const RolePtr before = catalog_.claimRole(member->name, context_);
  auto after = std::make_shared<RoleEntry>(*before);
  const auto found = findMembership(*after, role->oid);
  if (found != after->memberships.end() && (!with_admin || found->has_admin)) {
    notices_.emplace_back(kSuccess,
                          fmt::format("role \"{}\" is already a member of role \"{}\"", member->name, role->name));
    return;
  }
  if (found != after->memberships.end())
    *found = {role->oid, grantor, with_admin};
  else
    after->memberships.push_back({role->oid, grantor, with_admin});
  std::ranges::sort(after->memberships, {}, &Membership::role);
  catalog_.changeRole(before, after, context_);
}

void RoleDefiner::removeMember(const RolePtr& role, const RolePtr& member, bool admin_only) {
  const RolePtr before = catalog_.claimRole(member->name, context_);
  auto after = std::make_shared<RoleEntry>(*before);
  const auto found = findMembership(*after, role->oid);
  if (found == after->memberships.end()) {
    notices_.emplace_back(kWarning,
                          fmt::format("role \"{}\" is not a member of role \"{}\"", member->name, role->name));
    return;
  }
  if (admin_only)
    found->has_admin = false;
  else
    after->memberships.erase(found);
  catalog_.changeRole(before, after, context_);
}

void RoleDefiner::grant(const GrantRoleStatement& statement) {
  const uint32_t grantor =
      statement.grantor ? requireRole(catalog_, *statement.grantor)->oid : catalog_.actors().current;
  std::vector<RolePtr> members;
  for (const RoleName& each : statement.members) members.push_back(requireRole(catalog_, each));
  // One at a time, so that no two roles become members of each other.
  catalog_.lockName({kRoleLocks, {}}, context_);
  for (const std::string& each : statement.roles) {
    const RolePtr role = requireRole(catalog_, each);
    requireMayGrant(catalog_, *role, grantor);
    if (grantor != catalog_.actors().current && !isSuperuser(catalog_)) raiseDenied("must be superuser to set grantor");
    for (const RolePtr& member : members)
      if (statement.is_grant)
        addMember(role, member, grantor, statement.is_admin);
      else
        removeMember(role, member, statement.is_admin);
  }
}

}  // namespace gnomon::sql
