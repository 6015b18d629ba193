#include "sql/bind/target_columns.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/sql_error.h"
#include "sql/catalog/column_order.h"

namespace gnomon::sql {

std::vector<uint32_t> resolveTargetColumns(const TableEntry& table, const std::vector<ast::ColumnName>& names,
                                           const std::vector<ast::TargetParts>& parts) {
  std::vector<uint32_t> targets;
  if (names.empty()) return columnsInOrder(table);
  for (const ast::ColumnName& name : names) {
    const auto found = std::ranges::find(table.columns, name.name, &ColumnEntry::name);
    if (found == table.columns.end())
      throw SqlError(sqlstate::kUndefinedColumn,
                     fmt::format("column \"{}\" of relation \"{}\" does not exist", name.name, table.name))
          .position(name.position);
    const auto index = static_cast<uint32_t>(found - table.columns.begin());
    const auto isWhole = [&](size_t target) { return parts.empty() || parts[target].empty(); };
    for (size_t before = 0; before < targets.size(); ++before)
      if (targets[before] == index && (isWhole(before) || isWhole(targets.size())))
        throw SqlError(sqlstate::kDuplicateColumn, fmt::format("column \"{}\" specified more than once", name.name))
            .position(name.position);
    targets.push_back(index);
  }
  return targets;
}

std::vector<uint32_t> resolveCopyColumns(const TableEntry& table, const std::vector<ast::ColumnName>& names) {
  std::vector<uint32_t> columns = resolveTargetColumns(table, names);
  if (names.empty()) {
    std::erase_if(columns, [&](uint32_t column) { return table.columns[column].is_generated; });
    return columns;
  }
  for (const uint32_t column : columns)
    if (table.columns[column].is_generated)
      throw SqlError(SqlState("42P10"), fmt::format("column \"{}\" is a generated column", table.columns[column].name))
          .detail("Generated columns cannot be used in COPY.");
  return columns;
}

bool takesDefault(const ColumnEntry& column, bool is_default, ast::Insert::Overriding overriding) {
  if (column.is_generated) {
    if (is_default) return true;
    throw SqlError(SqlState("428C9"), fmt::format("cannot insert a non-DEFAULT value into column \"{}\"", column.name))
        .detail(fmt::format("Column \"{}\" is a generated column.", column.name));
  }
  if (column.identity == Identity::None) return false;
  if (is_default || overriding == ast::Insert::Overriding::User) return true;
  if (column.identity != Identity::Always || overriding == ast::Insert::Overriding::System) return false;
  throw SqlError(SqlState("428C9"), fmt::format("cannot insert a non-DEFAULT value into column \"{}\"", column.name))
      .detail(fmt::format("Column \"{}\" is an identity column defined as GENERATED ALWAYS.", column.name))
      .hint("Use OVERRIDING SYSTEM VALUE to override.");
}

}  // namespace gnomon::sql
