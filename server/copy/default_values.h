#pragma once

#include <vector>

#include "server/session_context.h"
#include "sql/statement.h"
#include "sql/types/value.h"

namespace gnomon::server {

/// The value of an expression without columns. Failure: its SqlError.
sql::Value evaluateOnce(SessionContext& session, const sql::Expression& expression);

/// The value of each column of a COPY's table that is not in the input (NULL at the others), computed once: every
/// function there is gives the same for all rows. Failure: SqlError of a default's expression.
std::vector<sql::Value> defaultValues(SessionContext& session, const sql::CopyFromStatement& statement);

}  // namespace gnomon::server
