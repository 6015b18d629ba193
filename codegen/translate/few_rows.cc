#include "codegen/translate/few_rows.h"

#include <algorithm>

#include "txn/table.h"

namespace gnomon::codegen {

namespace {

constexpr double kFewRows = 500;

/// Of a scan the rows that are read, whether or not they pass.
bool readsFewRows(const sql::TableScan& scan) {
  if (scan.cursor_row || scan.range || scan.lookup) return true;
  if (scan.table->partitioning || !scan.table->storage) return false;
  return static_cast<double>(scan.table->storage->tupleCountEstimate()) <= kFewRows;
}

bool hasFewRows(const sql::Operator& op);

/// Of a range of an index, all of whose rows pass, mostly no more are read than are asked for.
bool stopsSoon(const sql::Limit& limit) {
  const sql::Operator& input = *limit.inputs[0];
  if (input.kind != sql::Operator::Kind::TableScan || !limit.limit) return hasFewRows(input);
  const auto& scan = static_cast<const sql::TableScan&>(input);
  if (!scan.range || !scan.range->searches.empty()) return hasFewRows(input);
  const size_t bounds = (scan.range->low.value ? 1 : 0) + (scan.range->high.value ? 1 : 0);
  return scan.filters.size() <= scan.range->equal.size() + bounds;
}

bool hasFewRows(const sql::Operator& op) {
  using Kind = sql::Operator::Kind;
  if (op.estimated_rows > kFewRows) return false;
  switch (op.kind) {
    case Kind::TableScan:
      if (!readsFewRows(static_cast<const sql::TableScan&>(op))) return false;
      break;
    case Kind::Values:
      if (static_cast<double>(static_cast<const sql::Values&>(op).rows.size()) > kFewRows) return false;
      break;
    case Kind::Limit:
      return stopsSoon(static_cast<const sql::Limit&>(op));
    // Of these nobody knows.
    case Kind::VirtualScan:
    case Kind::FunctionScan:
    case Kind::ProjectSet:
    case Kind::Recursion:
    case Kind::WorkingScan:
      return false;
    default:
      break;
  }
  return std::ranges::all_of(op.inputs, [](const auto& input) { return hasFewRows(*input); });
}

}  // namespace

bool hasFewRows(const sql::Plan& plan) {
  return hasFewRows(*plan.root) && std::ranges::all_of(plan.shared, [](const sql::SharedPlan& shared) {
           return !shared.root || hasFewRows(*shared.root);
         });
}

}  // namespace gnomon::codegen
