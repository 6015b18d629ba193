#include "sql/catalog/role_dependencies.h"
#include "sql/catalog/extensions.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/sql_error.h"
#include "sql/catalog/access.h"
#include "sql/catalog/catalog.h"
#include "sql/catalog/dependent_views.h"
#include "sql/parse/identifier.h"

namespace gnomon::sql {
namespace {

/// As much as PostgreSQL tells.
constexpr size_t kToldMax = 100;

bool isIn(const AclPtr& acl, uint32_t role) {
  return acl && std::ranges::find(*acl, role, &AclItem::grantee) != acl->end();
}

std::string_view kindOfDefaults(char kind) {
  return kind == 'r' ? "relations" : kind == 'S' ? "sequences" : kind == 'T' ? "types" : "schemas";
}

void tellEntry(const CatalogView& catalog, const TableEntry& entry, uint32_t role, std::vector<std::string>& told) {
  const std::string shown = describe(catalog, entry);
  // A sequence of a column has its table's owner.
  if (entry.owner == role)
    told.push_back("owner of " + shown);
  else if (isIn(entry.acl, role))
    told.push_back("privileges for " + shown);
  for (const ColumnEntry& column : entry.columns)
    if (!column.isDropped() && entry.owner != role && isIn(column.acl, role))
      told.push_back(fmt::format("privileges for column {} of {}", quotedIdentifier(column.name), shown));
}

void tellDefaults(const CatalogView& catalog, const RoleEntry& of, uint32_t role, std::vector<std::string>& told) {
  for (const DefaultAcl& each : of.defaults) {
    if (each.database != catalog.database()->oid) continue;
    const bool is_grantee = std::ranges::find(each.acl, role, &AclItem::grantee) != each.acl.end();
    if (of.oid != role && !is_grantee) continue;
    std::string text = fmt::format("{} default privileges on new {} belonging to role {}",
                                   of.oid == role ? "owner of" : "privileges for", kindOfDefaults(each.kind),
                                   quotedIdentifier(of.name));
    if (const SchemaPtr schema = each.schema != 0 ? catalog.findSchema(each.schema) : nullptr)
      text += fmt::format(" in schema {}", quotedIdentifier(schema->name));
    told.push_back(std::move(text));
  }
}

/// What is in the catalog's database, in the order in which it was made, as far as that is known.
void tellAll(const CatalogView& catalog, uint32_t role, std::vector<std::string>& told) {
  std::vector<TablePtr> entries = catalog.entries();
  std::ranges::sort(entries, {}, [](const TablePtr& entry) { return entry->oid; });
  for (const SchemaPtr& schema : catalog.schemas())
    if (schema->owner == role)
      told.push_back("owner of schema " + quotedIdentifier(schema->name));
    else if (isIn(schema->acl, role))
      told.push_back("privileges for schema " + quotedIdentifier(schema->name));
  for (const TablePtr& entry : entries) tellEntry(catalog, *entry, role, told);
  for (const TablePtr& entry : installedExtensions(catalog))
    if (entry->owner == role) told.push_back("owner of extension " + quotedIdentifier(extensionName(*entry)));
  for (const RolePtr& each : catalog.roles()) tellDefaults(catalog, *each, role, told);
}

}  // namespace

void requireNothingOf(const CatalogView& catalog, const RoleEntry& role, const Cluster& cluster) {
  if (role.oid < kFirstUserOid)
    throw SqlError(sqlstate::kDependentObjectsStillExist,
                   fmt::format("cannot drop role {} because it is required by the database system", role.name));
  std::vector<std::string> told;
  for (const DatabasePtr& database : catalog.databases())
    if (database->owner == role.oid)
      told.push_back("owner of database " + database->name);
    else if (isIn(database->acl, role.oid))
      told.push_back("privileges for database " + database->name);
  tellAll(catalog, role.oid, told);
  // Of others only how many there are.
  for (const DatabasePtr& database : catalog.databases()) {
    const std::shared_ptr<Catalog> other = cluster.catalogOf(database->oid);
    if (!other || database->oid == catalog.database()->oid) continue;
    std::vector<std::string> there;
    tellAll(*other, role.oid, there);
    if (!there.empty())
      told.push_back(
          fmt::format("{} object{} in database {}", there.size(), there.size() == 1 ? "" : "s", database->name));
  }
  if (told.empty()) return;
  std::string detail;
  for (size_t i = 0; i < std::min(told.size(), kToldMax); ++i) detail.append(i == 0 ? "" : "\n").append(told[i]);
  throw SqlError(sqlstate::kDependentObjectsStillExist,
                 fmt::format("role \"{}\" cannot be dropped because some objects depend on it", role.name))
      .detail(detail);
}

}  // namespace gnomon::sql
