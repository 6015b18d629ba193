#pragma once

#include "sql/algebra/expression.h"

namespace gnomon::sql {

/// Puts conditions that are tested one after the other in order of cost: comparisons, then lists, then patterns and
/// what else takes long, and last those whose evaluation may raise an error; otherwise the order stays.
void orderConditions(std::vector<ExpressionPtr>& conditions);

}  // namespace gnomon::sql
