#include "sql/bind/subquery_guard.h"

#include <algorithm>
#include <utility>

#include "sql/algebra/error_freedom.h"

namespace gnomon::sql {

void SubqueryGuard::end() const {
  if (subqueries_ == nullptr || subqueries_->joins().size() == first_) return;
  std::vector<ExpressionPtr> conditions;
  for (const ExpressionPtr& condition : conditions_)
    if (isRepeatable(*condition)) conditions.push_back(condition->clone());
  subqueries_->guard(first_, conditions);
}

void SubqueryGuard::add(Expression::Kind test, const Expression& value) {
  std::vector<ExpressionPtr> tested;
  tested.push_back(value.clone());
  conditions_.push_back(Expression::logic(test, std::move(tested)));
}

/// It can be computed again, by the subquery's join and for more rows: it reads nothing that only an expression binds,
/// and raises no errors.
bool SubqueryGuard::isRepeatable(const Expression& condition) const {
  if (condition.children[0]->type.kind == TypeKind::Unknown) return false;
  if (condition.isVolatile() || !neverRaises(condition)) return false;
  std::vector<Iu> read;
  condition.collectUnits(read);
  return std::ranges::all_of(read, [this](Iu unit) {
    return std::ranges::any_of(plan_.units, [&](const InformationUnit& each) { return &each == unit; });
  });
}

}  // namespace gnomon::sql
