#pragma once

#include <cstdint>
#include <string_view>

#include "sql/plpgsql/routine.h"
#include "sql/plpgsql/token_cursor.h"

/// Pieces of SQL in a body, given to SQL's grammar. Failure: its errors, with positions in the body.
namespace gnomon::sql::plpgsql {

void checkSql(const Routine& routine, const Fragment& fragment);

/// The target of an assignment: tokens from `first_token`, of which those before `behind_names` spell a variable, and
/// fields and subscripts behind them. `end_token`: the statement's semicolon; `end`: where its text ends. Returns the
/// token that is its := or =. `checks` what is in the brackets.
uint32_t checkAssignmentTarget(const TokenCursor& cursor, std::string_view body, uint32_t first_token,
                               uint32_t behind_names, uint32_t end_token, uint32_t end, bool checks);

}  // namespace gnomon::sql::plpgsql
