#include "sql/optimise/index_access.h"

#include <algorithm>

#include "sql/algebra/rewrite.h"

namespace gnomon::sql {
namespace {

using Kind = Expression::Kind;

/// What reading one row by way of an index costs, in rows of a scan: a descent, a latch, and no loop over columns.
constexpr double kIndexRowCost = 60;
/// What a first row costs: tables smaller than this are read as a whole in less time.
constexpr double kIndexStartCost = 300;
/// What finding the place of a key costs.
constexpr double kLookupCost = 100;

/// A filter that compares a stored column with a value that is known before the scan.
struct Restriction {
  uint32_t column;
  FunctionId comparison;
  const Expression* value;
  const Expression* filter;
};

/// The column under a cast to a wider integer type, or the expression itself.
const Expression* withoutWidening(const Expression& expression) {
  if (expression.kind != Kind::Cast || !expression.type.isInteger()) return &expression;
  const Expression& input = *expression.children[0];
  const bool is_wider = input.type.isInteger() && input.type.kind < expression.type.kind;
  return is_wider && input.kind == Kind::Column ? &input : &expression;
}

/// Whether a value of this type can be put into a key of the column: same kind, and the same form of numerics.
bool fitsKey(Type value, Type column) {
  if (column.isInteger()) return value.isInteger();
  if (column.kind == TypeKind::Numeric)
    return value.kind == TypeKind::Numeric && value.form == column.form && value.scale == column.scale;
  if (column.kind == TypeKind::Text || column.kind == TypeKind::Varchar)
    return value.kind == TypeKind::Text || value.kind == TypeKind::Varchar;
  return value.kind == column.kind;
}

bool readRestriction(const TableScan& scan, const Expression& filter, Restriction& result) {
  if (!isComparison(filter)) return false;
  const Expression* left = withoutWidening(*filter.children[0]);
  const Expression* right = filter.children[1].get();
  FunctionId comparison = filter.function;
  if (left->kind != Kind::Column) {
    left = withoutWidening(*filter.children[1]);
    right = filter.children[0].get();
    comparison = mirrored(comparison);
  }
  if (left->kind != Kind::Column || !readsNone(*right)) return false;
  const auto column = std::ranges::find(scan.columns, left->iu, &TableScan::Column::iu);
  if (column == scan.columns.end() || column->index == TableScan::kTupleId) return false;
  if (!fitsKey(right->type, scan.table->columns[column->index].type)) return false;
  result = {column->index, comparison, right, &filter};
  return true;
}

/// One way to read the scan.
struct Candidate {
  IndexPtr index;
  std::vector<const Restriction*> equal;
  const Restriction* low = nullptr;
  const Restriction* high = nullptr;
  double rows = 0;
};

Candidate matchIndex(const IndexPtr& index, const std::vector<Restriction>& restrictions) {
  Candidate candidate;
  candidate.index = index;
  const auto find = [&](uint32_t column, auto&& accepts) {
    const auto found = std::ranges::find_if(restrictions, [&](const Restriction& restriction) {
      return restriction.column == column && accepts(restriction.comparison);
    });
    return found == restrictions.end() ? nullptr : &*found;
  };
  for (const IndexColumn& part : index->columns) {
    const Restriction* equal = find(part.column, [](FunctionId id) { return id == FunctionId::Equal; });
    if (equal != nullptr) {
      candidate.equal.push_back(equal);
      continue;
    }
    candidate.low =
        find(part.column, [](FunctionId id) { return id == FunctionId::Greater || id == FunctionId::GreaterEqual; });
    candidate.high =
        find(part.column, [](FunctionId id) { return id == FunctionId::Less || id == FunctionId::LessEqual; });
    break;
  }
  return candidate;
}

double rowsOf(const TableScan& scan, const Candidate& candidate, double table_rows, const Cardinality& cardinality) {
  if (candidate.index->is_unique && candidate.equal.size() == candidate.index->columns.size()) return 1;
  std::vector<const Expression*> filters;
  for (const Restriction* equal : candidate.equal) filters.push_back(equal->filter);
  for (const Restriction* bound : {candidate.low, candidate.high})
    if (bound != nullptr) filters.push_back(bound->filter);
  return std::max(table_rows * cardinality.scanSelectivity(scan, filters), 1.0);
}

void useIndex(TableScan& scan, Cardinality& cardinality) {
  std::vector<Restriction> restrictions;
  for (const ExpressionPtr& filter : scan.filters)
    if (Restriction restriction{}; readRestriction(scan, *filter, restriction)) restrictions.push_back(restriction);
  if (restrictions.empty() || scan.columns.empty()) return;
  const double table_rows = cardinality.baseRows(scan.columns[0].iu);
  // The filters are weighed one by one.
  cardinality.learnTable(scan);
  Candidate best;
  for (const IndexPtr& index : scan.table->indexes) {
    Candidate candidate = matchIndex(index, restrictions);
    if (candidate.equal.empty() && candidate.low == nullptr && candidate.high == nullptr) continue;
    candidate.rows = rowsOf(scan, candidate, table_rows, cardinality);
    if (!best.index || candidate.rows < best.rows) best = std::move(candidate);
  }
  cardinality.estimate(scan);
  if (!best.index || indexScanCost(best.rows) > table_rows) return;
  scan.range = std::make_unique<TableScan::IndexRange>();
  scan.range->index = best.index;
  for (const Restriction* equal : best.equal) scan.range->equal.push_back(equal->value->clone());
  if (best.low) scan.range->low = {best.low->value->clone(), best.low->comparison == FunctionId::GreaterEqual};
  if (best.high) scan.range->high = {best.high->value->clone(), best.high->comparison == FunctionId::LessEqual};
}

/// The column of the scan that a side of a join key is, in the table; kTupleId: it is none that keys could be made of.
uint32_t keyColumn(const TableScan& scan, const Expression& side, const Expression& other) {
  const Expression* column = withoutWidening(side);
  if (column->kind != Kind::Column) return TableScan::kTupleId;
  const auto found = std::ranges::find(scan.columns, column->iu, &TableScan::Column::iu);
  if (found == scan.columns.end() || found->index == TableScan::kTupleId) return TableScan::kTupleId;
  return fitsKey(other.type, scan.table->columns[found->index].type) ? found->index : TableScan::kTupleId;
}

/// The join keys that the first columns of the index stand for.
std::vector<size_t> matchKeys(const IndexEntry& index, const std::vector<uint32_t>& key_columns) {
  std::vector<size_t> keys;
  for (const IndexColumn& part : index.columns) {
    const auto found = std::ranges::find(key_columns, part.column);
    if (found == key_columns.end()) break;
    keys.push_back(static_cast<size_t>(found - key_columns.begin()));
  }
  return keys;
}

/// Reads the table on one side of the join by the keys of the other when those are few.
void useLookup(Join& join, bool is_left_read, const Cardinality& cardinality) {
  Operator& read = *join.inputs[is_left_read ? 0 : 1];
  const Operator& other = *join.inputs[is_left_read ? 1 : 0];
  if (read.kind != Operator::Kind::TableScan) return;
  auto& scan = static_cast<TableScan&>(read);
  if (scan.range || scan.columns.empty()) return;
  std::vector<uint32_t> key_columns;
  for (const Join::Key& key : join.keys)
    key_columns.push_back(is_left_read ? keyColumn(scan, *key.left, *key.right)
                                       : keyColumn(scan, *key.right, *key.left));
  const double table_rows = cardinality.baseRows(scan.columns[0].iu);
  double best_cost = table_rows;
  for (const IndexPtr& index : scan.table->indexes) {
    std::vector<size_t> keys = matchKeys(*index, key_columns);
    if (keys.empty()) continue;
    double distinct = 1;
    for (const size_t key : keys)
      distinct *= cardinality.distinctValues(is_left_read ? *join.keys[key].left : *join.keys[key].right);
    const bool is_whole_key = index->is_unique && keys.size() == index->columns.size();
    const double rows_per_key = is_whole_key ? 1 : table_rows / std::clamp(distinct, 1.0, table_rows);
    const double cost = kIndexStartCost + other.estimated_rows * (kLookupCost + rows_per_key * kIndexRowCost);
    if (cost >= best_cost) continue;
    best_cost = cost;
    scan.lookup = std::make_unique<TableScan::IndexLookup>(TableScan::IndexLookup{index, std::move(keys)});
  }
  if (scan.lookup) join.build_left = !is_left_read;
}

void useLookups(Join& join, const Cardinality& cardinality) {
  if (join.keys.empty()) return;
  const bool may_read_left = join.join_kind == Join::JoinKind::Inner;
  const bool is_left_smaller = join.inputs[0]->estimated_rows < join.inputs[1]->estimated_rows;
  if (is_left_smaller || !may_read_left)
    useLookup(join, false, cardinality);
  else
    useLookup(join, true, cardinality);
}

}  // namespace

double indexScanCost(double rows) {
  return kIndexStartCost + rows * kIndexRowCost;
}

void useIndexes(Plan& plan, Cardinality& cardinality) {
  forEachOperator(plan.root, [&](OperatorPtr& op) {
    if (op->kind == Operator::Kind::TableScan) useIndex(static_cast<TableScan&>(*op), cardinality);
    if (op->kind == Operator::Kind::Join) useLookups(static_cast<Join&>(*op), cardinality);
  });
}

}  // namespace gnomon::sql
