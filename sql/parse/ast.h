#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <variant>
#include <vector>

/// The tree of a statement as written: names unresolved, types untouched. Positions are byte offsets in the text given
/// to parse(); -1: none. Everything here has passed the grammar, and nothing here is outside Gnomon's scope.
namespace gnomon::sql::ast {

/// A type as named: "numeric(15,2)". Names are the catalog's ("int4", "bpchar", "float8") for the grammar's own types.
struct TypeName {
  std::string schema;  ///< empty: none given
  std::string name;
  std::vector<std::string> modifiers;  ///< as written; for interval the fields' bit mask, then the precision
  bool is_array = false;
  int32_t position = -1;
};

struct Expression;
using ExpressionPtr = std::unique_ptr<Expression>;

/// A scalar expression.
///
/// Shape by kind:
///   Column        names (1..3); with is_star the last one is left out: t.*
///   Parameter     number, from 1
///   Integer, Float, String, Boolean   text ("t" or "f" for booleans)
///   Operator      text, one or two children
///   Like          text ("~~", "!~~", "~~*", "!~~*"), children = text, pattern [, escape]
///   Function      names, children; is_star for count(*), is_distinct for count(DISTINCT x)
///   Cast          type, children[0]
///   Case          children = [argument or null], when, then, ..., [else or null]; when_positions of the words WHEN
///   In, NotIn     children[0] and the list
///   Between...    children = value, low, high
///   SessionValue  text: current_user, current_catalog, ...
///   Default       the word DEFAULT in a row of VALUES
struct Expression {
  enum class Kind : uint8_t {
    Column,
    Parameter,
    Integer,
    Float,
    String,
    Boolean,
    Null,
    Operator,
    Like,
    And,
    Or,
    Not,
    Function,
    Cast,
    Case,
    Coalesce,
    Greatest,
    Least,
    NullIf,
    IsNull,
    IsNotNull,
    IsTrue,
    IsNotTrue,
    IsFalse,
    IsNotFalse,
    IsUnknown,
    IsNotUnknown,
    IsDistinct,
    IsNotDistinct,
    In,
    NotIn,
    Between,
    NotBetween,
    BetweenSymmetric,
    NotBetweenSymmetric,
    SessionValue,
    Default,
  };
  Kind kind = Kind::Null;
  bool is_star = false;
  bool is_distinct = false;
  int32_t position = -1;
  uint32_t number = 0;
  std::vector<int32_t> when_positions;
  std::string text;
  std::vector<std::string> names;
  TypeName type;
  std::vector<ExpressionPtr> children;
};

struct Query;
using QueryPtr = std::unique_ptr<Query>;

/// [AS] name (column, ...).
struct Alias {
  std::string name;  ///< empty: none
  std::vector<std::string> columns;
};

/// A table by name.
struct RelationName {
  std::string schema;  ///< empty: none given
  std::string name;
  int32_t position = -1;
};

/// An item of FROM.
struct FromItem {
  enum class Kind : uint8_t { Table, Subquery, Join };
  enum class JoinKind : uint8_t { Inner, Left, Right, Cross };
  Kind kind = Kind::Table;
  JoinKind join_kind = JoinKind::Inner;
  bool is_natural = false;
  int32_t position = -1;
  RelationName relation;
  Alias alias;
  QueryPtr subquery;
  std::unique_ptr<FromItem> left, right;
  ExpressionPtr condition;                 ///< ON
  std::vector<std::string> using_columns;  ///< USING
};

struct SelectItem {
  ExpressionPtr expression;  ///< a Column with is_star for * and t.*
  std::string alias;         ///< empty: none
  int32_t position = -1;
};

struct SortItem {
  ExpressionPtr expression;
  bool descending = false;
  bool nulls_first = false;
};

/// SELECT, or VALUES when `rows` is not empty.
struct Query {
  bool is_distinct = false;
  std::vector<SelectItem> items;
  std::vector<std::unique_ptr<FromItem>> from;
  ExpressionPtr where;
  std::vector<ExpressionPtr> group_by;
  ExpressionPtr having;
  std::vector<std::vector<ExpressionPtr>> rows;
  std::vector<SortItem> order_by;
  ExpressionPtr limit, offset;
};

struct ColumnName {
  std::string name;
  int32_t position = -1;
};

struct Insert {
  RelationName relation;
  std::string alias;
  std::vector<ColumnName> columns;  ///< empty: all
  QueryPtr query;                   ///< null: DEFAULT VALUES
};

/// One column of SET in UPDATE.
struct Assignment {
  ColumnName column;
  bool is_part = false;  ///< column.field or column[i]
  ExpressionPtr value;   ///< Default: the word DEFAULT
};

struct Update {
  RelationName relation;
  Alias alias;
  std::vector<Assignment> assignments;
  std::vector<std::unique_ptr<FromItem>> from;
  ExpressionPtr where;
};

struct Delete {
  RelationName relation;
  Alias alias;
  std::vector<std::unique_ptr<FromItem>> from;  ///< USING
  ExpressionPtr where;
};

struct Truncate {
  std::vector<RelationName> relations;
};

struct ColumnDefinition {
  std::string name;
  TypeName type;
  bool not_null = false;
  bool nullable_stated = false;  ///< the word NULL stands there
  ExpressionPtr default_value;   ///< null: none
  std::string default_text;      ///< as written
  int32_t position = -1;
};

/// PRIMARY KEY or UNIQUE, of a table or of one column.
struct KeyConstraint {
  std::string name;  ///< empty: none given
  std::vector<std::string> columns;
  bool is_primary = false;
  int32_t position = -1;
};

struct CreateTable {
  RelationName relation;
  std::vector<ColumnDefinition> columns;
  std::vector<KeyConstraint> keys;
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
    DropConstraint
  };
  Kind kind = Kind::AddColumn;
  std::string name;                 ///< the column or constraint; empty for AddColumn and AddKey
  ColumnDefinition column;          ///< AddColumn
  std::vector<KeyConstraint> keys;  ///< AddKey: one; AddColumn: of the column
  ExpressionPtr default_value;      ///< SetDefault
  std::string default_text;
  bool if_exists = false;
  bool if_not_exists = false;
};

