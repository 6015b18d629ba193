#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "sql/algebra/operator.h"
#include "sql/algebra/window.h"
#include "sql/parse/ast_database.h"
#include "sql/parse/ast_definition.h"
#include "sql/parse/ast_expression.h"
#include "sql/parse/ast_maintenance.h"
#include "sql/parse/ast_role.h"
#include "sql/parse/ast_routine.h"
#include "sql/parse/ast_schema.h"
#include "sql/parse/ast_session.h"
#include "sql/parse/ast_trigger.h"
#include "sql/parse/ast_type.h"

/// The trees of queries and changes.
namespace gnomon::sql::ast {

/// name type, behind a function whose rows have no type of their own.
struct FunctionColumn {
  std::string name;
  TypeName type;
  int32_t position = -1;
};

/// A function in FROM.
struct FunctionItem {
  ExpressionPtr call;
  std::vector<FunctionColumn> columns;  ///< AS (name type, ...); empty: it has none
};

/// TABLESAMPLE method (argument, ...) [REPEATABLE (seed)].
struct TableSample {
  std::string method;
  std::vector<ExpressionPtr> arguments;
  ExpressionPtr seed;  ///< null: none
  int32_t position = -1;
};

/// An item of FROM.
struct FromItem {
  enum class Kind : uint8_t { Table, Subquery, Function, Join };
  enum class JoinKind : uint8_t { Inner, Left, Right, Full, Cross };
  Kind kind = Kind::Table;
  JoinKind join_kind = JoinKind::Inner;
  bool is_natural = false;
  int32_t position = -1;
  RelationName relation;
  std::unique_ptr<TableSample> sample;  ///< of a relation's rows; null: all of them
  Alias alias;
  QueryPtr subquery;
  std::vector<FunctionItem> functions;  ///< one, or those of ROWS FROM
  bool has_ordinality = false;
  std::unique_ptr<FromItem> left, right;
  bool is_lateral = false;                 ///< Subquery: it may read the items before it
  ExpressionPtr condition;                 ///< ON
  std::vector<std::string> using_columns;  ///< USING
  std::string using_alias;                 ///< USING (...) AS; empty: none
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
  std::string order_operator;  ///< of USING; empty: none
  int32_t operator_position = -1;
};

/// A window as WINDOW or OVER has it.
struct WindowDefinition {
  using Frame = Window::Frame;
  std::string name;  ///< in WINDOW; in OVER: all that is said is this name; empty: none
  std::string base;  ///< the window it extends; empty: none
  std::vector<ExpressionPtr> partition;
  std::vector<SortItem> order;
  bool has_frame = false;
  Frame::Mode mode = Frame::Mode::Range;
  Window::Bound::Kind start = Window::Bound::Kind::UnboundedPreceding;
  Window::Bound::Kind end = Window::Bound::Kind::CurrentRow;
  ExpressionPtr start_offset, end_offset;
  Frame::Exclusion exclusion = Frame::Exclusion::None;
  int32_t position = -1;
};

struct ColumnName {
  std::string name;
  int32_t position = -1;
};

/// FOR UPDATE and its kin; weakest first.
struct RowLock {
  enum class Strength : uint8_t { KeyShare, Share, NoKeyUpdate, Update };
  Strength strength = Strength::Update;
  RowLockPolicy policy = RowLockPolicy::Wait;
  std::vector<ColumnName> tables;  ///< names in FROM; empty: all of them
};

struct Statement;

/// name (column, ...) AS (query), in WITH.
struct CommonTable {
  std::string name;
  std::vector<std::string> columns;
  QueryPtr query;                     ///< null: it is a change
  std::shared_ptr<Statement> change;  ///< an Insert, Update or Delete; null: it is a query
  int32_t position = -1;
  std::optional<bool> is_materialized;  ///< [NOT] MATERIALIZED
  size_t added_columns = 0;             ///< the last ones, of SEARCH and CYCLE: * of the recursive term leaves them out
};

struct With {
  std::vector<CommonTable> tables;
  bool is_recursive = false;
};

/// SELECT, or VALUES when `rows` is not empty, or both sides of a set operation.
struct Query {
  enum class SetOperation : uint8_t { None, Union, Intersect, Except };
  With with;
  SetOperation set_operation = SetOperation::None;
  bool is_all = false;  ///< of the set operation
  QueryPtr left, right;
  bool is_distinct = false;
  std::vector<ExpressionPtr> distinct_on;
  std::vector<SelectItem> items;
  std::vector<std::unique_ptr<FromItem>> from;
  ExpressionPtr where;
  std::vector<ExpressionPtr> group_by;
  /// By numbers in group_by, what rows are grouped by, one set after the other; empty: by all of group_by.
  std::vector<std::vector<size_t>> grouping_sets;
  bool groups_distinctly = false;  ///< equal sets count once
  std::vector<std::unique_ptr<WindowDefinition>> windows;
  ExpressionPtr having;
  std::vector<std::vector<ExpressionPtr>> rows;
  std::vector<SortItem> order_by;
  ExpressionPtr limit, offset;
  bool has_ties = false;  ///< WITH TIES
  std::vector<RowLock> locks;
};

/// One column of SET in UPDATE.
struct Assignment {
  ColumnName column;
  TargetParts parts;
  ExpressionPtr value;     ///< Default: the word DEFAULT; of (a, b) = (SELECT ...) the subquery, or of
                           ///< (a, b) = ROW(t.*) the row, at its first column
  uint32_t row_width = 0;  ///< of such a row: how many columns take a part of it; 0: the value is this column's alone
  uint32_t row_part = 0;   ///< which of them this is
};

/// ON CONFLICT of INSERT.
struct OnConflict {
  bool is_update = false;
  bool has_target = false;
  std::string constraint;           ///< ON CONSTRAINT; empty: none
  std::vector<IndexPart> elements;  ///< what arbiter indexes are made of
  ExpressionPtr predicate;          ///< of partial ones
  std::vector<Assignment> assignments;
  ExpressionPtr where;
  int32_t position = -1;
  int32_t target_position = -1;
};

struct Insert {
  /// Whose values identity columns get where both are there.
  enum class Overriding : uint8_t { None, User, System };
  With with;
  RelationName relation;
  std::string alias;
  std::vector<ColumnName> columns;  ///< empty: all
  std::vector<TargetParts> parts;   ///< of each of `columns`
  QueryPtr query;                   ///< null: DEFAULT VALUES
  Overriding overriding = Overriding::None;
  std::optional<OnConflict> on_conflict;
  std::vector<SelectItem> returning;
};

struct Update {
  With with;
  RelationName relation;
  Alias alias;
  std::vector<Assignment> assignments;
  std::vector<std::unique_ptr<FromItem>> from;
  ExpressionPtr where;
  std::string cursor;  ///< WHERE CURRENT OF, instead of `where`; empty: none
  std::vector<SelectItem> returning;
};

struct Delete {
  With with;
  RelationName relation;
  Alias alias;
  std::vector<std::unique_ptr<FromItem>> from;  ///< USING
  ExpressionPtr where;
  std::string cursor;  ///< WHERE CURRENT OF, instead of `where`; empty: none
  std::vector<SelectItem> returning;
};

/// WHEN ... THEN of MERGE.
struct MergeAction {
  enum class What : uint8_t { Nothing, Insert, Update, Delete };
  What what = What::Nothing;
  bool is_matched = false;
  ExpressionPtr condition;
  std::vector<Assignment> assignments;  ///< Update
  std::vector<ColumnName> columns;      ///< Insert; empty: all
  std::vector<TargetParts> parts;       ///< Insert: of each of `columns`
  std::vector<ExpressionPtr> values;    ///< Insert; empty: DEFAULT VALUES
  Insert::Overriding overriding = Insert::Overriding::None;
};

struct Merge {
  With with;
  RelationName relation;
  Alias alias;
  std::unique_ptr<FromItem> source;
  ExpressionPtr condition;
  std::vector<MergeAction> actions;
};

struct CreateView {
  RelationName relation;
  std::vector<std::string> columns;  ///< names of the first ones
  QueryPtr query;
  std::string text;  ///< of the query, written out by the deparser
  bool is_replacing = false;
  CheckOption check_option = CheckOption::None;
  std::vector<Option> options;  ///< but for check_option
};

/// CREATE TABLE ... AS, SELECT ... INTO, CREATE MATERIALIZED VIEW.
struct CreateTableAs {
  Insert filling;                    ///< of the query into the new table
  std::vector<std::string> columns;  ///< names of the first ones
  std::vector<Option> parameters;
  OnCommit on_commit = OnCommit::PreserveRows;
  bool if_not_exists = false;
  bool has_data = true;
  bool is_unlogged = false;
  bool is_materialized = false;
  std::string text;  ///< of a materialized view's query, written out by the deparser
};

struct Truncate {
  std::vector<RelationName> relations;
  bool is_cascade = false;
  bool restarts_identity = false;
};

}  // namespace gnomon::sql::ast
