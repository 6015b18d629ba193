#pragma once

#include <cstdint>
#include <string_view>

namespace gnomon::sql {

/// An upper bound of the depth of the tree that PostgreSQL's grammar makes of a text, found without recursion: nested
/// parentheses, plus the operators in a row inside each of them. Lists and AND/OR chains do not nest.
uint32_t nestingBound(std::string_view text);

/// Texts above this bound are not given to the grammar, whose tree is built and read by recursive functions.
inline constexpr uint32_t kNestingBoundMax = 12'000;
/// The deepest tree handed to the binder.
inline constexpr uint32_t kTreeDepthMax = 2'500;

}  // namespace gnomon::sql
