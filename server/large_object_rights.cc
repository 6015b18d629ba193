#include <fmt/format.h>

#include <algorithm>

#include "base/sql_error.h"
#include "server/large_objects.h"
#include "server/session_context.h"
#include "sql/catalog/access.h"
#include "sql/catalog/grant.h"
#include "sql/catalog/rights_definer.h"
#include "sql/catalog/roles.h"

/// What statements say of large objects: rights, owners, comments.
namespace gnomon::server {

void LargeObjects::grant(const sql::GrantStatement& statement, const sql::GrantTarget& target,
                         std::vector<SqlError>& notices) {
  LargeObject object = require(target.large_object, nullptr);
  const std::string name = fmt::format("large object {}", target.large_object);
  // What may not be touched at all is named twice by PostgreSQL.
  const sql::SecuredObject secured{.kind = sql::Securable::LargeObject,
                                   .owner = object.owner,
                                   .acl = sql::aclOf(sql::Securable::LargeObject, object.owner, object.acl),
                                   .shown = "large object " + name,
                                   .name = fmt::format("\"{}\"", name)};
  object.acl = std::make_shared<const sql::Acl>(
      sql::grantedAcl(session_.transaction.catalog(), statement, secured, target.rights, target.are_all, {}, notices));
  store_.change(target.large_object, object);
}

void LargeObjects::changeOwner(uint32_t oid, uint32_t owner) {
  LargeObject object = require(oid, nullptr);
  const sql::CatalogTransaction& catalog = session_.transaction.catalog();
  if (object.owner == owner) return;
  if (!isSuperuser(catalog)) {
    requireOwner(oid, object);
    sql::requireMayGive(catalog, owner, {});
  }
  if (object.acl) object.acl = std::make_shared<const sql::Acl>(sql::reownedAcl(*object.acl, object.owner, owner));
  object.owner = owner;
  store_.change(oid, object);
}

void LargeObjects::comment(uint32_t oid, const std::string& text) {
  LargeObject object = require(oid, nullptr);
  requireOwner(oid, object);
  object.comment = text;
  store_.change(oid, object);
}

void LargeObjects::requireNothingOf(const std::string& role_name) {
  const sql::RolePtr role = session_.transaction.catalog().findRole(role_name);
  if (!role) return;
  std::string detail;
  for (const auto& [oid, object] : store_.ofRole(role->oid))
    detail += fmt::format("{}{} large object {}", detail.empty() ? "" : "\n",
                          object.owner == role->oid ? "owner of" : "privileges for", oid);
  if (detail.empty()) return;
  throw SqlError(sqlstate::kDependentObjectsStillExist,
                 fmt::format("role \"{}\" cannot be dropped because some objects depend on it", role_name))
      .detail(detail);
}

void LargeObjects::reassign(uint32_t role, uint32_t new_owner) {
  for (auto& [oid, object] : store_.ofRole(role)) {
    if (object.owner != role) continue;
    if (object.acl) object.acl = std::make_shared<const sql::Acl>(sql::reownedAcl(*object.acl, role, new_owner));
    object.owner = new_owner;
    store_.change(oid, object);
  }
}

void LargeObjects::dropOwned(uint32_t role) {
  for (auto& [oid, object] : store_.ofRole(role)) {
    if (object.owner == role) {
      store_.remove(oid);
      continue;
    }
    sql::Acl left = *object.acl;
    std::erase_if(left, [role](const sql::AclItem& item) { return item.grantee == role || item.grantor == role; });
    object.acl = std::make_shared<const sql::Acl>(std::move(left));
    store_.change(oid, object);
  }
}

}  // namespace gnomon::server
