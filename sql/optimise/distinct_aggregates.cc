#include "sql/optimise/distinct_aggregates.h"

#include <algorithm>

#include "sql/functions/numeric_typing.h"

namespace gnomon::sql {
namespace {

using Aggregate = Aggregation::Aggregate;

/// Aggregates over parts of a group give the aggregate over the group.
bool canCombine(const Aggregate& aggregate) {
  switch (aggregate.function) {
    case AggregateId::Sum:
      return !aggregate.argument->type.isFloat();
    case AggregateId::CountRows:
    case AggregateId::Count:
    case AggregateId::Minimum:
    case AggregateId::Maximum:
      return true;
    default:
      return false;
  }
}

/// The argument all DISTINCT aggregates share; null when the rewrite does not apply.
const Expression* sharedArgument(const Aggregation& aggregation) {
  const Expression* argument = nullptr;
  for (const Aggregate& aggregate : aggregation.aggregates) {
    if (!aggregate.distinct) {
      if (!canCombine(aggregate)) return nullptr;
      continue;
    }
    if (argument != nullptr && !argument->equals(*aggregate.argument)) return nullptr;
    argument = aggregate.argument.get();
  }
  return argument;
}

/// Builds the two aggregations, and the map that brings combined counts back to their type.
class TwoLevels {
 public:
  TwoLevels(Plan& plan, Aggregation& original, const Expression& argument)
      : plan_(plan),
        original_(original),
        argument_(plan.makeUnit("distinct", argument.type, argument.nullable)),
        lower_(std::make_unique<Aggregation>()),
        upper_(std::make_unique<Aggregation>()),
        map_(std::make_unique<Map>()) {
    addKeys(argument);
    for (Aggregate& aggregate : original_.aggregates) add(aggregate);
  }

  OperatorPtr finish() {
    lower_->inputs.push_back(std::move(original_.inputs[0]));
    lower_->estimated_rows = std::max(lower_->inputs[0]->estimated_rows / 2, original_.estimated_rows);
    upper_->inputs.push_back(std::move(lower_));
    upper_->estimated_rows = original_.estimated_rows;
    if (map_->computed.empty()) return std::move(upper_);
    map_->inputs.push_back(std::move(upper_));
    map_->estimated_rows = original_.estimated_rows;
    return std::move(map_);
  }

 private:
  void addKeys(const Expression& argument) {
    for (Aggregation::Key& key : original_.keys) {
      const Iu lower = plan_.makeUnit(key.iu->name, key.iu->type, key.iu->nullable);
      lower_->keys.push_back({lower, std::move(key.expression)});
      upper_->keys.push_back({key.iu, Expression::column(lower)});
    }
    lower_->keys.push_back({argument_, argument.clone()});
  }
  void add(Aggregate& aggregate) {
    if (aggregate.distinct) {
      upper_->aggregates.push_back({aggregate.iu, aggregate.function, Expression::column(argument_), false});
      return;
    }
    const Iu part = plan_.makeUnit(aggregate.iu->name, aggregate.iu->type, aggregate.iu->nullable);
    lower_->aggregates.push_back({part, aggregate.function, std::move(aggregate.argument), false});
    if (aggregate.function == AggregateId::Minimum || aggregate.function == AggregateId::Maximum)
      upper_->aggregates.push_back({aggregate.iu, aggregate.function, Expression::column(part), false});
    else
      addSum(aggregate, part);
  }
  /// Sums of bigint parts are numeric: cast back; a count over no rows at all is 0. Others are of their parts' type.
  void addSum(const Aggregate& aggregate, Iu part) {
    if (!part->type.isInteger()) {
      upper_->aggregates.push_back({aggregate.iu, AggregateId::Sum, Expression::column(part), false});
      return;
    }
    const Type sum_type = NumericTyping(false).aggregate(AggregateId::Sum, part->type);
    const Iu sum = plan_.makeUnit(aggregate.iu->name, sum_type, true);
    upper_->aggregates.push_back({sum, AggregateId::Sum, Expression::column(part), false});
    ExpressionPtr result = Expression::cast(Expression::column(sum), aggregate.iu->type, false);
    if (aggregate.function != AggregateId::Sum) result = orZero(std::move(result));
    map_->computed.push_back({aggregate.iu, std::move(result)});
  }
  static ExpressionPtr orZero(ExpressionPtr count) {
    auto coalesce = std::make_unique<Expression>();
    coalesce->kind = Expression::Kind::Coalesce;
    coalesce->type = count->type;
    coalesce->nullable = false;
    const Type type = count->type;
    coalesce->children.push_back(std::move(count));
    coalesce->children.push_back(Expression::constant(Value::fromInt(type, 0)));
    return coalesce;
  }

  Plan& plan_;
  Aggregation& original_;
  Iu argument_;
  std::unique_ptr<Aggregation> lower_, upper_;
  std::unique_ptr<Map> map_;
};

}  // namespace

void rewriteDistinctAggregates(Plan& plan, OperatorPtr& op) {
  auto& aggregation = static_cast<Aggregation&>(*op);
  const Expression* shared = sharedArgument(aggregation);
  if (shared == nullptr) return;
  const ExpressionPtr argument = shared->clone();
  OperatorPtr result = TwoLevels(plan, aggregation, *argument).finish();
  op = std::move(result);
}

}  // namespace gnomon::sql
