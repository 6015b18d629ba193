#pragma once

#include <vector>

#include "sql/algebra/change_operators.h"
#include "sql/algebra/operator.h"
#include "sql/bind/bind_state.h"
#include "sql/parse/ast.h"

namespace gnomon::sql {

/// Binds INSERT: the source query under an Insert that has a value for each column of the table.
class InsertBinder {
 public:
  explicit InsertBinder(BindState& state) : state_(state) {}

  /// With RETURNING an Output stands over the Insert.
  OperatorPtr bind(const ast::Insert& insert);

 private:
  OperatorPtr bindSource(const ast::Insert& insert);
  /// RETURNING of the rows that `change` is going to append.
  OperatorPtr bindReturning(const ast::Insert& insert, std::unique_ptr<Insert> change);
  /// INSERT ... SELECT, and VALUES with ORDER BY or LIMIT.
  OperatorPtr bindQuery(const ast::Insert& insert);
  OperatorPtr bindRows(const ast::Query& query);
  /// One row of VALUES, each cell of exactly its target column's type.
  std::vector<ExpressionPtr> bindRow(const std::vector<ast::ExpressionPtr>& nodes);
  /// Whether the source may say anything of the target, and whether that counts. `is_default`: it says DEFAULT in all
  /// rows. Failure: 428C9.
  void checkIdentity(size_t index, bool is_default);
  void checkCount(const ast::Insert& insert, size_t count, int32_t surplus_position) const;
  [[nodiscard]] const ColumnEntry& target(size_t index) const { return table_->columns[targets_[index]]; }

  BindState& state_;
  TablePtr table_;
  std::vector<uint32_t> targets_;     ///< in the order of the source's columns
  std::vector<ExpressionPtr> given_;  ///< per target: what the Insert reads
  ast::Insert::Overriding overriding_{};
  SubqueryJoins subqueries_;        ///< in VALUES
  std::vector<bool> is_generated_;  ///< per target: an identity column that takes its next value whatever is given
};

}  // namespace gnomon::sql
