#include "sql/bind/ordered_aggregates.h"

#include <algorithm>
#include <utility>

#include "sql/algebra/replace_equal.h"
#include "sql/algebra/rewrite.h"
#include "sql/algebra/window.h"
#include "sql/bind/window_calls.h"

namespace gnomon::sql {
namespace {

using Kind = Operator::Kind;

std::vector<ExpressionPtr> listOf(ExpressionPtr first, ExpressionPtr second) {
  std::vector<ExpressionPtr> list;
  list.push_back(std::move(first));
  list.push_back(std::move(second));
  return list;
}

bool isOrdered(const Aggregation::Aggregate& aggregate) {
  return dependsOnOrder(aggregate.function) && (aggregate.distinct || !aggregate.order.empty());
}

/// One aggregation that is being rewritten.
class Rewriting {
 public:
  Rewriting(Plan& plan, Aggregation& aggregation) : plan_(plan), aggregation_(aggregation) {}

  void run() {
    computeKeys();
    for (Aggregation::Aggregate& aggregate : aggregation_.aggregates)
      if (isOrdered(aggregate)) computeVolatile(aggregate);
    OperatorPtr& input = aggregation_.inputs[0];
    for (Aggregation::Aggregate& aggregate : aggregation_.aggregates)
      if (isOrdered(aggregate) && aggregate.distinct) markFirst(aggregate);
    input = windows_.attach(std::move(input));
    for (Aggregation::Aggregate& aggregate : aggregation_.aggregates)
      if (isOrdered(aggregate)) compute(aggregate);
    input = windows_.attach(std::move(input));
  }

 private:
  /// Groups are partitions, too: keys are computed once.
  void computeKeys() {
    auto map = std::make_unique<Map>();
    for (Aggregation::Key& key : aggregation_.keys) {
      if (key.expression->kind == Expression::Kind::Column) continue;
      const Iu unit = plan_.makeUnit("group", key.expression->type, key.expression->nullable);
      map->computed.push_back({unit, std::exchange(key.expression, Expression::column(unit))});
    }
    below(std::move(map));
  }

  void below(std::unique_ptr<Map> map) {
    if (map->computed.empty()) return;
    map->inputs.push_back(std::move(aggregation_.inputs[0]));
    aggregation_.inputs[0] = std::move(map);
  }

  /// What the aggregate is of and what orders it is one value where both say the same.
  void computeVolatile(Aggregation::Aggregate& aggregate) {
    auto map = std::make_unique<Map>();
    // The argument may be one of the keys behind a FILTER.
    std::vector<ExpressionPtr*> places;
    for (SortKey& key : aggregate.order) places.push_back(&key.expression);
    places.push_back(&aggregate.argument);
    if (aggregate.second) places.push_back(&aggregate.second);
    for (ExpressionPtr* const place : places) {
      if (!(*place)->isVolatile()) continue;
      const Iu unit = plan_.makeUnit("argument", (*place)->type, (*place)->nullable);
      const ExpressionPtr pattern = (*place)->clone();
      for (ExpressionPtr* const each : places) replaceEqual(*each, *pattern, unit);
      map->computed.push_back({unit, pattern->clone()});
    }
    below(std::move(map));
  }

  [[nodiscard]] std::vector<ExpressionPtr> partition() const {
    std::vector<ExpressionPtr> keys;
    for (const Aggregation::Key& key : aggregation_.keys) keys.push_back(key.expression->clone());
    return keys;
  }

  /// Only the first of equal rows is to count.
  void markFirst(Aggregation::Aggregate& aggregate) {
    std::vector<ExpressionPtr> same = partition();
    same.push_back(aggregate.argument->clone());
    if (aggregate.second) same.push_back(aggregate.second->clone());
    if (aggregate.order.empty()) {
      aggregate.order.push_back({aggregate.argument->clone()});
      if (aggregate.function == AggregateId::JoinTexts) aggregate.order.push_back({aggregate.second->clone()});
    }
    const Iu number = plan_.makeUnit("row_number", Type::of(TypeKind::Bigint), false);
    const Iu added = windows_.add(std::move(same), {}, {number, WindowFunctionId::RowNumber, {}, {}, {}});
    ExpressionPtr is_first =
        Expression::call(FunctionId::Equal, Type::of(TypeKind::Boolean),
                         listOf(Expression::column(added), Expression::constant(Value::fromInt(added->type, 1))));
    if (aggregate.function == AggregateId::JoinTexts) {
      auto value = std::make_unique<Expression>();
      value->kind = Expression::Kind::Case;
      value->type = aggregate.argument->type;
      ExpressionPtr none = Expression::constant(Value::null(value->type));
      value->children = listOf(std::move(is_first), std::move(aggregate.argument));
      value->children.push_back(std::move(none));
      aggregate.argument = std::move(value);
    } else if (aggregate.second) {
      aggregate.second =
          Expression::logic(Expression::Kind::And, listOf(std::move(is_first), std::move(aggregate.second)));
    } else {
      aggregate.second = std::move(is_first);
    }
    aggregate.distinct = false;
  }

  void compute(Aggregation::Aggregate& aggregate) {
    const Type type = aggregate.iu->type;
    const Iu whole = plan_.makeUnit(aggregate.iu->name, type, true);
    Window::Function function{};
    function.iu = whole;
    function.function = WindowFunctionId::Aggregate;
    function.aggregate = {whole, aggregate.function, std::move(aggregate.argument), false, std::move(aggregate.second)};
    function.frame.mode = Window::Frame::Mode::Rows;
    function.frame.start.kind = Window::Bound::Kind::UnboundedPreceding;
    function.frame.end.kind = Window::Bound::Kind::UnboundedFollowing;
    const Iu added = windows_.add(partition(), std::move(aggregate.order), std::move(function));
    aggregate = {aggregate.iu, AggregateId::AnyValue, Expression::column(added)};
  }

  Plan& plan_;
  Aggregation& aggregation_;
  WindowCalls windows_;
};

}  // namespace

std::vector<SortKey> orderOf(const Operator& op) {
  const Operator* below = &op;
  while (below->kind == Kind::Map || below->kind == Kind::Selection || below->kind == Kind::Limit)
    below = below->inputs[0].get();
  std::vector<SortKey> keys;
  if (below->kind == Kind::Sort)
    for (const SortKey& key : static_cast<const Sort&>(*below).keys)
      keys.push_back({key.expression->clone(), key.descending, key.nulls_first});
  return keys;
}

OperatorPtr orderAggregates(Plan& plan, std::unique_ptr<Aggregation> aggregation) {
  // Of the others no order shows.
  for (Aggregation::Aggregate& aggregate : aggregation->aggregates)
    if (!dependsOnOrder(aggregate.function)) aggregate.order.clear();
  if (std::ranges::any_of(aggregation->aggregates, isOrdered)) Rewriting(plan, *aggregation).run();
  return aggregation;
}

}  // namespace gnomon::sql
