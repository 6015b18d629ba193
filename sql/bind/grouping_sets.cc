#include <algorithm>
#include <utility>

#include "base/sql_error.h"
#include "sql/algebra/copy_tree.h"
#include "sql/algebra/rewrite.h"
#include "sql/algebra/set_operators.h"
#include "sql/bind/ordered_aggregates.h"
#include "sql/bind/query_binder.h"

namespace gnomon::sql {
namespace {

/// What the aggregation over each grouping set reads, once for each of them: scans of a shared plan; of rows that
/// belong to those of queries around, or to a step of a recursion, copies of the tree. Adds to `renaming` what its
/// units are called.
class SetInput {
 public:
  SetInput(Plan& plan, OperatorPtr input, Aggregation& aggregation);
  OperatorPtr make(UnitRenaming& renaming) const;

 private:
  Plan& plan_;
  OperatorPtr input_;  ///< null: it is shared
  const SharedPlan* shared_ = nullptr;
};

/// The direct arguments of the aggregates, which read the keys, in the groups of one set: over the rows of the
/// aggregation's input, NULL where they read a key that is not in the set.
class DirectArguments {
 public:
  /// `set`: null: all keys.
  DirectArguments(const Aggregation& aggregation, const std::vector<size_t>* set) {
    Substitution keys;
    for (size_t i = 0; i < aggregation.keys.size(); ++i) {
      const Aggregation::Key& key = aggregation.keys[i];
      const bool is_in_set = set == nullptr || std::ranges::find(*set, i) != set->end();
      keep(is_in_set ? key.expression->clone() : Expression::constant(Value::null(key.iu->type)), key.iu, keys);
    }
    for (const Map::Computed& direct : aggregation.direct) {
      ExpressionPtr argument = direct.expression->clone();
      keys.apply(argument);
      widenNullability(*argument);
      keep(std::move(argument), direct.iu, direct_);
    }
  }
  void place(ExpressionPtr& expression) const {
    if (expression) direct_.apply(expression);
  }

 private:
  void keep(ExpressionPtr expression, Iu unit, Substitution& substitution) {
    substitution.add(unit, *expression);
    kept_.push_back(std::move(expression));
  }

