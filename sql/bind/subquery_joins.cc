#include "sql/bind/subquery_joins.h"

#include <algorithm>

#include "base/sql_error.h"
#include "sql/algebra/rewrite.h"

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

OperatorPtr overSubqueries(std::unique_ptr<Values> values, SubqueryJoins& subqueries) {
  const auto reads_none = [](const auto& row) {
    return std::ranges::all_of(row, [](const ExpressionPtr& value) { return readsNone(*value); });
  };
  if (std::ranges::all_of(values->rows, reads_none) && subqueries.empty()) return values;
  if (values->rows.size() > 1) throwNotSupported("subqueries or columns of other queries in VALUES of several rows");
  auto map = std::make_unique<Map>();
  for (size_t i = 0; i < values->columns.size(); ++i)
    map->computed.push_back({values->columns[i], std::move(values->rows[0][i])});
  values->columns.clear();
  values->rows[0].clear();
  map->inputs.push_back(subqueries.attach(std::move(values)));
  return map;
}

}  // namespace gnomon::sql
