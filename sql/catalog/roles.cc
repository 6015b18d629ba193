#include "sql/catalog/roles.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/sql_error.h"

namespace gnomon::sql {
namespace {

constexpr uint32_t kMonitorRole = 3373, kReadAllSettingsRole = 3374, kStatScanTablesRole = 3377;

bool contains(const std::vector<uint32_t>& roles, uint32_t role) {
  return std::ranges::find(roles, role) != roles.end();
}

/// `role` and all those of which it is a member, in the order in which they are found. `inherited`: only by way of
/// roles that inherit.
std::vector<uint32_t> rolesAbove(const CatalogView& catalog, uint32_t role, bool inherited) {
  std::vector<uint32_t> found{role};
  const uint32_t owner = catalog.database()->owner;
  const auto add = [&found](uint32_t oid) {
    if (!contains(found, oid)) found.push_back(oid);
  };
  for (size_t i = 0; i < found.size(); ++i) {
    if (found[i] == owner) add(kDatabaseOwnerRole);
    const RolePtr entry = catalog.findRole(found[i]);
    if (!entry || (inherited && !entry->inherits)) continue;
    for (const Membership& each : entry->memberships) add(each.role);
  }
  return found;
}

}  // namespace

std::vector<RolePtr> firstRoles() {
  std::vector<RolePtr> roles;
  const auto add = [&](uint32_t oid, std::string name, const std::vector<uint32_t>& above = {}) {
    RoleEntry role{.oid = oid, .name = std::move(name)};
    for (const uint32_t each : above) role.memberships.push_back({each, kRoleOid, false});
    if (oid == kRoleOid)
      role.is_superuser = role.creates_roles = role.creates_databases = role.may_log_in = role.may_replicate =
          role.bypasses_row_security = true;
    roles.push_back(std::make_shared<const RoleEntry>(std::move(role)));
  };
  add(kRoleOid, "postgres");
  add(kDatabaseOwnerRole, "pg_database_owner");
  add(kReadAllDataRole, "pg_read_all_data");
  add(kWriteAllDataRole, "pg_write_all_data");
  add(kMonitorRole, "pg_monitor", {kReadAllSettingsRole, kReadAllStatsRole, kStatScanTablesRole});
  add(kReadAllSettingsRole, "pg_read_all_settings");
  add(kReadAllStatsRole, "pg_read_all_stats");
  add(kStatScanTablesRole, "pg_stat_scan_tables");
  add(kReadServerFilesRole, "pg_read_server_files");
  add(kWriteServerFilesRole, "pg_write_server_files");
  add(4571, "pg_execute_server_program");
  add(kSignalBackendRole, "pg_signal_backend");
  add(kCheckpointRole, "pg_checkpoint");
  return roles;
}

RolePtr requireRole(const CatalogView& catalog, std::string_view name) {
  RolePtr role = catalog.findRole(name);
  if (!role) throw SqlError(sqlstate::kUndefinedObject, fmt::format("role \"{}\" does not exist", name));
  return role;
}

RolePtr requireRole(const CatalogView& catalog, const RoleName& name) {
  switch (name.kind) {
    case RoleName::Kind::Name:
      return requireRole(catalog, name.name);
    case RoleName::Kind::CurrentUser:
      if (RolePtr role = catalog.findRole(catalog.actors().current)) return role;
      break;
    case RoleName::Kind::SessionUser:
      if (RolePtr role = catalog.findRole(catalog.actors().session)) return role;
      break;
    case RoleName::Kind::Public:
      throw SqlError(sqlstate::kUndefinedObject, "role \"public\" does not exist");
  }
  throw SqlError(sqlstate::kUndefinedObject, "the role of this session does not exist any more");
}

std::string roleName(const CatalogView& catalog, uint32_t oid) {
  const RolePtr role = catalog.findRole(oid);
  return role ? role->name : fmt::format("unknown (OID={})", oid);
}

bool isSuperuser(const CatalogView& catalog, uint32_t role) {
  const RolePtr entry = catalog.findRole(role);
  return entry && entry->is_superuser;
}

bool isMemberOfAsGranted(const CatalogView& catalog, uint32_t member, uint32_t role) {
  return contains(rolesAbove(catalog, member, false), role);
}

bool isMemberOf(const CatalogView& catalog, uint32_t member, uint32_t role) {
  return member == role || isSuperuser(catalog, member) || isMemberOfAsGranted(catalog, member, role);
}

std::vector<uint32_t> rolesWithRightsOf(const CatalogView& catalog, uint32_t member) {
  return rolesAbove(catalog, member, true);
}

bool hasRightsOf(const CatalogView& catalog, uint32_t member, uint32_t role) {
  return member == role || isSuperuser(catalog, member) || contains(rolesAbove(catalog, member, true), role);
}

bool isAdminOf(const CatalogView& catalog, uint32_t member, uint32_t role) {
  if (isSuperuser(catalog, member)) return true;
  if (member == role) return false;
  for (const uint32_t above : rolesAbove(catalog, member, false)) {
    const RolePtr entry = catalog.findRole(above);
    if (entry && std::ranges::any_of(entry->memberships,
                                     [&](const Membership& each) { return each.role == role && each.has_admin; }))
      return true;
  }
  return false;
}

bool mayCreateRoles(const CatalogView& catalog) {
  const RolePtr role = catalog.findRole(catalog.actors().current);
  return role && (role->is_superuser || role->creates_roles);
}

bool mayCreateDatabases(const CatalogView& catalog) {
  const RolePtr role = catalog.findRole(catalog.actors().current);
  return role && (role->is_superuser || role->creates_databases);
}

}  // namespace gnomon::sql
