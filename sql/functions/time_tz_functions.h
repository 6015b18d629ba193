#pragma once

#include <vector>

#include "sql/functions/value_function.h"

namespace gnomon::sql {

/// Of times with time zone.
void addTimeTzFunctions(std::vector<ValueFunction>& functions);

}  // namespace gnomon::sql
