#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "sql/catalog/catalog_view.h"
#include "sql/catalog/privilege.h"

/// Rights and ACLs as texts.
namespace gnomon::sql {

/// One right as SQL calls it: "SELECT".
std::string_view privilegeName(Privilege right);
/// The right of that name, in any case; None: there is none.
Privilege findPrivilege(std::string_view name);
/// "r*w" for SELECT, which may be given on, and UPDATE.
std::string privilegeLetters(Privilege rights, Privilege grantable);
/// As PostgreSQL shows it: "name=r*w/name".
std::string aclItemText(const CatalogView& catalog, const AclItem& item);
std::vector<std::string> aclTexts(const CatalogView& catalog, const Acl& acl);
/// That read back; a role that is not there any more is shown by its oid. Failure: 22P02, 42704.
AclItem parseAclItem(const CatalogView& catalog, std::string_view text);
/// As it is shown, of the session for which the thread works. Failure: the same.
std::string canonicalAclItem(std::string_view text);

}  // namespace gnomon::sql
