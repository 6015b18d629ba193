#include "sql/bind/subquery_joins.h"

#include <algorithm>

#include "sql/algebra/rewrite.h"
#include "sql/algebra/set_operators.h"

namespace gnomon::sql {

Iu resultOf(const Join& join) {
  return join.mark ? join.mark : join.null_extended.front().second;
}

bool SubqueryJoins::adds(Iu unit) const {
  return std::ranges::any_of(joins_, [&](const auto& join) { return resultOf(*join) == unit; });
}

OperatorPtr SubqueryJoins::attach(OperatorPtr input) {
  for (std::unique_ptr<Join>& join : joins_) {
    const UnitSet left = unitSet(*input);
    const UnitSet free = freeUnits(*join->inputs[0]);
    join->is_dependent = std::ranges::any_of(free, [&](Iu unit) { return left.contains(unit); });
    join->inputs.insert(join->inputs.begin(), std::move(input));
    input = std::move(join);
  }
  joins_.clear();
  return input;
}

void SubqueryJoins::moveRead(const Expression& expression, SubqueryJoins& other) {
  UnitSet read;
  std::vector<Iu> units;
  expression.collectUnits(units);
  read.insert(units.begin(), units.end());
  std::vector<std::unique_ptr<Join>> kept, moved;
  // Who is read was added before.
  while (!joins_.empty()) {
    std::unique_ptr<Join> last = std::move(joins_.back());
    joins_.pop_back();
    if (!read.contains(resultOf(*last))) {
      kept.push_back(std::move(last));
      continue;
    }
    read.merge(freeUnits(*last->inputs[0]));
    units.clear();
    if (last->compared) last->compared->collectUnits(units);
    read.insert(units.begin(), units.end());
    moved.push_back(std::move(last));
  }
  joins_.assign(std::make_move_iterator(kept.rbegin()), std::make_move_iterator(kept.rend()));
  for (auto join = moved.rbegin(); join != moved.rend(); ++join) other.add(std::move(*join));
}

const Expression* RoutineCalls::find(uint32_t routine, const std::vector<ExpressionPtr>& inputs) const {
  for (const Call& call : calls_)
    if (call.routine == routine && std::ranges::equal(call.inputs, inputs, [](const auto& left, const auto& right) {
          return left->equals(*right);
        }))
      return call.value.get();
  return nullptr;
}

void RoutineCalls::add(uint32_t routine, std::vector<ExpressionPtr> inputs, const Expression& value) {
  calls_.push_back({routine, std::move(inputs), value.clone()});
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
