#pragma once

#include <optional>

#include "server/session_context.h"
#include "server/utility.h"
#include "sql/bound_statement.h"
#include "sql/catalog/role_entry.h"

namespace gnomon::server {

/// Executes a statement about databases; nothing: it is another one.
std::optional<UtilityResult> runDatabaseStatement(SessionContext& session, const sql::BoundStatement& bound);

/// The session, whose role has logged in, begins in this database. Failure: 3D000 where there is none, 55000, 42501,
/// 53300.
void enterDatabase(SessionContext& session, const std::string& name, const sql::RoleEntry& role);

}  // namespace gnomon::server
