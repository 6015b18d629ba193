#pragma once

#include <string>
#include <string_view>

#include "sql/regex/regex_options.h"
#include "sql/regex/regex_tree.h"

namespace gnomon::sql {

struct RegexToken {
  enum class Kind : uint8_t {
    Start,  ///< before the first
    End,
    Character,    ///< `value`
    Any,          ///< .
    Open,         ///< (, `flag`: captures
    Close,        ///< )
    Alternative,  ///< |
    Star,         ///< `flag`: longer, as of the next two and EndBounds
    Plus,
    Question,
    Bounds,  ///< { before a digit
    Digit,   ///< of bounds: `value`
    Comma,   ///< of bounds
    EndBounds,
    Bracket,  ///< [, `flag`: not negated
    EndBracket,
    Range,             ///< - between two characters of a bracket
    CollatingElement,  ///< [.
    EquivalenceClass,  ///< [=
    CharacterClass,    ///< [:
    EndName,           ///< of those
    ClassEscape,       ///< \d \s \w: `name`; `flag`: not negated
    Assertion,         ///< `assertion`
    LookAround,        ///< `is_behind`; `flag`: not negated
    BackReference,     ///< `value`
  };

  Kind kind = Kind::Start;
  bool flag = false;
  bool is_behind = false;
  RegexAssertion assertion = RegexAssertion::TextBegin;
  char32_t value = 0;
  std::string_view name;
};

/// Cuts an expression into tokens; what a character means depends on where it stands.
///
/// Source: the chapter on POSIX regular expressions of PostgreSQL's documentation, and what its server answers.
/// Failure: 2201B, as PostgreSQL for the first error from left to right, one token ahead of the parser.
class RegexLexer {
 public:
  RegexLexer(std::string_view pattern, RegexOptions options);

  /// Reads the next token, which is then current.
  void advance() { token_ = next(token_.kind); }
  [[nodiscard]] const RegexToken& token() const { return token_; }
  /// As the expression's own prefixes have changed them.
  [[nodiscard]] const RegexOptions& options() const { return options_; }
  /// The parser has met the beginning of a group that captures: which numbers are back references depends on it.
  void noteGroup() { ++group_count_; }

 private:
  using Kind = RegexToken::Kind;
  enum class Context : uint8_t { Plain, Literal, Bounds, Bracket, Collating, Equivalence, Class };

  [[nodiscard]] bool isAtEnd() const { return at_ >= text_.size(); }
  [[nodiscard]] bool sees(std::u32string_view wanted) const {
    return std::u32string_view(text_).substr(at_).starts_with(wanted);
  }
  bool take(std::u32string_view wanted);
  [[nodiscard]] bool isAdvanced() const { return options_.syntax == RegexOptions::Syntax::Advanced; }
  [[nodiscard]] bool isBasic() const { return options_.syntax == RegexOptions::Syntax::Basic; }
  void readPrefixes();
  void readEmbeddedOption(char32_t option);
  void skipBlanks();
  RegexToken next(Kind last);
  RegexToken atEnd() const;
  RegexToken inBounds(char32_t c);
  RegexToken inBracket(char32_t c, Kind last);
  RegexToken inName(char32_t c, char32_t closing);
  RegexToken inBasic(char32_t c, Kind last);
  RegexToken plain(char32_t c, Kind last);
  RegexToken parenthesis(Kind last);
  RegexToken bracket();
  RegexToken quantifier(Kind kind);
  RegexToken backslash();
  RegexToken escape();
  RegexToken numberEscape(char32_t first);
  char32_t readDigits(unsigned base, size_t at_least, size_t at_most);

  std::u32string text_;
  RegexOptions options_;
  size_t at_ = 0;
  Context context_ = Context::Plain;
  uint32_t group_count_ = 0;
  RegexToken token_;
};

}  // namespace gnomon::sql
