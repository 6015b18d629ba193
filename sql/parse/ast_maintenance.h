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

}  // namespace gnomon::sql::ast
