#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "sql/parse/ast.h"
#include "sql/statement.h"

namespace gnomon::sql {

/// Columns that an option of COPY names.
struct ForcedColumns {
  struct Columns {
    std::vector<std::string> names;
    bool are_all = false;
  };
  std::optional<Columns> quote, not_null, null;
};

/// COPY's options with PostgreSQL 15's checks and messages, but for those of columns. Failure: 42601, 22023, 0A000.
CopyOptions readCopyOptions(const std::vector<ast::Option>& options, bool is_from, ForcedColumns& forced);
/// Sets the flags of columns among those that are copied. `table`: whose columns they are; null: a query's. Failure:
/// 42703, 42P10.
void forceColumns(CopyOptions& options, const ForcedColumns& forced, std::span<const std::string> columns,
                  const TableEntry* table);

}  // namespace gnomon::sql
