#include "sql/regex/regex_lexer.h"

#include <algorithm>

#include "sql/types/text.h"

namespace gnomon::sql {
namespace {

using Kind = RegexToken::Kind;
using Syntax = RegexOptions::Syntax;

constexpr const char* kBrackets = "brackets [] not balanced";
constexpr const char* kBraces = "braces {} not balanced";
constexpr const char* kEscape = "invalid escape \\ sequence";
constexpr const char* kOption = "invalid embedded option";
/// The largest number that stands for a character, if for one that no text has.
constexpr char32_t kNumberMax = 0x7ffffffe;
/// The most digits of an escape that says no number of them.
constexpr size_t kDigitsMax = 255;

std::u32string codePointsOf(std::string_view text) {
  std::u32string result;
  while (!text.empty()) {
    const auto first = static_cast<unsigned char>(text[0]);
    const size_t bytes = std::min<size_t>(characterBytes(first), text.size());
    char32_t point = bytes == 1 ? first : first & (0xff >> (bytes + 1));
    for (size_t i = 1; i < bytes; ++i) point = point << 6 | (static_cast<unsigned char>(text[i]) & 0x3f);
    result += point;
    text.remove_prefix(bytes);
  }
  return result;
}

constexpr bool isDigit(char32_t c) {
  return c >= '0' && c <= '9';
}
constexpr bool isSpace(char32_t c) {
  return c == ' ' || (c >= '\t' && c <= '\r');
}
constexpr bool isLetter(char32_t c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

/// 16 and more: none.
unsigned digitOf(char32_t c) {
  if (isDigit(c)) return static_cast<unsigned>(c - '0');
  if (c >= 'a' && c <= 'f') return static_cast<unsigned>(c - 'a') + 10;
  if (c >= 'A' && c <= 'F') return static_cast<unsigned>(c - 'A') + 10;
  return 16;
}

RegexToken of(Kind kind) {
  RegexToken token;
  token.kind = kind;
  return token;
}
RegexToken flagged(Kind kind, bool flag) {
  RegexToken token = of(kind);
  token.flag = flag;
  return token;
}
RegexToken valued(Kind kind, char32_t value) {
  RegexToken token = of(kind);
  token.value = value;
  return token;
}
RegexToken character(char32_t c) {
  return valued(Kind::Character, c);
}
RegexToken assertion(RegexAssertion which) {
  RegexToken token = of(Kind::Assertion);
  token.assertion = which;
  return token;
}
RegexToken classEscape(std::string_view name, bool is_positive) {
  RegexToken token = flagged(Kind::ClassEscape, is_positive);
  token.name = name;
  return token;
}
RegexToken lookAround(bool is_behind, bool is_positive) {
  RegexToken token = flagged(Kind::LookAround, is_positive);
  token.is_behind = is_behind;
  return token;
}

}  // namespace

RegexLexer::RegexLexer(std::string_view pattern, RegexOptions options)
    : text_(codePointsOf(pattern)), options_(options) {
  const auto isOfLiteral = [&] {
    return !options_.is_expanded && !options_.dot_spares_lines && !options_.anchors_at_lines;
  };
  if (options_.syntax == Syntax::Literal && !isOfLiteral()) throwInvalidRegex("invalid argument to regex function");
  readPrefixes();
  if (options_.syntax == Syntax::Literal) {
    options_.is_expanded = false;
    options_.setLines(false, false);
    context_ = Context::Literal;
  }
  advance();
}

bool RegexLexer::take(std::u32string_view wanted) {
  if (!sees(wanted)) return false;
  at_ += wanted.size();
  return true;
}

void RegexLexer::readPrefixes() {
  if (options_.syntax == Syntax::Literal) return;
  if (sees(U"***") && text_.size() > 3) {
    if (take(U"***=")) {
      options_.syntax = Syntax::Literal;
      return;
    }
    if (sees(U"***?")) throwInvalidRegex("invalid regexp (reg version 0.8)");
    if (!take(U"***:")) throwInvalidRegex(kInvalidOperand);
    options_.syntax = Syntax::Advanced;
  }
  if (!isAdvanced() || !sees(U"(?") || at_ + 2 >= text_.size() || !isLetter(text_[at_ + 2])) return;
  for (at_ += 2; !isAtEnd() && isLetter(text_[at_]); ++at_) readEmbeddedOption(text_[at_]);
  if (!take(U")")) throwInvalidRegex(kOption);
}

void RegexLexer::readEmbeddedOption(char32_t option) {
  switch (option) {
    case 'b':
      options_.syntax = Syntax::Basic;
      return;
    case 'e':
      options_.syntax = Syntax::Extended;
      return;
    case 'q':
      options_.syntax = Syntax::Literal;
      return;
    case 'c':
    case 'i':
      options_.is_caseless = option == 'i';
      return;
    case 'm':
    case 'n':
      return options_.setLines(true, true);
    case 'p':
      return options_.setLines(true, false);
    case 's':
      return options_.setLines(false, false);
    case 'w':
      return options_.setLines(false, true);
    case 't':
    case 'x':
      options_.is_expanded = option == 'x';
      return;
    default:
      throwInvalidRegex(kOption);
  }
}

/// White space and comments of the expanded syntax.
void RegexLexer::skipBlanks() {
  if (!options_.is_expanded) return;
  for (;;) {
    while (!isAtEnd() && isSpace(text_[at_])) ++at_;
    if (!sees(U"#")) return;
    while (!isAtEnd() && text_[at_] != '\n') ++at_;
  }
}

RegexToken RegexLexer::next(Kind last) {
  if (context_ == Context::Plain || context_ == Context::Bounds) skipBlanks();
  if (isAtEnd()) return atEnd();
  const char32_t c = text_[at_++];
  switch (context_) {
    case Context::Literal:
      return character(c);
    case Context::Bounds:
      return inBounds(c);
    case Context::Bracket:
      return inBracket(c, last);
    case Context::Collating:
      return inName(c, '.');
    case Context::Equivalence:
      return inName(c, '=');
    case Context::Class:
      return inName(c, ':');
    case Context::Plain:
      break;
  }
  return isBasic() ? inBasic(c, last) : plain(c, last);
}

RegexToken RegexLexer::atEnd() const {
  if (context_ == Context::Bounds) throwInvalidRegex(kBraces);
  if (context_ != Context::Plain && context_ != Context::Literal) throwInvalidRegex(kBrackets);
  return of(Kind::End);
}

RegexToken RegexLexer::inBounds(char32_t c) {
  if (isDigit(c)) return valued(Kind::Digit, c - '0');
  if (c == ',') return of(Kind::Comma);
  const bool ends = isBasic() ? c == '\\' && take(U"}") : c == '}';
  if (!ends) throwInvalidRegex(kInvalidRepetition);
  context_ = Context::Plain;
  return quantifier(Kind::EndBounds);
}

RegexToken RegexLexer::quantifier(Kind kind) {
  return flagged(kind, !(isAdvanced() && take(U"?")));
}

RegexToken RegexLexer::inBracket(char32_t c, Kind last) {
  switch (c) {
    case '\\': {
      if (!isAdvanced()) return character(c);
      if (isAtEnd()) throwInvalidRegex(kEscape);
      const RegexToken token = escape();
      if (token.kind != Kind::Character && token.kind != Kind::ClassEscape) throwInvalidRegex(kEscape);
      return token;
    }
    case '-':
      return last == Kind::Bracket || sees(U"]") ? character(c) : valued(Kind::Range, c);
    case ']':
      if (last == Kind::Bracket) return character(c);
      context_ = Context::Plain;
      return of(Kind::EndBracket);
    case '[':
      if (isAtEnd()) throwInvalidRegex(kBrackets);
      if (take(U".")) return context_ = Context::Collating, of(Kind::CollatingElement);
      if (take(U"=")) return context_ = Context::Equivalence, of(Kind::EquivalenceClass);
      if (take(U":")) return context_ = Context::Class, of(Kind::CharacterClass);
      return character(c);
    default:
      return character(c);
  }
}

RegexToken RegexLexer::inName(char32_t c, char32_t closing) {
  if (c != closing || !take(U"]")) return character(c);
  context_ = Context::Bracket;
  return of(Kind::EndName);
}

RegexToken RegexLexer::bracket() {
  for (const auto& [text, which] :
       {std::pair(U"[:<:]]", RegexAssertion::WordBegin), std::pair(U"[:>:]]", RegexAssertion::WordEnd)})
    if (take(text)) return assertion(which);
  context_ = Context::Bracket;
  return flagged(Kind::Bracket, !take(U"^"));
}

RegexToken RegexLexer::inBasic(char32_t c, Kind last) {
  const bool begins = last == Kind::Start || last == Kind::Open;
  const bool is_behind_caret = last == Kind::Assertion && token_.assertion == RegexAssertion::LineBegin;
  switch (c) {
    case '*':
      return begins || is_behind_caret ? character(c) : flagged(Kind::Star, true);
    case '[':
      return bracket();
    case '.':
      return of(Kind::Any);
    case '^':
      return begins ? assertion(RegexAssertion::LineBegin) : character(c);
    case '$':
      skipBlanks();
      return isAtEnd() || sees(U"\\)") ? assertion(RegexAssertion::LineEnd) : character(c);
    case '\\':
      break;
    default:
      return character(c);
  }
  if (isAtEnd()) throwInvalidRegex(kEscape);
  const char32_t escaped = text_[at_++];
  switch (escaped) {
    case '{':
      context_ = Context::Bounds;
      return of(Kind::Bounds);
    case '(':
      return flagged(Kind::Open, true);
    case ')':
      return valued(Kind::Close, escaped);
    case '<':
      return assertion(RegexAssertion::WordBegin);
    case '>':
      return assertion(RegexAssertion::WordEnd);
    default:
      return escaped >= '1' && escaped <= '9' ? valued(Kind::BackReference, escaped - '0') : character(escaped);
  }
}

RegexToken RegexLexer::plain(char32_t c, Kind last) {
  switch (c) {
    case '|':
      return of(Kind::Alternative);
    case '*':
      return quantifier(Kind::Star);
    case '+':
      return quantifier(Kind::Plus);
    case '?':
      return quantifier(Kind::Question);
    case '{':
      skipBlanks();
      if (isAtEnd() || !isDigit(text_[at_])) return character(c);
      context_ = Context::Bounds;
      return of(Kind::Bounds);
    case '(':
      return parenthesis(last);
    case ')':
      return valued(Kind::Close, c);
    case '[':
      return bracket();
    case '.':
      return of(Kind::Any);
    case '^':
      return assertion(RegexAssertion::LineBegin);
    case '$':
      return assertion(RegexAssertion::LineEnd);
    case '\\':
      return backslash();
    default:
      return character(c);
  }
}

RegexToken RegexLexer::parenthesis(Kind last) {
  if (!isAdvanced() || !take(U"?")) return flagged(Kind::Open, true);
  if (take(U":")) return flagged(Kind::Open, false);
  if (take(U"#")) {
    // A comment; the end of the expression ends it, too.
    while (!isAtEnd() && text_[at_] != ')') ++at_;
    take(U")");
    return next(last);
  }
  if (take(U"=")) return lookAround(false, true);
  if (take(U"!")) return lookAround(false, false);
  if (take(U"<=")) return lookAround(true, true);
  if (take(U"<!")) return lookAround(true, false);
  throwInvalidRegex(kInvalidOperand);
}

RegexToken RegexLexer::backslash() {
  if (isAtEnd()) throwInvalidRegex(kEscape);
  return isAdvanced() ? escape() : character(text_[at_++]);
}

/// Of an ARE, behind the backslash.
RegexToken RegexLexer::escape() {
  const char32_t c = text_[at_++];
  if (c >= '1' && c <= '9') return numberEscape(c);
  if (!isLetter(c) && c != '0') return character(c);
  const auto inRange = [](char32_t number) {
    if (number > kNumberMax) throwInvalidRegex(kEscape);
    return character(number);
  };
  switch (c) {
    case 'a':
      return character('\a');
    case 'A':
      return assertion(RegexAssertion::TextBegin);
    case 'b':
      return character('\b');
    case 'B':
      return character('\\');
    case 'c':
      if (isAtEnd()) throwInvalidRegex(kEscape);
      return character(text_[at_++] & 31);
    case 'd':
    case 'D':
      return classEscape("digit", c == 'd');
    case 'e':
      return character(27);
    case 'f':
      return character('\f');
    case 'm':
      return assertion(RegexAssertion::WordBegin);
    case 'M':
      return assertion(RegexAssertion::WordEnd);
    case 'n':
      return character('\n');
    case 'r':
      return character('\r');
    case 's':
    case 'S':
      return classEscape("space", c == 's');
    case 't':
      return character('\t');
    case 'u':
      return inRange(readDigits(16, 4, 4));
    case 'U':
      return inRange(readDigits(16, 8, 8));
    case 'v':
      return character('\v');
    case 'w':
    case 'W':
      return classEscape("word", c == 'w');
    case 'x':
      return inRange(readDigits(16, 1, kDigitsMax));
    case 'y':
      return assertion(RegexAssertion::WordEdge);
    case 'Y':
      return assertion(RegexAssertion::NoWordEdge);
    case 'Z':
      return assertion(RegexAssertion::TextEnd);
    case '0':
      return numberEscape(c);
    default:
      throwInvalidRegex(kEscape);
  }
}

/// One digit, or the number of a group so far, is a back reference; other numbers are octal.
RegexToken RegexLexer::numberEscape(char32_t first) {
  const size_t behind_first = at_--;
  if (first != '0') {
    const char32_t number = readDigits(10, 1, kDigitsMax);
    if (at_ == behind_first || (static_cast<int32_t>(number) > 0 && number <= group_count_))
      return valued(Kind::BackReference, number);
    at_ = behind_first - 1;
  }
  char32_t number = readDigits(8, 1, 3);
  if (number > 0xff) {
    --at_;
    number >>= 3;
  }
  return character(number);
}

char32_t RegexLexer::readDigits(unsigned base, size_t at_least, size_t at_most) {
  uint32_t number = 0;
  size_t count = 0;
  for (; count < at_most && !isAtEnd() && digitOf(text_[at_]) < base; ++count)
    number = number * base + digitOf(text_[at_++]);  // overflows as PostgreSQL's
  if (count < at_least) throwInvalidRegex(kEscape);
  return number;
}

}  // namespace gnomon::sql
