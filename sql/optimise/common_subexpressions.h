#pragma once

#include "sql/algebra/operator.h"

namespace gnomon::sql {

/// Computes once, in a map below the aggregation, what its keys and arguments compute several times, provided one of
/// the occurrences is evaluated for every row (so that nothing is evaluated that was not before).
void shareSubexpressions(Plan& plan, Aggregation& aggregation);

}  // namespace gnomon::sql
