#include "sql/optimise/cost.h"

#include <algorithm>
#include <cmath>

#include "sql/optimise/join_enumeration.h"
#include "txn/table.h"

namespace gnomon::sql {
namespace {

using Kind = Operator::Kind;

constexpr double kRow = 0.01;
constexpr double kComparison = 0.0025;
/// An index entry is looked up, and its row.
constexpr double kIndexRow = 2 * kRow;
constexpr double kDescent = 0.3;

Cost scanCost(const TableScan& scan) {
  const double filters = kComparison * static_cast<double>(scan.filters.size());
  if (scan.range || scan.lookup || scan.cursor_row)
    return {kDescent, kDescent + scan.estimated_rows * (kIndexRow + filters)};
  double rows = scan.estimated_rows;
  if (scan.table->storage) rows = std::max(rows, static_cast<double>(scan.table->storage->tupleCountEstimate()));
  return {0, rows * (kRow + filters)};
}

Cost joinCostOf(const Join& join, std::span<const Cost> inputs) {
  const size_t build = join.build_left ? 0 : 1;
  const double build_rows = join.inputs[build]->estimated_rows;
  const double probe_rows = join.inputs[1 - build]->estimated_rows;
  const double own = kRow * joinCost(probe_rows, build_rows, join.estimated_rows, !join.keys.empty());
  const double built = inputs[build].total + kRow * joinCost(0, build_rows, 0, !join.keys.empty());
  return {built + inputs[1 - build].startup, inputs[0].total + inputs[1].total + own};
}

double sortCost(double rows, double kept) {
  return 2 * kComparison * rows * std::log2(std::max(2.0, std::min(rows, kept)));
}

}  // namespace

Cost costOf(const Operator& op, std::span<const Cost> inputs) {
  Cost below;
  double rows_below = 0;
  for (size_t i = 0; i < inputs.size(); ++i) {
    below.startup += i == 0 ? inputs[i].startup : 0;
    below.total += inputs[i].total;
    rows_below += op.inputs[i]->estimated_rows;
  }
  const double own = kRow * op.estimated_rows;
  switch (op.kind) {
    case Kind::TableScan:
      return scanCost(static_cast<const TableScan&>(op));
    case Kind::Join:
      return joinCostOf(static_cast<const Join&>(op), inputs);
    case Kind::Selection: {
      const auto conditions = static_cast<double>(static_cast<const Selection&>(op).conditions.size());
      return {below.startup, below.total + kComparison * conditions * rows_below};
    }
    case Kind::Map: {
      const auto computed = static_cast<double>(static_cast<const Map&>(op).computed.size());
      return {below.startup, below.total + kComparison * computed * rows_below};
    }
    case Kind::Aggregation:
      return {below.total + kRow * rows_below, below.total + kRow * rows_below + own};
    case Kind::Sort: {
      const double sorted = below.total + sortCost(rows_below, op.estimated_rows);
      return {sorted, sorted + own};
    }
    case Kind::Window: {
      const double sorted = below.total + sortCost(rows_below, rows_below);
      return {sorted, sorted + own};
    }
    case Kind::Limit: {
      const double part = rows_below > 0 ? std::min(1.0, op.estimated_rows / rows_below) : 1;
      return {below.startup, below.startup + (below.total - below.startup) * part};
    }
    case Kind::Output:
      return below;
    default:
      return {below.startup, below.total + own};
  }
}

int widthOf(const std::vector<Iu>& units) {
  constexpr int kTextBytes = 32;
  int width = 0;
  for (const Iu unit : units) {
    const int bytes = unit->type.wireLength();
    width += bytes > 0 ? bytes : kTextBytes;
  }
  return width;
}

}  // namespace gnomon::sql
