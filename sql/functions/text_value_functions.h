#pragma once

#include <vector>

#include "sql/functions/value_function.h"

namespace gnomon::sql {

/// parse_ident, unistr, pg_size_bytes.
void addTextValueFunctions(std::vector<ValueFunction>& functions);

}  // namespace gnomon::sql
