#pragma once

#include <deque>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "sql/bind/bind_state.h"
#include "sql/bind/scope.h"
#include "sql/catalog/table_entry.h"
#include "sql/parse/ast.h"
#include "sql/parse/parser.h"

/// Expressions over the columns of one table, which the catalog keeps as SQL.
namespace gnomon::sql {

/// A stored text parsed; positions are those in "SELECT text".
class StoredExpression {
 public:
  explicit StoredExpression(std::string_view text);
  [[nodiscard]] const ast::Expression& tree() const;
  /// All of those that the text has, with commas between them.
  [[nodiscard]] std::vector<const ast::Expression*> trees() const;

 private:
  const std::vector<ParsedStatement> parsed_;
};

/// Calls `visit` for the node and everything below it.
void forEachNode(const ast::Expression& node, const std::function<void(const ast::Expression&)>& visit);

/// Whether a cast in it depends on the time zone, or on how dates, times and bytea are to be written, or were.
bool hasSettingsCast(const Expression& expression);

/// A function of the texts of any values is bound, which is stable since those of some types depend on settings. Of the
/// body of a routine it counts what it does.
void noteTextsOf(BindState& state, const std::vector<ExpressionPtr>& values);

/// The oids of routines that the stored expression calls.
std::vector<uint32_t> calledRoutines(const ast::Expression& tree);

/// The text with mere names for its columns, however they were qualified: as it is stored.
std::string withoutQualifiers(const std::string& text);
/// The stored text with a column's new name.
std::string withRenamedColumn(const std::string& text, std::string_view from, std::string_view to);

/// Binds expressions over the columns of one table.
class TableExpressionBinder {
 public:
  /// `table`: its name, by which columns may be qualified. `units` gets one for each column, its number as id.
  TableExpressionBinder(BindState& state, const std::string& table, const std::vector<ColumnEntry>& columns,
                        std::deque<InformationUnit>& units);

  /// `clause` is what refuses aggregates. Failure: as ExpressionBinder; 42P02 for parameters.
  ExpressionPtr bind(const ast::Expression& node, std::string_view clause);
  /// `word` is what wants a boolean. Failure: 42804 besides.
  ExpressionPtr bindCondition(const ast::Expression& node, std::string_view clause, std::string_view word);
  /// Whether what was bound last depends on nothing but the columns: it and the bodies of routines that have become
  /// parts of it.
  [[nodiscard]] bool isImmutable(const Expression& bound) const;
  /// The same if routines are what they say of themselves: binds it once more, without their bodies.
  [[nodiscard]] bool isSaidImmutable(const ast::Expression& node, std::string_view clause);
  /// That what was bound last can be computed where there is no session: all of the routines that it calls have become
  /// parts of it, and their bodies depend on nothing else. Failure: 0A000.
  void requireComputable(const Expression& bound, std::string_view clause) const;

 private:
  void begin(const ast::Expression& node);

  BindState& state_;
  Scope scope_;
};

}  // namespace gnomon::sql
