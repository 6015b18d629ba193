#include "sql/optimise/aggregates.h"

#include <algorithm>

#include "sql/algebra/rewrite.h"
#include "sql/optimise/common_subexpressions.h"
#include "sql/optimise/distinct_aggregates.h"

namespace gnomon::sql {
namespace {

using Aggregate = Aggregation::Aggregate;

bool isNeverNull(const Expression& argument) {
  if (argument.kind == Expression::Kind::Column) return !argument.iu->nullable;
  return argument.kind == Expression::Kind::Constant && !argument.value.is_null;
}

void tidy(Aggregate& aggregate) {
  if (aggregate.function == AggregateId::Minimum || aggregate.function == AggregateId::Maximum)
    aggregate.distinct = false;
  if (aggregate.function != AggregateId::Count || aggregate.distinct || !isNeverNull(*aggregate.argument)) return;
  aggregate.function = AggregateId::CountRows;
  aggregate.argument = nullptr;
}

bool sameAggregate(const Aggregate& one, const Aggregate& other) {
  if (one.function != other.function || one.distinct != other.distinct || one.iu->type != other.iu->type) return false;
  if (one.argument == nullptr || other.argument == nullptr) return one.argument == other.argument;
  return one.argument->equals(*other.argument);
}

void removeRepeated(Aggregation& aggregation, UnitRenaming& renaming) {
  std::vector<Aggregate> kept;
  for (Aggregate& aggregate : aggregation.aggregates) {
    const auto same =
        std::ranges::find_if(kept, [&](const Aggregate& other) { return sameAggregate(aggregate, other); });
    if (same == kept.end())
      kept.push_back(std::move(aggregate));
    else
      renaming[aggregate.iu] = same->iu;
  }
  aggregation.aggregates = std::move(kept);
}

}  // namespace

void improveAggregations(Plan& plan) {
  UnitRenaming renaming;
  forEachOperator(plan.root, [&](OperatorPtr& op) {
    if (op->kind != Operator::Kind::Aggregation) return;
    auto& aggregation = static_cast<Aggregation&>(*op);
    for (Aggregate& aggregate : aggregation.aggregates) tidy(aggregate);
    removeRepeated(aggregation, renaming);
    shareSubexpressions(plan, aggregation);
    rewriteDistinctAggregates(plan, op);
  });
  renameUnits(plan.root, renaming);
}

}  // namespace gnomon::sql
