#include "sql/parse/ast.h"

namespace gnomon::sql::ast {

Expression::Expression() = default;
Expression::~Expression() = default;

}  // namespace gnomon::sql::ast
