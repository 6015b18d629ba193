#include "sql/optimise/ordered_scans.h"

#include <algorithm>
#include <optional>

#include "sql/algebra/rewrite.h"
#include "sql/optimise/index_access.h"

namespace gnomon::sql {
namespace {

using Kind = Operator::Kind;

/// One column that rows are wanted in the order of.
struct OrderedColumn {
  uint32_t column;  ///< of the table
  bool descending;
  bool nulls_first;
  bool nullable;
};

/// What a LIMIT is taken for when its value is not known yet.
constexpr double kUnknownLimit = 100;

uint32_t columnOf(const TableScan& scan, const Expression& expression) {
  if (expression.kind != Expression::Kind::Column) return TableScan::kTupleId;
  const auto found = std::ranges::find(scan.columns, expression.iu, &TableScan::Column::iu);
  return found == scan.columns.end() ? TableScan::kTupleId : found->index;
}

std::optional<std::vector<OrderedColumn>> wantedOrder(const TableScan& scan, const Sort& sort) {
  std::vector<OrderedColumn> order;
  for (const SortKey& key : sort.keys) {
    const uint32_t column = columnOf(scan, *key.expression);
    if (column == TableScan::kTupleId) return std::nullopt;
    const bool nullable = !scan.table->columns[column].not_null;
    order.push_back({column, key.descending, key.nulls_first, nullable});
  }
  return order;
}

/// Whether the index, from its column `from` on, has this order. `is_backward`: when it is read backwards.
bool hasOrder(const IndexEntry& index, size_t from, const std::vector<OrderedColumn>& order, bool is_backward) {
  if (from + order.size() > index.columns.size()) return false;
  for (size_t i = 0; i < order.size(); ++i) {
    const IndexColumn& part = index.columns[from + i];
    const bool same_direction = (part.descending != is_backward) == order[i].descending;
    const bool same_nulls = !order[i].nullable || (part.nulls_first != is_backward) == order[i].nulls_first;
    if (part.column != order[i].column || !same_direction || !same_nulls) return false;
  }
  return true;
}

/// Makes the scan give its rows in this order, from a range that it reads already or, when `rows_wanted` of its rows
/// are enough, from a whole index. False: no index has it, or it would cost more than reading the table.
bool orderScan(TableScan& scan, const std::vector<OrderedColumn>& order, double rows_wanted, double table_rows) {
  if (scan.lookup) return false;
  for (const bool is_backward : {false, true}) {
    if (scan.range) {
      if (!hasOrder(*scan.range->index, scan.range->equal.size(), order, is_backward)) continue;
      scan.range->is_ordered = true;
      scan.range->is_backward = is_backward;
      return true;
    }
    // So many rows are read until enough have passed the filters.
    const double share = std::clamp(scan.estimated_rows / table_rows, 1 / table_rows, 1.0);
    if (indexScanCost(std::min(rows_wanted / share, table_rows)) > table_rows) return false;
    for (const IndexPtr& index : scan.table->indexes) {
      if (!hasOrder(*index, 0, order, is_backward)) continue;
      scan.range = std::make_unique<TableScan::IndexRange>();
      scan.range->index = index;
      scan.range->is_ordered = true;
      scan.range->is_backward = is_backward;
      return true;
    }
  }
  return false;
}

double limitOf(const Sort& sort) {
  if (!sort.limit) return 1e18;
  double rows = 0;
  for (const ExpressionPtr& part : {std::cref(sort.limit), std::cref(sort.offset)}) {
    if (!part) continue;
    rows += part->isConstant() && !part->value.is_null ? static_cast<double>(part->value.asInt()) : kUnknownLimit;
  }
  return rows;
}

/// The scan under the operator, with nothing between that drops or changes rows.
TableScan* scanUnder(Operator& op) {
  Operator* below = op.inputs[0].get();
  while (below->kind == Kind::Map) below = below->inputs[0].get();
  return below->kind == Kind::TableScan ? static_cast<TableScan*>(below) : nullptr;
}

void visitSort(OperatorPtr& op, const Cardinality& cardinality) {
  auto& sort = static_cast<Sort&>(*op);
  TableScan* scan = scanUnder(sort);
  if (scan == nullptr || scan->columns.empty()) return;
  const auto order = wantedOrder(*scan, sort);
  if (!order || !orderScan(*scan, *order, limitOf(sort), cardinality.baseRows(scan->columns[0].iu))) return;
  OperatorPtr input = std::move(sort.inputs[0]);
  if (!sort.limit && !sort.offset) {
    op = std::move(input);
    return;
  }
  auto limit = std::make_unique<Limit>();
  limit->estimated_rows = sort.estimated_rows;
  limit->limit = std::move(sort.limit);
  limit->offset = std::move(sort.offset);
  limit->inputs.push_back(std::move(input));
  op = std::move(limit);
}

void visitAggregation(Aggregation& aggregation, const Cardinality& cardinality) {
  if (!aggregation.keys.empty() || aggregation.aggregates.size() != 1) return;
  const Aggregation::Aggregate& aggregate = aggregation.aggregates[0];
  const bool is_maximum = aggregate.function == AggregateId::Maximum;
  if (!is_maximum && aggregate.function != AggregateId::Minimum) return;
  TableScan* scan = scanUnder(aggregation);
  if (scan == nullptr || scan->columns.empty() || (scan->range && (scan->range->low.value || scan->range->high.value)))
    return;
  const uint32_t column = columnOf(*scan, *aggregate.argument);
  if (column == TableScan::kTupleId) return;
  // NULLs are left out, so it does not matter where they would be.
  const std::vector<OrderedColumn> order{{column, is_maximum, false, false}};
  if (!orderScan(*scan, order, 1, cardinality.baseRows(scan->columns[0].iu))) return;
  scan->range->excludes_nulls = true;
  auto limit = std::make_unique<Limit>();
  limit->estimated_rows = 1;
  limit->limit = Expression::constant(Value::fromInt(Type::of(TypeKind::Bigint), 1));
  limit->inputs.push_back(std::move(aggregation.inputs[0]));
  aggregation.inputs[0] = std::move(limit);
}

}  // namespace

void useOrderedScans(Plan& plan, Cardinality& cardinality) {
  forEachOperator(plan.root, [&](OperatorPtr& op) {
    if (op->kind == Kind::Aggregation) visitAggregation(static_cast<Aggregation&>(*op), cardinality);
    if (op->kind == Kind::Sort) visitSort(op, cardinality);
  });
}

}  // namespace gnomon::sql
