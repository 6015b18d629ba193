#pragma once

#include <span>
#include <vector>

#include "server/session_context.h"
#include "sql/statement.h"
#include "sql/types/value.h"

namespace gnomon::server {

/// What CALL gives to the routine. `parameters`: of the statement. Failure: that of the expressions.
std::vector<sql::Value> inputsOf(SessionContext& session, const sql::CallStatement& call,
                                 std::span<const sql::Value> parameters);

/// The expression's value, with these as its parameters. Failure: as above.
sql::Value evaluateWith(SessionContext& session, const sql::Expression& expression,
                        std::span<const sql::Value> parameters);

}  // namespace gnomon::server
