#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/sql_error.h"
#include "sql/algebra/expression.h"
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
  /// What it says of the routine's settings.
  struct Setting {
    std::string name;                  ///< empty: of all
    std::optional<std::string> value;  ///< none: nothing is said of it any more
    bool is_current = false;           ///< the value that it has
  };
  std::vector<Setting> settings = {};
};

/// CALL.
struct CallStatement {
  TablePtr routine;
  std::vector<ExpressionPtr> inputs;  ///< without columns
  /// Of each parameter that gives something back: the number of the statement's parameter that is its argument; none:
  /// the argument is something else.
  std::vector<std::optional<uint32_t>> outputs;
};

/// DO.
struct DoStatement {
  std::string body;
};

/// EXPLAIN FUNCTION: shows the code.
struct ExplainRoutineStatement {
  TablePtr routine;
};

/// DROP FUNCTION, PROCEDURE, ROUTINE.
struct DropRoutineStatement {
  std::vector<TablePtr> routines;
  bool is_cascade = false;        ///< views that need them go as well
  std::vector<SqlError> notices;  ///< of those that are not there, under IF EXISTS
};

}  // namespace gnomon::sql
