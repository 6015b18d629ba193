#pragma once

#include <string>

#include "server/session_context.h"
#include "sql/catalog/role_entry.h"

namespace gnomon::server {

/// The role of that name, once the client has shown that it may use it: a role with a password wants SCRAM-SHA-256, one
/// without trusts whoever comes, since the listener accepts loopback connections alone. AuthenticationOk is sent.
/// Failure: 08P01; 28000 for no role, or one that must not log in; 28P01; 53300 for its connection limit. The session
/// is over then.
sql::RolePtr authenticate(SessionContext& session, const std::string& name);

}  // namespace gnomon::server
