#pragma once

#include "sql/algebra/operator.h"

namespace gnomon::sql {

/// The pass: a limit (constant or parameter) moves into the sort below it (top-k), through maps between them; sorts
/// whose order a join or an aggregation above forgets are dropped.
void placeSorts(Plan& plan);

}  // namespace gnomon::sql
