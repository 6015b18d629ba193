#pragma once

#include <cstdint>
#include <span>

#include "sql/types/text_io.h"
#include "sql/types/type.h"

namespace gnomon::sql {

/// Puts a value, not NULL, in the place of an element, in the array's own bytes. False, and nothing is changed: the
/// array has no such element, or its elements are strings.
bool overwriteElement(Type element, std::span<char> array, std::span<const int32_t> subscripts, RegisterPair value);

}  // namespace gnomon::sql
