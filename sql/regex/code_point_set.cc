#include "sql/regex/code_point_set.h"

#include <algorithm>
#include <iterator>

namespace gnomon::sql {

void CodePointSet::add(char32_t first, char32_t last) {
  last = std::min(last, kMax);
  if (first > last) return;
  // The ranges that overlap or touch the new one become a part of it.
  auto begin = std::ranges::lower_bound(ranges_, first, {}, [](const Range& range) { return range.second + 1; });
  auto end = begin;
  for (; end != ranges_.end() && end->first <= last + 1; ++end) {
    first = std::min(first, end->first);
    last = std::max(last, end->second);
  }
  begin = ranges_.erase(begin, end);
  ranges_.insert(begin, {first, last});
}

void CodePointSet::add(const CodePointSet& other) {
  for (const auto& [first, last] : other.ranges_) add(first, last);
}

void CodePointSet::remove(char32_t c) {
  CodePointSet others = complement();
  others.add(c, c);
  *this = others.complement();
}

CodePointSet CodePointSet::complement() const {
  CodePointSet result;
  char32_t next = 0;
  for (const auto& [first, last] : ranges_) {
    if (first > next) result.ranges_.emplace_back(next, first - 1);
    next = last + 1;
  }
  if (next <= kMax) result.ranges_.emplace_back(next, kMax);
  return result;
}

CodePointSet CodePointSet::withBothCases() const {
  constexpr char32_t kShift = 'a' - 'A';
  CodePointSet result = *this;
  for (const auto& [first, last] : ranges_) {
    const auto lower = std::pair(std::max<char32_t>(first, 'a'), std::min<char32_t>(last, 'z'));
    const auto upper = std::pair(std::max<char32_t>(first, 'A'), std::min<char32_t>(last, 'Z'));
    if (lower.first <= lower.second) result.add(lower.first - kShift, lower.second - kShift);
    if (upper.first <= upper.second) result.add(upper.first + kShift, upper.second + kShift);
  }
  return result;
}

bool CodePointSet::contains(char32_t c) const {
  const auto found = std::ranges::lower_bound(ranges_, c, {}, &Range::second);
  return found != ranges_.end() && found->first <= c;
}

namespace {

CodePointSet setOf(std::initializer_list<CodePointSet::Range> ranges) {
  CodePointSet set;
  for (const auto& [first, last] : ranges) set.add(first, last);
  return set;
}

constexpr std::pair<std::string_view, char32_t> kNames[] = {
    {"NUL", 0},
    {"SOH", 1},
    {"STX", 2},
    {"ETX", 3},
    {"EOT", 4},
    {"ENQ", 5},
    {"ACK", 6},
    {"BEL", 7},
    {"alert", 7},
    {"BS", 8},
    {"backspace", 8},
    {"HT", 9},
    {"tab", 9},
    {"LF", 10},
    {"newline", 10},
    {"VT", 11},
    {"vertical-tab", 11},
    {"FF", 12},
    {"form-feed", 12},
    {"CR", 13},
    {"carriage-return", 13},
    {"SO", 14},
    {"SI", 15},
    {"DLE", 16},
    {"DC1", 17},
    {"DC2", 18},
    {"DC3", 19},
    {"DC4", 20},
    {"NAK", 21},
    {"SYN", 22},
    {"ETB", 23},
    {"CAN", 24},
    {"EM", 25},
    {"SUB", 26},
    {"ESC", 27},
    {"IS4", 28},
    {"FS", 28},
    {"IS3", 29},
    {"GS", 29},
    {"IS2", 30},
    {"RS", 30},
    {"IS1", 31},
    {"US", 31},
    {"space", ' '},
    {"exclamation-mark", '!'},
    {"quotation-mark", '"'},
    {"number-sign", '#'},
    {"dollar-sign", '$'},
    {"percent-sign", '%'},
    {"ampersand", '&'},
    {"apostrophe", '\''},
    {"left-parenthesis", '('},
    {"right-parenthesis", ')'},
    {"asterisk", '*'},
    {"plus-sign", '+'},
    {"comma", ','},
    {"hyphen", '-'},
    {"hyphen-minus", '-'},
    {"period", '.'},
    {"full-stop", '.'},
    {"slash", '/'},
    {"solidus", '/'},
    {"zero", '0'},
    {"one", '1'},
    {"two", '2'},
    {"three", '3'},
    {"four", '4'},
    {"five", '5'},
    {"six", '6'},
    {"seven", '7'},
    {"eight", '8'},
    {"nine", '9'},
    {"colon", ':'},
    {"semicolon", ';'},
    {"less-than-sign", '<'},
    {"equals-sign", '='},
    {"greater-than-sign", '>'},
    {"question-mark", '?'},
    {"commercial-at", '@'},
    {"left-square-bracket", '['},
    {"backslash", '\\'},
    {"reverse-solidus", '\\'},
    {"right-square-bracket", ']'},
    {"circumflex", '^'},
    {"circumflex-accent", '^'},
    {"underscore", '_'},
    {"low-line", '_'},
    {"grave-accent", '`'},
    {"left-brace", '{'},
    {"left-curly-bracket", '{'},
    {"vertical-line", '|'},
    {"right-brace", '}'},
    {"right-curly-bracket", '}'},
    {"tilde", '~'},
    {"DEL", 127},
};

}  // namespace

const CodePointSet* codePointClass(std::string_view name) {
  static const std::vector<std::pair<std::string_view, CodePointSet>> kClasses = {
      {"alnum", setOf({{'0', '9'}, {'A', 'Z'}, {'a', 'z'}})},
      {"alpha", setOf({{'A', 'Z'}, {'a', 'z'}})},
      {"ascii", setOf({{0, 127}})},
      {"blank", setOf({{'\t', '\t'}, {' ', ' '}})},
      {"cntrl", setOf({{0, 31}, {127, 159}})},
      {"digit", setOf({{'0', '9'}})},
      {"graph", setOf({{'!', '~'}})},
      {"lower", setOf({{'a', 'z'}})},
      {"print", setOf({{' ', '~'}})},
      {"punct", setOf({{'!', '/'}, {':', '@'}, {'[', '`'}, {'{', '~'}})},
      {"space", setOf({{'\t', '\r'}, {' ', ' '}})},
      {"upper", setOf({{'A', 'Z'}})},
      {"xdigit", setOf({{'0', '9'}, {'A', 'F'}, {'a', 'f'}})},
      {"word", setOf({{'0', '9'}, {'A', 'Z'}, {'_', '_'}, {'a', 'z'}})},
  };
  const auto found = std::ranges::find(kClasses, name, [](const auto& known) { return known.first; });
  return found == kClasses.end() ? nullptr : &found->second;
}

std::optional<char32_t> collatingElement(std::string_view name) {
  const auto* const found = std::ranges::find(kNames, name, [](const auto& known) { return known.first; });
  if (found == std::end(kNames)) return {};
  return found->second;
}

}  // namespace gnomon::sql
