#include <algorithm>

#include "codegen/translate/aggregate_state.h"
#include "codegen/translate/group_table.h"
#include "codegen/translate/plan_translator.h"
#include "codegen/translate/row_staging.h"

namespace gnomon::codegen {

namespace {

/// The distinct values of one argument in each group, for the DISTINCT aggregates over it: a grouping by the keys and
/// the argument.
struct DistinctValues {
  const sql::Expression* argument;
  GroupTable table;
  std::vector<size_t> aggregates;  ///< numbers in Aggregation::aggregates
};

/// One aggregation's translation: pre-aggregation inside the input's pipeline, a merge over partitions, and a pipeline
/// that reads the groups. DISTINCT aggregates are fed from a pipeline of their own over the distinct values, which
/// finds the same groups.
class AggregationTranslator {
 public:
  AggregationTranslator(PlanTranslator& translator, const sql::Aggregation& aggregation)
      : translator_(translator), aggregation_(aggregation), groups_(translator) {
    for (const auto& key : aggregation.keys) {
      groups_.addKey(key.expression->type, key.expression->nullable);
      addUnits(*key.expression, below_);
    }
    for (const auto& aggregate : aggregation.aggregates) {
      states_.emplace_back(aggregate, aggregation.keys.empty(), groups_.layout());
      if (aggregate.argument) addUnits(*aggregate.argument, below_);
      if (aggregate.second) addUnits(*aggregate.second, below_);
    }
    groups_.finish();
    collectDistinct();
  }

  void produce(const UnitSet& required, const Consumer& consumer) {
    translator_.produce(*aggregation_.inputs[0], below_, [&](Pipeline& pipeline) { aggregate(pipeline); });
    for (DistinctValues& values : distinct_) aggregateDistinct(values);
    groups_.addMergeStep([&](CodeContext& context, ir::Value group, ir::Value from) {
      for (const AggregateState& state : states_) state.merge(context, groups_.layout(), group, from);
    });
    readGroups(required, consumer);
  }

 private:
  void collectDistinct();
  [[nodiscard]] bool isStaged(Pipeline& pipeline) const;
  [[nodiscard]] std::vector<SqlValue> keysOf(Pipeline& pipeline) const;
  void aggregate(Pipeline& pipeline);
  void aggregateRow(Pipeline& pipeline, ir::Value hash);
  ir::Value holdOnStack(Pipeline& pipeline, ir::Value group);
  void aggregateDistinct(DistinctValues& values);
  void readGroups(const UnitSet& required, const Consumer& consumer);

