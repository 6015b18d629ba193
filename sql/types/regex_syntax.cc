#include "sql/types/regex_syntax.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>
#include <vector>

#include "base/sql_error.h"
#include "sql/types/text.h"

namespace gnomon::sql {
namespace {

using Range = std::pair<uint32_t, uint32_t>;
using Ranges = std::vector<Range>;

constexpr uint32_t kCodePointMax = 0x10ffff;
constexpr int kRepetitionsMax = 255;  // PostgreSQL's DUPMAX
constexpr int kUnlimited = -1;

[[noreturn]] void throwInvalid(const char* what) {
  throw SqlError(sqlstate::kInvalidRegularExpression, fmt::format("invalid regular expression: {}", what));
}

constexpr const char* kBrackets = "brackets [] not balanced";
constexpr const char* kParentheses = "parentheses () not balanced";
constexpr const char* kBraces = "braces {} not balanced";
constexpr const char* kRepetition = "invalid repetition count(s)";
constexpr const char* kOperand = "quantifier operand invalid";
constexpr const char* kEscape = "invalid escape \\ sequence";
constexpr const char* kRange = "invalid character range";
constexpr const char* kClass = "invalid character class";

struct NamedClass {
  std::string_view name;
  std::initializer_list<Range> ranges;
};

/// As the locale C has them.
const Ranges& classOf(std::string_view name) {
  static const std::vector<std::pair<std::string_view, Ranges>> kClasses = {
      {"alnum", {{'0', '9'}, {'A', 'Z'}, {'a', 'z'}}},
      {"alpha", {{'A', 'Z'}, {'a', 'z'}}},
      {"ascii", {{0, 127}}},
      {"blank", {{'\t', '\t'}, {' ', ' '}}},
      {"cntrl", {{0, 31}, {127, 127}}},
      {"digit", {{'0', '9'}}},
      {"graph", {{'!', '~'}}},
      {"lower", {{'a', 'z'}}},
      {"print", {{' ', '~'}}},
      {"punct", {{'!', '/'}, {':', '@'}, {'[', '`'}, {'{', '~'}}},
      {"space", {{'\t', '\r'}, {' ', ' '}}},
      {"upper", {{'A', 'Z'}}},
      {"xdigit", {{'0', '9'}, {'A', 'F'}, {'a', 'f'}}},
      {"word", {{'0', '9'}, {'A', 'Z'}, {'_', '_'}, {'a', 'z'}}},
  };
  for (const auto& [known, ranges] : kClasses)
    if (known == name) return ranges;
  throwInvalid(kClass);
}

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

int hexadecimalDigit(char32_t c) {
  if (isDigit(c)) return static_cast<int>(c - '0');
  if (c >= 'a' && c <= 'f') return static_cast<int>(c - 'a') + 10;
  if (c >= 'A' && c <= 'F') return static_cast<int>(c - 'A') + 10;
  return -1;
}

void appendPoint(std::string& out, uint32_t point) {
  out += fmt::format("\\x{{{:x}}}", point);
}

/// Letters in both cases.
Ranges withBothCases(const Ranges& ranges) {
  Ranges result = ranges;
  for (const auto& [low, high] : ranges)
    for (const auto& [from, to, other] : {std::tuple('a', 'z', 'A'), std::tuple('A', 'Z', 'a')}) {
      const uint32_t first = std::max<uint32_t>(low, static_cast<uint32_t>(from));
      const uint32_t last = std::min<uint32_t>(high, static_cast<uint32_t>(to));
      if (first > last) continue;
      const auto shift = static_cast<uint32_t>(other) - static_cast<uint32_t>(from);
      result.emplace_back(first + shift, last + shift);
    }
  return result;
}

/// Reads one expression. A regular expression is alternatives of sequences of atoms, each perhaps repeated.
class Reader {
 public:
  Reader(std::string_view pattern, RegexOptions options) : text_(codePointsOf(pattern)), options_(options) {}

