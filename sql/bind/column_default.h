#pragma once

#include "sql/bind/bind_state.h"
#include "sql/catalog/table_entry.h"
#include "sql/parse/ast.h"

namespace gnomon::sql {

/// The value of a column that is not given one: its DEFAULT, bound anew, or NULL; of exactly the column's type.
ExpressionPtr bindColumnDefault(BindState& state, const ColumnEntry& column);

/// A DEFAULT expression as a value of the column's type. Failure: 42804, 0A000 for column references.
ExpressionPtr bindDefaultExpression(BindState& state, const ast::Expression& node, const ColumnEntry& column);

}  // namespace gnomon::sql
