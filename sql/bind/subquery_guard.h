#pragma once

#include <vector>

#include "sql/bind/subquery_joins.h"

namespace gnomon::sql {

/// What is known where a part of CASE, of COALESCE, of AND, of OR or of MERGE is computed: subqueries in it are asked
/// for only there.
class SubqueryGuard {
 public:
  /// `subqueries`: of the clause; null: there may be none.
  SubqueryGuard(Plan& plan, SubqueryJoins* subqueries) : plan_(plan), subqueries_(subqueries) {}

  /// Around what binds the part.
  void begin() { first_ = subqueries_ == nullptr ? 0 : subqueries_->joins().size(); }
  void end() const;
  /// Whether there is no subquery in the part so far.
  [[nodiscard]] bool isEmpty() const { return subqueries_ == nullptr || subqueries_->joins().size() == first_; }
  /// end() behind AND or OR, where it matters only for subqueries whose execution somebody could tell, unless all of
  /// them are `on_demand`.
  void endShortCut(bool on_demand) const;
  /// From now on the value passes the test.
  void add(Expression::Kind test, const Expression& value);
  /// The last one passes this test instead.
  void replaceLast(Expression::Kind test) { conditions_.back()->kind = test; }

 private:
  [[nodiscard]] std::vector<ExpressionPtr> repeatable() const;
  [[nodiscard]] bool isRepeatable(const Expression& condition) const;

  Plan& plan_;
  SubqueryJoins* const subqueries_;
  size_t first_ = 0;
  std::vector<ExpressionPtr> conditions_;
};

}  // namespace gnomon::sql
