#pragma once

#include <vector>

#include "sql/bind/subquery_joins.h"

namespace gnomon::sql {

/// What is known where a part of CASE, of COALESCE or of MERGE is computed: subqueries in it are asked for only there.
class SubqueryGuard {
 public:
  /// `subqueries`: of the clause; null: there may be none.
  SubqueryGuard(const Plan& plan, SubqueryJoins* subqueries) : plan_(plan), subqueries_(subqueries) {}

  /// Around what binds the part.
  void begin() { first_ = subqueries_ == nullptr ? 0 : subqueries_->joins().size(); }
  void end() const;
  /// From now on the value passes the test.
  void add(Expression::Kind test, const Expression& value);
  /// The last one passes this test instead.
  void replaceLast(Expression::Kind test) { conditions_.back()->kind = test; }

 private:
  [[nodiscard]] bool isRepeatable(const Expression& condition) const;

  const Plan& plan_;
  SubqueryJoins* const subqueries_;
  size_t first_ = 0;
  std::vector<ExpressionPtr> conditions_;
};

}  // namespace gnomon::sql
