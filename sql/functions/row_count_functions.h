#pragma once

#include <vector>

#include "sql/functions/value_function.h"

namespace gnomon::sql {

/// Adds what checks counts of LIMIT and OFFSET: "$limit" and "$offset", each of a bigint that it answers with. Failure:
/// 2201W, 2201X.
void addRowCountFunctions(std::vector<ValueFunction>& functions);

}  // namespace gnomon::sql
