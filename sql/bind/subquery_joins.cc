#include "sql/bind/subquery_joins.h"

#include <algorithm>

#include "sql/algebra/rewrite.h"
#include "sql/algebra/set_operators.h"

namespace gnomon::sql {

Iu resultOf(const Join& join) {
  return join.mark ? join.mark : join.null_extended.front().second;
}

namespace {

/// All that the join adds.
std::vector<Iu> resultsOf(const Join& join) {
  if (join.mark) return {join.mark};
  std::vector<Iu> results;
  for (const auto& [below, above] : join.null_extended) results.push_back(above);
  return results;
}

/// What a join that has its right input alone reads.
UnitSet readBy(const Join& join) {
  UnitSet read = freeUnits(*join.inputs[0]);
  std::vector<Iu> units;
  if (join.compared) join.compared->collectUnits(units);
  for (const ExpressionPtr& condition : join.conditions) condition->collectUnits(units);
  read.insert(units.begin(), units.end());
  return read;
}

}  // namespace

std::vector<Iu> SubqueryJoins::results(size_t first) const {
  std::vector<Iu> results;
  for (size_t i = first; i < joins_.size(); ++i) std::ranges::copy(resultsOf(*joins_[i]), std::back_inserter(results));
  return results;
}

bool SubqueryJoins::adds(Iu unit) const {
  const std::vector<Iu> added = results();
  return std::ranges::find(added, unit) != added.end();
}

UnitSet SubqueryJoins::reads() const {
  UnitSet read;
  for (const std::unique_ptr<Join>& join : joins_) read.merge(readBy(*join));
  return read;
}

void SubqueryJoins::rename(const UnitRenaming& renaming) {
  for (const std::unique_ptr<Join>& join : joins_) {
    renameUnits(join->inputs[0], renaming);
    if (join->compared) renameUnits(*join->compared, renaming);
    for (ExpressionPtr& condition : join->conditions) renameUnits(*condition, renaming);
  }
}

void SubqueryJoins::guard(size_t first, const std::vector<ExpressionPtr>& conditions,
                          const std::function<bool(Join&)>& concerns) {
  for (size_t i = first; i < joins_.size(); ++i) {
    if (joins_[i]->join_kind == Join::JoinKind::Inner || !concerns(*joins_[i])) continue;
    for (const ExpressionPtr& condition : conditions) joins_[i]->conditions.push_back(condition->clone());
  }
}

OperatorPtr SubqueryJoins::attach(OperatorPtr input) {
  for (std::unique_ptr<Join>& join : joins_) {
    if (join->join_kind == Join::JoinKind::Inner) {
      OperatorPtr map = std::move(join->inputs[0]);
      auto& computed = static_cast<Map&>(*map).computed;
      for (size_t i = 0; i < computed.size(); ++i) computed[i].iu = join->null_extended[i].second;
      map->inputs[0] = std::move(input);
      input = std::move(map);
      continue;
    }
    join->is_dependent = readsOuter(*join->inputs[0], unitSet(*input));
    join->inputs.insert(join->inputs.begin(), std::move(input));
    input = std::move(join);
  }
  joins_.clear();
  return input;
}

bool readsScope(const Expression& expression, const SubqueryJoins& subqueries, const Scope& scope) {
  std::vector<Iu> read;
  expression.collectUnits(read);
  std::ranges::copy(subqueries.reads(), std::back_inserter(read));
  return std::ranges::any_of(read, [&](Iu unit) { return scope.has(unit); });
}

void SubqueryJoins::moveRead(const Expression& expression, SubqueryJoins& other) {
  std::vector<Iu> units;
  expression.collectUnits(units);
  UnitSet read(units.begin(), units.end());
  std::vector<std::unique_ptr<Join>> kept, moved;
  // Who is read was added before.
  while (!joins_.empty()) {
    std::unique_ptr<Join> last = std::move(joins_.back());
    joins_.pop_back();
    const std::vector<Iu> results = resultsOf(*last);
    if (std::ranges::none_of(results, [&](Iu unit) { return read.contains(unit); })) {
      kept.push_back(std::move(last));
      continue;
    }
    read.merge(readBy(*last));
    moved.push_back(std::move(last));
  }
  joins_.assign(std::make_move_iterator(kept.rbegin()), std::make_move_iterator(kept.rend()));
  for (auto join = moved.rbegin(); join != moved.rend(); ++join) other.add(std::move(*join));
}

void SubqueryJoins::moveReading(UnitSet units, SubqueryJoins& other) {
  std::vector<std::unique_ptr<Join>> kept;
  for (std::unique_ptr<Join>& join : joins_) {
    const UnitSet read = readBy(*join);
    if (std::ranges::none_of(read, [&](Iu unit) { return units.contains(unit); })) {
      kept.push_back(std::move(join));
      continue;
    }
    for (const Iu result : resultsOf(*join)) units.insert(result);
    other.add(std::move(join));
  }
  joins_ = std::move(kept);
}

OperatorPtr placeSubqueries(std::unique_ptr<Join> join, SubqueryJoins& subqueries) {
  if (subqueries.empty()) return join;
  OperatorPtr& left = join->inputs[0];
  OperatorPtr& right = join->inputs[1];
  if (join->join_kind == Join::JoinKind::FullOuter) {
    SubqueryJoins of_left;
    subqueries.moveReading(unitSet(*left), of_left);
    left = of_left.attach(std::move(left));
    right = subqueries.attach(std::move(right));
    return join;
  }
  std::vector<ExpressionPtr> conditions = std::move(join->conditions);
  join->conditions.clear();
  if (join->join_kind == Join::JoinKind::Inner)
    return selected(subqueries.attach(std::move(join)), std::move(conditions));
  right = selected(subqueries.attach(std::move(right)), std::move(conditions));
  join->is_dependent = readsOuter(*right, unitSet(*left));
  return join;
}

const RoutineCalls::Call* RoutineCalls::findIn(const std::vector<Call>& calls, uint32_t routine,
                                               const std::vector<ExpressionPtr>& inputs) {
  for (const Call& call : calls)
    if (call.routine == routine && std::ranges::equal(call.inputs, inputs, [](const auto& left, const auto& right) {
          return left->equals(*right);
        }))
      return &call;
  return nullptr;
}

const Expression* RoutineCalls::find(uint32_t routine, const std::vector<ExpressionPtr>& inputs,
                                     const SubqueryJoins& joins) const {
  if (&joins != &home_ && &joins != &below_) return nullptr;
  const Call* const call = findIn(calls_, routine, inputs);
  return call == nullptr ? nullptr : call->value.get();
}

void RoutineCalls::add(uint32_t routine, std::vector<ExpressionPtr> inputs, const Expression& value) {
  calls_.push_back({routine, std::move(inputs), value.clone()});
}

void RoutineCalls::note(uint32_t routine, std::vector<ExpressionPtr> inputs, std::vector<Iu> units) {
  for (const ExpressionPtr& input : inputs) renameUnits(*input, repeated_);
  const Call* const first = findIn(noted_, routine, inputs);
  if (first == nullptr) return noted_.push_back({routine, std::move(inputs), nullptr, std::move(units)});
  for (size_t i = 0; i < std::min(units.size(), first->units.size()); ++i)
    if (units[i] != first->units[i]) repeated_.emplace(units[i], first->units[i]);
}

void SubqueryJoins::dropUnread(const UnitRenaming& units, UnitSet read) {
  std::vector<std::unique_ptr<Join>> kept;
  while (!joins_.empty()) {
    std::unique_ptr<Join> last = std::move(joins_.back());
    joins_.pop_back();
    if (std::ranges::all_of(resultsOf(*last), [&](Iu unit) { return units.contains(unit) && !read.contains(unit); }))
      continue;
    read.merge(readBy(*last));
    kept.push_back(std::move(last));
  }
  joins_.assign(std::make_move_iterator(kept.rbegin()), std::make_move_iterator(kept.rend()));
}

void SubqueryJoins::moveAll(SubqueryJoins& other) {
  for (std::unique_ptr<Join>& join : joins_) other.add(std::move(join));
  joins_.clear();
}

namespace {

using Row = std::vector<ExpressionPtr>;

/// The row over those of the subqueries that it reads.
OperatorPtr computedRow(const std::vector<Iu>& columns, Row row, SubqueryJoins& subqueries) {
  SubqueryJoins read;
  for (const ExpressionPtr& value : row) subqueries.moveRead(*value, read);
  auto map = std::make_unique<Map>();
  for (size_t i = 0; i < columns.size(); ++i) map->computed.push_back({columns[i], std::move(row[i])});
  map->inputs.push_back(read.attach(oneRow()));
  return map;
}

std::vector<Iu> copiesOf(Plan& plan, const std::vector<Iu>& columns) {
  std::vector<Iu> copies;
  for (const Iu column : columns) copies.push_back(plan.makeUnit(column->name, column->type, column->nullable));
  return copies;
}

void addInput(Union& all, OperatorPtr input, const std::vector<Iu>& columns) {
  Row row;
  for (const Iu column : columns) row.push_back(Expression::column(column));
  all.values.push_back(std::move(row));
  all.inputs.push_back(std::move(input));
}

}  // namespace

OperatorPtr oneRow() {
  auto row = std::make_unique<Values>();
  row->rows.emplace_back();
  return row;
}

OperatorPtr overSubqueries(Plan& plan, std::unique_ptr<Values> values, SubqueryJoins& subqueries) {
  const auto reads_none = [](const Row& row) {
    return std::ranges::all_of(row, [](const ExpressionPtr& value) { return readsNone(*value); });
  };
  if (std::ranges::all_of(values->rows, reads_none) && subqueries.empty()) return values;
  if (values->rows.size() == 1) return computedRow(values->columns, std::move(values->rows[0]), subqueries);
  auto all = std::make_unique<Union>();
  all->columns = values->columns;
  // Rows that follow one another and read nothing stay together.
  std::unique_ptr<Values> plain;
  const auto add_plain = [&] {
    if (!plain) return;
    const std::vector<Iu> columns = plain->columns;
    addInput(*all, std::move(plain), columns);
  };
  for (Row& row : values->rows) {
    if (reads_none(row)) {
      if (!plain) {
        plain = std::make_unique<Values>();
        plain->columns = copiesOf(plan, values->columns);
      }
      plain->rows.push_back(std::move(row));
      continue;
    }
    add_plain();
    const std::vector<Iu> columns = copiesOf(plan, values->columns);
    addInput(*all, computedRow(columns, std::move(row), subqueries), columns);
  }
  add_plain();
  return all;
}

}  // namespace gnomon::sql
