#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "sql/catalog/foreign_key.h"
#include "sql/catalog/view_entry.h"
#include "sql/parse/ast_expression.h"
#include "sql/parse/ast_partition.h"
#include "sql/parse/ast_sequence.h"

/// The trees of statements that define tables and indexes.
namespace gnomon::sql::ast {

/// name [value] inside the parentheses of COPY or EXPLAIN, or a storage parameter.
struct Option {
  std::string name;
  std::optional<std::string> value;
  bool is_list = false;            ///< a parenthesised list or *
  std::vector<std::string> names;  ///< of such a list
  bool is_star = false;            ///< *
  int32_t position = -1;
};

struct ColumnDefinition {
  std::string name;
  TypeName type;
  bool not_null = false;
  bool nullable_stated = false;  ///< the word NULL stands there
  ExpressionPtr default_value;   ///< null: none
  std::string default_text;      ///< as written
  std::optional<IdentityDefinition> identity;
  ExpressionPtr generated;     ///< GENERATED ALWAYS AS (...) STORED; null: it is not
  std::string generated_text;  ///< as written
  int32_t position = -1;
};

/// PRIMARY KEY or UNIQUE, of a table or of one column.
struct KeyConstraint {
  std::string name;  ///< empty: none given
  std::vector<std::string> columns;
  bool is_primary = false;
  int32_t position = -1;
  bool is_deferrable = false, is_deferred = false;
  bool nulls_are_equal = false;            ///< NULLS NOT DISTINCT
  std::vector<std::string> included = {};  ///< INCLUDE
  std::vector<Option> parameters = {};     ///< WITH, of its index
  std::string index = {};                  ///< USING INDEX; empty: a new one
};

/// CHECK, of a table or of one column.
struct CheckConstraint {
  std::string name;  ///< empty: none given
  ExpressionPtr expression;
  std::string expression_text;  ///< as written
  bool is_not_valid = false;    ///< NOT VALID
  bool is_no_inherit = false;   ///< NO INHERIT
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
  bool is_deferrable = false, is_deferred = false;
};

/// Those of a table or of one column, in the order in which they were written.
struct Constraints {
  std::vector<KeyConstraint> keys;
  std::vector<CheckConstraint> checks;
  std::vector<ForeignKey> foreign_keys;
};

/// What becomes of a temporary table's rows, or of itself, when a transaction commits.
enum class OnCommit : uint8_t { PreserveRows, DeleteRows, Drop };

/// LIKE table [INCLUDING ...], among the columns.
struct TableLike {
  RelationName relation;
  size_t place = 0;  ///< how many columns are written before it
  bool defaults = false, constraints = false, identity = false, generated = false, indexes = false, comments = false;
};

struct CreateTable {
  RelationName relation;
  std::optional<PartitionSpecification> partition_by;
  std::optional<PartitionBound> bound;  ///< of a partition, of `parent`
  RelationName parent;
  OnCommit on_commit = OnCommit::PreserveRows;
  std::vector<TableLike> likes;
  std::vector<ColumnDefinition> columns;
  Constraints constraints;
  std::vector<Option> parameters;  ///< WITH
  bool if_not_exists = false;
  bool is_unlogged = false;
};

struct IndexPart {
  std::string column;                               ///< empty: an expression
  ExpressionPtr expression;                         ///< null: a column
  std::string expression_text;                      ///< as written
  std::string operator_class;                       ///< empty: none is named
  std::vector<std::string> collation;               ///< empty: none is named
  bool has_order = false, has_nulls_order = false;  ///< ASC, DESC; NULLS FIRST, NULLS LAST are said
  bool descending = false;
  bool nulls_first = false;
};

struct CreateIndex {
  std::string name;  ///< empty: none given
  RelationName relation;
  std::vector<IndexPart> parts;
  ExpressionPtr where;     ///< null: none
  std::string where_text;  ///< as written
  std::vector<IndexPart> included;
  std::vector<Option> parameters;  ///< WITH
  std::string method;              ///< USING
  bool is_concurrent = false;
  bool is_unique = false;
  bool if_not_exists = false;
  bool nulls_are_equal = false;  ///< NULLS NOT DISTINCT
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
    DropIdentity,
    DropExpression,
    SetType,
    AttachPartition,
    DetachPartition
  };
  Kind kind = Kind::AddColumn;
  std::string name;             ///< the column or constraint; empty for what is added
  ColumnDefinition column;      ///< AddColumn; SetType: its type
  ExpressionPtr conversion;     ///< SetType: USING; null: none
  Constraints constraints;      ///< AddKey, AddCheck, AddForeignKey: one; AddColumn: of the column
  ExpressionPtr default_value;  ///< SetDefault
  std::string default_text;
  std::vector<Option> parameters;       ///< SetParameters, ResetParameters: storage parameters
  IdentityDefinition identity;          ///< AddIdentity, SetIdentity
  RelationName partition;               ///< AttachPartition, DetachPartition
  std::optional<PartitionBound> bound;  ///< AttachPartition
  bool sets_generation = false;         ///< SetIdentity: ALWAYS or BY DEFAULT is said
  bool if_exists = false;
  bool if_not_exists = false;
  bool is_cascade = false;     ///< DropColumn, DropConstraint: what else needs it goes as well
  bool is_concurrent = false;  ///< DetachPartition
};

struct AlterTable {
  enum class What : uint8_t { Table, View, MaterializedView, Index };
  RelationName relation;
  What what = What::Table;
  std::vector<AlterCommand> commands;
  bool if_exists = false;
};

/// ALTER TABLE ... RENAME, ALTER SEQUENCE ... RENAME, or ALTER [MATERIALIZED] VIEW ... RENAME COLUMN.
struct Rename {
  RelationName relation;
  enum class What : uint8_t { Table, Column, Constraint, Sequence };
  using Of = AlterTable::What;
  What what = What::Table;
  std::string name;  ///< of the column or constraint
  std::string new_name;
  bool if_exists = false;
  Of of = Of::Table;  ///< what has the column
};

struct DropIndex {
  std::vector<RelationName> indexes;
  bool if_exists = false;
  bool is_cascade = false;
  bool is_concurrent = false;
};

/// DROP TABLE, DROP VIEW, DROP MATERIALIZED VIEW.
struct DropTable {
  std::vector<RelationName> relations;
  bool if_exists = false;
  bool is_cascade = false;
  bool are_views = false;
  bool are_materialized = false;
};

/// REFRESH MATERIALIZED VIEW.
struct RefreshView {
  RelationName relation;
  bool is_concurrent = false;
  bool has_data = true;
};

/// SET CONSTRAINTS.
struct SetConstraints {
  std::vector<RelationName> names;  ///< empty: all
  bool are_deferred = false;
};

}  // namespace gnomon::sql::ast
