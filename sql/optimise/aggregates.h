#pragma once

#include "sql/algebra/operator.h"

namespace gnomon::sql {

/// The pass: an aggregate that stands twice is computed once; min and max lose DISTINCT; count of what is never NULL
/// counts rows; DISTINCT over one argument becomes two levels (distinct_aggregates.h); repeated parts of the arguments
/// are computed once below (common_subexpressions.h).
void improveAggregations(Plan& plan);

}  // namespace gnomon::sql
