#include "sql/bind/cursor_position.h"

#include <algorithm>

#include "sql/bind/variable_names.h"

namespace gnomon::sql {
namespace {

/// Whether some index of the table has the order, in one of its directions.
bool isIndexOrder(const Sort& sort, const TableScan& scan) {
  const auto hasOrder = [&](const IndexPtr& index) {
    if (index->expressions || !index->is_valid || sort.keys.size() > index->columns.size()) return false;
    for (size_t i = 0; i < sort.keys.size(); ++i) {
      const SortKey& key = sort.keys[i];
      const IndexColumn& part = index->columns[i];
      if (key.expression->kind != Expression::Kind::Column) return false;
      const auto read = std::ranges::find(scan.columns, key.expression->iu, &TableScan::Column::iu);
      if (read == scan.columns.end() || read->index != part.column) return false;
      const bool is_backward = sort.keys[0].descending != index->columns[0].descending;
      if ((key.descending != part.descending) != is_backward) return false;
      if (key.expression->nullable && (key.nulls_first != part.nulls_first) != is_backward) return false;
    }
    return true;
  };
  return std::ranges::any_of(scan.table->indexes, hasOrder);
}

/// The scan whose current row is the operator's; null: there is no such scan.
TableScan* simpleScan(Operator& op) {
  switch (op.kind) {
    case Operator::Kind::TableScan: {
      auto& scan = static_cast<TableScan&>(op);
      return scan.table->materialized ? nullptr : &scan;
    }
    case Operator::Kind::Selection:
    case Operator::Kind::Map:
    case Operator::Kind::Limit:
      return simpleScan(*op.inputs[0]);
    case Operator::Kind::Sort: {
      TableScan* const scan = simpleScan(*op.inputs[0]);
      const bool is_ordered =
          scan != nullptr && !scan->table->partitioning && isIndexOrder(static_cast<const Sort&>(op), *scan);
      return is_ordered ? scan : nullptr;
    }
    case Operator::Kind::Join:
      // The value of a subquery.
      return static_cast<const Join&>(op).join_kind == Join::JoinKind::Single ? simpleScan(*op.inputs[0]) : nullptr;
    default:
      return nullptr;
  }
}

Iu tupleIdOf(BindState& state, TableScan& scan) {
  const auto known = std::ranges::find(scan.columns, TableScan::kTupleId, &TableScan::Column::index);
  if (known != scan.columns.end()) return known->iu;
  const Iu unit = state.plan->makeUnit("ctid", Type::of(TypeKind::Bigint), false);
  scan.columns.push_back({TableScan::kTupleId, unit});
  return unit;
}

}  // namespace

void addPositions(BindState& state, Output& output) {
  const auto add = [&](const TablePtr& table, bool is_locked, Iu tuple_id) {
    output.positions.push_back({table, is_locked});
    output.columns.push_back({"", tuple_id});
  };
  for (const Output::RowLock& lock : output.locks) add(lock.table, true, lock.tuple_id);
  if (!output.locks.empty()) return;
  if (TableScan* const scan = simpleScan(*output.inputs[0])) add(scan->table, false, tupleIdOf(state, *scan));
}

TableScan::CursorRow bindCursorRow(BindState& state, const std::string& cursor) {
  TableScan::CursorRow row{.cursor = cursor, .name = nullptr};
  const VariableNames* const variables = state.hides_variables ? nullptr : state.context.variables;
  if (variables != nullptr) row.parameter = variables->cursorNumber(cursor);
  if (row.parameter != 0) row.name = variables->find({&cursor, 1}, state.parameters);
  if (!row.name) row.name = Expression::constant(Value::fromString(Type::of(TypeKind::Text), cursor));
  return row;
}

}  // namespace gnomon::sql
