#pragma once

#include <memory>
#include <string>
#include <vector>

#include "base/sql_error.h"
#include "sql/plpgsql/routine.h"
#include "sql/plpgsql/routine_catalog.h"

namespace gnomon::sql::plpgsql {

struct ParseOptions {
  /// What is said of a variable that hides another one: plpgsql.extra_warnings and extra_errors.
  enum class Shadowing : uint8_t { Allowed, Warned, Refused };
  bool checks_sql = true;  ///< fragments are given to SQL's grammar: check_function_bodies
  VariableConflict conflict = VariableConflict::Error;
  bool is_called = false;  ///< not defined: any error says that the routine is being compiled
  Shadowing shadowing = Shadowing::Allowed;
  std::vector<SqlError>* warnings = nullptr;  ///< gets those of Shadowing::Warned
};

/// Parses and resolves the body of a routine.
///
/// Failure: PostgreSQL's errors of CREATE FUNCTION and DO. Positions are byte offsets in the body; where PostgreSQL has
/// none, the context says the line: "compilation of PL/pgSQL function "f" near line 3". 54001 for statements nested
/// more deeply than kStatementDepthMax. Threads: any. `body` is valid UTF-8 without NUL.
std::shared_ptr<const Routine> parseRoutine(std::string body, const Signature& signature, RoutineCatalog& catalog,
                                            const ParseOptions& options = {});

/// How deep blocks, loops and branches may stand in one another.
inline constexpr uint32_t kStatementDepthMax = 500;

}  // namespace gnomon::sql::plpgsql
