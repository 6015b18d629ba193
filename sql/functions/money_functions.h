#pragma once

#include <vector>

#include "sql/functions/value_function.h"

namespace gnomon::sql {

/// Adds the operators and functions of money.
void addMoneyFunctions(std::vector<ValueFunction>& functions);

}  // namespace gnomon::sql
