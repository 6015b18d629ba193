#pragma once

#include <cstdint>
#include <deque>
#include <memory>
#include <string>
#include <vector>

#include "sql/algebra/change_operators.h"
#include "sql/algebra/index_expressions.h"
#include "sql/bind/bind_state.h"
#include "sql/catalog/table_entry.h"
#include "sql/parse/ast.h"

/// Columns that are GENERATED ALWAYS AS (expression) STORED.
namespace gnomon::sql {

/// Makes a column of a table a generated one. `columns`: all of the table. Failure: those of expressions; 42P17 for one
/// that is not immutable or reads a generated column; 42804.
void defineGenerated(BindState& state, const std::string& table, std::vector<ColumnEntry>& columns, uint32_t column,
                     const ast::Expression& node, const std::string& text);

/// What the generated columns of a table compute of its rows.
class GeneratedColumns {
 public:
  GeneratedColumns(BindState& state, const std::string& table, const std::vector<ColumnEntry>& columns);

  [[nodiscard]] bool empty() const { return columns_.empty(); }
  /// Those, ascending, that read one of the columns or are among them.
  [[nodiscard]] std::vector<uint32_t> affected(const std::vector<uint32_t>& columns) const;
  /// The value of one in a row with these values, one for each column of the table; copies of them.
  [[nodiscard]] ExpressionPtr value(uint32_t column, const std::vector<ExpressionPtr>& row) const;

 private:
  struct Column {
    uint32_t number;
    ExpressionPtr expression;     ///< over the units
    std::vector<uint32_t> reads;  ///< ascending
  };
  std::deque<InformationUnit> units_;
  std::vector<Column> columns_;
};

/// Generated columns read the values that the others are going to have: these are computed over `source`, which it
/// returns.
OperatorPtr computeGenerated(BindState& state, const TableEntry& table, Insert& change, OperatorPtr source);

/// A row whose values may be computed twice without harm, with the values of its generated columns; `changed`: those
/// that an UPDATE assigns, ascending, to which the generated ones that follow from them are added. Failure: 0A000 for
/// volatile values that would have to be computed twice.
void addGenerated(BindState& state, const TableEntry& table, std::vector<uint32_t>& changed,
                  std::vector<ExpressionPtr>& row);

/// All of the table's generated columns, for rows that the session's thread makes one by one; null: there are none.
/// Routines whose bodies depend on the session are calls of it.
std::shared_ptr<const IndexExpressions> generatedExpressions(const TableEntry& table);
std::vector<uint32_t> generatedColumnNumbers(const TableEntry& table);

}  // namespace gnomon::sql
