#include "sql/bind/subquery_guard.h"

#include <algorithm>
#include <utility>

#include "sql/algebra/error_freedom.h"
#include "sql/algebra/rewrite.h"

namespace gnomon::sql {

std::vector<ExpressionPtr> SubqueryGuard::repeatable() const {
  std::vector<ExpressionPtr> conditions;
  for (const ExpressionPtr& condition : conditions_)
    if (isRepeatable(*condition)) conditions.push_back(condition->clone());
  return conditions;
}

void SubqueryGuard::end() const {
  if (!isEmpty()) subqueries_->guard(first_, repeatable());
}

void SubqueryGuard::endShortCut(bool on_demand) const {
  if (isEmpty() || conditions_.empty()) return;
  subqueries_->guard(first_, repeatable(), [&](Join& join) { return on_demand || hasEffect(plan_, join.inputs[0]); });
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
