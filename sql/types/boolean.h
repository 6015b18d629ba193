#pragma once

#include <string_view>

namespace gnomon::sql {

/// boolean from text: unique prefixes of true, false, yes, no, and on, off, 1, 0, in any case, with white space around.
/// Failure: 22P02.
bool parseBoolean(std::string_view text);

}  // namespace gnomon::sql
