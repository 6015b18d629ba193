#pragma once

#include "sql/catalog/catalog_row.h"
#include "sql/catalog/privilege.h"

/// Items of ACLs in rows of the catalog: grantee, grantor and rights, in columns beside each other. Those that may be
/// given on are 16 bits above. An ACL without items has a row of no rights.
namespace gnomon::sql {

inline int64_t storedRights(const AclItem& item) {
  return static_cast<int64_t>(item.rights) | (static_cast<int64_t>(item.grantable) << 16);
}

/// Calls `store` with each item that is to have a row.
template <typename Store>
void forEachStored(const Acl& acl, Store&& store) {
  if (acl.empty()) store(AclItem{});
  for (const AclItem& item : acl) store(item);
}

/// `grantee`: the first of the columns.
inline AclItem readAclItem(const storage::RowCursor& row, uint32_t grantee) {
  const auto rights = static_cast<uint32_t>(readNumber(row, grantee + 2));
  return {static_cast<uint32_t>(readNumber(row, grantee)), static_cast<uint32_t>(readNumber(row, grantee + 1)),
          static_cast<Privilege>(rights & 0xffffU), static_cast<Privilege>(rights >> 16)};
}

}  // namespace gnomon::sql
