#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "sql/catalog/catalog_view.h"
#include "sql/catalog/role_entry.h"
#include "sql/role_statement.h"

/// Who is a member of what, and may what as a role.
namespace gnomon::sql {

/// The roles of a new data directory.
std::vector<RolePtr> firstRoles();

/// Failure: 42704 `role "x" does not exist`.
RolePtr requireRole(const CatalogView& catalog, std::string_view name);
RolePtr requireRole(const CatalogView& catalog, const RoleName& name);
/// Of a role that is not there any more, what PostgreSQL shows: `unknown (OID=12345)`.
std::string roleName(const CatalogView& catalog, uint32_t oid);

bool isSuperuser(const CatalogView& catalog, uint32_t role);
/// Whether `member` is `role` or one of its members, also by way of others. A superuser is one of all.
bool isMemberOf(const CatalogView& catalog, uint32_t member, uint32_t role);
/// The same without regard to superusers.
bool isMemberOfAsGranted(const CatalogView& catalog, uint32_t member, uint32_t role);
/// Whether `member` may do what `role` may, by itself: by way of roles that inherit.
bool hasRightsOf(const CatalogView& catalog, uint32_t member, uint32_t role);
/// The roles, itself among them, whose rights `member` has, but for being a superuser.
std::vector<uint32_t> rolesWithRightsOf(const CatalogView& catalog, uint32_t member);
/// Whether `member` may make others members of `role`, and no longer members.
bool isAdminOf(const CatalogView& catalog, uint32_t member, uint32_t role);
/// Whether who asks is a superuser.
inline bool isSuperuser(const CatalogView& catalog) {
  return isSuperuser(catalog, catalog.actors().current);
}
/// Whether who asks may create roles.
bool mayCreateRoles(const CatalogView& catalog);
/// Whether who asks may create databases.
bool mayCreateDatabases(const CatalogView& catalog);

}  // namespace gnomon::sql
