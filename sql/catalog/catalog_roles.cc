#include <algorithm>

#include "sql/catalog/catalog_transaction.h"
#include "sql/catalog/roles.h"

/// What CatalogTransaction knows of roles.
namespace gnomon::sql {

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

}  // namespace gnomon::sql
