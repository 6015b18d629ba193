#include <fmt/format.h>

#include "base/sql_error.h"
#include "sql/bind/comparable.h"
#include "sql/bind/query_binder.h"

namespace gnomon::sql {
namespace {

using NodeKind = ast::Expression::Kind;

/// An unqualified name: GROUP BY takes it for an input column first, for an output column only then.
bool isInputColumn(const ast::Expression& node, const Scope& scope) {
  return node.kind == NodeKind::Column && node.names.size() == 1 && !node.is_star &&
         scope.find(node.names[0], node.position) != nullptr;
}

bool readsAggregate(const Expression& expression, const Aggregation& aggregation) {
  std::vector<Iu> units;
  expression.collectUnits(units);
  for (const Iu unit : units)
    for (const Aggregation::Aggregate& aggregate : aggregation.aggregates)
      if (aggregate.iu == unit) return true;
  return false;
}

}  // namespace

void QueryBinder::bindGroups(const ast::Query& query) {
  for (const ast::ExpressionPtr& node : query.group_by) addGroupKey(*node);
}

void QueryBinder::addGroupKey(const ast::Expression& node) {
  ExpressionPtr expression;
  if (!isInputColumn(node, scope_)) {
    const int64_t item = findItem(node, "GROUP BY");
    if (item >= 0) expression = items_[static_cast<size_t>(item)].expression->clone();
  }
  if (!expression) {
    expression = ExpressionBinder(state_, scope_, "GROUP BY").bind(node);
    expression = coercion_.settle(std::move(expression));
  } else if (readsAggregate(*expression, *aggregation_)) {
    throw SqlError(sqlstate::kGroupingError, "aggregate functions are not allowed in GROUP BY")
        .position(leftmostPosition(*expression));
  }
  requireEquality(expression->type, node.position);
  for (const Aggregation::Key& key : aggregation_->keys)
    if (key.expression->equals(*expression)) return;
  const bool is_column = expression->kind == Expression::Kind::Column;
  const Iu unit =
      state_.plan->makeUnit(is_column ? expression->iu->name : "group", expression->type, expression->nullable);
  if (is_column) state_.inherit(unit, expression->iu);
  aggregation_->keys.push_back({unit, std::move(expression)});
}

void QueryBinder::regroup(ExpressionPtr& expression) const {
  if (expression->isConstant()) return;
  for (const Aggregation::Key& key : aggregation_->keys) {
    if (!key.expression->equals(*expression)) continue;
    const int32_t position = expression->position;
    expression = Expression::column(key.iu);
    expression->position = position;
    return;
  }
  if (expression->kind == Expression::Kind::Column) {
    for (const Aggregation::Aggregate& aggregate : aggregation_->aggregates)
      if (aggregate.iu == expression->iu) return;
    const auto name = state_.unit_names.find(expression->iu);
    throw SqlError(sqlstate::kGroupingError,
                   fmt::format("column \"{}\" must appear in the GROUP BY clause or be used in an aggregate function",
                               name == state_.unit_names.end() ? expression->iu->name : name->second))
        .position(expression->position);
  }
  for (ExpressionPtr& child : expression->children) regroup(child);
}

}  // namespace gnomon::sql
