#pragma once

#include <string>
#include <vector>

#include "base/sql_error.h"
#include "sql/catalog/table_entry.h"

/// Statements that define functions and procedures.
namespace gnomon::sql {

/// CREATE FUNCTION, CREATE PROCEDURE and what ALTER makes of them.
struct DefineRoutineStatement {
  TablePtr before;             ///< null: it is new
  std::string schema;          ///< afterwards
  RoutineEntry routine;        ///< afterwards
  std::vector<TablePtr> used;  ///< types that it takes or returns
  std::vector<SqlError> notices;
};

/// DROP FUNCTION, PROCEDURE, ROUTINE.
struct DropRoutineStatement {
  std::vector<TablePtr> routines;
  bool is_cascade = false;        ///< views that need them go as well
  std::vector<SqlError> notices;  ///< of those that are not there, under IF EXISTS
};

}  // namespace gnomon::sql
