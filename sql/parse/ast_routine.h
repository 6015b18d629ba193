#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "sql/catalog/routine_entry.h"
#include "sql/parse/ast_expression.h"
#include "sql/parse/ast_session.h"

/// The trees of statements that define functions and procedures.
namespace gnomon::sql::ast {

struct StandardBody;

/// A type of a parameter or result.
struct RoutineType {
  TypeName name;
  bool is_set = false;      ///< SETOF
  bool is_column = false;   ///< name.schema and name.name are a relation and a column: relation.column%TYPE
  std::string schema = {};  ///< of that relation; empty: none given
};

struct RoutineParameter {
  std::string name;  ///< empty: none
  RoutineType type;
  RoutineEntry::Parameter::Mode mode = RoutineEntry::Parameter::Mode::In;
  ExpressionPtr default_value;  ///< null: none
  std::string default_text;
};

/// What CREATE and ALTER can say of a routine; empty: not said.
struct RoutineOptions {
  std::optional<Volatility> volatility;
  std::optional<bool> is_strict, is_security_definer, is_leakproof;
  std::optional<RoutineEntry::Parallel> parallel;
  std::optional<double> cost, rows;
  std::vector<Set> settings;
};

/// CREATE FUNCTION, CREATE PROCEDURE.
struct CreateRoutine {
  RelationName name;
  bool is_procedure = false;
  bool is_replacing = false;
  std::vector<RoutineParameter> parameters;
  std::optional<RoutineType> result;
  std::optional<std::string> language, body;
  std::shared_ptr<const StandardBody> standard_body;  ///< RETURN, BEGIN ATOMIC (ast_body.h); null: not said
  RoutineOptions options;
};

/// CALL.
struct Call {
  ExpressionPtr call;  ///< a Function
};

/// DO.
struct DoBlock {
  std::optional<std::string> language, body;
};

/// A routine by name, and the types of its arguments where they are given.
struct RoutineName {
  RelationName name;
  bool has_arguments = false;
  std::vector<TypeName> arguments;
};

enum class RoutineKind : uint8_t { Function, Procedure, Routine };

/// EXPLAIN FUNCTION, PROCEDURE, ROUTINE: Gnomon's own.
struct ExplainRoutine {
  RoutineKind kind = RoutineKind::Function;
  RoutineName name;
};

/// DROP FUNCTION, PROCEDURE, ROUTINE.
struct DropRoutine {
  RoutineKind kind = RoutineKind::Function;
  std::vector<RoutineName> names;
  bool if_exists = false;
  bool is_cascade = false;
};

/// ALTER FUNCTION, PROCEDURE, ROUTINE: RENAME TO, SET SCHEMA, or options.
struct AlterRoutine {
  RoutineKind kind = RoutineKind::Function;
  RoutineName name;
  std::string new_name, new_schema;  ///< empty: not said
  RoutineOptions options;
};

}  // namespace gnomon::sql::ast
