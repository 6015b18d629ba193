#pragma once

#include <vector>

#include "sql/functions/value_function.h"

namespace gnomon::sql {

/// to_char and its kin of dates and times, make_timestamp, make_interval.
void addDatetimeFunctions(std::vector<ValueFunction>& functions);

}  // namespace gnomon::sql
