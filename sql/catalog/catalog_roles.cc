#include <fmt/format.h>

#include <algorithm>

#include "base/sql_error.h"
#include "sql/catalog/catalog_transaction.h"
#include "sql/catalog/role_dependencies.h"
#include "sql/catalog/roles.h"

/// What CatalogTransaction knows of roles, and does for them.
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

std::vector<RolePtr> CatalogTransaction::roles() const {
  std::vector<RolePtr> result = catalog_.roles();
  if (roles_.empty()) return result;
  std::erase_if(result, [this](const RolePtr& role) { return roles_.contains(role->oid); });
  for (const auto& [oid, role] : roles_)
    if (role) result.push_back(role);
  std::ranges::sort(result, {}, [](const RolePtr& role) { return role->oid; });
  return result;
}

RolePtr CatalogTransaction::findRole(uint32_t oid) const {
  const auto found = roles_.find(oid);
  return found == roles_.end() ? catalog_.findRole(oid) : found->second;
}

/// A role keeps its oid when it gets another name, and a session keeps the role: names are looked up when they change.
Actors CatalogTransaction::actors() const {
  if (settings_ == nullptr) return {};
  const auto withDefiner = [this] {
    Actors actors = actors_;
    if (definer_ != 0) actors.current = definer_;
    return actors;
  };
  if (settings_->version() == actors_version_) return withDefiner();
  const auto find = [this](const std::string& name) {
    const RolePtr role = findRole(name);
    return role ? role->oid : 0;
  };
  const std::string& session = settings_->text(SettingId::SessionAuthorization);
  const std::string& role = settings_->text(SettingId::Role);
  const std::string& current = role == "none" ? session : role;
  if (current != current_name_) actors_.current = find(current);
  if (session != session_name_) actors_.session = find(session);
  session_name_ = session;
  current_name_ = current;
  actors_version_ = settings_->version();
  return withDefiner();
}

void CatalogTransaction::setDefiner(uint32_t role) {
  definer_ = role;
  search_path_.reset();
}

uint32_t CatalogTransaction::claimRoleOf(uint32_t role, const DefinitionContext& context) {
  // The first roles stay anyway.
  if (role >= 1 && role < kFirstUserOid) return role;
  const std::string name = roleName(*this, role);
  context.transaction.owner().acquire(catalog_.nameLock({kRoleLocks, name}), txn::LockMode::AccessShare,
                                      context.patience);
  return requireRole(*this, name)->oid;
}

/// The role, once nobody else changes it.
RolePtr CatalogTransaction::claimRole(const std::string& name, const DefinitionContext& context) {
  lockName({kRoleLocks, name}, context);
  return requireRole(*this, name);
}

void CatalogTransaction::changeRole(const RolePtr& before, const RolePtr& after, const DefinitionContext& context) {
  catalog_.store().recordRole(before.get(), after.get(), context);
  Change change;
  change.table.role_before = before;
  change.table.role_after = after;
  changes_.push_back(std::move(change));
  see(changes_.back().table);
}

void CatalogTransaction::createRole(const CreateRoleStatement& statement, const DefinitionContext& context,
                                    std::vector<SqlError>* notices) {
  requireMayCreate(*this, statement.options);
  requireUsersName(statement.name);
  lockName({kRoleLocks, statement.name}, context);
  if (findRole(statement.name)) raiseTakenRole(statement.name);
  RoleEntry role{.oid = catalog_.newOid(), .name = statement.name};
  apply(statement.options, role);
  const RolePtr made = std::make_shared<const RoleEntry>(std::move(role));
  changeRole(nullptr, made, context);
  const uint32_t grantor = actors().current;
  for (const RoleName& each : statement.above) {
    const RolePtr above = requireRole(*this, each);
    requireMayGrant(*this, *above, grantor);
    addMember(above, findRole(made->oid), grantor, false, context, notices);
  }
  for (const RoleName& each : statement.admin_members)
    addMember(made, requireRole(*this, each), grantor, true, context, notices);
  for (const RoleName& each : statement.members)
    addMember(made, requireRole(*this, each), grantor, false, context, notices);
}

void CatalogTransaction::alterRole(const AlterRoleStatement& statement, const DefinitionContext& context,
                                   std::vector<SqlError>* notices) {
  requireNotReserved(statement.role);
  const RolePtr before = claimRole(requireRole(*this, statement.role)->name, context);
  requireMayAlter(*this, *before, statement);
  auto after = std::make_shared<RoleEntry>(*before);
  apply(statement.options, *after);
  changeRole(before, after, context);
  if (!statement.members) return;
  const uint32_t grantor = actors().current;
  requireMayGrant(*this, *after, grantor);
  for (const RoleName& each : *statement.members)
    if (statement.adds_members)
      addMember(after, requireRole(*this, each), grantor, false, context, notices);
    else
      removeMember(after, requireRole(*this, each), false, context, notices);
}

void CatalogTransaction::renameRole(const RenameRoleStatement& statement, const DefinitionContext& context) {
  const RolePtr before = claimRole(statement.name, context);
  if (before->oid == actors().session) throw SqlError(sqlstate::kFeatureNotSupported, "session user cannot be renamed");
  if (before->oid == actors().current) throw SqlError(sqlstate::kFeatureNotSupported, "current user cannot be renamed");
  requireUsersName(before->name);
  requireUsersName(statement.new_name);
  lockName({kRoleLocks, statement.new_name}, context);
  if (findRole(statement.new_name)) raiseTakenRole(statement.new_name);
  if (before->is_superuser && !isSuperuser(*this)) raiseDenied("must be superuser to rename superusers");
  if (!mayCreateRoles(*this)) raiseDenied("permission denied to rename role");
  auto after = std::make_shared<RoleEntry>(*before);
  after->name = statement.new_name;
  changeRole(before, after, context);
}

