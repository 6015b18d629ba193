#include <fmt/format.h>

#include <algorithm>

#include "base/sql_error.h"
#include "sql/bind/comparable.h"
#include "sql/bind/ordered_aggregates.h"
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
  has_grouping_sets_ = !query.grouping_sets.empty();
  for (const ast::ExpressionPtr& node : query.group_by) addGroupKey(*node);
  bindGroupingSets(query);
}

void QueryBinder::addGroupKey(const ast::Expression& node) {
  ExpressionPtr expression;
  int64_t item = isInputColumn(node, scope_) ? -1 : findItem(node, "GROUP BY");
  if (item >= 0) {
    expression = items_[static_cast<size_t>(item)].expression->clone();
    subqueries_.moveRead(*expression, argument_subqueries_);
  }
  if (!expression) {
    const Clause clause{.name = "GROUP BY", .subqueries = &argument_subqueries_, .calls = &calls_};
    const size_t subqueries_before = argument_subqueries_.joins().size();
    expression = ExpressionBinder(state_, scope_, clause).bind(node);
    expression = coercion_.settle(std::move(expression));
    const auto readInstead = [&](const Expression& same) {
      if (same.equals(*expression)) return;
      argument_subqueries_.truncate(subqueries_before);
      expression = same.clone();
    };
    for (size_t i = 0; i < visible_items_ && item < 0; ++i)
      if (isSame(*items_[i].expression, *expression)) {
        item = static_cast<int64_t>(i);
        readInstead(*items_[i].expression);
      }
    for (const Aggregation::Key& key : aggregation_->keys)
      if (item < 0 && isSame(*key.expression, *expression)) readInstead(*key.expression);
    subqueries_.moveRead(*expression, argument_subqueries_);
  } else if (readsAggregate(*expression, *aggregation_)) {
    throw SqlError(sqlstate::kGroupingError, "aggregate functions are not allowed in GROUP BY")
        .position(leftmostPosition(*expression));
  }
  if (windows_.areReadBy(*expression))
    throw SqlError(sqlstate::kWindowingError, "window functions are not allowed in GROUP BY")
        .position(leftmostPosition(*expression));
  requireEquality(expression->type, node.position);
  // Of grouping sets each item of the select list is a key of its own: it is NULL where it is none of the set's. So is
  // one that is computed anew.
  const bool is_own = item >= 0 && (has_grouping_sets_ || expression->isVolatile());
  std::optional<size_t>* const own = is_own ? &items_[static_cast<size_t>(item)].key : nullptr;
  const auto known = std::ranges::find_if(
      aggregation_->keys, [&](const Aggregation::Key& key) { return key.expression->equals(*expression); });
  const bool is_known = own != nullptr ? own->has_value() : known != aggregation_->keys.end();
  if (is_known) {
    group_keys_.push_back(own != nullptr ? **own : static_cast<size_t>(known - aggregation_->keys.begin()));
    return;
  }
  group_keys_.push_back(aggregation_->keys.size());
  if (own != nullptr) *own = aggregation_->keys.size();
  const bool is_column = expression->kind == Expression::Kind::Column;
  const Iu unit = state_.plan->makeUnit(is_column ? expression->iu->name : "group", expression->type,
                                        expression->nullable || has_grouping_sets_);
  if (is_column) state_.inherit(unit, expression->iu);
  aggregation_->keys.push_back({unit, std::move(expression)});
}

