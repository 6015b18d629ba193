#include "sql/optimise/row_uniqueness.h"

#include <algorithm>

#include "sql/algebra/set_operators.h"

namespace gnomon::sql {
namespace {

using Kind = Operator::Kind;

bool isLimitedToOne(const ExpressionPtr& limit) {
  return limit && limit->isConstant() && !limit->value.is_null && limit->value.asInt() <= 1;
}

RowBound atMost(RowBound bound) {
  return bound == RowBound::One ? RowBound::AtMostOne : bound;
}

bool isUniqueScan(const TableScan& scan, const UnitSet& units, const TableStatistics& statistics) {
  const auto is_held = [&](const auto& key) {
    return std::ranges::any_of(scan.columns, [&](const TableScan::Column& column) {
      return column.index == key.column && units.contains(column.iu);
    });
  };
  return std::ranges::any_of(scan.table->indexes, [&](const IndexPtr& index) {
    return index->is_unique && !index->is_deferrable && index->is_valid && !index->expressions &&
           statistics.isUsable(*index) && std::ranges::all_of(index->columns, is_held);
  });
}

}  // namespace

RowBound rowBound(const Operator& op) {
  switch (op.kind) {
    case Kind::Aggregation:
      return static_cast<const Aggregation&>(op).keys.empty() ? RowBound::One : RowBound::Any;
    case Kind::Values: {
      const size_t count = static_cast<const Values&>(op).rows.size();
      return count == 1 ? RowBound::One : count == 0 ? RowBound::AtMostOne : RowBound::Any;
    }
    case Kind::Map:
    case Kind::Window:
      return rowBound(*op.inputs[0]);
    case Kind::Selection:
      return atMost(rowBound(*op.inputs[0]));
    case Kind::Sort:
      return static_cast<const Sort&>(op).limit || static_cast<const Sort&>(op).offset ? atMost(rowBound(*op.inputs[0]))
                                                                                       : rowBound(*op.inputs[0]);
    case Kind::Limit:
      return isLimitedToOne(static_cast<const Limit&>(op).limit) ? RowBound::AtMostOne
                                                                 : atMost(rowBound(*op.inputs[0]));
    case Kind::Join: {
      const auto& join = static_cast<const Join&>(op);
      const RowBound left = rowBound(*op.inputs[0]);
      if (join.join_kind == Join::JoinKind::Mark || join.join_kind == Join::JoinKind::Single) return left;
      if (join.testsLeftRows()) return atMost(left);
      if (join.join_kind == Join::JoinKind::FullOuter) return RowBound::Any;
      return left == RowBound::Any || rowBound(*op.inputs[1]) == RowBound::Any ? RowBound::Any : RowBound::AtMostOne;
    }
    case Kind::SharedScan: {
      const OperatorPtr& root = static_cast<const SharedScan&>(op).source->root;
      return root ? rowBound(*root) : RowBound::Any;
    }
    case Kind::Output: {
      const auto& output = static_cast<const Output&>(op);
      if (isLimitedToOne(output.limit)) return RowBound::AtMostOne;
      const RowBound bound = rowBound(*op.inputs[0]);
      return output.locks.empty() ? bound : atMost(bound);
    }
    default:
      return RowBound::Any;
  }
}

bool isUniqueOn(const Operator& op, const UnitSet& units, const TableStatistics& statistics) {
  switch (op.kind) {
    case Kind::TableScan:
      return isUniqueScan(static_cast<const TableScan&>(op), units, statistics);
    case Kind::Aggregation: {
      const auto& keys = static_cast<const Aggregation&>(op).keys;
      return std::ranges::all_of(keys, [&](const Aggregation::Key& key) { return units.contains(key.iu); });
    }
    case Kind::Selection:
    case Kind::Map:
    case Kind::Window:
    case Kind::Sort:
    case Kind::Limit:
      return isUniqueOn(*op.inputs[0], units, statistics);
    case Kind::Join:
      return static_cast<const Join&>(op).testsLeftRows() && isUniqueOn(*op.inputs[0], units, statistics);
    default:
      return false;
  }
}

UnitSet unitsEqualToLeft(const Join& join) {
  const UnitSet left = unitSet(*join.inputs[0]);
  const UnitSet right = unitSet(*join.inputs[1]);
  UnitSet result;
  for (const ExpressionPtr& condition : join.conditions) {
    if (!isEquality(*condition)) continue;
    for (const size_t side : {size_t{0}, size_t{1}}) {
      const Expression& unit = *condition->children[side];
      const bool is_right = unit.kind == Expression::Kind::Column && right.contains(unit.iu);
      if (is_right && readsOnly(*condition->children[1 - side], left)) result.insert(unit.iu);
    }
  }
  return result;
}

}  // namespace gnomon::sql
