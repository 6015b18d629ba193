#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "sql/catalog/foreign_key.h"
#include "sql/parse/ast_expression.h"

/// The trees of statements that define tables and indexes.
namespace gnomon::sql::ast {

/// name [value] inside the parentheses of COPY or EXPLAIN, or a storage parameter.
struct Option {
  std::string name;
  std::optional<std::string> value;
  bool is_list = false;  ///< a parenthesised list or *
  int32_t position = -1;
};

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

struct ColumnDefinition {
  std::string name;
  TypeName type;
  bool not_null = false;
  bool nullable_stated = false;  ///< the word NULL stands there
  ExpressionPtr default_value;   ///< null: none
  std::string default_text;      ///< as written
  std::optional<IdentityDefinition> identity;
  int32_t position = -1;
};

/// PRIMARY KEY or UNIQUE, of a table or of one column.
struct KeyConstraint {
  std::string name;  ///< empty: none given
  std::vector<std::string> columns;
  bool is_primary = false;
  int32_t position = -1;
};

/// CHECK, of a table or of one column.
struct CheckConstraint {
  std::string name;  ///< empty: none given
  ExpressionPtr expression;
  std::string expression_text;  ///< as written
  bool is_not_valid = false;    ///< NOT VALID
};

/// REFERENCES of a column, or FOREIGN KEY of a table.
struct ForeignKey {
  std::string name;  ///< empty: none given
  std::vector<std::string> columns;
  RelationName parent;                      ///< the table that is referred to
  std::vector<std::string> parent_columns;  ///< empty: its primary key
  ReferentialAction on_delete = ReferentialAction::NoAction;
  ReferentialAction on_update = ReferentialAction::NoAction;
  std::vector<std::string> set_columns;  ///< of ON DELETE SET NULL or SET DEFAULT; empty: all of the key
  bool is_full = false;                  ///< MATCH FULL
  bool is_not_valid = false;             ///< NOT VALID
};

/// Those of a table or of one column, in the order in which they were written.
struct Constraints {
  std::vector<KeyConstraint> keys;
  std::vector<CheckConstraint> checks;
  std::vector<ForeignKey> foreign_keys;
};

struct CreateTable {
  RelationName relation;
  std::vector<ColumnDefinition> columns;
  Constraints constraints;
  std::vector<Option> parameters;  ///< WITH
  bool if_not_exists = false;
};

struct IndexPart {
  std::string column;           ///< empty: an expression
  ExpressionPtr expression;     ///< null: a column
  std::string expression_text;  ///< as written
  bool descending = false;
  bool nulls_first = false;
};

struct CreateIndex {
  std::string name;  ///< empty: none given
  RelationName relation;
  std::vector<IndexPart> parts;
  ExpressionPtr where;     ///< null: none
  std::string where_text;  ///< as written
  bool is_unique = false;
  bool if_not_exists = false;
};

/// One command of ALTER TABLE.
struct AlterCommand {
  enum class Kind : uint8_t {
    AddColumn,
    DropColumn,
    SetDefault,
    DropDefault,
    SetNotNull,
    DropNotNull,
    AddKey,
    AddCheck,
    AddForeignKey,
    ValidateConstraint,
    DropConstraint,
    SetParameters,
    ResetParameters,
    AddIdentity,
    SetIdentity,
    DropIdentity
  };
  Kind kind = Kind::AddColumn;
  std::string name;             ///< the column or constraint; empty for what is added
  ColumnDefinition column;      ///< AddColumn
  Constraints constraints;      ///< AddKey, AddCheck, AddForeignKey: one; AddColumn: of the column
  ExpressionPtr default_value;  ///< SetDefault
  std::string default_text;
  std::vector<Option> parameters;  ///< SetParameters, ResetParameters: storage parameters
  IdentityDefinition identity;     ///< AddIdentity, SetIdentity
  bool sets_generation = false;    ///< SetIdentity: ALWAYS or BY DEFAULT is said
  bool if_exists = false;
  bool if_not_exists = false;
  bool is_cascade = false;  ///< DropColumn, DropConstraint: foreign keys of other tables that need it go as well
};

struct AlterTable {
  RelationName relation;
  std::vector<AlterCommand> commands;
  bool if_exists = false;
};

/// ALTER TABLE ... RENAME, or ALTER SEQUENCE ... RENAME.
struct Rename {
  RelationName relation;
  enum class What : uint8_t { Table, Column, Constraint, Sequence };
  What what = What::Table;
  std::string name;  ///< of the column or constraint
  std::string new_name;
  bool if_exists = false;
};

/// VACUUM, or ANALYZE.
struct Vacuum {
  bool is_vacuum = false;
  std::vector<Option> options;
  std::vector<RelationName> relations;  ///< none: all tables
  bool has_columns = false;             ///< columns are named, of some relation
};

struct Checkpoint {};

struct DropIndex {
  std::vector<RelationName> indexes;
  bool if_exists = false;
  bool is_cascade = false;
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

/// DROP TABLE, DROP VIEW.
struct DropTable {
  std::vector<RelationName> relations;
  bool if_exists = false;
  bool is_cascade = false;
  bool are_views = false;
};

}  // namespace gnomon::sql::ast
