#pragma once

#include <cstdint>
#include <string_view>

namespace gnomon::sql {

/// An upper bound of the depth of the tree that PostgreSQL's grammar makes of a text, found without recursion: nested
/// parentheses, plus the operators in a row, joins and set operations inside each of them. Lists and AND/OR chains do
/// not nest. Prefix operators need no count: the grammar itself gives up at some 10,000 open ones.
uint32_t nestingBound(std::string_view text);

/// Texts above this bound are not given to the grammar, whose tree is built and read by recursive functions.
inline constexpr uint32_t kNestingBoundMax = 8'000;
/// The deepest tree handed to the binder.
inline constexpr uint32_t kTreeDepthMax = 2'500;

}  // namespace gnomon::sql
