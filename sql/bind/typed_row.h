#pragma once

#include <vector>

#include "sql/algebra/expression.h"
#include "sql/parse/ast.h"

namespace gnomon::sql {

/// ROW(...)::type, of a type that is no domain: IN, ANY and ALL compare it column by column, as they do
/// ROW(...).
bool isTypedRow(const ast::Expression& node);
/// The columns of such a row, once it is bound. Failure: 0A000 where it is volatile.
std::vector<ExpressionPtr> columnsOfRow(const Expression& row);

}  // namespace gnomon::sql
