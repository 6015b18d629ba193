#pragma once

#include <string>
#include <string_view>

namespace gnomon::sql {

/// The name as it has to be written in SQL: in quotes when it is not plain lower case, or a keyword that needs them.
std::string quotedIdentifier(std::string_view name);

}  // namespace gnomon::sql
