#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "server/session_context.h"
#include "sql/statement.h"
#include "sql/types/value.h"

namespace gnomon::server {

/// The value of an expression without columns. Failure: its SqlError.
sql::Value evaluateOnce(SessionContext& session, const sql::Expression& expression);

/// The value of each column of a COPY's table that is not in the input (NULL at the others, and where each row gets
/// another), computed once. Failure: SqlError of a default's expression.
std::vector<sql::Value> defaultValues(SessionContext& session, const sql::CopyFromStatement& statement);

/// The values of a column that each row of a COPY gets another of, which ask the session.
struct RowDefault {
  uint32_t index;  ///< of the column in the table
  std::function<sql::Value()> next;
};
/// Those of the columns that are not in the input and whose defaults are volatile, in the order of the columns.
std::vector<RowDefault> rowDefaults(SessionContext& session, const sql::CopyFromStatement& statement);

}  // namespace gnomon::server