  RegexSyntax run() {
    readPrefixes();
    if (options_.is_literal) {
      for (; !atEnd(); ++at_) literal(text_[at_]);
      return std::move(result_);
    }
    readAlternatives(0);
    if (!atEnd()) throwInvalid(kParentheses);
    return std::move(result_);
  }

 private:
  static constexpr uint32_t kDepthMax = 200;

  [[nodiscard]] bool atEnd() const { return at_ >= text_.size(); }
  [[nodiscard]] bool sees(std::u32string_view wanted) const {
    return std::u32string_view(text_).substr(at_).starts_with(wanted);
  }
  bool take(std::u32string_view wanted) {
    if (!sees(wanted)) return false;
    at_ += wanted.size();
    return true;
  }
  void write(std::string_view text) { result_.pattern += text; }

  void readPrefixes() {
    if (options_.is_literal) return;
    if (sees(U"***")) {
      if (take(U"***=")) {
        options_.is_literal = true;
        return;
      }
      if (!take(U"***:")) throwInvalid(kOperand);
    }
    if (!sees(U"(?") || at_ + 2 >= text_.size() || !isLetter(text_[at_ + 2])) return;
    for (at_ += 2; !atEnd() && isLetter(text_[at_]); ++at_) readEmbeddedOption(text_[at_]);
    if (!take(U")")) throwInvalid("invalid embedded option");
  }

  void readEmbeddedOption(char32_t option) {
    switch (option) {
      case 'c':
        options_.is_caseless = false;
        return;
      case 'i':
        options_.is_caseless = true;
        return;
      case 'm':
      case 'n':
        options_.dot_spares_lines = options_.anchors_at_lines = true;
        return;
      case 'p':
        options_.dot_spares_lines = true;
        options_.anchors_at_lines = false;
        return;
      case 's':
        options_.dot_spares_lines = options_.anchors_at_lines = false;
        return;
      case 't':
        options_.is_expanded = false;
        return;
      case 'w':
        options_.dot_spares_lines = false;
        options_.anchors_at_lines = true;
        return;
      case 'x':
        options_.is_expanded = true;
        return;
      case 'q':
        options_.is_literal = true;
        return;
      case 'b':
      case 'e':
        throwNotSupported("basic and extended regular expressions");
      default:
        throwInvalid("invalid embedded option");
    }
  }

  /// Comments, and in expanded syntax white space.
  void skipBlanks() {
    while (!atEnd()) {
      if (sees(U"(?#")) {
        while (!atEnd() && text_[at_] != ')') ++at_;
        if (!take(U")")) throwInvalid(kParentheses);
      } else if (options_.is_expanded && isSpace(text_[at_])) {
        ++at_;
      } else if (options_.is_expanded && text_[at_] == '#') {
        while (!atEnd() && text_[at_] != '\n') ++at_;
      } else {
        return;
      }
    }
  }

  void readAlternatives(uint32_t depth) {
    if (depth > kDepthMax) throwNotSupported("regular expressions of so many levels");
    for (;;) {
      for (skipBlanks(); !atEnd() && text_[at_] != '|' && text_[at_] != ')'; skipBlanks()) readQuantified(depth);
      if (!take(U"|")) return;
      result_.has_free_groups = true;
      write("|");
    }
  }

  void readQuantified(uint32_t depth) {
    const size_t start = result_.pattern.size();
    const bool is_group = text_[at_] == '(';
    const bool can_repeat = readAtom(depth);
    skipBlanks();
    int low = 1;
    int high = 1;
    if (!readQuantifier(low, high)) return;
    if (!can_repeat) throwInvalid(kOperand);
    if (is_group) result_.has_free_groups = true;
    result_.pattern.insert(start, "(?:");
    write(high == kUnlimited ? fmt::format("){{{},}}", low) : fmt::format("){{{},{}}}", low, high));
    skipBlanks();
    int ignored = 0;
    if (readQuantifier(ignored, ignored)) throwInvalid(kOperand);
  }

