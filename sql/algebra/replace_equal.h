#pragma once

#include "sql/algebra/expression.h"

namespace gnomon::sql {

/// Reads the unit in the place of each part that equals the pattern.
void replaceEqual(ExpressionPtr& expression, const Expression& pattern, Iu unit);

}  // namespace gnomon::sql
