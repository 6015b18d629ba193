#include "sql/bind/assignment_binder.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/sql_error.h"
#include "sql/bind/column_default.h"
#include "sql/bind/part_assignment.h"

namespace gnomon::sql {

namespace {

uint32_t columnIndex(const TableEntry& table, const ast::ColumnName& name) {
  const auto found = std::ranges::find(table.columns, name.name, &ColumnEntry::name);
  if (found == table.columns.end())
    throw SqlError(sqlstate::kUndefinedColumn,
                   fmt::format("column \"{}\" of relation \"{}\" does not exist", name.name, table.name))
        .position(name.position);
  return static_cast<uint32_t>(found - table.columns.begin());
}

[[noreturn]] void throwTwice(const ColumnEntry& column) {
  throw SqlError(sqlstate::kSyntaxError, fmt::format("multiple assignments to same column \"{}\"", column.name));
}

[[noreturn]] void refuseGenerated(const ColumnEntry& column) {
  throw SqlError(SqlState("428C9"), fmt::format("column \"{}\" can only be updated to DEFAULT", column.name))
      .detail(fmt::format("Column \"{}\" is a generated column.", column.name));
}

}  // namespace

Assignments bindAssignments(BindState& state, const TableEntry& table, ExpressionBinder& binder,
                            const std::vector<ast::Assignment>& nodes, const std::function<Iu(uint32_t)>& old_value) {
  Assignments result;
  result.values.resize(table.columns.size());
  std::vector<bool> has_parts(table.columns.size());  // elements or fields of it are set
  std::vector<ExpressionPtr> row;                     // that several columns take their parts of
  for (const ast::Assignment& assignment : nodes) {
    const uint32_t index = columnIndex(table, assignment.column);
    const ColumnEntry& column = table.columns[index];
    const bool is_row = assignment.row_width != 0;
    if (is_row && assignment.row_part == 0) row = binder.bindAssignedRow(*assignment.value, assignment.row_width);
    const bool is_default = !is_row && assignment.value->kind == ast::Expression::Kind::Default;
    if (is_default) refuseDefault(assignment.parts, assignment.column.position);
    ExpressionPtr value = is_row       ? std::move(row[assignment.row_part])
                          : is_default ? bindColumnDefault(state, column)
                                       : binder.bind(*assignment.value);
    if (!assignment.parts.empty()) {
      // A column may have several parts set.
      ExpressionPtr& before = result.values[index];
      if (before && !has_parts[index]) throwTwice(column);
      has_parts[index] = true;
      if (!before) {
        before = Expression::column(old_value(index));
        result.columns.push_back(index);
      }
      before = PartAssignment(binder, assignment.parts, assignment.column)
                   .bind(std::move(before), std::move(value), column.domain);
      if (column.is_generated) refuseGenerated(column);
      continue;
    }
    if (column.is_generated && !is_default) refuseGenerated(column);
    value = binder.coercion().assign(std::move(value), column.type, column.name);
    value = binder.coercion().toDomain(std::move(value), column.domain);
    if (column.identity == Identity::Always && !is_default)
      throw SqlError(SqlState("428C9"), fmt::format("column \"{}\" can only be updated to DEFAULT", column.name))
          .detail(fmt::format("Column \"{}\" is an identity column defined as GENERATED ALWAYS.", column.name));
    if (result.values[index]) throwTwice(column);
    result.values[index] = std::move(value);
    result.columns.push_back(index);
  }
  for (const uint32_t index : result.columns)
    if (has_parts[index])
      result.values[index] = binder.coercion().toDomain(std::move(result.values[index]), table.columns[index].domain);
  std::ranges::sort(result.columns);
  return result;
}

}  // namespace gnomon::sql