  bool readQuantifier(int& low, int& high) {
    if (atEnd()) return false;
    high = kUnlimited;
    if (take(U"*"))
      low = 0;
    else if (take(U"+"))
      low = 1;
    else if (take(U"?"))
      low = 0, high = 1;
    else if (!readBounds(low, high))
      return false;
    if (take(U"?")) result_.has_shortest = true;
    return true;
  }

  /// {m}, {m,}, {m,n}. False: a brace that is only one.
  bool readBounds(int& low, int& high) {
    if (!sees(U"{") || at_ + 1 >= text_.size() || !isDigit(text_[at_ + 1])) return false;
    ++at_;
    low = high = readNumber();
    if (take(U",")) high = !atEnd() && isDigit(text_[at_]) ? readNumber() : kUnlimited;
    if (atEnd()) throwInvalid(kBraces);
    if (!take(U"}") || (high != kUnlimited && low > high)) throwInvalid(kRepetition);
    return true;
  }

  int readNumber() {
    int number = 0;
    for (; !atEnd() && isDigit(text_[at_]); ++at_) {
      number = number * 10 + static_cast<int>(text_[at_] - '0');
      if (number > kRepetitionsMax) throwInvalid(kRepetition);
    }
    return number;
  }

  /// False: it cannot be repeated.
  bool readAtom(uint32_t depth) {
    const char32_t c = text_[at_++];
    switch (c) {
      case '(':
        readGroup(depth);
        return true;
      case '[':
        readBracket();
        return true;
      case '.':
        write(options_.dot_spares_lines ? "[^\\n]" : "(?s:.)");
        return true;
      case '^':
        write(options_.anchors_at_lines ? "(?m:^)" : "\\A");
        return false;
      case '$':
        write(options_.anchors_at_lines ? "(?m:$)" : "\\z");
        return false;
      case '\\':
        return readEscape();
      case '*':
      case '+':
      case '?':
        throwInvalid(kOperand);
      case '{':
        if (!atEnd() && isDigit(text_[at_])) throwInvalid(kOperand);
        break;
      default:
        break;
    }
    literal(c);
    return true;
  }

  void readGroup(uint32_t depth) {
    if (take(U"?:")) {
      write("(?:");
    } else if (sees(U"?")) {
      if (sees(U"?=") || sees(U"?!") || sees(U"?<=") || sees(U"?<!"))
        throwNotSupported("lookahead and lookbehind in regular expressions");
      throwInvalid(kOperand);
    } else {
      ++result_.group_count;
      write("(");
    }
    readAlternatives(depth + 1);
    if (!take(U")")) throwInvalid(kParentheses);
    write(")");
  }

  void literal(char32_t c) {
    if (options_.is_caseless && isLetter(c)) return writeClass({{c, c}}, false);
    appendPoint(result_.pattern, c);
  }

  void writeClass(Ranges ranges, bool is_negated) {
    if (options_.is_caseless) ranges = withBothCases(ranges);
    if (is_negated && options_.dot_spares_lines) ranges.emplace_back('\n', '\n');
    write(is_negated ? "[^" : "[");
    for (const auto& [low, high] : ranges) {
      appendPoint(result_.pattern, low);
      write("-");
      appendPoint(result_.pattern, high);
    }
    write("]");
  }

  /// Outside of brackets. False: it cannot be repeated.
  bool readEscape() {
    if (atEnd()) throwInvalid(kEscape);
    const char32_t c = text_[at_];
    const auto constraint = [&](std::string_view text) {
      ++at_;
      write(text);
      return false;
    };
    switch (c) {
      case 'A':
        return constraint("\\A");
      case 'Z':
        return constraint("\\z");
      case 'y':
        return constraint("\\b");
      case 'Y':
        return constraint("\\B");
      case 'm':
      case 'M':
        throwNotSupported("\\m and \\M in regular expressions");
      default:
        break;
    }
    Ranges ranges;
    if (readClassEscape(ranges)) {
      writeClassEscape(ranges, c == 'D' || c == 'S' || c == 'W');
      return true;
    }
    if (c >= '1' && c <= '9') throwNotSupported("back references in regular expressions");
    literal(readCharacterEscape());
    return true;
  }

