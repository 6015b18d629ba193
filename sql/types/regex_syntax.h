#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace gnomon::sql {

/// What a regular expression is compiled with, PostgreSQL's letters.
struct RegexOptions {
  bool is_caseless = false;       ///< i
  bool is_literal = false;        ///< q
  bool dot_spares_lines = false;  ///< n, m, p: . and [^...] do not match a newline
  bool anchors_at_lines = false;  ///< n, m, w: ^ and $ match beside newlines, too
  bool is_expanded = false;       ///< x: white space and comments
  bool is_global = false;         ///< g
};

/// Reads flags of a function. Failure: 22023.
RegexOptions parseRegexFlags(std::string_view flags);

/// A regular expression in RE2's syntax, and what RE2 has to know besides.
struct RegexSyntax {
  std::string pattern;
  uint32_t group_count = 0;      ///< that capture
  bool has_shortest = false;     ///< *? and its kin: the ends of matches are PostgreSQL's own
  bool has_free_groups = false;  ///< alternatives or repeated groups: so are the captures
};

/// PostgreSQL's advanced regular expression (ARE) as one of RE2.
///
/// Every atom is written out as code points or classes of them, as the locale C has them, so that nothing depends on
/// RE2's own idea of case, classes and lines.
/// Failure: 2201B for what PostgreSQL refuses; 0A000 for what RE2 cannot do.
RegexSyntax translateRegex(std::string_view pattern, RegexOptions options);

/// The regular expression of a pattern of SIMILAR TO. `escape` is one character or none. Failure: 22019, 0A000.
std::string similarPattern(std::string_view pattern, std::string_view escape);

}  // namespace gnomon::sql
