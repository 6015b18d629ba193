#pragma once

#include <string_view>

#include "sql/plpgsql/tree.h"

namespace gnomon::sql::plpgsql {

/// What the context of an error calls the statement: "PL/pgSQL function f() line 3 at assignment".
std::string_view contextName(const Statement& statement);

}  // namespace gnomon::sql::plpgsql