  PlanTranslator& translator_;
  const sql::Aggregation& aggregation_;
  UnitSet below_;
  GroupTable groups_;
  std::vector<AggregateState> states_;
  std::vector<DistinctValues> distinct_;
};

void AggregationTranslator::collectDistinct() {
  for (size_t i = 0; i < aggregation_.aggregates.size(); ++i) {
    const auto& aggregate = aggregation_.aggregates[i];
    if (!aggregate.distinct) continue;
    const auto known = std::find_if(distinct_.begin(), distinct_.end(), [&](const DistinctValues& values) {
      return values.argument->equals(*aggregate.argument);
    });
    if (known != distinct_.end()) {
      known->aggregates.push_back(i);
      continue;
    }
    distinct_.push_back({aggregate.argument.get(), GroupTable(translator_), {i}});
    GroupTable& table = distinct_.back().table;
    for (const auto& key : aggregation_.keys) table.addKey(key.expression->type, key.expression->nullable);
    table.addKey(aggregate.argument->type, aggregate.argument->nullable);
    table.finish();
  }
}

/// There are many groups, and many more rows.
bool AggregationTranslator::isStaged(Pipeline& pipeline) const {
  const sql::Operator& input = *aggregation_.inputs[0];
  return !aggregation_.keys.empty() && distinct_.empty() &&
         RowStaging::pays(input.estimated_rows, aggregation_.estimated_rows, groups_.layout().bytes()) &&
         std::ranges::all_of(aggregation_.keys, [](const auto& key) { return RowStaging::isCheap(*key.expression); }) &&
         RowStaging::canStage(pipeline, RowStaging::unitsOf(input, below_));
}

std::vector<SqlValue> AggregationTranslator::keysOf(Pipeline& pipeline) const {
  std::vector<SqlValue> keys;
  for (const auto& key : aggregation_.keys) keys.push_back(pipeline.expressions().translate(*key.expression));
  return keys;
}

void AggregationTranslator::aggregate(Pipeline& pipeline) {
  if (!isStaged(pipeline)) return aggregateRow(pipeline, {});
  RowStaging::stage(
      translator_, pipeline, RowStaging::unitsOf(*aggregation_.inputs[0], below_),
      groups_.hashOf(pipeline, keysOf(pipeline)), {}, {false, groups_.localSlot()},
      [&](Pipeline& rest, ir::Value row) { aggregateRow(rest, rest.builder.load(ir::Type::I64, row, 0)); });
}

/// `hash`: of the keys, if it is known.
void AggregationTranslator::aggregateRow(Pipeline& pipeline, ir::Value hash) {
  pipeline.describe(aggregation_.keys.empty() ? "aggregate" : "group");
  const std::vector<SqlValue> keys = keysOf(pipeline);
  for (DistinctValues& values : distinct_) {
    std::vector<SqlValue> with_argument = keys;
    with_argument.push_back(pipeline.expressions().translate(*values.argument));
    values.table.findGroup(pipeline, with_argument);
  }
  const auto is_plain = [](const auto& aggregate) { return !aggregate.distinct; };
  const auto& aggregates = aggregation_.aggregates;
  if (!distinct_.empty() && std::none_of(aggregates.begin(), aggregates.end(), is_plain)) return;
  const ir::Value group = groups_.findGroup(pipeline, keys, hash);
  const ir::Value held = keys.empty() ? holdOnStack(pipeline, group) : group;
  pipeline.context.group_arena_slot = groups_.arenaSlot();
  for (size_t i = 0; i < states_.size(); ++i) {
    if (aggregates[i].distinct) continue;
    SqlValue argument, second;
    if (aggregates[i].argument) argument = pipeline.expressions().translate(*aggregates[i].argument);
    if (aggregates[i].second) second = pipeline.expressions().translate(*aggregates[i].second);
    states_[i].update(pipeline, groups_.layout(), states_[i].fitsRegisters() ? held : group, argument, second);
  }
  pipeline.context.group_arena_slot.reset();
}

/// The only group's row, as far as it fits registers, for as long as the pipeline's function runs.
ir::Value AggregationTranslator::holdOnStack(Pipeline& pipeline, ir::Value group) {
  const auto copy = [this, &pipeline](ir::Value from, ir::Value to) {
    for (size_t i = 0; i < states_.size(); ++i)
      if (!aggregation_.aggregates[i].distinct && states_[i].fitsRegisters())
        states_[i].copy(pipeline.context, groups_.layout(), from, to);
  };
  const ir::Value held = pipeline.hoist([&] {
    const ir::Value row = pipeline.builder.allocaBytes(groups_.layout().bytes());
    copy(group, row);
    return row;
  });
  pipeline.atEnd([=] { copy(held, group); });
  return held;
}

void AggregationTranslator::aggregateDistinct(DistinctValues& values) {
  values.table.addMergeStep([](CodeContext&, ir::Value, ir::Value) {});
  values.table.readGroups([&](Pipeline& pipeline, ir::Value row) {
    pipeline.describe("group distinct values");
    std::vector<SqlValue> keys;
    for (size_t i = 0; i < aggregation_.keys.size(); ++i) keys.push_back(values.table.key(pipeline.context, i, row));
    const SqlValue argument = values.table.key(pipeline.context, aggregation_.keys.size(), row);
    const ir::Value group = groups_.findGroup(pipeline, keys);
    pipeline.context.group_arena_slot = groups_.arenaSlot();
    for (const size_t number : values.aggregates)
      states_[number].update(pipeline, groups_.layout(), group, argument, {});
    pipeline.context.group_arena_slot.reset();
  });
}

void AggregationTranslator::readGroups(const UnitSet& required, const Consumer& consumer) {
  groups_.readGroups([&](Pipeline& pipeline, ir::Value row) {
    for (size_t i = 0; i < aggregation_.keys.size(); ++i)
      if (required.contains(aggregation_.keys[i].iu))
        pipeline.scope.bindLazy(aggregation_.keys[i].iu,
                                [this, &pipeline, row, i] { return groups_.key(pipeline.context, i, row); });
    for (size_t i = 0; i < states_.size(); ++i) {
      const sql::Aggregation::Aggregate& aggregate = aggregation_.aggregates[i];
      if (!required.contains(aggregate.iu)) continue;
      // What goes through all values is done once, not wherever a loop behind reads it.
      if (sql::dependsOnOrder(aggregate.function) || sql::isOrderedSet(aggregate.function))
        pipeline.scope.bind(aggregate.iu, states_[i].result(pipeline.context, groups_.layout(), row));
      else
        pipeline.scope.bindLazy(aggregate.iu, [this, &pipeline, row, i] {
          return states_[i].result(pipeline.context, groups_.layout(), row);
        });
    }
    consumer(pipeline);
  });
}

}  // namespace

void produceAggregation(PlanTranslator& translator, const sql::Aggregation& aggregation, const UnitSet& required,
                        const Consumer& consumer) {
  AggregationTranslator(translator, aggregation).produce(required, consumer);
}

}  // namespace gnomon::codegen
