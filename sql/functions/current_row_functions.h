#pragma once

#include <vector>

#include "sql/functions/value_function.h"

namespace gnomon::sql {

/// What asks whether rows are as the statement's snapshot has them.
void addCurrentRowFunctions(std::vector<ValueFunction>& functions);

}  // namespace gnomon::sql
