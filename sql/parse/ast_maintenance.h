#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "sql/parse/ast_definition.h"

/// The trees of statements that tend what is stored, and of extensions.
namespace gnomon::sql::ast {

/// VACUUM, or ANALYZE.
struct Vacuum {
  bool is_vacuum = false;
  std::vector<Option> options;
  std::vector<RelationName> relations;            ///< none: all tables
  std::vector<std::vector<std::string>> columns;  ///< that are named of each; empty: all
};

struct Checkpoint {};

/// REINDEX.
struct Reindex {
  enum class What : uint8_t { Index, Table, Schema, Database, System };
  What what = What::Table;
  RelationName relation;  ///< Index, Table
  std::string name;       ///< Schema, Database, System
  std::vector<Option> options;
};

/// CREATE EXTENSION.
struct CreateExtension {
  std::string name;
  bool if_not_exists = false;
  std::string schema = {};   ///< empty: none given
  std::string version = {};  ///< the same
};

/// DROP EXTENSION.
struct DropExtension {
  std::vector<std::string> names;
  bool if_exists = false;
  bool is_cascade = false;
};

/// DROP of an object of a kind that nobody can make here, so that only the system's own are there: an operator, a
/// policy, a publication.
struct DropOther {
  enum class Kind : uint8_t {
    ForeignTable,
    TextSearch,
    Collation,
    Conversion,
    Statistics,
    Named,  ///< without a schema: a publication, a server
    Rule,
    Policy,
    OfMethod,  ///< operator class or family
    Aggregate,
    Operator,
    Cast,
    Transform
  };
  struct Object {
    RelationName name;                 ///< Rule, Policy: of the relation; Cast, Transform: unused
    std::string of = {};               ///< Rule, Policy: its name; OfMethod: the access method; Transform: the language
    std::vector<TypeName> types = {};  ///< Aggregate: arguments; Operator: both or the right one; Cast; Transform
  };
  Kind kind = Kind::Named;
  std::string what;  ///< as messages name it: "foreign table"
  std::vector<Object> objects;
  bool if_exists = false;
};

}  // namespace gnomon::sql::ast
