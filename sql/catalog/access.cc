#include "sql/catalog/access.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>

#include "base/sql_error.h"
#include "sql/catalog/catalog_session.h"
#include "sql/catalog/dependent_views.h"
#include "sql/catalog/roles.h"

namespace gnomon::sql {
namespace {

using enum Privilege;

struct Named {
  Privilege right;
  std::string_view name;
  char letter;
};
/// In the order of their bits.
constexpr std::array<Named, 12> kNames{{{Insert, "INSERT", 'a'},
                                        {Select, "SELECT", 'r'},
                                        {Update, "UPDATE", 'w'},
                                        {Delete, "DELETE", 'd'},
                                        {Truncate, "TRUNCATE", 'D'},
                                        {References, "REFERENCES", 'x'},
                                        {Trigger, "TRIGGER", 't'},
                                        {Execute, "EXECUTE", 'X'},
                                        {Usage, "USAGE", 'U'},
                                        {Create, "CREATE", 'C'},
                                        {Temporary, "TEMPORARY", 'T'},
                                        {Connect, "CONNECT", 'c'}}};

[[noreturn]] void raiseDenied(std::string_view kind, std::string_view name) {
  throw SqlError(sqlstate::kInsufficientPrivilege, fmt::format("permission denied for {} {}", kind, name));
}

[[noreturn]] void raiseNotOwner(std::string_view kind, std::string_view name) {
  throw SqlError(sqlstate::kInsufficientPrivilege, fmt::format("must be owner of {} {}", kind, name));
}

/// A role's name as an ACL shows it.
std::string shownRole(const CatalogView& catalog, uint32_t role) {
  const RolePtr entry = catalog.findRole(role);
  const std::string name = entry ? entry->name : std::to_string(role);
  const bool is_plain =
      std::ranges::all_of(name, [](char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_'; });
  if (is_plain) return name;
  std::string quoted = "\"";
  for (const char c : name) quoted.append(c == '"' ? 2 : 1, c);
  return quoted + "\"";
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
      return Usage;
  }
  return None;
}

Acl defaultAcl(Securable kind, uint32_t owner) {
  Acl acl;
  const Privilege for_all = kind == Securable::Database ? Temporary | Connect : kind == Securable::Type ? Usage : None;
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
  return entry.sequence ? Securable::Sequence : entry.type ? Securable::Type : Securable::Table;
}

Acl aclOf(const TableEntry& entry) {
  return aclOf(securableOf(entry), entry.owner, entry.acl);
}

std::string_view privilegeName(Privilege right) {
  return std::ranges::find(kNames, right, &Named::right)->name;
}

Privilege findPrivilege(std::string_view name) {
  std::string upper(name);
  for (char& c : upper) c = static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
  if (upper == "TEMP") return Temporary;
  const auto* const found = std::ranges::find(kNames, upper, &Named::name);
  return found == kNames.end() ? None : found->right;
}

std::string privilegeLetters(Privilege rights, Privilege grantable) {
  std::string letters;
  for (const Named& each : kNames) {
    if (overlaps(rights, each.right)) letters += each.letter;
    if (overlaps(grantable, each.right)) letters += '*';
  }
  return letters;
}

std::string aclItemText(const CatalogView& catalog, const AclItem& item) {
  const std::string grantee = item.grantee == kPublicGrantee ? std::string() : shownRole(catalog, item.grantee);
  return fmt::format("{}={}/{}", grantee, privilegeLetters(item.rights, item.grantable),
                     shownRole(catalog, item.grantor));
}

std::vector<std::string> aclTexts(const CatalogView& catalog, const Acl& acl) {
  std::vector<std::string> texts;
  for (const AclItem& item : acl) texts.push_back(aclItemText(catalog, item));
  return texts;
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
  if (isSuperuser(catalog, role)) return wanted;
  Privilege found = rightsIn(catalog, role, aclOf(entry), wanted);
  if (entry.type || found == wanted) return found;
  if (overlaps(wanted - found, Select) && hasRightsOf(catalog, role, kReadAllDataRole)) found = found | Select;
  const Privilege writing = Insert | Update | Delete;
  if (overlaps(wanted - found, writing) && hasRightsOf(catalog, role, kWriteAllDataRole)) found = found | writing;
  return found & wanted;
}

Privilege rightsOnColumn(const CatalogView& catalog, uint32_t role, const TableEntry& entry, uint32_t column,
                         Privilege wanted) {
  if (isSuperuser(catalog, role)) return wanted;
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

Privilege rightsOnDatabase(const CatalogView& catalog, uint32_t role, Privilege wanted) {
  if (isSuperuser(catalog, role)) return wanted;
  return rightsIn(catalog, role, defaultAcl(Securable::Database, kRoleOid), wanted);
}

void requireOwner(const CatalogView& catalog, const TableEntry& entry) {
  if (hasRightsOf(catalog, catalog.actors().current, entry.owner)) return;
  raiseNotOwner(kindName(entry), entry.type ? catalog.shownName(entry) : entry.name);
}

void requireOwner(const CatalogView& catalog, const SchemaEntry& schema) {
  if (!hasRightsOf(catalog, catalog.actors().current, schema.owner)) raiseNotOwner("schema", schema.name);
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
  return hasRightsOf(catalog, role, entry.owner) || hasRightsOf(catalog, role, kRoleOid);
}

void requireRight(const CatalogView& catalog, const SchemaEntry& schema, Privilege right) {
  if (rightsOn(catalog, catalog.actors().current, schema, right) != right) raiseDenied("schema", schema.name);
}

void requireRightOnDatabase(const CatalogView& catalog, Privilege right) {
  if (rightsOnDatabase(catalog, catalog.actors().current, right) != right) raiseDenied("database", kDatabaseName);
}

void requireAnyRight(const CatalogView& catalog, const TableEntry& entry, Privilege rights) {
  if (rightsOn(catalog, catalog.actors().current, entry, rights) != None) return;
  raiseDenied(kindName(entry), entry.type ? catalog.shownName(entry) : entry.name);
}

}  // namespace gnomon::sql
