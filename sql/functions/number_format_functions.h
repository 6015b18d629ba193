#pragma once

#include <vector>

#include "sql/functions/value_function.h"

namespace gnomon::sql {

/// to_char of numbers, to_number.
void addNumberFormatFunctions(std::vector<ValueFunction>& functions);

}  // namespace gnomon::sql
