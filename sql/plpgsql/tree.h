#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "base/sql_error.h"
#include "sql/plpgsql/datum.h"

/// The statements of a routine. Names are resolved: variables are datums, labels are the entries of Scopes that blocks
/// and loops begin with. NULL leaves nothing.
namespace gnomon::sql::plpgsql {

struct Statement;
using Statements = std::vector<Statement>;

/// WHEN condition [OR condition ...] THEN, behind EXCEPTION.
struct Handler {
  uint32_t line = 0;
  bool catches_others = false;   ///< OTHERS is one of the conditions: all but cancelling and failed ASSERTs
  std::vector<SqlState> states;  ///< one that ends with 000 stands for its class
  Statements body;
};

struct ExceptionHandlers {
  DatumId sqlstate, sqlerrm;
  std::vector<Handler> handlers;
};

struct Block {
  ScopeId label;
  std::vector<DatumId> declared;  ///< get their initial values when it begins, in this order
  Statements body;
  std::optional<ExceptionHandlers> exceptions;
};

/// target [indirection] := value. Of a field's field the target is the field of the variable.
struct Assignment {
  uint32_t offset = 0;  ///< of its first byte; its text ends where the value does
  DatumId target;
  Fragment indirection;
  Fragment value;
};

/// A condition and what is done when it is true.
struct Branch {
  uint32_t line = 0;
  Fragment condition;
  Statements body;
};

struct If {
  std::vector<Branch> branches;  ///< IF and ELSIFs
  Statements otherwise;
};

/// CASE. With a test value the conditions are lists of expressions, one of which is to equal it.
struct Case {
  std::optional<Fragment> test;
  DatumId test_value = kNoDatum;  ///< holds it, with the type that it turns out to have
  std::vector<Branch> branches;
  bool has_else = false;
  Statements otherwise;
};

struct Loop {
  ScopeId label;
  Statements body;
};

struct While {
  ScopeId label;
  Fragment condition;
  Statements body;
};

/// FOR over integers.
struct ForRange {
  ScopeId label;
  DatumId variable;  ///< the loop's own
  bool is_reverse = false;
  Fragment first, last;
  std::optional<Fragment> step;
  Statements body;
};

/// SQL that is known when the statement runs: EXECUTE text [USING argument, ...].
struct DynamicQuery {
  Fragment text;
  std::vector<Fragment> arguments;
};

/// FOR over the rows of a query.
struct ForQuery {
  ScopeId label;
  DatumId target;  ///< a record or list
  std::variant<Fragment, DynamicQuery> query;
  Statements body;
};

/// FOR over the rows of a bound cursor.
struct ForCursor {
  ScopeId label;
  DatumId record;  ///< the loop's own
  DatumId cursor;
  std::vector<Fragment> arguments;  ///< in the order of the cursor's
  Statements body;
};

struct ForEach {
  ScopeId label;
  DatumId target;
  uint32_t slice = 0;  ///< dimensions of what it gets; 0: elements
  Fragment array;
  Statements body;
};

/// EXIT and CONTINUE.
struct Leave {
  bool is_continue = false;
  ScopeId target;  ///< may be the label of the routine itself, which is left without a result then
  std::optional<Fragment> condition;
};

/// RETURN: a datum, or a value, or neither where the routine has no result here.
struct Return {
  DatumId variable = kNoDatum;
  std::optional<Fragment> value;
};

struct ReturnNext {
  DatumId variable = kNoDatum;
  std::optional<Fragment> value;
};

struct ReturnQuery {
  std::variant<Fragment, DynamicQuery> query;
};

struct RaiseOption {
  enum class Kind : uint8_t { Errcode, Message, Detail, Hint, Column, Constraint, Datatype, Table, Schema };
  Kind kind = Kind::Message;
  Fragment value;
};

struct Raise {
  enum class Level : uint8_t { Debug, Log, Info, Notice, Warning, Exception };
  Level level = Level::Exception;
  std::optional<SqlState> state;      ///< of the condition
  std::string condition;              ///< as written, the message where no other is; empty: none
  std::optional<std::string> format;  ///< with a % for each argument, and %% for %
  std::vector<Fragment> arguments;
  std::vector<RaiseOption> options;

  /// RAISE alone: the error that is being handled goes on.
  [[nodiscard]] bool isRethrow() const { return !state && !format && options.empty(); }
};

struct Assert {
  Fragment condition;
  std::optional<Fragment> message;
};

struct Perform {
  Fragment query;
};

/// CALL, or DO.
struct Call {
  bool is_do = false;
  Fragment statement;
};

/// A statement of SQL.
struct ExecuteSql {
  Fragment statement;
  DatumId into = kNoDatum;  ///< a record or list
  bool is_strict = false;
  bool is_in_loop = false;  ///< of the routine
  /// That of the innermost loop, if it counts up by one from round to round.
  DatumId counter = kNoDatum;
};

struct ExecuteDynamic {
  DynamicQuery query;
  DatumId into = kNoDatum;
  bool is_strict = false;
};

struct DiagnosticsItem {
  enum class Kind : uint8_t {
    RowCount,
    Context,
    ExceptionContext,
    ExceptionDetail,
    ExceptionHint,
    ReturnedSqlstate,
    ColumnName,
    ConstraintName,
    DatatypeName,
    MessageText,
    TableName,
    SchemaName,
  };
  DatumId target;
  Kind kind = Kind::RowCount;
};

struct GetDiagnostics {
  bool is_stacked = false;
  std::vector<DiagnosticsItem> items;
};

/// OPEN: a bound cursor with its arguments, or a query of its own.
struct Open {
  DatumId cursor;
  Scrolling scrolling = Scrolling::Unsaid;  ///< of an unbound one
  std::variant<std::monostate, Fragment, DynamicQuery> query;
  std::vector<Fragment> arguments;  ///< of a bound one
};

/// FETCH and MOVE.
struct Fetch {
  enum class Direction : uint8_t { Forward, Backward, Absolute, Relative };
  bool is_move = false;
  Direction direction = Direction::Forward;
  bool is_all = false;
  int32_t count = 1;  ///< when no expression says it
  std::optional<Fragment> count_expression;
  DatumId cursor;
  DatumId into = kNoDatum;
};

struct Close {
  DatumId cursor;
};

/// COMMIT and ROLLBACK.
struct EndTransaction {
  bool is_rollback = false;
  bool is_chain = false;
};

struct Statement {
  uint32_t line = 0;  ///< of its first word behind a label, from 1, as error contexts say it
  std::variant<Block, Assignment, If, Case, Loop, While, ForRange, ForQuery, ForCursor, ForEach, Leave, Return,
               ReturnNext, ReturnQuery, Raise, Assert, Perform, Call, ExecuteSql, ExecuteDynamic, GetDiagnostics, Open,
               Fetch, Close, EndTransaction>
      body;
};

}  // namespace gnomon::sql::plpgsql
