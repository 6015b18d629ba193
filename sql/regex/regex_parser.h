#pragma once

#include <string_view>

#include "sql/regex/regex_options.h"
#include "sql/regex/regex_tree.h"

namespace gnomon::sql {

/// Parses an expression of PostgreSQL's: ARE, ERE, BRE or a literal text. Failure: 2201B.
RegexTree parseRegex(std::string_view pattern, RegexOptions options);

}  // namespace gnomon::sql
