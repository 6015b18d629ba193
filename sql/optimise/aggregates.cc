#include "sql/optimise/aggregates.h"

#include <algorithm>
#include <unordered_map>

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

/// Whether values that come twice make no difference.
bool ignoresRepetition(AggregateId function) {
  return function == AggregateId::Minimum || function == AggregateId::Maximum || function == AggregateId::BitAnd ||
         function == AggregateId::BitOr;
}

void tidy(Aggregate& aggregate) {
  if (ignoresRepetition(aggregate.function)) aggregate.distinct = false;
  if (aggregate.function != AggregateId::Count || aggregate.distinct || !isNeverNull(*aggregate.argument)) return;
  aggregate.function = AggregateId::CountRows;
  aggregate.argument = nullptr;
}

bool sameAggregate(const Aggregate& one, const Aggregate& other) {
  if (one.function != other.function || one.distinct != other.distinct || one.iu->type != other.iu->type) return false;
  if (one.argument == nullptr || other.argument == nullptr) return one.argument == other.argument;
  if (one.second != nullptr && !one.second->equals(*other.second)) return false;
  return one.argument->equals(*other.argument) && !one.argument->isVolatile();
}

size_t hashOf(const Aggregate& aggregate) {
  const size_t argument = aggregate.argument == nullptr ? 0 : structuralHash(*aggregate.argument);
  return argument * 64 + static_cast<size_t>(aggregate.function) * 2 + (aggregate.distinct ? 1 : 0);
}

void removeRepeated(Aggregation& aggregation, UnitRenaming& renaming) {
  std::vector<Aggregate> kept;
  std::unordered_multimap<size_t, size_t> kept_by_hash;
  for (Aggregate& aggregate : aggregation.aggregates) {
    const size_t hash = hashOf(aggregate);
    const auto [first, last] = kept_by_hash.equal_range(hash);
    const auto same =
        std::find_if(first, last, [&](const auto& entry) { return sameAggregate(aggregate, kept[entry.second]); });
    if (same != last) {
      renaming[aggregate.iu] = kept[same->second].iu;
      continue;
    }
    kept_by_hash.emplace(hash, kept.size());
    kept.push_back(std::move(aggregate));
  }
  aggregation.aggregates = std::move(kept);
}

}  // namespace

void improveAggregations(Plan& plan) {
  UnitRenaming renaming;
  forEachOperator(plan, [&](OperatorPtr& op) {
    if (op->kind != Operator::Kind::Aggregation) return;
    auto& aggregation = static_cast<Aggregation&>(*op);
    for (Aggregate& aggregate : aggregation.aggregates) tidy(aggregate);
    removeRepeated(aggregation, renaming);
    shareSubexpressions(plan, aggregation);
    rewriteDistinctAggregates(plan, op);
  });
  renameUnits(plan, renaming);
}

}  // namespace gnomon::sql
