#pragma once

#include <vector>

#include "sql/functions/value_function.h"

namespace gnomon::sql {

/// normalize and IS NORMALIZED.
void addNormalizationFunctions(std::vector<ValueFunction>& functions);

}  // namespace gnomon::sql
