#pragma once

#include <vector>

#include "sql/functions/value_function.h"

namespace gnomon::sql {

/// The columns of pg_get_keywords() as arrays: $pg_get_keywords.word and so on.
void addKeywordFunctions(std::vector<ValueFunction>& functions);

}  // namespace gnomon::sql