  /// Negated ones match newlines whatever the options say.
  void writeClassEscape(const Ranges& ranges, bool is_negated) {
    const bool spares_lines = std::exchange(options_.dot_spares_lines, false);
    writeClass(ranges, is_negated);
    options_.dot_spares_lines = spares_lines;
  }

  bool readClassEscape(Ranges& ranges) {
    const char32_t c = text_[at_];
    if (c == 'd' || c == 'D')
      ranges = classOf("digit");
    else if (c == 's' || c == 'S')
      ranges = classOf("space");
    else if (c == 'w' || c == 'W')
      ranges = classOf("word");
    else
      return false;
    ++at_;
    return true;
  }

  char32_t readHexadecimal(int digits) {
    char32_t point = 0;
    for (int i = 0; i < digits; ++i, ++at_) {
      const int digit = atEnd() ? -1 : hexadecimalDigit(text_[at_]);
      if (digit < 0) throwInvalid(kEscape);
      point = point * 16 + static_cast<char32_t>(digit);
    }
    if (point > kCodePointMax) throwInvalid(kEscape);
    return point;
  }

  /// One character, from the letter behind the backslash on.
  char32_t readCharacterEscape() {
    const char32_t c = text_[at_++];
    if (!isLetter(c) && !isDigit(c)) return c;
    switch (c) {
      case 'a':
        return '\a';
      case 'b':
        return '\b';
      case 'B':
        return '\\';
      case 'e':
        return 27;
      case 'f':
        return '\f';
      case 'n':
        return '\n';
      case 'r':
        return '\r';
      case 't':
        return '\t';
      case 'v':
        return '\v';
      case 'u':
        return readHexadecimal(4);
      case 'U':
        return readHexadecimal(8);
      case 'c':
        if (atEnd()) throwInvalid(kEscape);
        return text_[at_++] & 31;
      case 'x':
      case '0':
        throwNotSupported("\\x and octal numbers in regular expressions");
      default:
        throwInvalid(kEscape);
    }
  }

  void readBracket() {
    if (sees(U"[:<:]]") || sees(U"[:>:]]")) throwNotSupported("[[:<:]] and [[:>:]] in regular expressions");
    const bool is_negated = take(U"^");
    Ranges ranges;
    bool is_first = true;
    for (;; is_first = false) {
      if (atEnd()) throwInvalid(kBrackets);
      if (!is_first && take(U"]")) break;
      readBracketItem(ranges, is_first);
    }
    writeClass(std::move(ranges), is_negated);
  }

  void readBracketItem(Ranges& ranges, bool is_first) {
    if (take(U"[:")) return readNamedClass(ranges);
    if (sees(U"\\") && at_ + 1 < text_.size()) {
      const size_t before = at_++;
      const char32_t c = text_[at_];
      if (c == 'D' || c == 'S' || c == 'W') throwNotSupported("\\D, \\S and \\W within brackets");
      Ranges more;
      if (readClassEscape(more)) {
        ranges.insert(ranges.end(), more.begin(), more.end());
        return;
      }
      at_ = before;
    }
    const bool is_hyphen = sees(U"-");
    const char32_t low = readBracketCharacter();
    if (is_hyphen && !is_first && !sees(U"]")) throwInvalid(kRange);
    char32_t high = low;
    if (sees(U"-") && at_ + 1 < text_.size() && text_[at_ + 1] != ']') {
      ++at_;
      high = readBracketCharacter();
    }
    if (low > high) throwInvalid(kRange);
    ranges.emplace_back(low, high);
  }

