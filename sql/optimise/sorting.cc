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

bool isVolatile(const Map& map) {
  return std::ranges::any_of(map.computed, [](const Map::Computed& column) { return column.expression->isVolatile(); });
}

/// What does something does it only for rows that the limit lets pass.
void passLimitBelow(OperatorPtr& op) {
  OperatorPtr* place = &op;
  while ((*place)->inputs[0]->kind == Kind::Map && isVolatile(static_cast<const Map&>(*(*place)->inputs[0]))) {
    OperatorPtr map = std::move((*place)->inputs[0]);
    map->estimated_rows = (*place)->estimated_rows;
    (*place)->inputs[0] = std::move(map->inputs[0]);
    map->inputs[0] = std::move(*place);
    *place = std::move(map);
    place = &(*place)->inputs[0];
  }
}

/// What does something does it in the order of the result, and not where the sort's limit takes the row away.
void liftAboveSort(OperatorPtr& op) {
  if (op->inputs[0]->kind != Kind::Map) return;
  auto& map = static_cast<Map&>(*op->inputs[0]);
  std::vector<Iu> read;
  for (const SortKey& key : static_cast<const Sort&>(*op).keys) key.expression->collectUnits(read);
  auto lifted = std::make_unique<Map>();
  for (auto column = map.computed.rbegin(); column != map.computed.rend(); ++column) {
    const bool is_read = std::ranges::find(read, column->iu) != read.end();
    if (column->expression->isVolatile() && !is_read)
      lifted->computed.insert(lifted->computed.begin(), std::move(*column));
    else
      column->expression->collectUnits(read);
  }
  if (lifted->computed.empty()) return;
  std::erase_if(map.computed, [](const Map::Computed& column) { return column.expression == nullptr; });
  if (map.computed.empty()) {
    OperatorPtr below = std::move(map.inputs[0]);
    op->inputs[0] = std::move(below);
  }
  lifted->estimated_rows = op->estimated_rows;
  lifted->inputs.push_back(std::move(op));
  op = std::move(lifted);
}

void visit(OperatorPtr& op) {
  if (op->kind == Kind::Limit) moveLimit(op);
  if (op->kind == Kind::Limit) passLimitBelow(op);
  if (op->kind == Kind::Join || op->kind == Kind::Aggregation || op->kind == Kind::Sort || op->kind == Kind::Union)
    for (OperatorPtr& input : op->inputs) dropOrder(input);
  if (op->kind == Kind::Sort) liftAboveSort(op);
}

}  // namespace

void placeSorts(Plan& plan) {
  forEachOperator(plan, visit);
}

}  // namespace gnomon::sql
