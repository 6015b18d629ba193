#pragma once

#include <cstdint>
#include <vector>

#include "sql/catalog/table_entry.h"
#include "sql/parse/ast.h"

namespace gnomon::sql {

/// The column list of INSERT or COPY as indexes of the table's columns; an empty list is all of them that were not
/// dropped.
/// Failure: 42703 `column "x" of relation "t" does not exist`, 42701.
std::vector<uint32_t> resolveTargetColumns(const TableEntry& table, const std::vector<ast::ColumnName>& names);

}  // namespace gnomon::sql
