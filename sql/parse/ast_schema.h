#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "sql/parse/ast_expression.h"
#include "sql/parse/ast_routine.h"
#include "sql/role_statement.h"

/// The trees of statements that define schemas, put objects into them, and say what objects are.
namespace gnomon::sql::ast {

struct Statement;

/// ALTER TABLE, VIEW or SEQUENCE ... SET SCHEMA, or RENAME of a view or index.
struct Move {
  enum class Kind : uint8_t { Table, View, Sequence, Index, MaterializedView };
  RelationName relation;
  Kind kind = Kind::Table;
  std::string new_schema;  ///< empty: a new name
  std::string new_name;
  bool if_exists = false;
};

struct CreateSchema {
  std::string name;               ///< empty: that of its owner
  std::optional<RoleName> owner;  ///< AUTHORIZATION
  bool if_not_exists = false;
  std::vector<std::shared_ptr<Statement>> elements;  ///< what is to be in it
};

/// ALTER SCHEMA ... RENAME TO, OWNER TO.
struct AlterSchema {
  std::string name;
  std::string new_name;  ///< empty: an owner
  RoleName owner = {};
};

struct DropSchema {
  std::vector<std::string> names;
  bool if_exists = false;
  bool is_cascade = false;
};

/// COMMENT ON.
struct Comment {
  enum class What : uint8_t {
    Table,
    View,
    Sequence,
    Index,
    Column,
    Constraint,
    Schema,
    MaterializedView,
    Type,
    Domain,
    DomainConstraint,
    Routine,
    Trigger,
    Database,
    LargeObject,
    Extension
  };
  What what = What::Table;
  RelationName relation;  ///< or the type, or that which has the column or constraint
  std::string name;       ///< of the column, constraint, trigger, schema, database or extension
  RoutineName routine = {};
  RoutineKind routine_kind = RoutineKind::Function;
  uint32_t large_object = 0;
  std::string comment;  ///< empty: it goes
};

}  // namespace gnomon::sql::ast
