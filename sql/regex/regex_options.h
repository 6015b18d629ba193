#pragma once

#include <string>
#include <string_view>

#include "base/sql_error.h"

namespace gnomon::sql {

/// What a regular expression is compiled with, PostgreSQL's letters.
struct RegexOptions {
  enum class Syntax : unsigned char {
    Advanced,  ///< ARE
    Extended,  ///< ERE; of embedded options alone
    Basic,     ///< b, and by an oddity of PostgreSQL's e: BRE
    Literal,   ///< q
  };

  Syntax syntax = Syntax::Advanced;
  bool is_caseless = false;       ///< i
  bool dot_spares_lines = false;  ///< n, m, p: . and [^...] do not match a newline
  bool anchors_at_lines = false;  ///< n, m, w: ^ and $ match beside newlines, too
  bool is_expanded = false;       ///< x: white space and comments
  bool is_global = false;         ///< g

  bool operator==(const RegexOptions&) const = default;
  void setLines(bool spared, bool anchored) {
    dot_spares_lines = spared;
    anchors_at_lines = anchored;
  }
};

/// Reads flags of a function. Failure: 22023.
RegexOptions parseRegexFlags(std::string_view flags);

/// The regular expression of a pattern of SIMILAR TO, or of SUBSTRING ... SIMILAR, whose escaped double quotes cut the
/// pattern into three parts: the second is the only group. `escape` is one character or none.
/// Failure: 2200C for more than two such quotes.
std::string similarPattern(std::string_view pattern, std::string_view escape);
/// The same for any `escape`. Failure: 22025, too.
std::string checkedSimilarPattern(std::string_view pattern, std::string_view escape);

/// What the lexer and the parser both refuse.
inline constexpr const char* kInvalidRepetition = "invalid repetition count(s)";
inline constexpr const char* kInvalidOperand = "quantifier operand invalid";

/// What PostgreSQL says of expressions that it refuses: 2201B.
[[noreturn]] void throwInvalidRegex(const char* what);
[[noreturn]] void throwRegexTooComplex();

}  // namespace gnomon::sql
