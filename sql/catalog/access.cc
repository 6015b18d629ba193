#include "sql/catalog/access.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>

#include "base/sql_error.h"
#include "sql/catalog/catalog_session.h"
#include "sql/catalog/dependent_views.h"
#include "sql/catalog/partitioning.h"
#include "sql/catalog/roles.h"
#include "sql/catalog/system_tables.h"

namespace gnomon::sql {
namespace {

using enum Privilege;

[[noreturn]] void raiseDenied(std::string_view kind, std::string_view name) {
  throw SqlError(sqlstate::kInsufficientPrivilege, fmt::format("permission denied for {} {}", kind, name));
}

[[noreturn]] void raiseNotOwner(std::string_view kind, std::string_view name) {
  throw SqlError(sqlstate::kInsufficientPrivilege, fmt::format("must be owner of {} {}", kind, name));
}

}  // namespace

Privilege allRights(Securable kind) {
  switch (kind) {
    case Securable::Table:
      return Insert | Select | Update | Delete | Truncate | References | Trigger;
    case Securable::Column:
      return Insert | Select | Update | References;
    case Securable::Sequence:
      return Usage | Select | Update;
    case Securable::Database:
      return Create | Temporary | Connect;
    case Securable::Schema:
      return Usage | Create;
    case Securable::Type:
    case Securable::Language:
    case Securable::DataWrapper:
    case Securable::Server:
      return Usage;
    case Securable::Function:
      return Execute;
    case Securable::Tablespace:
      return Create;
    case Securable::LargeObject:
      return Select | Update;
    case Securable::Parameter:
      return Set | AlterSystem;
  }
  return None;
}

Acl defaultAcl(Securable kind, uint32_t owner) {
  Acl acl;
  const Privilege for_all = kind == Securable::Database                              ? Temporary | Connect
                            : kind == Securable::Function                            ? Execute
                            : kind == Securable::Type || kind == Securable::Language ? Usage
                                                                                     : None;
  if (for_all != None) acl.push_back({kPublicGrantee, owner, for_all, None});
  if (kind != Securable::Column) acl.push_back({owner, owner, allRights(kind), None});
  return acl;
}

AclPtr openSchemaAcl(uint32_t owner) {
  Acl acl = defaultAcl(Securable::Schema, owner);
  acl.push_back({kPublicGrantee, owner, Usage, None});
  return std::make_shared<const Acl>(std::move(acl));
}

Securable securableOf(const TableEntry& entry) {
  return entry.sequence  ? Securable::Sequence
         : entry.type    ? Securable::Type
         : entry.routine ? Securable::Function
                         : Securable::Table;
}

Securable securableOf(char kind) {
  return kind == 'r'   ? Securable::Table
         : kind == 'S' ? Securable::Sequence
         : kind == 'T' ? Securable::Type
                       : Securable::Schema;
}

Acl aclOf(const TableEntry& entry) {
  return aclOf(securableOf(entry), entry.owner, entry.acl);
}

Privilege rightsIn(const CatalogView& catalog, uint32_t role, const Acl& acl, Privilege wanted) {
  Privilege found = None;
  for (const AclItem& item : acl) {
    if (!overlaps(item.rights, wanted - found)) continue;
    if (item.grantee == kPublicGrantee || hasRightsOf(catalog, role, item.grantee)) found = found | item.rights;
  }
  return found & wanted;
}

Privilege grantableIn(const CatalogView& catalog, uint32_t role, uint32_t owner, const Acl& acl, Privilege wanted) {
  if (hasRightsOf(catalog, role, owner)) return wanted;
  Privilege found = None;
  for (const AclItem& item : acl) {
    if (!overlaps(item.grantable, wanted - found) || item.grantee == kPublicGrantee) continue;
    if (hasRightsOf(catalog, role, item.grantee)) found = found | item.grantable;
  }
  return found & wanted;
}

Privilege rightsOn(const CatalogView& catalog, uint32_t role, const TableEntry& entry, Privilege wanted) {
  if (isSuperuser(catalog, role) || isSystemTable(entry)) return wanted;
  Privilege found = rightsIn(catalog, role, aclOf(entry), wanted);
  if (entry.type || entry.routine || found == wanted) return found;
  if (overlaps(wanted - found, Select) && hasRightsOf(catalog, role, kReadAllDataRole)) found = found | Select;
  const Privilege writing = Insert | Update | Delete;
  if (overlaps(wanted - found, writing) && hasRightsOf(catalog, role, kWriteAllDataRole)) found = found | writing;
  return found & wanted;
}

Privilege rightsOnColumn(const CatalogView& catalog, uint32_t role, const TableEntry& entry, uint32_t column,
                         Privilege wanted) {
  if (isSuperuser(catalog, role)) return wanted;
  if (column >= entry.columns.size()) return None;
  const AclPtr& acl = entry.columns[column].acl;
  return acl ? rightsIn(catalog, role, *acl, wanted) : None;
}

Privilege rightsOn(const CatalogView& catalog, uint32_t role, const SchemaEntry& schema, Privilege wanted) {
  if (isSuperuser(catalog, role)) return wanted;
  // Sessions do with theirs what they like.
  if (schema.is_temporary) return wanted;
  Privilege found = rightsIn(catalog, role, aclOf(Securable::Schema, schema.owner, schema.acl), wanted);
  if (overlaps(wanted - found, Usage) &&
      (hasRightsOf(catalog, role, kReadAllDataRole) || hasRightsOf(catalog, role, kWriteAllDataRole)))
    found = found | Usage;
  return found & wanted;
}

Privilege rightsOn(const CatalogView& catalog, uint32_t role, const DatabaseEntry& database, Privilege wanted) {
  if (isSuperuser(catalog, role)) return wanted;
  return rightsIn(catalog, role, aclOf(Securable::Database, database.owner, database.acl), wanted);
}

Privilege rightsOnDatabase(const CatalogView& catalog, uint32_t role, Privilege wanted) {
  return rightsOn(catalog, role, *catalog.database(), wanted);
}

bool mayBeShown(const TableEntry& entry, uint32_t column) {
  const CatalogSession* const session = catalogSession();
  if (session == nullptr) return true;
  const CatalogView& catalog = session->catalog;
  const uint32_t role = catalog.actors().current;
  if (rightsOn(catalog, role, entry, Select) != None || rightsOnColumn(catalog, role, entry, column, Select) != None)
    return true;
  // Whoever reads a partitioned table reads its partitions, whose columns are at the same places.
  const TablePtr above = entry.partition ? catalog.findEntry(entry.partition->parent) : nullptr;
  return above && mayBeShown(*above, column);
}

void requireOwner(const CatalogView& catalog, const TableEntry& entry, std::string_view kind) {
  if (hasRightsOf(catalog, catalog.actors().current, entry.owner)) return;
  raiseNotOwner(kind.empty() ? kindName(entry) : kind, entry.type ? catalog.shownName(entry) : entry.calledName());
}

void requireOwner(const CatalogView& catalog, const SchemaEntry& schema) {
  if (!hasRightsOf(catalog, catalog.actors().current, schema.owner)) raiseNotOwner("schema", schema.name);
}

void requireOwner(const CatalogView& catalog, const DatabaseEntry& database) {
  if (!hasRightsOf(catalog, catalog.actors().current, database.owner)) raiseNotOwner("database", database.name);
}

void requireIndexOwner(const CatalogView& catalog, const TableEntry& table, const std::string& index) {
  if (!hasRightsOf(catalog, catalog.actors().current, table.owner)) raiseNotOwner("index", index);
}

void requireMayDrop(const CatalogView& catalog, const TableEntry& entry) {
  const SchemaPtr schema = catalog.findSchema(entry.schema);
  if (schema && hasRightsOf(catalog, catalog.actors().current, schema->owner)) return;
  requireOwner(catalog, entry);
}

bool mayMaintain(const CatalogView& catalog, const TableEntry& entry) {
  const uint32_t role = catalog.actors().current;
  return hasRightsOf(catalog, role, entry.owner) || hasRightsOf(catalog, role, catalog.database()->owner);
}

void requireRight(const CatalogView& catalog, const SchemaEntry& schema, Privilege right) {
  if (rightsOn(catalog, catalog.actors().current, schema, right) != right) raiseDenied("schema", schema.name);
}

void requireRightOnDatabase(const CatalogView& catalog, Privilege right) {
  if (rightsOnDatabase(catalog, catalog.actors().current, right) != right)
    raiseDenied("database", catalog.database()->name);
}

void requireAnyRight(const CatalogView& catalog, const TableEntry& entry, Privilege rights) {
  if (rightsOn(catalog, catalog.actors().current, entry, rights) != None) return;
  raiseDenied(kindName(entry), entry.type ? catalog.shownName(entry) : entry.calledName());
}

void requireMayGive(const CatalogView& catalog, uint32_t owner, const std::string& schema) {
  if (isSuperuser(catalog)) return;
  if (!isMemberOf(catalog, catalog.actors().current, owner))
    throw SqlError(sqlstate::kInsufficientPrivilege,
                   fmt::format("must be member of role \"{}\"", roleName(catalog, owner)));
  const SchemaPtr entry = catalog.findSchema(schema);
  if (entry && rightsOn(catalog, owner, *entry, Create) == None)
    throw SqlError(sqlstate::kInsufficientPrivilege, fmt::format("permission denied for schema {}", schema));
}

}  // namespace gnomon::sql
