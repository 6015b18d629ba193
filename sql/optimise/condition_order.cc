#include "sql/optimise/condition_order.h"

#include <algorithm>
#include <array>
#include <iterator>

namespace gnomon::sql {
namespace {

using Kind = Expression::Kind;

bool isSafeCast(const Expression& cast) {
  const Type from = cast.children[0]->type;
  const Type to = cast.type;
  if (from.isInteger() && to.isInteger()) return from.kind <= to.kind;
  if (from.kind == TypeKind::Real && to.kind == TypeKind::Double) return true;
  return from.isString() && to.kind == TypeKind::Text;
}

bool isSafeFunction(FunctionId function) {
  switch (function) {
    case FunctionId::Like:
    case FunctionId::ILike:
    case FunctionId::Length:
    case FunctionId::OctetLength:
    case FunctionId::Lower:
    case FunctionId::Upper:
    case FunctionId::Position:
    case FunctionId::StartsWith:
      return true;
    default:
      return function >= FunctionId::Equal && function <= FunctionId::GreaterEqual;
  }
}

bool nodeNeverRaises(const Expression& node) {
  if (node.kind == Kind::Cast) return isSafeCast(node);
  if (node.kind == Kind::ArrayCall) return node.function == FunctionId::ArraySubscript;
  const bool calls = node.kind == Kind::Call || node.kind == Kind::AnyOf || node.kind == Kind::AllOf;
  return !calls || isSafeFunction(node.function);
}

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

bool neverRaises(const Expression& expression) {
  std::vector<const Expression*> pending{&expression};
  while (!pending.empty()) {
    const Expression* last = pending.back();
    pending.pop_back();
    if (!nodeNeverRaises(*last)) return false;
    for (const ExpressionPtr& child : last->children) pending.push_back(child.get());
  }
  return true;
}

void orderConditions(std::vector<ExpressionPtr>& conditions) {
  std::array<std::vector<ExpressionPtr>, kCostMax + 1> by_cost;
  for (ExpressionPtr& condition : conditions) by_cost[cost(*condition)].push_back(std::move(condition));
  conditions.clear();
  for (std::vector<ExpressionPtr>& group : by_cost) std::ranges::move(group, std::back_inserter(conditions));
}

}  // namespace gnomon::sql
