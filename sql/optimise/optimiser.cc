#include "sql/optimise/optimiser.h"

#include <array>
#include <string_view>

#include "base/assert.h"
#include "base/cancel_scope.h"
#include "sql/algebra/verify.h"
#include "sql/explain/explain.h"
#include "sql/optimise/aggregates.h"
#include "sql/optimise/column_pruning.h"
#include "sql/optimise/group_reduction.h"
#include "sql/optimise/index_access.h"
#include "sql/optimise/join_order.h"
#include "sql/optimise/membership_lookups.h"
#include "sql/optimise/on_demand.h"
#include "sql/optimise/ordered_scans.h"
#include "sql/optimise/outer_joins.h"
#include "sql/optimise/pushdown.h"
#include "sql/optimise/repeated_plans.h"
#include "sql/optimise/shared_plans.h"
#include "sql/optimise/simplify.h"
#include "sql/optimise/sorting.h"
#include "sql/optimise/unnesting.h"

namespace gnomon::sql {
namespace {

struct Pass {
  std::string_view name;
  void (*run)(Plan& plan, Cardinality& cardinality);
};

constexpr auto kPasses = std::to_array<Pass>({
    {"shared_plans", [](Plan& plan, Cardinality&) { mergeSharedPlans(plan); }},
    {"simplify", [](Plan& plan, Cardinality&) { simplify(plan); }},
    {"unnest", [](Plan& plan, Cardinality& cardinality) { unnest(plan, cardinality.statistics()); }},
    {"on_demand", [](Plan& plan, Cardinality&) { gateOnDemand(plan); }},
    {"outer_joins", [](Plan& plan, Cardinality&) { simplifyOuterJoins(plan); }},
    {"pushdown", [](Plan& plan, Cardinality&) { pushDownPredicates(plan); }},
    {"unscanned_plans", [](Plan& plan, Cardinality&) { dropUnscannedPlans(plan); }},
    {"join_order", [](Plan& plan, Cardinality& cardinality) { orderJoins(plan, cardinality); }},
    {"repeated_plans", [](Plan& plan, Cardinality& cardinality) { shareRepeatedPlans(plan, cardinality); }},
    {"groups", [](Plan& plan, Cardinality& cardinality) { reduceGroups(plan, cardinality); }},
    {"members", [](Plan& plan, Cardinality& cardinality) { joinMembers(plan, cardinality); }},
    {"indexes", [](Plan& plan, Cardinality& cardinality) { useIndexes(plan, cardinality); }},
    {"aggregates", [](Plan& plan, Cardinality&) { improveAggregations(plan); }},
    {"sorting", [](Plan& plan, Cardinality&) { placeSorts(plan); }},
    {"ordered_scans", [](Plan& plan, Cardinality& cardinality) { useOrderedScans(plan, cardinality); }},
    {"column_pruning", [](Plan& plan, Cardinality&) { pruneColumns(plan); }},
});

/// In debug builds: the tree is sound.
void verify([[maybe_unused]] const Plan& plan, [[maybe_unused]] std::string_view after) {
#ifdef GNOMON_DEBUG
  const std::string violation = findViolation(plan);
  if (violation.empty()) return;
  const std::string text = "after " + std::string(after) + ": " + violation + "\n" + explainPlan(plan);
  failCheck("the plan is sound", text.c_str(), __FILE__, __LINE__);
#endif
}

void run(Plan& plan, const TableStatistics& statistics, std::vector<PassTrace>* traces) {
  Cardinality cardinality(statistics);
  verify(plan, "bind");
  if (traces != nullptr) traces->push_back({"bound", explainPlan(plan)});
  for (const Pass& pass : kPasses) {
    pollCancel();
    pass.run(plan, cardinality);
    verify(plan, pass.name);
    if (traces != nullptr) traces->push_back({std::string(pass.name), explainPlan(plan)});
  }
}

}  // namespace

void optimise(Plan& plan) {
  run(plan, StoredTableStatistics(), nullptr);
}

void optimise(Plan& plan, const TableStatistics& statistics) {
  run(plan, statistics, nullptr);
}

std::vector<PassTrace> optimiseTracing(Plan& plan, const TableStatistics& statistics) {
  std::vector<PassTrace> traces;
  run(plan, statistics, &traces);
  return traces;
}

}  // namespace gnomon::sql
