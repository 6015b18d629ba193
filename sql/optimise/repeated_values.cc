#include "sql/optimise/repeated_values.h"

#include <algorithm>
#include <functional>
#include <memory>
#include <utility>

#include "sql/algebra/rewrite.h"
#include "sql/algebra/set_operators.h"

namespace gnomon::sql {
namespace {

using Kind = Operator::Kind;

/// Calls `visit` for the operators that are computed for each row around.
void forEachRepeated(OperatorPtr& op, const ConstantSubqueries& constant,
                     const std::function<void(OperatorPtr&)>& visit) {
  for (size_t i = 0; i < op->inputs.size(); ++i) {
    if (i == 1 && constant.contains(op.get())) continue;
    forEachRepeated(op->inputs[i], constant, visit);
  }
  const bool is_function = op->kind == Kind::FunctionScan || op->kind == Kind::ProjectSet;
  if (is_function && freeUnits(*op).empty()) return;
  visit(op);
}

bool hasVolatile(Operator& op) {
  bool found = false;
  forEachExpression(op, [&](ExpressionPtr& expression) { found = found || expression->isVolatile(); });
  return found;
}

/// The same rows from operators whose expressions may read units.
void computeRows(OperatorPtr& op) {
  auto& values = static_cast<Values&>(*op);
  const auto oneRow = [] {
    auto row = std::make_unique<Values>();
    row->rows.emplace_back();
    return row;
  };
  if (values.rows.size() == 1) {
    auto map = std::make_unique<Map>();
    for (size_t i = 0; i < values.columns.size(); ++i)
      map->computed.push_back({values.columns[i], std::move(values.rows[0][i])});
    map->inputs.push_back(oneRow());
    op = std::move(map);
    return;
  }
  auto all = std::make_unique<Union>();
  all->columns = std::move(values.columns);
  all->values = std::move(values.rows);
  for (size_t i = 0; i < all->values.size(); ++i) all->inputs.push_back(oneRow());
  op = std::move(all);
}

}  // namespace

bool hasRepeatedValues(OperatorPtr& tree, const ConstantSubqueries& constant) {
  bool found = false;
  forEachRepeated(tree, constant, [&](OperatorPtr& op) { found = found || hasVolatile(*op); });
  return found;
}

void tieToRow(OperatorPtr& tree, Iu row, const ConstantSubqueries& constant) {
  const auto unit = std::make_shared<const InformationUnit>(InformationUnit{0, "row", row->type, true});
  forEachRepeated(tree, constant, [&](OperatorPtr& op) {
    if (!hasVolatile(*op)) return;
    if (op->kind == Kind::Values) computeRows(op);
    forEachExpression(*op, [&](ExpressionPtr& expression) {
      if (expression->isVolatile()) expression = Expression::let(unit, Expression::column(row), std::move(expression));
    });
  });
}

void untieFromRow(ExpressionPtr& expression, Iu row) {
  for (ExpressionPtr& child : expression->children) untieFromRow(child, row);
  if (expression->kind != Expression::Kind::Let) return;
  const Expression& value = *expression->children[0];
  if (value.kind != Expression::Kind::Column || value.iu != row) return;
  ExpressionPtr body = std::move(expression->children[1]);
  expression = std::move(body);
}

}  // namespace gnomon::sql
