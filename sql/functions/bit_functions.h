#pragma once

#include <vector>

#include "sql/functions/value_function.h"

namespace gnomon::sql {

/// Of bit strings.
void addBitFunctions(std::vector<ValueFunction>& functions);

}  // namespace gnomon::sql
