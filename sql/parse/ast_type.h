#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "sql/parse/ast_definition.h"

/// The trees of statements that define types.
namespace gnomon::sql::ast {

/// CREATE TYPE ... AS ENUM, or AS a list of attributes.
struct CreateType {
  RelationName name;
  bool is_enum = false;
  std::vector<std::string> labels;           ///< of an enum
  std::vector<ColumnDefinition> attributes;  ///< of a composite type
};

/// CREATE DOMAIN.
struct CreateDomain {
  RelationName name;
  ColumnDefinition value;  ///< the type below it, NOT NULL and DEFAULT
  std::vector<CheckConstraint> checks;
};

/// ALTER TYPE of an enum: ADD VALUE, or RENAME VALUE.
struct AlterEnum {
  RelationName name;
  std::string label;
  std::string new_label;   ///< RENAME VALUE; empty: ADD VALUE
  std::string neighbour;   ///< ADD VALUE ... BEFORE or AFTER this one; empty: behind all
  bool is_behind = false;  ///< AFTER
  bool if_not_exists = false;
};

/// ALTER DOMAIN.
struct AlterDomain {
  enum class Kind : uint8_t {
    SetDefault,
    DropDefault,
    SetNotNull,
    DropNotNull,
    AddCheck,
    DropConstraint,
    ValidateConstraint,
    RenameConstraint
  };
  RelationName name;
  Kind kind = Kind::DropDefault;
  ExpressionPtr default_value;  ///< SetDefault
  std::string default_text;
  CheckConstraint check;   ///< AddCheck
  std::string constraint;  ///< of the others
  std::string new_name;    ///< RenameConstraint
  bool if_exists = false;
  bool is_cascade = false;
};

/// ALTER TYPE of a composite type: ADD, DROP, ALTER ATTRIBUTE, one after the other, or RENAME ATTRIBUTE.
struct AlterComposite {
  enum class Kind : uint8_t { Add, Drop, SetType, Rename };
  struct Command {
    Kind kind = Kind::Add;
    ColumnDefinition attribute;  ///< its name in all of them
    std::string new_name;        ///< Rename
    bool if_exists = false;
  };
  RelationName name;
  std::vector<Command> commands;
};

/// ALTER TYPE, or ALTER DOMAIN, ... RENAME TO.
struct RenameType {
  RelationName name;
  std::string new_name;
  bool is_domain = false;
};

/// DROP TYPE, DROP DOMAIN.
struct DropType {
  std::vector<RelationName> names;
  bool if_exists = false;
  bool is_cascade = false;
  bool are_domains = false;
};

}  // namespace gnomon::sql::ast