/// Calls that are keys, and have units of their own where they are written once more, read those of the keys.
void QueryBinder::readKeysAgain(ExpressionPtr& having) {
  if (calls_.repeated().empty()) return;
  const std::function<void(ExpressionPtr&)> readKeys = [&](ExpressionPtr& expression) {
    for (const Aggregation::Key& key : aggregation_->keys) {
      if (expression->equals(*key.expression) || !isSame(*key.expression, *expression)) continue;
      const int32_t position = expression->position;
      expression = key.expression->clone();
      expression->position = position;
      break;
    }
    for (ExpressionPtr& child : expression->children) readKeys(child);
  };
  std::vector<Iu> units;
  const auto readAll = [&](ExpressionPtr& expression) {
    readKeys(expression);
    expression->collectUnits(units);
  };
  for (Item& item : items_) readAll(item.expression);
  if (having) readAll(having);
  for (GroupingCall& call : groupings_)
    for (ExpressionPtr& argument : call.arguments) readAll(argument);
  windows_.forEachExpression(readAll);
  sets_.forEachExpression(readAll);
  const UnitSet read(units.begin(), units.end());
  subqueries_.forEachExpression(readKeys);
  having_subqueries_.forEachExpression(readKeys);
  subqueries_.dropUnread(calls_.repeated(), read);
  having_subqueries_.dropUnread(calls_.repeated(), read);
}

void QueryBinder::group(ExpressionPtr having) {
  readKeysAgain(having);
  tree_ = argument_subqueries_.attach(std::move(tree_));
  // Sets that are grouped by are made before.
  tree_ = sets_.attach(std::move(tree_), [this](Iu unit) {
    return std::ranges::any_of(aggregation_->keys, [unit](const Aggregation::Key& key) {
      std::vector<Iu> read;
      key.expression->collectUnits(read);
      return std::ranges::find(read, unit) != read.end();
    });
  });
  input_units_ = unitSet(*tree_);
  // Keys of grouping sets may be NULL where what they are made of never is.
  const auto overGroups = [this](ExpressionPtr& expression) {
    regroup(expression);
    if (has_grouping_sets_) widenNullability(*expression);
  };
  for (Item& item : items_) {
    if (item.key) {
      const int32_t position = item.expression->position;
      item.expression = Expression::column(aggregation_->keys[*item.key].iu);
      item.expression->position = position;
    } else {
      overGroups(item.expression);
    }
  }
  windows_.forEachExpression(overGroups);
  sets_.forEachExpression(overGroups);
  if (having) overGroups(having);
  regroupSubqueries(having_subqueries_);
  regroupSubqueries(subqueries_);
  resolveGroupings();
  for (Map::Computed& direct : aggregation_->direct) regroupDirect(direct.expression);
  // Without an order of its own an aggregate sees its rows as they come.
  for (Aggregation::Aggregate& aggregate : aggregation_->aggregates)
    if (dependsOnOrder(aggregate.function) && aggregate.order.empty() && !aggregate.distinct)
      aggregate.order = orderOf(*tree_);
  aggregation_->inputs.push_back(std::move(tree_));
  tree_ = groupBySets(std::move(aggregation_));
  aggregation_ = nullptr;
  if (!having) return;
  tree_ = having_subqueries_.attach(std::move(tree_));
  push<Selection>().conditions.push_back(std::move(having));
}

Iu QueryBinder::keyOf(const Expression& expression) {
  for (const Aggregation::Key& key : aggregation_->keys)
    if (key.expression->equals(expression)) return key.iu;
  if (expression.kind != Expression::Kind::Column || !isDetermined(expression.iu)) return nullptr;
  const Iu unit = state_.plan->makeUnit(expression.iu->name, expression.type, expression.nullable);
  state_.inherit(unit, expression.iu);
  for (std::vector<size_t>& set : grouping_sets_) set.push_back(aggregation_->keys.size());
  aggregation_->keys.push_back({unit, Expression::column(expression.iu)});
  return unit;
}

