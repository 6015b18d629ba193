#include "sql/bind/full_join_pairs.h"

#include <algorithm>

#include "base/sql_error.h"
#include "sql/algebra/rewrite.h"
#include "sql/algebra/set_operators.h"
#include "sql/algebra/window.h"

namespace gnomon::sql {
namespace {

constexpr std::string_view kNotSupported = "a subquery over both sides in the condition of FULL JOIN";

/// One side, whose rows are numbered and computed once.
class NumberedSide {
 public:
  NumberedSide(BindState& state, OperatorPtr input) : state_(state) {
    Plan& plan = *state.plan;
    number_ = plan.makeUnit("number", Type::of(TypeKind::Bigint), false);
    auto output = std::make_unique<Output>();
    for (const Iu unit : input->units())
      if (std::ranges::find(output->columns, unit, &Output::Column::iu) == output->columns.end())
        output->columns.push_back({unit->name, unit});
    output->columns.push_back({number_->name, number_});
    auto window = std::make_unique<Window>();
    window->functions.push_back({number_, WindowFunctionId::RowNumber, {}, {}, {}});
    window->inputs.push_back(std::move(input));
    output->inputs.push_back(std::move(window));
    plan.shared.push_back({.name = std::string(kPairedRows), .root = std::move(output)});
    shared_ = &plan.shared.back();
  }
  /// Its rows; adds to `renaming` what its columns are called there.
  OperatorPtr rows(UnitRenaming& renaming) const {
    UnitRenaming own;
    OperatorPtr scan = scanOf(*state_.plan, *shared_, own);
    for (const auto& [from, to] : own) state_.inherit(to, from);
    renaming.insert(own.begin(), own.end());
    return scan;
  }
  [[nodiscard]] Iu number() const { return number_; }

 private:
  BindState& state_;
  Iu number_ = nullptr;
  const SharedPlan* shared_ = nullptr;
};

ExpressionPtr equal(Iu left, Iu right) {
  std::vector<ExpressionPtr> sides;
  sides.push_back(Expression::column(left));
  sides.push_back(Expression::column(right));
  return Expression::call(FunctionId::Equal, Type::of(TypeKind::Boolean), std::move(sides));
}

/// Whether the side is to be computed once, and rows of its items are where the join's own marks say it.
bool canBeShared(OperatorPtr& side, const Scope& scope) {
  return freeUnits(*side).empty() && !readsWorkingRows(*side) &&
         std::ranges::all_of(scope.ranges, [](const Range& range) { return range.extensions == 0; });
}

/// The rows of both for which the conditions are true.
OperatorPtr pairsOf(OperatorPtr left, OperatorPtr right, std::vector<ExpressionPtr> conditions,
                    SubqueryJoins& subqueries) {
  std::vector<ExpressionPtr> conjuncts, of_subqueries;
  for (ExpressionPtr& condition : conditions) splitConjunction(std::move(condition), conjuncts);
  auto pairs = std::make_unique<Join>();
  for (ExpressionPtr& conjunct : conjuncts) {
    std::vector<Iu> read;
    conjunct->collectUnits(read);
    const bool reads_subquery = std::ranges::any_of(read, [&](Iu unit) { return subqueries.adds(unit); });
    (reads_subquery ? of_subqueries : pairs->conditions).push_back(std::move(conjunct));
  }
  pairs->inputs.push_back(std::move(left));
  pairs->inputs.push_back(std::move(right));
  return selected(subqueries.attach(std::move(pairs)), std::move(of_subqueries));
}

}  // namespace

void pairRows(BindState& state, Join& join, SubqueryJoins& subqueries, Scope& left, Scope& right) {
  SubqueryJoins of_left, of_both;
  subqueries.moveReading(unitSet(*join.inputs[0]), of_left);
  UnitSet of_right = unitSet(*join.inputs[1]);
  for (const Iu result : subqueries.results()) of_right.insert(result);
  of_left.moveReading(std::move(of_right), of_both);
  if (of_both.empty()) return of_left.moveAll(subqueries);
  if (!canBeShared(join.inputs[0], left) || !canBeShared(join.inputs[1], right)) throwNotSupported(kNotSupported);
  const NumberedSide first(state, of_left.attach(std::move(join.inputs[0])));
  const NumberedSide second(state, subqueries.attach(std::move(join.inputs[1])));

  UnitRenaming paired;
  OperatorPtr left_rows = first.rows(paired), right_rows = second.rows(paired);
  for (const ExpressionPtr& condition : join.conditions) renameUnits(*condition, paired);
  of_both.rename(paired);
  OperatorPtr pairs = pairsOf(std::move(left_rows), std::move(right_rows), std::move(join.conditions), of_both);

  UnitRenaming of_first, of_second;
  auto matched = std::make_unique<Join>();
  matched->join_kind = Join::JoinKind::LeftOuter;
  matched->inputs.push_back(first.rows(of_first));
  matched->inputs.push_back(std::move(pairs));
  matched->conditions.push_back(equal(of_first.at(first.number()), paired.at(first.number())));
  const Iu partner = state.plan->makeUnit("partner", second.number()->type, true);
  matched->null_extended.emplace_back(paired.at(second.number()), partner);
  join.inputs[0] = std::move(matched);
  join.inputs[1] = second.rows(of_second);
  join.conditions.clear();
  join.conditions.push_back(equal(partner, of_second.at(second.number())));
  left.replace(of_first);
  right.replace(of_second);
}

}  // namespace gnomon::sql
