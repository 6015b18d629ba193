#include "sql/optimise/condition_order.h"

#include <algorithm>
#include <array>
#include <iterator>

#include "sql/algebra/error_freedom.h"

namespace gnomon::sql {
namespace {

using Kind = Expression::Kind;

constexpr size_t kCostMax = 3;

/// The largest cost of any node.
size_t cost(const Expression& expression) {
  if (!neverRaises(expression)) return kCostMax;
  size_t result = 0;
  std::vector<const Expression*> pending{&expression};
  while (!pending.empty()) {
    const Expression* last = pending.back();
    pending.pop_back();
    for (const ExpressionPtr& child : last->children) pending.push_back(child.get());
    if (last->kind == Kind::InList || last->kind == Kind::Or) result = std::max<size_t>(result, 1);
    if (last->kind == Kind::Call && last->function >= FunctionId::Concat) result = std::max<size_t>(result, 2);
  }
  return result;
}

}  // namespace

void orderConditions(std::vector<ExpressionPtr>& conditions) {
  std::array<std::vector<ExpressionPtr>, kCostMax + 1> by_cost;
  for (ExpressionPtr& condition : conditions) by_cost[cost(*condition)].push_back(std::move(condition));
  conditions.clear();
  for (std::vector<ExpressionPtr>& group : by_cost) std::ranges::move(group, std::back_inserter(conditions));
}

}  // namespace gnomon::sql