void CatalogTransaction::setForRole(const RoleSettingStatement& statement, const DefinitionContext& context) {
  requireNotReserved(statement.role);
  const RolePtr before = claimRole(requireRole(*this, statement.role)->name, context);
  if (before->is_superuser && !isSuperuser(*this)) raiseDenied("must be superuser to alter superusers");
  if (!mayCreateRoles(*this) && before->oid != actors().current) raiseDenied("permission denied");
  auto after = std::make_shared<RoleEntry>(*before);
  const uint32_t database = databaseOf(*this, statement);
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
  changeRole(before, after, context);
}

void CatalogTransaction::dropRoles(const DropRoleStatement& statement, const DefinitionContext& context,
                                   std::vector<SqlError>* notices) {
  if (!mayCreateRoles(*this)) raiseDenied("permission denied to drop role");
  std::vector<RolePtr> dropped;
  for (const RoleName& each : statement.roles) {
    if (each.kind != RoleName::Kind::Name)
      throw SqlError(sqlstate::kInvalidParameterValue, "cannot use special role specifier in DROP ROLE");
    lockName({kRoleLocks, each.name}, context);
    const RolePtr role = findRole(each.name);
    if (!role && !statement.if_exists) static_cast<void>(requireRole(*this, each.name));
    if (!role) {
      if (notices != nullptr)
        notices->emplace_back(kSuccess, fmt::format("role \"{}\" does not exist, skipping", each.name));
      continue;
    }
    if (role->oid == actors().current) throw SqlError(sqlstate::kObjectInUse, "current user cannot be dropped");
    if (role->oid == actors().session) throw SqlError(sqlstate::kObjectInUse, "session user cannot be dropped");
    if (role->is_superuser && !isSuperuser(*this)) raiseDenied("must be superuser to drop superusers");
    requireNothingOf(*this, *role, catalog_.cluster());
    // What it was a member of, and the rows that say so, go with it.
    for (const RolePtr& member : roles()) {
      auto after = std::make_shared<RoleEntry>(*member);
      const auto found = findMembership(*after, role->oid);
      if (found == after->memberships.end()) continue;
      after->memberships.erase(found);
      changeRole(member, after, context);
    }
    changeRole(findRole(role->oid), nullptr, context);
  }
}

/// Who may make others members of the role. Failure: 42501.
void CatalogTransaction::addMember(const RolePtr& role, const RolePtr& member, uint32_t grantor, bool with_admin,
                                   const DefinitionContext& context, std::vector<SqlError>* notices) {
  if (role->oid == kDatabaseOwnerRole)
    throw SqlError(sqlstate::kInternalError, fmt::format("role \"{}\" cannot have explicit members", role->name));
  if (member->oid == kDatabaseOwnerRole)
    throw SqlError(sqlstate::kInternalError, fmt::format("role \"{}\" cannot be a member of any role", member->name));
  if (isMemberOfAsGranted(*this, role->oid, member->oid))
    throw SqlError(kInvalidGrant, fmt::format("role \"{}\" is a member of role \"{}\"", role->name, member->name));
  const RolePtr before = claimRole(member->name, context);
  auto after = std::make_shared<RoleEntry>(*before);
  const auto found = findMembership(*after, role->oid);
  if (found != after->memberships.end() && (!with_admin || found->has_admin)) {
    if (notices != nullptr)
      notices->emplace_back(kSuccess,
                            fmt::format("role \"{}\" is already a member of role \"{}\"", member->name, role->name));
    return;
  }
  if (found != after->memberships.end())
    *found = {role->oid, grantor, with_admin};
  else
    after->memberships.push_back({role->oid, grantor, with_admin});
  std::ranges::sort(after->memberships, {}, &Membership::role);
  changeRole(before, after, context);
}

void CatalogTransaction::removeMember(const RolePtr& role, const RolePtr& member, bool admin_only,
                                      const DefinitionContext& context, std::vector<SqlError>* notices) {
  const RolePtr before = claimRole(member->name, context);
  auto after = std::make_shared<RoleEntry>(*before);
  const auto found = findMembership(*after, role->oid);
  if (found == after->memberships.end()) {
    if (notices != nullptr)
      notices->emplace_back(kWarning,
                            fmt::format("role \"{}\" is not a member of role \"{}\"", member->name, role->name));
    return;
  }
  if (admin_only)
    found->has_admin = false;
  else
    after->memberships.erase(found);
  changeRole(before, after, context);
}

void CatalogTransaction::grantRoles(const GrantRoleStatement& statement, const DefinitionContext& context,
                                    std::vector<SqlError>* notices) {
  const uint32_t grantor = statement.grantor ? requireRole(*this, *statement.grantor)->oid : actors().current;
  std::vector<RolePtr> members;
  for (const RoleName& each : statement.members) members.push_back(requireRole(*this, each));
  // One at a time, so that no two roles become members of each other.
  lockName({kRoleLocks, {}}, context);
  for (const std::string& each : statement.roles) {
    const RolePtr role = requireRole(*this, each);
    requireMayGrant(*this, *role, grantor);
    if (grantor != actors().current && !isSuperuser(*this)) raiseDenied("must be superuser to set grantor");
    for (const RolePtr& member : members)
      if (statement.is_grant)
        addMember(role, member, grantor, statement.is_admin, context, notices);
      else
        removeMember(role, member, statement.is_admin, context, notices);
  }
}

}  // namespace gnomon::sql
