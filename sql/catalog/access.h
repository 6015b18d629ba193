#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "sql/catalog/acl_text.h"
#include "sql/catalog/catalog_view.h"
#include "sql/catalog/privilege.h"

/// What roles may do with objects.
///
/// Rules:  P1  who has the rights of an object's owner may do all with it that its ACL gives the owner, and give on any
///             right to it
///         P2  a superuser may do everything
///         P3  an object without an ACL has the one that its kind has by default
namespace gnomon::sql {

enum class Securable : uint8_t {
  Table,
  Column,
  Sequence,
  Database,
  Schema,
  Type,
  Function,
  Language,
  Tablespace,
  LargeObject,
  Parameter,
  DataWrapper,
  Server
};

/// All rights that there are on such an object.
Privilege allRights(Securable kind);
/// P3.
Acl defaultAcl(Securable kind, uint32_t owner);
/// Of a schema that everybody may use.
AclPtr openSchemaAcl(uint32_t owner);
inline Acl aclOf(Securable kind, uint32_t owner, const AclPtr& acl) {
  return acl ? *acl : defaultAcl(kind, owner);
}
/// Of a table, view, sequence, type or routine.
Securable securableOf(const TableEntry& entry);
/// By pg_default_acl.defaclobjtype.
Securable securableOf(char kind);
Acl aclOf(const TableEntry& entry);
/// Those of `wanted` that the role has; by P1 and the ACL alone.
Privilege rightsIn(const CatalogView& catalog, uint32_t role, const Acl& acl, Privilege wanted);
/// Those that it may give on.
Privilege grantableIn(const CatalogView& catalog, uint32_t role, uint32_t owner, const Acl& acl, Privilege wanted);

/// Those of `wanted` that the role has, by all the rules and the roles that may read or write everything.
Privilege rightsOn(const CatalogView& catalog, uint32_t role, const TableEntry& entry, Privilege wanted);
/// The same of one column, by its place, but for what it has on all; none on one that is not there.
Privilege rightsOnColumn(const CatalogView& catalog, uint32_t role, const TableEntry& entry, uint32_t column,
                         Privilege wanted);
Privilege rightsOn(const CatalogView& catalog, uint32_t role, const SchemaEntry& schema, Privilege wanted);
Privilege rightsOn(const CatalogView& catalog, uint32_t role, const DatabaseEntry& database, Privilege wanted);
/// On the catalog's own database.
Privilege rightsOnDatabase(const CatalogView& catalog, uint32_t role, Privilege wanted);

/// Whether the one for whom the thread works may read the column, so that errors may show what is in it.
bool mayBeShown(const TableEntry& entry, uint32_t column);

/// Failure: 42501 `must be owner of table x`, where the role that asks has not the rights of the owner.
/// `kind`: what it is called; empty: what it is.
void requireOwner(const CatalogView& catalog, const TableEntry& entry, std::string_view kind = {});
void requireOwner(const CatalogView& catalog, const SchemaEntry& schema);
void requireOwner(const CatalogView& catalog, const DatabaseEntry& database);
/// Of an index, which has its table's owner.
void requireIndexOwner(const CatalogView& catalog, const TableEntry& table, const std::string& index);
/// Of what goes: whoever owns the schema may take it away too.
void requireMayDrop(const CatalogView& catalog, const TableEntry& entry);
/// Whether who asks may vacuum and analyse it.
bool mayMaintain(const CatalogView& catalog, const TableEntry& entry);
/// Failure: 42501 `permission denied for schema x`.
void requireRight(const CatalogView& catalog, const SchemaEntry& schema, Privilege right);
/// Failure: 42501 `permission denied for database x`.
void requireRightOnDatabase(const CatalogView& catalog, Privilege right);
/// Failure: 42501 `permission denied for table x`, where the role that asks has none of the rights.
void requireAnyRight(const CatalogView& catalog, const TableEntry& entry, Privilege rights);

/// Whether who asks may make the role the owner of something in the schema; a superuser may give everything to
/// everybody. `schema`: empty: it is a schema. Failure: 42501.
void requireMayGive(const CatalogView& catalog, uint32_t owner, const std::string& schema);

}  // namespace gnomon::sql
