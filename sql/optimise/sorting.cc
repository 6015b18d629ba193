#include "sql/optimise/sorting.h"

#include <algorithm>

#include "sql/algebra/rewrite.h"

namespace gnomon::sql {
namespace {

using Kind = Operator::Kind;

bool isConstantOrParameter(const ExpressionPtr& expression) {
  if (expression == nullptr) return true;
  const Expression* inner = expression.get();
  while (inner->kind == Expression::Kind::Cast) inner = inner->children[0].get();
  return inner->kind == Expression::Kind::Constant || inner->kind == Expression::Kind::Parameter;
}

bool isLimited(const Sort& sort) {
  return sort.limit != nullptr || sort.offset != nullptr;
}

/// The limit goes into the sort and from the tree.
void moveLimit(OperatorPtr& op) {
  auto& limit = static_cast<Limit&>(*op);
  if (!isConstantOrParameter(limit.limit) || !isConstantOrParameter(limit.offset)) return;
  std::vector<Operator*> passed;
  Operator* below = op->inputs[0].get();
  while (below->kind == Kind::Map) {
    passed.push_back(below);
    below = below->inputs[0].get();
  }
  if (below->kind != Kind::Sort || isLimited(static_cast<Sort&>(*below))) return;
  auto& sort = static_cast<Sort&>(*below);
  sort.limit = std::move(limit.limit);
  sort.offset = std::move(limit.offset);
  sort.estimated_rows = limit.estimated_rows;
  for (Operator* map : passed) map->estimated_rows = limit.estimated_rows;
  OperatorPtr input = std::move(op->inputs[0]);
  op = std::move(input);
}

/// Drops the sorts that only order what reaches `input`'s parent.
void dropOrder(OperatorPtr& input) {
  OperatorPtr* place = &input;
  while ((*place)->kind == Kind::Map || (*place)->kind == Kind::Selection || (*place)->kind == Kind::Sort) {
    if ((*place)->kind == Kind::Sort) {
      if (isLimited(static_cast<Sort&>(**place))) return;
      OperatorPtr below = std::move((*place)->inputs[0]);
      *place = std::move(below);
      continue;
    }
    place = &(*place)->inputs[0];
  }
}

void visit(OperatorPtr& op) {
  if (op->kind == Kind::Limit) moveLimit(op);
  if (op->kind == Kind::Join || op->kind == Kind::Aggregation || op->kind == Kind::Sort)
    for (OperatorPtr& input : op->inputs) dropOrder(input);
}

}  // namespace

void placeSorts(Plan& plan) {
  forEachOperator(plan.root, visit);
}

}  // namespace gnomon::sql
