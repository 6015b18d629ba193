#pragma once

#include <string>

#include "sql/parse/ast.h"

namespace gnomon::sql {

/// The name PostgreSQL gives a result column that has no alias: the column's, the function's, the type's of a cast,
/// "case", ..., or "?column?".
std::string resultName(const ast::Expression& expression);
/// The same; empty instead of "?column?".
std::string innerName(const ast::Expression& expression);

}  // namespace gnomon::sql
