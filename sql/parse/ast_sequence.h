#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "sql/parse/ast_expression.h"

/// The trees of statements that define sequences.
namespace gnomon::sql::ast {

/// An option of CREATE or ALTER SEQUENCE, or of an identity column.
struct SequenceOption {
  enum class Kind : uint8_t { Type, Increment, Minimum, Maximum, Start, Restart, Cache, Cycle, OwnedBy, Name };
  Kind kind = Kind::Increment;
  std::string number;              ///< as written; empty: NO MINVALUE, NO MAXVALUE, RESTART alone
  bool is_on = false;              ///< Cycle
  TypeName type;                   ///< Type
  std::vector<std::string> names;  ///< OwnedBy: [schema,] table, column, or "none" alone; Name: [schema,] name
  int32_t position = -1;
};

/// GENERATED ... AS IDENTITY.
struct IdentityDefinition {
  bool is_always = false;
  std::vector<SequenceOption> options;
};

struct CreateSequence {
  RelationName relation;
  std::vector<SequenceOption> options;
  bool if_not_exists = false;
};

struct AlterSequence {
  RelationName relation;
  std::vector<SequenceOption> options;
  bool if_exists = false;
};

struct DropSequence {
  std::vector<RelationName> relations;
  bool if_exists = false;
  bool is_cascade = false;
};

}  // namespace gnomon::sql::ast
