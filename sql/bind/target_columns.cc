#include "sql/bind/target_columns.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/sql_error.h"

namespace gnomon::sql {

std::vector<uint32_t> resolveTargetColumns(const TableEntry& table, const std::vector<ast::ColumnName>& names) {
  std::vector<uint32_t> targets;
  if (names.empty()) {
    for (uint32_t i = 0; i < table.columns.size(); ++i)
      if (!table.columns[i].isDropped()) targets.push_back(i);
    return targets;
  }
  for (const ast::ColumnName& name : names) {
    const auto found = std::ranges::find(table.columns, name.name, &ColumnEntry::name);
    if (found == table.columns.end())
      throw SqlError(sqlstate::kUndefinedColumn,
                     fmt::format("column \"{}\" of relation \"{}\" does not exist", name.name, table.name))
          .position(name.position);
    const auto index = static_cast<uint32_t>(found - table.columns.begin());
    if (std::ranges::find(targets, index) != targets.end())
      throw SqlError(sqlstate::kDuplicateColumn, fmt::format("column \"{}\" specified more than once", name.name))
          .position(name.position);
    targets.push_back(index);
  }
  return targets;
}

}  // namespace gnomon::sql
