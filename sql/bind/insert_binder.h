#pragma once

#include <optional>
#include <vector>

#include "sql/algebra/change_operators.h"
#include "sql/algebra/operator.h"
#include "sql/bind/bind_state.h"
#include "sql/bind/part_assignment.h"
#include "sql/bind/updatable_view.h"
#include "sql/parse/ast.h"

namespace gnomon::sql {

/// Binds INSERT: the source query under an Insert that has a value for each column of the table.
class InsertBinder {
 public:
  explicit InsertBinder(BindState& state) : state_(state) {}

  /// With RETURNING an Output stands over the Insert.
  OperatorPtr bind(const ast::Insert& insert);

 private:
  void findTarget(const ast::Insert& insert);
  void resolveTargets(const ast::Insert& insert);
  [[nodiscard]] std::vector<uint32_t> writtenTargets(const ast::Insert& insert) const;
  void noteChange(Privilege right, const std::vector<uint32_t>& columns);
  std::unique_ptr<Insert::Conflict> bindOnConflict(const ast::Insert& insert, SubqueryJoins& subqueries);
  /// What the column gets of what is given.
  ExpressionPtr valueOf(uint32_t column);
  OperatorPtr bindSource(const ast::Insert& insert);
  /// RETURNING of the rows that `change` is going to append.
  OperatorPtr bindReturning(const ast::Insert& insert, std::unique_ptr<Insert> change);
  /// INSERT ... SELECT, and VALUES with ORDER BY or LIMIT.
  OperatorPtr bindQuery(const ast::Insert& insert);
  OperatorPtr bindRows(const ast::Query& query);
  /// One row of VALUES, each cell of exactly its target column's type.
  std::vector<ExpressionPtr> bindRow(const std::vector<ast::ExpressionPtr>& nodes);
  void checkCount(const ast::Insert& insert, size_t count, int32_t surplus_position) const;
  void noteTarget(const ast::Insert& insert) const;
  /// The table as it is written to: with the names of a view, or of a stored text.
  [[nodiscard]] const TableEntry& shape() const { return view_ ? view_->shape() : called_ ? *called_ : *table_; }
  [[nodiscard]] const ColumnEntry& target(size_t index) const { return shape().columns[targets_[index]]; }
  /// Whether a part of the column is given, not all of it.
  [[nodiscard]] bool isPart(size_t index) const;
  [[nodiscard]] PartAssignment partAt(size_t index, ExpressionBinder& binder) const;
  /// A value that is given for the target, as one of exactly its type.
  ExpressionPtr converted(ExpressionPtr value, size_t index, ExpressionBinder& binder) const;

  BindState& state_;
  const ast::Insert* insert_ = nullptr;
  TablePtr table_;
  std::optional<UpdatableView> view_;  ///< through which it is written to
  std::optional<TableEntry> called_;   ///< the table as a stored text calls it, if that calls it otherwise
  bool is_instead_ = false;            ///< the table is a view whose triggers write
  std::vector<uint32_t> targets_;      ///< in the order of the source's columns
  std::vector<Type> target_types_;     ///< of the columns, or of the parts of them that are given
  std::vector<ExpressionPtr> given_;   ///< per target: what the Insert reads
  ast::Insert::Overriding overriding_{};
  SubqueryJoins subqueries_;        ///< in VALUES
  std::vector<bool> is_generated_;  ///< per target: an identity column that takes its next value whatever is given
};

}  // namespace gnomon::sql
