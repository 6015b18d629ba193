#include "sql/optimise/repeated_values.h"

#include <algorithm>
#include <memory>
#include <utility>

#include "sql/algebra/error_freedom.h"
#include "sql/algebra/rewrite.h"
#include "sql/algebra/set_operators.h"
#include "sql/algebra/window.h"

namespace gnomon::sql {
namespace {

/// Whether the operator's input `i` is computed once, whatever the row around it.
bool isOnce(const Operator& op, size_t i, const ConstantSubqueries& constant) {
  return i == 1 && constant.contains(&op);
}

/// A function in FROM whose arguments read nothing around it.
bool isFunctionOnce(Operator& op) {
  return (op.kind == Operator::Kind::FunctionScan || op.kind == Operator::Kind::ProjectSet) && freeUnits(op).empty();
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

/// Whether putting the values together may raise an error, however they were computed.
bool mayRaise(const Aggregation::Aggregate& aggregate) {
  switch (aggregate.function) {
    case AggregateId::ConcatenateArrays:
    case AggregateId::PercentileContinuous:
    case AggregateId::PercentileDiscrete:
      return true;
    case AggregateId::CountRows:
    case AggregateId::Count:
    case AggregateId::Minimum:
    case AggregateId::Maximum:
    case AggregateId::BitAnd:
    case AggregateId::BitOr:
    case AggregateId::BitXor:
    case AggregateId::AnyValue:
    case AggregateId::JoinTexts:
    case AggregateId::CollectArray:
    case AggregateId::MostFrequent:
      return false;
    default:
      break;
  }
  // Sums, which may overflow.
  const TypeKind kind = aggregate.argument->type.kind;
  return kind == TypeKind::Real || kind == TypeKind::Double || kind == TypeKind::Interval || kind == TypeKind::Money;
}

}  // namespace

bool RepeatedValues::isOne(const Expression& expression) const {
  return expression.isVolatile() || (kind_ == Kind::VolatileOrRaise && !neverRaises(expression));
}

/// Those that the operator itself computes.
void RepeatedValues::forEachIn(Operator& op, const std::function<void(ExpressionPtr&)>& visit) const {
  if (isFunctionOnce(op)) return;
  if (op.kind == Operator::Kind::Map) {
    for (Map::Computed& computed : static_cast<Map&>(op).computed) {
      const auto reads = reads_.find(computed.iu);
      const bool is_read = reads != reads_.end() && reads->second != 0;
      if (isOne(*computed.expression) && (is_read || computed.expression->isVolatile())) visit(computed.expression);
    }
    return;
  }
  forEachExpression(op, [&](ExpressionPtr& expression) {
    if (isOne(*expression)) visit(expression);
  });
  if (kind_ != Kind::VolatileOrRaise) return;
  const auto visitAggregate = [&](Aggregation::Aggregate& aggregate) {
    if (aggregate.argument && !isOne(*aggregate.argument) && mayRaise(aggregate)) visit(aggregate.argument);
  };
  if (op.kind == Operator::Kind::Aggregation)
    for (Aggregation::Aggregate& aggregate : static_cast<Aggregation&>(op).aggregates) visitAggregate(aggregate);
  if (op.kind == Operator::Kind::Window)
    for (Window::Function& function : static_cast<Window&>(op).functions) visitAggregate(function.aggregate);
}

bool RepeatedValues::areIn(Operator& tree) const {
  for (size_t i = 0; i < tree.inputs.size(); ++i)
    if (!isOnce(tree, i, constant_) && areIn(*tree.inputs[i])) return true;
  bool found = false;
  forEachIn(tree, [&](ExpressionPtr&) { found = true; });
  return found;
}

void RepeatedValues::tie(OperatorPtr& tree, Iu row) const {
  const auto tied = [&](ExpressionPtr expression) {
    auto unit = std::make_shared<const InformationUnit>(InformationUnit{0, "row", row->type, true});
    return Expression::let(std::move(unit), Expression::column(row), std::move(expression));
  };
  const bool is_dependent = tree->kind == Operator::Kind::Join && static_cast<Join&>(*tree).is_dependent;
  for (size_t i = 0; i < tree->inputs.size(); ++i) {
    if (isOnce(*tree, i, constant_)) continue;
    if (i == 0 || !is_dependent) {
      tie(tree->inputs[i], row);
    } else if (areIn(*tree->inputs[1])) {
      // Its values are going to be each left row's own: that one is to be of a single row around.
      std::vector<ExpressionPtr> conditions;
      conditions.push_back(tied(booleanConstant(true)));
      tree->inputs[0] = selected(std::move(tree->inputs[0]), std::move(conditions));
    }
  }
  bool is_computed = false;
  forEachIn(*tree, [&](ExpressionPtr&) { is_computed = true; });
  if (is_computed && tree->kind == Operator::Kind::Values) computeRows(tree);
  forEachIn(*tree, [&](ExpressionPtr& expression) { expression = tied(std::move(expression)); });
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
