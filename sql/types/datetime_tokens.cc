#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "base/sql_error.h"
#include "sql/types/datetime_text.h"
#include "sql/types/integer.h"

namespace gnomon::sql {
namespace {

constexpr size_t kTokensMax = 25;      // PostgreSQL's MAXDATEFIELDS
constexpr size_t kUnitNameBytes = 10;  // names are compared up to this length

constexpr bool isLetter(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}
constexpr bool isPunctuation(char c) {
  return c > ' ' && c < 127 && !isLetter(c) && !isDigit(c);
}
constexpr char toLower(char c) {
  return c >= 'A' && c <= 'Z' ? static_cast<char>(c + ('a' - 'A')) : c;
}

/// A digit behind such a word begins a token of its own; behind others it belongs to the name of a zone.
bool isKeyword(std::string_view word) {
  static constexpr auto kKeywords = std::to_array<std::string_view>(
      {"ad",    "allballs", "am",        "apr",     "april",   "at",    "aug",       "august",   "bc",    "d",
       "dec",   "december", "dow",       "doy",     "dst",     "epoch", "feb",       "february", "fri",   "friday",
       "h",     "infinity", "isodow",    "isoyear", "j",       "jan",   "january",   "jd",       "jul",   "julian",
       "july",  "jun",      "june",      "m",       "mar",     "march", "may",       "mm",       "mon",   "monday",
       "nov",   "november", "now",       "oct",     "october", "on",    "pm",        "s",        "sat",   "saturday",
       "sep",   "sept",     "september", "sun",     "sunday",  "t",     "thu",       "thur",     "thurs", "thursday",
       "today", "tomorrow", "tue",       "tues",    "tuesday", "wed",   "wednesday", "weds",     "y",     "yesterday"});
  return std::ranges::binary_search(kKeywords, word);
}

/// Reads one token after another off the front of a text.
class Scanner {
 public:
  explicit Scanner(std::string_view text) : rest_(text) {}

  /// False at the end or at a character that starts no token (then isBroken()).
  bool next(DatetimeToken& token) {
    for (;;) {
      while (!rest_.empty() && isSpace(rest_.front())) rest_.remove_prefix(1);
      if (rest_.empty()) return false;
      token.text.clear();
      const char first = rest_.front();
      if (isDigit(first)) return scanDigits(token);
      if (isLetter(first)) return scanWord(token);
      if (first == '+' || first == '-') return scanSigned(token);
      if (first == '.') {
        take(token);
        takeWhile(token, isDigit);
        token.kind = DatetimeTokenKind::Number;
        return true;
      }
      if (!isPunctuation(first)) break;
      rest_.remove_prefix(1);
    }
    is_broken_ = true;
    return false;
  }
  [[nodiscard]] bool isBroken() const { return is_broken_; }

 private:
  [[nodiscard]] char peek() const { return rest_.empty() ? '\0' : rest_.front(); }
  void take(DatetimeToken& token) {
    token.text += toLower(rest_.front());
    rest_.remove_prefix(1);
  }
  template <typename Condition>
  void takeWhile(DatetimeToken& token, Condition condition) {
    while (!rest_.empty() && condition(rest_.front())) take(token);
  }

  bool scanDigits(DatetimeToken& token) {
    takeWhile(token, isDigit);
    token.kind = DatetimeTokenKind::Number;
    const char mark = peek();
    if (mark == ':') {
      token.kind = DatetimeTokenKind::Time;
      takeWhile(token, [](char c) { return isDigit(c) || c == ':' || c == '.'; });
    } else if (mark == '-' || mark == '/' || mark == '.') {
      scanJoined(token, mark);
    }
    return true;
  }

  /// After the digits: mark digits [mark ...], or mark and a name of a month.
  void scanJoined(DatetimeToken& token, char mark) {
    take(token);
    token.kind = DatetimeTokenKind::Date;
    if (!isDigit(peek())) {
      takeWhile(token, [mark](char c) { return isDigit(c) || isLetter(c) || c == mark; });
      return;
    }
    if (mark == '.') token.kind = DatetimeTokenKind::Number;
    takeWhile(token, isDigit);
    if (peek() != mark) return;
    token.kind = DatetimeTokenKind::Date;
    takeWhile(token, [mark](char c) { return isDigit(c) || c == mark; });
  }

  bool scanWord(DatetimeToken& token) {
    takeWhile(token, isLetter);
    token.kind = DatetimeTokenKind::Word;
    const char mark = peek();
    const bool names_zone = (mark == '+' || isDigit(mark)) && !isKeyword(token.text);
    if (mark == '-' || mark == '/' || mark == '.' || names_zone) {
      token.kind = DatetimeTokenKind::Date;
      takeWhile(token, [](char c) {
        return isDigit(c) || isLetter(c) || c == '+' || c == '-' || c == '/' || c == '_' || c == '.' || c == ':';
      });
    }
    return true;
  }

  bool scanSigned(DatetimeToken& token) {
    take(token);
    while (!rest_.empty() && isSpace(rest_.front())) rest_.remove_prefix(1);
    if (isDigit(peek())) {
      token.kind = DatetimeTokenKind::Signed;
      takeWhile(token, [](char c) { return isDigit(c) || c == ':' || c == '.' || c == '-'; });
      return true;
    }
    token.kind = DatetimeTokenKind::SignedWord;
    is_broken_ = !isLetter(peek());
    takeWhile(token, isLetter);
    return !is_broken_;
  }

