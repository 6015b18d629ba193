#pragma once

#include <vector>

#include "sql/bind/expression_binder.h"
#include "sql/catalog/table_entry.h"
#include "sql/parse/ast.h"

namespace gnomon::sql {

/// What SET says of a table's columns.
struct Assignments {
  std::vector<uint32_t> columns;      ///< those that it names, ascending
  std::vector<ExpressionPtr> values;  ///< one per table column, of exactly its type; null: it is not named
};

/// Binds SET of UPDATE and of ON CONFLICT. Failure: 42703, 42601, 42804, 428C9; 0A000 for parts of columns.
Assignments bindAssignments(BindState& state, const TableEntry& table, ExpressionBinder& binder,
                            const std::vector<ast::Assignment>& nodes);

}  // namespace gnomon::sql
