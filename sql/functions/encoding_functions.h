#pragma once

#include <vector>

#include "sql/functions/value_function.h"

namespace gnomon::sql {

/// pg_encoding_to_char, pg_char_to_encoding, pg_encoding_max_length.
void addEncodingFunctions(std::vector<ValueFunction>& functions);

}  // namespace gnomon::sql
