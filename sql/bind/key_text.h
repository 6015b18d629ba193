#pragma once

#include <string>

#include "sql/algebra/expression.h"
#include "sql/parse/ast.h"

namespace gnomon::sql {

/// A part of an index's key as PostgreSQL 15 writes it in messages (pg_get_indexdef, pretty): implicit casts and the
/// types of literals shown, in parentheses unless it looks like a function. `written` is what `part` was bound from.
/// NULLIF is shown as the CASE that it is bound to.
std::string keyText(const Expression& part, const ast::Expression& written);

}  // namespace gnomon::sql