  std::vector<ExpressionPtr> kept_;
  Substitution direct_;
};

/// Failure: 0A000 when the tree would have to be copied and is volatile.
SetInput::SetInput(Plan& plan, OperatorPtr input, Aggregation& aggregation) : plan_(plan) {
  if (!freeUnits(*input).empty() || readsWorkingRows(*input)) {
    if (isVolatile(input))
      throwNotSupported("grouping sets over volatile functions in a correlated or recursive query");
    input_ = std::move(input);
    return;
  }
  std::vector<Iu> read;
  forEachExpression(aggregation, [&](ExpressionPtr& expression) { expression->collectUnits(read); });
  const UnitSet is_read(read.begin(), read.end());
  auto output = std::make_unique<Output>();
  for (const Iu unit : input->units())
    if (is_read.contains(unit)) output->columns.push_back({unit->name, unit});
  output->inputs.push_back(std::move(input));
  plan.shared.push_back({"grouping sets", std::move(output), false});
  shared_ = &plan.shared.back();
}

OperatorPtr SetInput::make(UnitRenaming& renaming) const {
  return input_ ? copyTree(plan_, *input_, renaming) : scanOf(plan_, *shared_, renaming);
}

}  // namespace

void QueryBinder::bindGroupingSets(const ast::Query& query) {
  for (const std::vector<size_t>& written : query.grouping_sets) {
    std::vector<size_t> keys;
    for (const size_t number : written) keys.push_back(group_keys_[number]);
    std::ranges::sort(keys);
    keys.erase(std::ranges::unique(keys).begin(), keys.end());
    const bool is_known = std::ranges::find(grouping_sets_, keys) != grouping_sets_.end();
    if (!is_known || !query.groups_distinctly) grouping_sets_.push_back(std::move(keys));
  }
}

/// Failure: 42803 when an argument is no grouping expression.
void QueryBinder::resolveGroupings() {
  for (const GroupingCall& call : groupings_) {
    std::vector<size_t>& numbers = grouping_arguments_.emplace_back();
    for (const ExpressionPtr& argument : call.arguments) {
      const auto key = std::ranges::find_if(
          aggregation_->keys, [&](const Aggregation::Key& each) { return each.expression->equals(*argument); });
      const auto number = static_cast<size_t>(key - aggregation_->keys.begin());
      if (std::ranges::find(group_keys_, number) == group_keys_.end())
        throw SqlError(sqlstate::kGroupingError,
                       "arguments to GROUPING must be grouping expressions of the associated query level")
            .position(leftmostPosition(*argument));
      numbers.push_back(number);
    }
  }
}

/// What GROUPING is over the groups of a set; null: of the one of all keys.
int32_t QueryBinder::groupingOf(const std::vector<size_t>& arguments, const std::vector<size_t>* set) const {
  uint32_t bits = 0;
  for (const size_t argument : arguments)
    bits = bits << 1 | (set && std::ranges::find(*set, argument) == set->end() ? 1 : 0);
  return static_cast<int32_t>(bits);
}

/// The aggregation; with several grouping sets, one for each, whose groups are NULL in the keys that are not in the
/// set.
OperatorPtr QueryBinder::groupBySets(std::unique_ptr<Aggregation> aggregation) {
  const auto constant = [](int32_t value) {
    return Expression::constant(Value::fromInt(Type::of(TypeKind::Integer), value));
  };
  if (!has_grouping_sets_) {
    const DirectArguments direct(*aggregation, nullptr);
    forEachExpression(*aggregation, [&](ExpressionPtr& expression) { direct.place(expression); });
    if (groupings_.empty()) return orderAggregates(*state_.plan, std::move(aggregation));
    auto map = std::make_unique<Map>();
    for (size_t i = 0; i < groupings_.size(); ++i)
      map->computed.push_back({groupings_[i].iu, constant(groupingOf(grouping_arguments_[i], nullptr))});
    map->inputs.push_back(orderAggregates(*state_.plan, std::move(aggregation)));
    return map;
  }
  OperatorPtr below = std::move(aggregation->inputs[0]);
  aggregation->inputs.clear();
  const SetInput input(*state_.plan, std::move(below), *aggregation);

  auto all = std::make_unique<Union>();
  for (const Aggregation::Key& key : aggregation->keys) all->columns.push_back(key.iu);
  for (const Aggregation::Aggregate& aggregate : aggregation->aggregates) all->columns.push_back(aggregate.iu);
  for (const GroupingCall& call : groupings_) all->columns.push_back(call.iu);
  for (const std::vector<size_t>& set : grouping_sets_) {
    auto groups = std::make_unique<Aggregation>();
    const DirectArguments direct(*aggregation, &set);
    UnitRenaming renaming;
    groups->inputs.push_back(input.make(renaming));
    const auto overInput = [&](const ExpressionPtr& expression) -> ExpressionPtr {
      if (!expression) return nullptr;
      ExpressionPtr result = expression->clone();
      direct.place(result);
      renameUnits(*result, renaming);
      return result;
    };
    std::vector<ExpressionPtr> values;
    for (size_t i = 0; i < aggregation->keys.size(); ++i) {
      const Aggregation::Key& key = aggregation->keys[i];
      if (std::ranges::find(set, i) == set.end()) {
        values.push_back(Expression::constant(Value::null(key.iu->type)));
        continue;
      }
      const Iu unit = state_.plan->makeUnit(key.iu->name, key.iu->type, key.expression->nullable);
      groups->keys.push_back({unit, overInput(key.expression)});
      values.push_back(Expression::column(unit));
    }
    for (const Aggregation::Aggregate& aggregate : aggregation->aggregates) {
      const Iu unit = state_.plan->makeUnit(aggregate.iu->name, aggregate.iu->type, aggregate.iu->nullable);
      groups->aggregates.push_back(
          {unit, aggregate.function, overInput(aggregate.argument), aggregate.distinct, overInput(aggregate.second)});
      groups->aggregates.back().is_descending = aggregate.is_descending;
      for (const SortKey& key : aggregate.order)
        groups->aggregates.back().order.push_back({overInput(key.expression), key.descending, key.nulls_first});
      values.push_back(Expression::column(unit));
    }
    for (const std::vector<size_t>& arguments : grouping_arguments_)
      values.push_back(constant(groupingOf(arguments, &set)));
    all->inputs.push_back(orderAggregates(*state_.plan, std::move(groups)));
    all->values.push_back(std::move(values));
  }
  return all;
}

}  // namespace gnomon::sql