  std::string_view rest_;
  bool is_broken_ = false;
};

struct UnitName {
  std::string_view name;
  DatetimeField field;
};

constexpr std::array kUnitNames{
    UnitName{"c", DatetimeField::Century},
    UnitName{"cent", DatetimeField::Century},
    UnitName{"centuries", DatetimeField::Century},
    UnitName{"century", DatetimeField::Century},
    UnitName{"d", DatetimeField::Day},
    UnitName{"day", DatetimeField::Day},
    UnitName{"days", DatetimeField::Day},
    UnitName{"dec", DatetimeField::Decade},
    UnitName{"decade", DatetimeField::Decade},
    UnitName{"decades", DatetimeField::Decade},
    UnitName{"decs", DatetimeField::Decade},
    UnitName{"h", DatetimeField::Hour},
    UnitName{"hour", DatetimeField::Hour},
    UnitName{"hours", DatetimeField::Hour},
    UnitName{"hr", DatetimeField::Hour},
    UnitName{"hrs", DatetimeField::Hour},
    UnitName{"m", DatetimeField::Minute},
    UnitName{"microsecon", DatetimeField::Microseconds},
    UnitName{"mil", DatetimeField::Millennium},
    UnitName{"millennia", DatetimeField::Millennium},
    UnitName{"millennium", DatetimeField::Millennium},
    UnitName{"millisecon", DatetimeField::Milliseconds},
    UnitName{"mils", DatetimeField::Millennium},
    UnitName{"min", DatetimeField::Minute},
    UnitName{"mins", DatetimeField::Minute},
    UnitName{"minute", DatetimeField::Minute},
    UnitName{"minutes", DatetimeField::Minute},
    UnitName{"mon", DatetimeField::Month},
    UnitName{"mons", DatetimeField::Month},
    UnitName{"month", DatetimeField::Month},
    UnitName{"months", DatetimeField::Month},
    UnitName{"ms", DatetimeField::Milliseconds},
    UnitName{"msec", DatetimeField::Milliseconds},
    UnitName{"msecond", DatetimeField::Milliseconds},
    UnitName{"mseconds", DatetimeField::Milliseconds},
    UnitName{"msecs", DatetimeField::Milliseconds},
    UnitName{"qtr", DatetimeField::Quarter},
    UnitName{"quarter", DatetimeField::Quarter},
    UnitName{"s", DatetimeField::Second},
    UnitName{"sec", DatetimeField::Second},
    UnitName{"second", DatetimeField::Second},
    UnitName{"seconds", DatetimeField::Second},
    UnitName{"secs", DatetimeField::Second},
    UnitName{"us", DatetimeField::Microseconds},
    UnitName{"usec", DatetimeField::Microseconds},
    UnitName{"usecond", DatetimeField::Microseconds},
    UnitName{"useconds", DatetimeField::Microseconds},
    UnitName{"usecs", DatetimeField::Microseconds},
    UnitName{"w", DatetimeField::Week},
    UnitName{"week", DatetimeField::Week},
    UnitName{"weeks", DatetimeField::Week},
    UnitName{"y", DatetimeField::Year},
    UnitName{"year", DatetimeField::Year},
    UnitName{"years", DatetimeField::Year},
    UnitName{"yr", DatetimeField::Year},
    UnitName{"yrs", DatetimeField::Year},
};

}  // namespace

std::optional<std::vector<DatetimeToken>> datetimeTokens(std::string_view text) {
  std::vector<DatetimeToken> tokens;
  Scanner scanner(text);
  DatetimeToken token{};
  while (scanner.next(token)) {
    if (tokens.size() == kTokensMax) return std::nullopt;
    tokens.push_back(token);
  }
  if (scanner.isBroken()) return std::nullopt;
  return tokens;
}

std::optional<DatetimeField> findTimeUnit(std::string_view text) {
  const std::string_view compared = text.substr(0, kUnitNameBytes);
  for (const UnitName& unit : kUnitNames)
    if (unit.name == compared) return unit.field;
  return std::nullopt;
}

void throwDatetimeFault(DatetimeFault fault, std::string_view text, const char* type_name) {
  switch (fault) {
    case DatetimeFault::FieldOverflow:
      throw SqlError(sqlstate::kDatetimeFieldOverflow, fmt::format("date/time field value out of range: \"{}\"", text));
    case DatetimeFault::MonthDayOverflow:
      throw SqlError(sqlstate::kDatetimeFieldOverflow, fmt::format("date/time field value out of range: \"{}\"", text))
          .hint("Perhaps you need a different \"datestyle\" setting.");
    case DatetimeFault::IntervalOverflow:
      throw SqlError(sqlstate::kIntervalFieldOverflow, fmt::format("interval field value out of range: \"{}\"", text));
    case DatetimeFault::ZoneOverflow:
      throw SqlError(SqlState("22009"), fmt::format("time zone displacement out of range: \"{}\"", text));
    case DatetimeFault::BadFormat:
    case DatetimeFault::None:
      break;
  }
  throw SqlError(sqlstate::kInvalidDatetimeFormat,
                 fmt::format("invalid input syntax for type {}: \"{}\"", type_name, text));
}

}  // namespace gnomon::sql