  void readNamedClass(Ranges& ranges) {
    const size_t end = text_.find(U":]", at_);
    if (end == std::u32string::npos) throwInvalid(kBrackets);
    std::string name;
    for (; at_ < end; ++at_) name += text_[at_] < 128 ? static_cast<char>(text_[at_]) : '?';
    at_ += 2;
    if (options_.is_caseless && (name == "lower" || name == "upper")) name = "alpha";
    const Ranges& more = classOf(name);
    ranges.insert(ranges.end(), more.begin(), more.end());
    if (sees(U"-") && !sees(U"-]")) throwInvalid(kRange);
  }

  char32_t readBracketCharacter() {
    if (atEnd()) throwInvalid(kBrackets);
    if (sees(U"[.") || sees(U"[=")) throwNotSupported("collating elements in regular expressions");
    if (sees(U"[:")) throwInvalid(kRange);
    const char32_t c = text_[at_++];
    if (c != '\\') return c;
    if (atEnd()) throwInvalid(kEscape);
    if (isLetter(text_[at_]) || isDigit(text_[at_])) {
      static constexpr std::u32string_view kNone = U"AZyYmMdDsSwW123456789";
      if (kNone.contains(text_[at_])) throwInvalid(kEscape);
    }
    return readCharacterEscape();
  }

  std::u32string text_;
  RegexOptions options_;
  size_t at_ = 0;
  RegexSyntax result_;
};

}  // namespace

RegexOptions parseRegexFlags(std::string_view flags) {
  RegexOptions options;
  for (std::string_view rest = flags; !rest.empty();) {
    const std::string_view letter = rest.substr(0, characterBytes(static_cast<unsigned char>(rest[0])));
    rest.remove_prefix(letter.size());
    switch (letter[0]) {
      case 'g':
        options.is_global = true;
        break;
      case 'c':
        options.is_caseless = false;
        break;
      case 'i':
        options.is_caseless = true;
        break;
      case 'm':
      case 'n':
        options.dot_spares_lines = options.anchors_at_lines = true;
        break;
      case 'p':
        options.dot_spares_lines = true;
        options.anchors_at_lines = false;
        break;
      case 'q':
        options.is_literal = true;
        break;
      case 's':
        options.dot_spares_lines = options.anchors_at_lines = false;
        break;
      case 't':
        options.is_expanded = false;
        break;
      case 'w':
        options.dot_spares_lines = false;
        options.anchors_at_lines = true;
        break;
      case 'x':
        options.is_expanded = true;
        break;
      case 'b':
      case 'e':
        throwNotSupported("basic and extended regular expressions");
      default:
        throw SqlError(sqlstate::kInvalidParameterValue,
                       fmt::format("invalid regular expression option: \"{}\"", letter));
    }
  }
  return options;
}

RegexSyntax translateRegex(std::string_view pattern, RegexOptions options) {
  return Reader(pattern, options).run();
}

/// PostgreSQL's similar_escape_internal.
std::string similarPattern(std::string_view pattern, std::string_view escape) {
  std::string result = "^(?:";
  bool was_escape = false;
  bool in_class = false;
  for (; !pattern.empty();) {
    const std::string_view c = pattern.substr(0, characterBytes(static_cast<unsigned char>(pattern[0])));
    pattern.remove_prefix(c.size());
    if (was_escape) {
      if (c == "\"" && !in_class) throwNotSupported("the parts of a pattern in SUBSTRING ... SIMILAR");
      if (c.size() == 1) result += '\\';
      result += c;
      was_escape = false;
    } else if (!escape.empty() && c == escape) {
      was_escape = true;
    } else if (in_class) {
      if (c == "\\") result += '\\';
      result += c;
      if (c == "]") in_class = false;
    } else if (c == "[") {
      result += c;
      in_class = true;
    } else if (c == "%") {
      result += ".*";
    } else if (c == "_") {
      result += '.';
    } else if (c == "(") {
      result += "(?:";
    } else if (c == "\\" || c == "." || c == "^" || c == "$") {
      result.append("\\").append(c);
    } else {
      result += c;
    }
  }
  return result + ")$";
}

}  // namespace gnomon::sql
