#pragma once

#include "sql/parse/ast_expression.h"

namespace gnomon::sql {

/// Whether the two are written alike, wherever they stand. False also where a query, a window or an aggregate's clauses
/// are a part of them: these are not compared.
bool isWrittenAlike(const ast::Expression& one, const ast::Expression& two);

}  // namespace gnomon::sql
