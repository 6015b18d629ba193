#include "sql/optimise/ordered_scans.h"

#include <algorithm>
#include <optional>

#include "sql/algebra/rewrite.h"
#include "sql/catalog/partitioning.h"
#include "sql/optimise/index_access.h"
#include "sql/optimise/index_shape.h"

namespace gnomon::sql {
namespace {

using Kind = Operator::Kind;

/// One value that rows are wanted in the order of.
struct OrderedKey {
  ExpressionPtr expression;  ///< over the scan's columns
  bool descending;
  bool nulls_first;
  bool nullable;
};

/// What a LIMIT is taken for when its value is not known yet.
constexpr double kUnknownLimit = 100;

/// A scan, and what the maps above it compute in terms of its columns.
struct MappedScan {
  TableScan* scan = nullptr;
  std::vector<const Map*> maps;  ///< the highest first

  [[nodiscard]] ExpressionPtr resolve(const Expression& expression) const {
    ExpressionPtr result = expression.clone();
    for (const Map* map : maps) {
      Substitution substitution;
      for (const Map::Computed& computed : map->computed) substitution.add(computed.iu, *computed.expression);
      if (substitution.nodeCountAfter(*result) > kKeyNodesMax) return nullptr;
      substitution.apply(result);
    }
    return result;
  }

 private:
  /// Larger expressions are hardly an index's.
  static constexpr size_t kKeyNodesMax = 1000;
};

/// None: a key cannot be put in terms of the scan.
std::optional<std::vector<OrderedKey>> wantedOrder(const MappedScan& scan, const Sort& sort) {
  std::vector<OrderedKey> order;
  for (const SortKey& key : sort.keys) {
    ExpressionPtr expression = scan.resolve(*key.expression);
    if (expression == nullptr) return std::nullopt;
    const bool nullable = expression->kind != Expression::Kind::Column || expression->iu->nullable;
    order.push_back({std::move(expression), key.descending, key.nulls_first, nullable});
  }
  return order;
}

/// Whether the index, from its part `from` on, has this order. `is_backward`: when it is read backwards.
bool hasOrder(const IndexShape& shape, size_t from, const std::vector<OrderedKey>& order, bool is_backward) {
  if (from + order.size() > shape.parts.size()) return false;
  for (size_t i = 0; i < order.size(); ++i) {
    const IndexColumn& part = shape.index->columns[from + i];
    const bool same_direction = (part.descending != is_backward) == order[i].descending;
    const bool same_nulls = !order[i].nullable || (part.nulls_first != is_backward) == order[i].nulls_first;
    if (!same_direction || !same_nulls || !shape.isPart(from + i, *order[i].expression)) return false;
  }
  return true;
}

/// Rows of several partitions come in the order of each.
bool isOfOneLeaf(const TableScan& scan) {
  if (!scan.table->partitioning) return true;
  const auto isKnown = [&](const TableEntry& table) {
    return std::ranges::any_of(scan.pruning, [&](const TableScan::Pruning& pruning) {
      return pruning.table->oid == table.oid && pruning.equal.size() == table.partitioning->key().parts.size();
    });
  };
  return isKnown(*scan.table) &&
         std::ranges::all_of(scan.table->partitioning->descendants(),
                             [&](const TablePtr& below) { return !below->partitioning || isKnown(*below); });
}

/// Makes the scan give its rows in this order, from a range that it reads already or, when `rows_wanted` of its rows
/// are enough, from a whole index. False: no index has it, or it would cost more than reading the table.
bool orderScan(TableScan& scan, const std::vector<OrderedKey>& order, double rows_wanted,
               const Cardinality& cardinality) {
  if (scan.lookup || scan.cursor_row || !isOfOneLeaf(scan)) return false;
  const double table_rows = cardinality.baseRows(scan.columns[0].iu);
  const std::vector<IndexShape> shapes = usableIndexes(scan, cardinality.statistics());
  for (const bool is_backward : {false, true}) {
    if (scan.range) {
      const auto shape = std::ranges::find(shapes, scan.range->index, &IndexShape::index);
      if (shape == shapes.end() || !hasOrder(*shape, scan.range->equal.size(), order, is_backward)) continue;
      scan.range->is_ordered = true;
      scan.range->is_backward = is_backward;
      return true;
    }
    // So many rows are read until enough have passed the filters.
    const double share = std::clamp(scan.estimated_rows / table_rows, 1 / table_rows, 1.0);
    for (const IndexShape& shape : shapes) {
      std::vector<ExpressionPtr> prefix = equalPrefix(shape, scan);
      if (prefix.empty() || !hasOrder(shape, prefix.size(), order, is_backward)) continue;
      const double rows = scan.filters.size() == prefix.size() ? rows_wanted : rows_wanted / share;
      if (indexScanCost(std::min(rows, table_rows)) > table_rows) continue;
      scan.range = std::make_unique<TableScan::IndexRange>();
      scan.range->index = shape.index;
      scan.range->equal = std::move(prefix);
      scan.range->is_ordered = true;
      scan.range->is_backward = is_backward;
      return true;
    }
    if (indexScanCost(std::min(rows_wanted / share, table_rows)) > table_rows) return false;
    for (const IndexShape& shape : shapes) {
      if (!hasOrder(shape, 0, order, is_backward)) continue;
      scan.range = std::make_unique<TableScan::IndexRange>();
      scan.range->index = shape.index;
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

/// The scan under the operator, with nothing between that drops or changes rows; null: there is another operator.
MappedScan scanUnder(Operator& op) {
  MappedScan result;
  Operator* below = op.inputs[0].get();
  for (; below->kind == Kind::Map; below = below->inputs[0].get()) result.maps.push_back(static_cast<Map*>(below));
  if (below->kind == Kind::TableScan) result.scan = static_cast<TableScan*>(below);
  return result;
}

void visitSort(OperatorPtr& op, const Cardinality& cardinality) {
  auto& sort = static_cast<Sort&>(*op);
  const MappedScan under = scanUnder(sort);
  TableScan* scan = under.scan;
  if (scan == nullptr || scan->columns.empty() || scan->table->indexes.empty()) return;
  const auto order = wantedOrder(under, sort);
  if (!order || !orderScan(*scan, *order, limitOf(sort), cardinality)) return;
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
  const MappedScan under = scanUnder(aggregation);
  TableScan* scan = under.scan;
  if (scan == nullptr || scan->columns.empty() || (scan->range && (scan->range->low.value || scan->range->high.value)))
    return;
  ExpressionPtr argument = under.resolve(*aggregate.argument);
  if (argument == nullptr) return;
  // NULLs are left out, so it does not matter where they would be.
  std::vector<OrderedKey> order;
  order.push_back({std::move(argument), is_maximum, false, false});
  if (!orderScan(*scan, order, 1, cardinality)) return;
  scan->range->excludes_nulls = true;
  auto limit = std::make_unique<Limit>();
  limit->estimated_rows = 1;
  limit->limit = Expression::constant(Value::fromInt(Type::of(TypeKind::Bigint), 1));
  limit->inputs.push_back(std::move(aggregation.inputs[0]));
  aggregation.inputs[0] = std::move(limit);
}

}  // namespace

void useOrderedScans(Plan& plan, Cardinality& cardinality) {
  forEachOperator(plan, [&](OperatorPtr& op) {
    if (op->kind == Kind::Aggregation) visitAggregation(static_cast<Aggregation&>(*op), cardinality);
    if (op->kind == Kind::Sort) visitSort(op, cardinality);
  });
}

}  // namespace gnomon::sql
