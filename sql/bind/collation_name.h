#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "sql/types/type.h"

namespace gnomon::sql {

/// That there is a collation of this name, with its schema before it if that is said. All that there are have the order
/// of bytes, which is that of all texts. Failure: 42704; 0A000 for those of ICU.
void requireCollation(std::span<const std::string> names, int32_t position = -1);

/// Whether values of the type, or of an array's elements, are ordered by a collation.
bool isCollatable(Type type);

}  // namespace gnomon::sql
