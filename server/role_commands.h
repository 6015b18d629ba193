#pragma once

#include <optional>

#include "server/session_context.h"
#include "server/utility.h"
#include "sql/bound_statement.h"
#include "sql/catalog/role_entry.h"

namespace gnomon::server {

/// Executes a statement about roles; nothing: it is another one.
std::optional<UtilityResult> runRoleStatement(SessionContext& session, const sql::BoundStatement& bound);

/// With the setting's name as it is shown, and a value that sessions can begin with. `command`: ALTER ROLE, or
/// DATABASE. Failure: as Settings.
sql::RoleSettingStatement checkedSetting(const SessionContext& session, sql::RoleSettingStatement statement,
                                         std::string_view command = "ALTER ROLE");

/// The session begins, as that of a role that has logged in.
void beginAs(SessionContext& session, const sql::RoleEntry& role);
/// SET and RESET of `role` and `session_authorization`. False: it is another setting. Failure: 22023 for a role that is
/// not there, 42501.
bool setActor(SessionContext& session, const sql::SetStatement& statement);

}  // namespace gnomon::server
