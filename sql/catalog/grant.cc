#include "sql/catalog/grant.h"

#include <algorithm>
#include <bit>

#include "base/sql_error.h"
#include "sql/catalog/roles.h"

namespace gnomon::sql {
namespace {

using enum Privilege;

constexpr SqlState kInvalidGrant("0LP01");

/// One ACL, and how it changes. Source: PostgreSQL's aclupdate and recursive_revoke.
class AclChange {
 public:
  AclChange(const CatalogView& catalog, Acl acl, uint32_t owner, bool is_cascade)
      : catalog_(catalog), acl_(std::move(acl)), owner_(owner), is_cascade_(is_cascade) {}

  void give(uint32_t grantee, uint32_t grantor, Privilege rights, Privilege grantable) {
    if (rights == None) return;
    if (grantable != None) requireNoCircle(grantee, grantor, grantable);
    auto item = find(grantee, grantor);
    if (item == acl_.end()) item = acl_.insert(acl_.end(), {grantee, grantor, None, None});
    item->rights = item->rights | rights;
    item->grantable = item->grantable | grantable;
  }

  void take(uint32_t grantee, uint32_t grantor, Privilege rights, Privilege grantable) {
    const auto item = find(grantee, grantor);
    if (item == acl_.end()) return;
    const Privilege lost = item->grantable & grantable;
    item->rights = item->rights - rights;
    item->grantable = item->grantable - grantable;
    if (item->rights == None && item->grantable == None) acl_.erase(item);
    if (lost != None && grantee != kPublicGrantee) takeFromOthers(grantee, lost);
  }

  Acl result() && { return std::move(acl_); }

 private:
  Acl::iterator find(uint32_t grantee, uint32_t grantor) {
    return std::ranges::find_if(
        acl_, [&](const AclItem& each) { return each.grantee == grantee && each.grantor == grantor; });
  }

  /// The role may not give on these rights any more: who has them from it loses them, unless it still may by way of
  /// somebody else.
  void takeFromOthers(uint32_t grantor, Privilege lost) {
    if (grantor == owner_) return;
    lost = lost - grantableIn(catalog_, grantor, owner_, acl_, lost);
    for (bool again = lost != None; again;) {
      again = false;
      for (const AclItem& item : acl_) {
        if (item.grantor != grantor || !overlaps(item.rights, lost)) continue;
        if (!is_cascade_)
          throw SqlError(sqlstate::kDependentObjectsStillExist, "dependent privileges exist")
              .hint("Use CASCADE to revoke them too.");
        const AclItem taken = item;
        take(taken.grantee, taken.grantor, lost, lost);
        again = true;
        break;
      }
    }
  }

  /// Nobody gives on what he has to thank the receiver for: without him the grantor must still have it.
  void requireNoCircle(uint32_t grantee, uint32_t grantor, Privilege grantable) const {
    if (grantor == owner_) return;
    AclChange without(catalog_, acl_, owner_, true);
    for (bool again = true; again;) {
      again = false;
      for (const AclItem& item : without.acl_) {
        if (item.grantee != grantee || item.grantable == None) continue;
        const AclItem taken = item;
        without.take(taken.grantee, taken.grantor, None, taken.grantable);
        again = true;
        break;
      }
    }
    if (contains(grantableIn(catalog_, grantor, owner_, without.acl_, grantable), grantable)) return;
    throw SqlError(kInvalidGrant, "grant options cannot be granted back to your own grantor");
  }

  const CatalogView& catalog_;
  Acl acl_;
  const uint32_t owner_;
  const bool is_cascade_;
};

}  // namespace

Grantor bestGrantor(const CatalogView& catalog, uint32_t role, uint32_t owner, const Acl& acl, Privilege rights) {
  if (hasRightsOf(catalog, role, owner)) return {owner, rights};
  Grantor best{role, None};
  for (const uint32_t each : rolesWithRightsOf(catalog, role)) {
    Privilege grantable = None;
    for (const AclItem& item : acl)
      if (item.grantee == each) grantable = grantable | (item.grantable & rights);
    if (std::popcount(static_cast<uint16_t>(grantable)) > std::popcount(static_cast<uint16_t>(best.grantable)))
      best = {each, grantable};
    if (best.grantable == rights) break;
  }
  return best;
}

Acl changedAcl(const CatalogView& catalog, Acl acl, uint32_t owner, uint32_t grantor, const GrantChange& change) {
  AclChange changing(catalog, std::move(acl), owner, change.is_cascade);
  for (const uint32_t grantee : change.grantees) {
    if (change.is_grant && change.is_option && grantee == kPublicGrantee)
      throw SqlError(kInvalidGrant, "grant options can only be granted to roles");
    if (change.is_grant)
      changing.give(grantee, grantor, change.rights, change.is_option ? change.rights : None);
    else
      changing.take(grantee, grantor, change.is_option ? None : change.rights, change.rights);
  }
  return std::move(changing).result();
}

Acl reownedAcl(const Acl& acl, uint32_t before, uint32_t after) {
  Acl result;
  for (AclItem item : acl) {
    if (item.grantee == before) item.grantee = after;
    if (item.grantor == before) item.grantor = after;
    const auto same = std::ranges::find_if(
        result, [&](const AclItem& each) { return each.grantee == item.grantee && each.grantor == item.grantor; });
    if (same == result.end()) {
      result.push_back(item);
      continue;
    }
    same->rights = same->rights | item.rights;
    same->grantable = same->grantable | item.grantable;
  }
  return result;
}

Acl sortedAcl(Acl acl) {
  std::ranges::sort(acl, {}, [](const AclItem& item) { return std::pair(item.grantee, item.grantor); });
  return acl;
}

AclPtr firstAcl(const CatalogView& catalog, char kind, const std::string& schema_name) {
  const uint32_t owner = catalog.actors().current;
  const RolePtr role = catalog.findRole(owner);
  if (!role || role->defaults.empty()) return nullptr;
  const SchemaPtr schema = catalog.findSchema(schema_name);
  const auto find = [&](uint32_t in) -> const DefaultAcl* {
    for (const DefaultAcl& each : role->defaults)
      if (each.database == catalog.database()->oid && each.kind == kind && each.schema == in) return &each;
    return nullptr;
  };
  const DefaultAcl* const everywhere = find(0);
  const DefaultAcl* const there = schema ? find(schema->oid) : nullptr;
  const Acl first = sortedAcl(defaultAcl(securableOf(kind), owner));
  Acl acl = everywhere != nullptr ? everywhere->acl : first;
  for (const AclItem& item : there != nullptr ? there->acl : Acl()) {
    acl = changedAcl(catalog, std::move(acl), owner, item.grantor, {true, false, false, item.rights, {item.grantee}});
    if (item.grantable != None)
      acl =
          changedAcl(catalog, std::move(acl), owner, item.grantor, {true, true, false, item.grantable, {item.grantee}});
  }
  acl = sortedAcl(std::move(acl));
  return acl == first ? nullptr : std::make_shared<const Acl>(std::move(acl));
}

}  // namespace gnomon::sql
