#pragma once

#include <string>
#include <string_view>

namespace gnomon::sql {

/// "first_second_label", "first_label" without a second: the two are shortened until all has the length of a name, as
/// PostgreSQL does it.
std::string composedName(std::string first, std::string second, std::string_view label);

}  // namespace gnomon::sql
