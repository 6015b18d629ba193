#pragma once

#include <string>
#include <string_view>

#include "sql/catalog/privilege.h"

namespace gnomon::sql {

/// An ACL as a text that stays good whatever roles are called: of each item "grantee,grantor,rights,grantable;", in
/// decimal.
std::string storedAcl(const Acl& acl);
/// Failure: XX001.
Acl readStoredAcl(std::string_view text);

}  // namespace gnomon::sql
