#include <algorithm>
#include <set>

#include "sql/catalog/catalog_session.h"
#include "sql/pg_catalog/relations.h"
#include "sql/pg_catalog/row_maker.h"

/// Rows about roles.
namespace gnomon::sql::pg_catalog {
namespace {

using Columns = std::vector<ColumnEntry>;

/// Those in the database, or in any (0): "name=value" each, as an array of such a column.
Field settingsOf(const RoleEntry& role, uint32_t database, Type column) {
  std::vector<std::string> texts;
  for (const RoleSetting& each : role.settings)
    if (each.database == database) texts.push_back(each.name + "=" + each.value);
  return texts.empty() ? Field(nullptr) : arrayOfTexts(column, texts);
}

Type typeOf(const Columns& columns, std::string_view name) {
  return std::ranges::find(columns, name, &ColumnEntry::name)->type;
}

Field validUntil(const RoleEntry& role) {
  return role.valid_until ? Field(*role.valid_until) : Field(nullptr);
}

}  // namespace

VirtualRows roleRows(const Columns& columns) {
  RowMaker rows(columns,
                {"rolname", "rolsuper", "rolinherit", "rolcreaterole", "rolcreatedb", "rolcanlogin", "rolreplication",
                 "rolconnlimit", "rolpassword", "rolvaliduntil", "rolbypassrls", "rolconfig", "oid"});
  const Type texts = typeOf(columns, "rolconfig");
  for (const RolePtr& role : requiredCatalogSession().catalog.roles())
    rows.add({role->name, role->is_superuser, role->inherits, role->creates_roles, role->creates_databases,
              role->may_log_in, role->may_replicate, role->connection_limit, "********", validUntil(*role),
              role->bypasses_row_security, settingsOf(*role, 0, texts), role->oid});
  return rows.take();
}

VirtualRows authorizationRows(const Columns& columns) {
  RowMaker rows(columns, {"oid", "rolname", "rolsuper", "rolinherit", "rolcreaterole", "rolcreatedb", "rolcanlogin",
                          "rolreplication", "rolbypassrls", "rolconnlimit", "rolpassword", "rolvaliduntil"});
  for (const RolePtr& role : requiredCatalogSession().catalog.roles())
    rows.add({role->oid, role->name, role->is_superuser, role->inherits, role->creates_roles, role->creates_databases,
              role->may_log_in, role->may_replicate, role->bypasses_row_security, role->connection_limit,
              role->password.empty() ? Field(nullptr) : Field(role->password), validUntil(*role)});
  return rows.take();
}

VirtualRows membershipRows(const Columns& columns) {
  RowMaker rows(columns, {"roleid", "member", "grantor", "admin_option"});
  for (const RolePtr& member : requiredCatalogSession().catalog.roles())
    for (const Membership& each : member->memberships) rows.add({each.role, member->oid, each.grantor, each.has_admin});
  return rows.take();
}

VirtualRows roleSettingRows(const Columns& columns) {
  RowMaker rows(columns, {"setdatabase", "setrole", "setconfig"});
  const Type texts = typeOf(columns, "setconfig");
  const CatalogView& catalog = requiredCatalogSession().catalog;
  for (const DatabasePtr& database : catalog.databases()) {
    std::vector<std::string> said;
    for (const auto& [name, value] : database->settings) said.push_back(name + "=" + value);
    if (!said.empty()) rows.add({database->oid, 0, arrayOfTexts(texts, said)});
  }
  for (const RolePtr& role : catalog.roles()) {
    std::set<uint32_t> databases;
    for (const RoleSetting& each : role->settings) databases.insert(each.database);
    for (const uint32_t database : databases) rows.add({database, role->oid, settingsOf(*role, database, texts)});
  }
  return rows.take();
}

VirtualRows defaultAclRows(const Columns& columns) {
  RowMaker rows(columns, {"oid", "defaclrole", "defaclnamespace", "defaclobjtype", "defaclacl"});
  const Type acls = typeOf(columns, "defaclacl");
  const CatalogView& catalog = requiredCatalogSession().catalog;
  for (const RolePtr& role : catalog.roles())
    for (size_t i = 0; i < role->defaults.size(); ++i) {
      const DefaultAcl& each = role->defaults[i];
      if (each.database != catalog.database()->oid) continue;
      // They have no numbers of their own.
      const uint32_t oid = (role->oid ^ 0x80000000U) + (static_cast<uint32_t>(i) << 24U);
      rows.add({oid, role->oid, each.schema, each.kind, aclField(acls, std::make_shared<const Acl>(each.acl))});
    }
  return rows.take();
}

}  // namespace gnomon::sql::pg_catalog
