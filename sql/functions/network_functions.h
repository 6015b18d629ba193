#pragma once

#include <vector>

#include "sql/functions/value_function.h"

namespace gnomon::sql {

/// Of network addresses, MAC addresses and places in the log.
void addNetworkFunctions(std::vector<ValueFunction>& functions);

}  // namespace gnomon::sql
