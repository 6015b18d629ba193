#include "sql/bind/output_binder.h"

#include "sql/catalog/column_order.h"

namespace gnomon::sql {

Output::Column outputColumn(const BindState& state, std::string name, Iu unit) {
  Output::Column column{std::move(name), unit, 0, 0};
  if (const auto origin = state.origins.find(unit); origin != state.origins.end()) {
    column.table_oid = origin->second.table_oid;
    column.attribute = origin->second.attribute;
    for (const TablePtr& table : state.tables)
      if (table->oid == column.table_oid && !table->order.empty() && column.attribute > 0)
        column.attribute = static_cast<int16_t>(numberOfColumn(*table, static_cast<uint32_t>(column.attribute - 1)));
  }
  return column;
}

std::unique_ptr<Output> outputOf(const BindState& state, const std::vector<QueryBinder::Column>& columns,
                                 OperatorPtr input) {
  auto output = std::make_unique<Output>();
  for (const QueryBinder::Column& column : columns)
    output->columns.push_back(outputColumn(state, column.name, column.iu));
  output->inputs.push_back(std::move(input));
  return output;
}

Scope rowScope(BindState& state, const TableEntry& table, const FromEntry& target, const std::vector<Iu>& row) {
  const bool is_aliased = !target.alias.empty();
  Range range{.alias = is_aliased ? target.alias : target.table_name,
              .table_name = target.table_name,
              .columns = {},
              .is_aliased = is_aliased,
              .relation = table.oid};
  for (size_t i = 0; i < row.size(); ++i) {
    state.origins[row[i]] = {table.oid, static_cast<int16_t>(i + 1)};
    state.unit_names[row[i]] = range.alias + "." + table.columns[i].name;
  }
  for (const uint32_t i : columnsInOrder(table)) range.columns.push_back({table.columns[i].name, row[i]});
  Scope scope;
  scope.columns = range.columns;
  scope.ranges.push_back(std::move(range));
  return scope;
}

}  // namespace gnomon::sql
