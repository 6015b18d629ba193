#pragma once

#include <span>
#include <string>
#include <utility>
#include <vector>

#include "sql/algebra/expression.h"
#include "sql/algebra/operator.h"
#include "sql/bind/bind_state.h"
#include "sql/bind/standard_body.h"
#include "sql/catalog/table_entry.h"
#include "sql/parse/ast.h"
#include "sql/parse/parser.h"

namespace gnomon::sql {

/// A column of what a routine returns.
struct RoutineColumn {
  std::string name;
  Type type;
  uint32_t domain = 0;
};

/// Those of the rows that a call in FROM makes: of a record its fields, else one. Empty: a record that only the call
/// says the fields of.
std::vector<RoutineColumn> routineColumns(const RoutineEntry& routine);
/// Failure: 42P13, always.
[[noreturn]] void throwResultMismatch(const RoutineEntry& routine, std::string detail);
/// That the columns of the final statement of a routine in SQL become those that it returns. Failure: 42P13.
void requireResultColumns(const RoutineEntry& routine, std::span<const Type> given,
                          const std::vector<RoutineColumn>& columns);
/// The same for a row of a relation that is the only column of that statement, where the caller lists what it wants.
/// Failure: 42804.
void requireRowColumns(uint32_t relation, const std::vector<RoutineColumn>& columns);

/// The body of a routine in SQL, which is bound wherever the routine is called, and becomes a part of the statement
/// there; of one in PL/pgSQL the query whose rows it returns, if it does nothing else and nothing in it can fail. As
/// its parameters it reads the arguments that it is given: columns, constants and parameters of the statement.
///
/// Source: the general unnesting of paper 2, section 3.2, makes what a call reads for each row a join.
class RoutineBody {
 public:
  /// Failure: 42601; 0A000.
  explicit RoutineBody(const TableEntry& entry);

  [[nodiscard]] const std::vector<ParsedStatement>& statements() const { return parsed_; }
  /// The text in which they stand; of one in PL/pgSQL the whole body.
  [[nodiscard]] std::string_view text() const { return text_.sql(); }
  /// Whether the body is a single query that changes nothing, and whose rows the routine returns. What follows is for
  /// such ones alone.
  [[nodiscard]] bool isQuery() const;
  /// The same, where it may become a part of what is bound.
  [[nodiscard]] bool isQuery(const BindState& state) const;
  /// The only expression of a body that reads no rows: SELECT expression. Null: another body.
  [[nodiscard]] const ast::Expression* expression() const;
  /// Whether a subquery stands in it.
  [[nodiscard]] bool hasSubquery() const;

  struct Rows {
    OperatorPtr tree;
    std::vector<Iu> units;  ///< as `columns`
  };
  /// The body's rows, as rows of these columns. `first_only`: at most one of them. Failure: 42P13 where they do not
  /// fit; 0A000 for a query that is to be computed anew for each call; CalledRoutine.
  Rows bindRows(BindState& state, std::vector<ExpressionPtr> arguments, const std::vector<RoutineColumn>& columns,
                bool first_only);
  /// The value of `expression()`, as one of the type, by a binder of what the call may have.
  ExpressionPtr bindExpression(BindState& state, const std::vector<ExpressionPtr>& arguments, const Clause& clause,
                               const RoutineColumn& column) const;

 private:
  [[nodiscard]] const ast::Query& query() const;
  /// As values of these columns. Failure: 42P13.
  std::vector<ExpressionPtr> convert(BindState& state, std::vector<ExpressionPtr> values,
                                     const std::vector<RoutineColumn>& columns) const;
  void requireSimple(BindState& state, OperatorPtr& tree, const std::vector<Iu>& units,
                     const std::vector<RoutineColumn>& columns) const;

  const TableEntry& entry_;
  const BodyText text_;
  std::vector<ParsedStatement> parsed_;
};

/// The only expression of a query that reads no rows: SELECT expression. Null: another query.
const ast::Expression* onlyExpression(const ast::Query& query);
/// Whether a subquery stands in it.
bool hasSubquery(const ast::Expression& expression);
/// That none of the arguments is NULL; null: there are none.
ExpressionPtr noneIsNull(const std::vector<ExpressionPtr>& arguments);
/// Whether values of the expression can stand in several places without being computed more than once.
bool isSimpleArgument(const Expression& expression);

}  // namespace gnomon::sql