struct AlterTable {
  RelationName relation;
  std::vector<AlterCommand> commands;
  bool if_exists = false;
};

/// ALTER TABLE ... RENAME.
struct Rename {
  RelationName relation;
  std::string column;  ///< empty: the table
  std::string new_name;
  bool if_exists = false;
};

struct Analyze {
  std::vector<RelationName> relations;  ///< none: all tables
};

struct DropIndex {
  std::vector<RelationName> indexes;
  bool if_exists = false;
};

struct DropTable {
  std::vector<RelationName> relations;
  bool if_exists = false;
};

/// name [value] inside the parentheses of COPY or EXPLAIN.
struct Option {
  std::string name;
  std::optional<std::string> value;
  bool is_list = false;  ///< a parenthesised list or *
  int32_t position = -1;
};

struct Copy {
  RelationName relation;  ///< unused with a query
  std::vector<ColumnName> columns;
  QueryPtr query;
  bool is_from = false;
  std::vector<Option> options;
};

struct Statement;

struct Explain {
  std::unique_ptr<Statement> statement;
  std::vector<Option> options;
};

struct Set {
  std::string name;
  std::optional<std::string> value;  ///< none: DEFAULT or RESET
  bool is_reset = false;
  bool reset_all = false;
};

struct Show {
  std::string name;
};

struct Statement {
  std::variant<QueryPtr, Insert, Update, Delete, Truncate, CreateTable, DropTable, CreateIndex, DropIndex, AlterTable,
               Rename, Analyze, Copy, Explain, Set, Show>
      body;
};

}  // namespace gnomon::sql::ast