/// The column belongs to a table in FROM all of whose primary key's columns are grouping keys, of every set.
/// Source: SQL:1999, functional dependencies, as far as PostgreSQL knows them.
bool QueryBinder::isDetermined(Iu column) const {
  const auto origin = state_.origins.find(column);
  if (origin == state_.origins.end()) return false;
  const auto table = std::ranges::find(state_.tables, origin->second.table_oid, &TableEntry::oid);
  const auto range = std::ranges::find_if(scope_.ranges, [&](const Range& each) {
    return std::ranges::find(each.columns, column, &ScopeColumn::iu) != each.columns.end();
  });
  if (table == state_.tables.end() || range == scope_.ranges.end() || range->relation != (*table)->oid) return false;
  const auto primary = std::ranges::find_if((*table)->indexes, [](const IndexPtr& index) {
    return index->is_primary && index->is_valid && !index->is_deferrable;
  });
  if (primary == (*table)->indexes.end()) return false;
  const bool has_key = std::ranges::all_of((*primary)->columns, [&](const auto& part) {
    return std::ranges::any_of(aggregation_->keys, [&](const Aggregation::Key& key) {
      const auto number = static_cast<size_t>(&key - aggregation_->keys.data());
      if (std::ranges::any_of(grouping_sets_,
                              [&](const auto& set) { return std::ranges::find(set, number) == set.end(); }))
        return false;
      if (key.expression->kind != Expression::Kind::Column) return false;
      const Iu unit = key.expression->iu;
      const auto from = state_.origins.find(unit);
      return from != state_.origins.end() && from->second.table_oid == (*table)->oid &&
             from->second.attribute == static_cast<int16_t>(part.column + 1) &&
             std::ranges::find(range->columns, unit, &ScopeColumn::iu) != range->columns.end();
    });
  });
  // A view relies on it.
  if (has_key && state_.view_depth == 0) state_.own_tables.insert((*primary)->oid);
  return has_key;
}

void QueryBinder::throwUngrouped(const Expression& column, bool is_in_subquery) const {
  const auto found = state_.unit_names.find(column.iu);
  const std::string& name = found == state_.unit_names.end() ? column.iu->name : found->second;
  const std::string text =
      is_in_subquery
          ? fmt::format("subquery uses ungrouped column \"{}\" from outer query", name)
          : fmt::format("column \"{}\" must appear in the GROUP BY clause or be used in an aggregate function", name);
  throw SqlError(sqlstate::kGroupingError, text).position(column.position);
}

void QueryBinder::regroup(ExpressionPtr& expression) {
  if (expression->isConstant()) return;
  if (const Iu key = keyOf(*expression)) {
    const int32_t position = expression->position;
    expression = Expression::column(key);
    expression->position = position;
    return;
  }
  if (expression->kind == Expression::Kind::Column) {
    if (input_units_.contains(expression->iu)) throwUngrouped(*expression, false);
    return;
  }
  for (ExpressionPtr& child : expression->children) regroup(child);
}

/// Of an argument before WITHIN GROUP.
void QueryBinder::regroupDirect(ExpressionPtr& argument) {
  try {
    regroup(argument);
  } catch (SqlError& error) {
    throw error.detail("Direct arguments of an ordered-set aggregate must use only grouped columns.");
  }
}

/// Of a subquery: its columns of this query become those of the groups.
void QueryBinder::regroupOuter(Expression& expression) {
  if (expression.kind == Expression::Kind::Column && input_units_.contains(expression.iu)) {
    const Iu key = keyOf(expression);
    if (!key) throwUngrouped(expression, true);
    expression.iu = key;
    expression.nullable = key->nullable;
  }
  for (const ExpressionPtr& child : expression.children) regroupOuter(*child);
}

void QueryBinder::regroupSubqueries(const SubqueryJoins& subqueries) {
  for (const std::unique_ptr<Join>& join : subqueries.joins()) {
    if (join->compared) regroup(join->compared);
    if (join->compared && has_grouping_sets_) widenNullability(*join->compared);
    for (ExpressionPtr& condition : join->conditions) {
      regroup(condition);
      if (has_grouping_sets_) widenNullability(*condition);
    }
    const bool is_computed = join->join_kind == Join::JoinKind::Inner;
    forEachOperator(join->inputs[0], [&](OperatorPtr& op) {
      forEachExpression(*op, [&](ExpressionPtr& expression) {
        if (is_computed)
          regroup(expression);
        else
          regroupOuter(*expression);
        if (has_grouping_sets_) widenNullability(*expression);
      });
    });
  }
}

}  // namespace gnomon::sql
