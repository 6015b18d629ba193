#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "sql/parse/ast_expression.h"
#include "sql/plpgsql/datum.h"

namespace gnomon::sql::plpgsql {

/// What a routine's declarations ask the catalog.
///
/// Failure: SqlErrors as PostgreSQL words them; their positions mean nothing.
/// Threads: the caller's.
class RoutineCatalog {
 public:
  virtual ~RoutineCatalog() = default;

  /// A type as SQL's grammar reads it. Failure: 42704, 3F000, 22023 and so on.
  virtual VariableType typeOf(const ast::TypeName& name) = 0;
  /// The type of a column, schema empty: found by the search path. None: there is no such table, or column in it.
  virtual std::optional<VariableType> columnType(std::string_view schema, std::string_view relation,
                                                 std::string_view column) = 0;
  /// The rows of a relation. Failure: 42P01; 42809 for one without rows.
  virtual VariableType rowType(std::string_view schema, std::string_view relation) = 0;
  /// Failure: 42704 when there is no such collation. `names`: up to three, the last one its own.
  virtual void requireCollation(std::span<const std::string> names) = 0;
};

struct Parameter {
  enum class Mode : uint8_t { In, Out, InOut, Variadic, Table };
  std::string name;  ///< empty: none
  VariableType type;
  Mode mode = Mode::In;
};

/// What a body is parsed for.
struct Signature {
  enum class Kind : uint8_t { Function, Procedure, Trigger, EventTrigger, InlineBlock };
  Kind kind = Kind::Function;
  std::string name;  ///< without schema: the label around the body
  std::vector<Parameter> parameters;
  /// What is declared behind RETURNS, one of the set's; none: nothing is, or void, trigger, event_trigger or TABLE.
  std::optional<VariableType> result;
  /// Of a trigger that is known: the type of its table's rows, which NEW and OLD have; none: any rows.
  std::optional<VariableType> trigger_row;
  bool returns_set = false;
  bool returns_void = false;  ///< procedures and inline blocks do
  /// The type of the result where the declared one is polymorphic: the body calls it $0.
  std::optional<VariableType> polymorphic_result;
};

}  // namespace gnomon::sql::plpgsql
