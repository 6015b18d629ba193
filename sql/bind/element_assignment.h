#pragma once

#include <string_view>

#include "sql/algebra/expression.h"

namespace gnomon::sql {

/// Failure: 42804 when the value cannot become an element of the array column of the name.
void requireElement(const Expression& value, Type element, std::string_view column);

}  // namespace gnomon::sql
