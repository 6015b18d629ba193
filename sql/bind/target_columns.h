#pragma once

#include <cstdint>
#include <vector>

#include "sql/catalog/table_entry.h"
#include "sql/parse/ast.h"

namespace gnomon::sql {

/// The column list of INSERT or COPY as indexes of the table's columns; an empty list is all of them that were not
/// dropped.
/// Failure: 42703 `column "x" of relation "t" does not exist`, 42701.
/// `parts`: of each name; parts of one column may be given one by one.
std::vector<uint32_t> resolveTargetColumns(const TableEntry& table, const std::vector<ast::ColumnName>& names,
                                           const std::vector<ast::TargetParts>& parts = {});

/// The same for COPY, where generated columns are none of them. Failure: 42P10 besides.
std::vector<uint32_t> resolveCopyColumns(const TableEntry& table, const std::vector<ast::ColumnName>& names);

/// Whether a new row's column takes its default whatever else may be given. `is_default`: DEFAULT is all that is given.
/// Failure: 428C9.
bool takesDefault(const ColumnEntry& column, bool is_default, ast::Insert::Overriding overriding);

}  // namespace gnomon::sql
