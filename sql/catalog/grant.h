#pragma once

#include "sql/catalog/access.h"
#include "sql/privilege_statement.h"

/// GRANT and REVOKE as changes of ACLs.
namespace gnomon::sql {

/// What is given or taken.
struct GrantChange {
  bool is_grant = true;
  bool is_option = false;
  bool is_cascade = false;
  Privilege rights = Privilege::None;
  std::vector<uint32_t> grantees;
};

/// Who gives a right: the owner where the role has his rights, else the one of its roles that may give on most of
/// them; and those that this one may give on.
struct Grantor {
  uint32_t role = 0;
  Privilege grantable = Privilege::None;
};
Grantor bestGrantor(const CatalogView& catalog, uint32_t role, uint32_t owner, const Acl& acl, Privilege rights);

/// The ACL afterwards. Failure: 0LP01 for options for everybody, and for those that would come back to who gave them;
/// 2BP01 where others got the right from who loses it, without CASCADE.
Acl changedAcl(const CatalogView& catalog, Acl acl, uint32_t owner, uint32_t grantor, const GrantChange& change);
/// The ACL of an object that gets another owner: what was given by, and to, the old one is the new one's.
Acl reownedAcl(const Acl& acl, uint32_t before, uint32_t after);

/// In the order in which default rights are kept, and given.
Acl sortedAcl(Acl acl);
/// The ACL of what who asks makes in a schema, by his default rights; `kind`: as DefaultAcl's. Null: that of its kind.
AclPtr firstAcl(const CatalogView& catalog, char kind, const std::string& schema);

}  // namespace gnomon::sql
