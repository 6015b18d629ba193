#pragma once

#include <functional>
#include <memory>
#include <vector>

#include "sql/algebra/rewrite.h"
#include "sql/algebra/window.h"
#include "sql/parse/ast.h"

namespace gnomon::sql {

/// The window functions that were met in the expressions of a SELECT. Each becomes a column of an operator over the
/// rows after grouping; those with equal partitions and orders share one.
class WindowCalls {
 public:
  using Definitions = std::vector<std::unique_ptr<ast::WindowDefinition>>;

  /// Those of the WINDOW clause, which outlive this. Failure: 42P20 when two have one name.
  void define(const Definitions& definitions);
  /// Null: there is none.
  [[nodiscard]] const ast::WindowDefinition* find(std::string_view name) const;
  /// In the order of the WINDOW clause.
  [[nodiscard]] bool isBefore(const ast::WindowDefinition& one, const ast::WindowDefinition& other) const;

  /// The column that the function adds: an equal one's, if there is one that is not volatile, instead of its own.
  Iu add(std::vector<ExpressionPtr> partition, std::vector<SortKey> order, Window::Function function);
  /// Columns of volatile functions that were there before, as those of the first.
  [[nodiscard]] const UnitRenaming& repeated() const { return repeated_; }
  /// Those that the expression reads are not computed.
  void dropRepeated(const Expression& expression);
  [[nodiscard]] bool empty() const { return windows_.empty(); }
  /// One of them adds a unit that the expression reads.
  [[nodiscard]] bool areReadBy(const Expression& expression) const { return readsAny(expression, units()); }
  /// Those that they add.
  [[nodiscard]] UnitSet units() const;
  void forEachExpression(const std::function<void(ExpressionPtr&)>& visit);
  /// What partitions or orders rows.
  void forEachKey(const std::function<void(ExpressionPtr&)>& visit);
  /// Copies of the volatile expressions that partition or order rows.
  [[nodiscard]] std::vector<ExpressionPtr> volatileKeys();
  /// The input under the operators; none is left.
  OperatorPtr attach(OperatorPtr input);

 private:
  const Definitions* definitions_ = nullptr;
  std::vector<std::unique_ptr<Window>> windows_;
  UnitRenaming repeated_;
};

}  // namespace gnomon::sql
