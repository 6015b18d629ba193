#pragma once

#include "sql/algebra/expression.h"

namespace gnomon::sql {

/// Failure: 42883 for values that cannot be compared, at `position`: those of type void.
void requireEquality(const Type& type, int32_t position);
void requireOrdering(const Type& type, int32_t position);

}  // namespace gnomon::sql
