#pragma once

#include <vector>

#include "sql/algebra/expression.h"

namespace gnomon::sql {

/// The count of LIMIT, or of OFFSET, which must not be negative: checked when it is computed, unless it is a constant
/// that is none. Failure then: 2201W, 2201X.
ExpressionPtr checkedLimit(ExpressionPtr count);
ExpressionPtr checkedOffset(ExpressionPtr count);

/// What is true of rows that LIMIT and OFFSET let pass. Both are checked, NULL means no limit and null means that it is
/// not there. `number`: of the row, from 1; `counted`: what is held against the limit, that number or, WITH TIES, the
/// row's rank.
std::vector<ExpressionPtr> limitConditions(Iu number, Iu counted, const Expression* limit, const Expression* offset);

}  // namespace gnomon::sql
