#pragma once

#include <functional>
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

/// Binds SET of UPDATE and of ON CONFLICT. `old_value`: the unit of a column of the row that is changed.
/// Failure: 42703, 42601, 42804, 428C9.
Assignments bindAssignments(BindState& state, const TableEntry& table, ExpressionBinder& binder,
                            const std::vector<ast::Assignment>& nodes, const std::function<Iu(uint32_t)>& old_value);

}  // namespace gnomon::sql
