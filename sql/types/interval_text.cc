#include <algorithm>
#include <charconv>
#include <cmath>
#include <optional>

#include "base/sql_error.h"
#include "base/text_style.h"
#include "sql/types/calendar.h"
#include "sql/types/datetime_text.h"
#include "sql/types/integer.h"
#include "sql/types/interval.h"

/// Interval input and modifiers.
namespace gnomon::sql {
namespace {

using Fault = DatetimeFault;
using Kind = DatetimeTokenKind;
using Field = DatetimeField;

constexpr int32_t kDaysPerMonth = 30;
constexpr int32_t kDaysPerWeek = 7;

/// Bits of a modifier's field range, as PostgreSQL's INTERVAL_MASK.
constexpr int32_t kRangeMonth = 1 << 1;
constexpr int32_t kRangeYear = 1 << 2;
constexpr int32_t kRangeDay = 1 << 3;
constexpr int32_t kRangeHour = 1 << 10;
constexpr int32_t kRangeMinute = 1 << 11;
constexpr int32_t kRangeSecond = 1 << 12;
constexpr int32_t kRangeFull = 0x7fff;
constexpr int32_t kPrecisionFull = 0xffff;

constexpr int32_t rangeOf(int32_t typmod) {
  return typmod < 0 ? kRangeFull : (typmod >> 16) & 0x7fff;
}

/// The field a number without unit counts: the last of the range.
Field lastField(int32_t range) {
  if (range == kRangeFull || (range & kRangeSecond) != 0) return Field::Second;
  if ((range & kRangeMinute) != 0) return Field::Minute;
  if ((range & kRangeHour) != 0) return Field::Hour;
  if ((range & kRangeDay) != 0) return Field::Day;
  return (range & kRangeMonth) != 0 ? Field::Month : Field::Year;
}

/// Sums parts with fractions; fractions of a unit go down to smaller ones.
class Sum {
 public:
  /// Adds whole + fraction (of one sign) of a unit. False: out of range or no unit of intervals.
  [[nodiscard]] bool add(Field field, int64_t whole, double fraction) {
    switch (field) {
      case Field::Microseconds:
        return addTime(whole, fraction, 1);
      case Field::Milliseconds:
        return addTime(whole, fraction, 1000);
      case Field::Second:
        return addTime(whole, fraction, kMicrosecondsPerSecond);
      case Field::Minute:
        return addTime(whole, fraction, kMicrosecondsPerMinute);
      case Field::Hour:
        return addTime(whole, fraction, kMicrosecondsPerHour);
      case Field::Day:
        return addInt32(days_, whole, 1) && addTime(0, fraction, kMicrosecondsPerDay);
      case Field::Week:
        return addInt32(days_, whole, kDaysPerWeek) && addFractionOfDays(fraction, kDaysPerWeek);
      case Field::Month:
        return addInt32(months_, whole, 1) && addFractionOfDays(fraction, kDaysPerMonth);
      case Field::Year:
        return addYears(whole, fraction, 1);
      case Field::Decade:
        return addYears(whole, fraction, 10);
      case Field::Century:
        return addYears(whole, fraction, 100);
      case Field::Millennium:
        return addYears(whole, fraction, 1000);
      default:
        return false;
    }
  }
  [[nodiscard]] bool addMicroseconds(int64_t microseconds) {
    return !__builtin_add_overflow(microseconds_, microseconds, &microseconds_);
  }
  [[nodiscard]] bool negate() {
    return !__builtin_sub_overflow(0, years_, &years_) && !__builtin_sub_overflow(0, months_, &months_) &&
           !__builtin_sub_overflow(0, days_, &days_) &&
           !__builtin_sub_overflow(int64_t{0}, microseconds_, &microseconds_);
  }
  /// Failure: 22008 when the years are too many.
  [[nodiscard]] Interval interval() const {
    const int64_t months = int64_t{years_} * kMonthsPerYear + months_;
    if (months != static_cast<int32_t>(months))
      throw SqlError(sqlstate::kDatetimeFieldOverflow, "interval out of range");
    return {microseconds_, days_, static_cast<int32_t>(months)};
  }

 private:
  static bool addInt32(int32_t& sum, int64_t whole, int32_t scale) {
    int32_t scaled;
    return whole == static_cast<int32_t>(whole) &&
           !__builtin_mul_overflow(static_cast<int32_t>(whole), scale, &scaled) &&
           !__builtin_add_overflow(sum, scaled, &sum);
  }
  bool addTime(int64_t whole, double fraction, int64_t unit) {
    int64_t scaled;
    if (__builtin_mul_overflow(whole, unit, &scaled) || !addMicroseconds(scaled)) return false;
    double rest = fraction * static_cast<double>(unit);
    auto microseconds = static_cast<int64_t>(rest);
    rest -= static_cast<double>(microseconds);
    if (rest > 0.5) ++microseconds;
    if (rest < -0.5) --microseconds;
    return addMicroseconds(microseconds);
  }
  bool addFractionOfDays(double fraction, int32_t scale) {
    const double days = fraction * scale;
    const auto whole = static_cast<int32_t>(days);
    return addInt32(days_, whole, 1) && addTime(0, days - whole, kMicrosecondsPerDay);
  }
  bool addYears(int64_t whole, double fraction, int32_t scale) {
    const double months = std::rint(fraction * scale * kMonthsPerYear);
    return addInt32(years_, whole, scale) && addInt32(months_, static_cast<int64_t>(months), 1);
  }

  int32_t years_ = 0;
  int32_t months_ = 0;
  int32_t days_ = 0;
  int64_t microseconds_ = 0;
};

/// A number with fraction, sign included.
struct Amount {
  int64_t whole = 0;
  double fraction = 0;
  bool is_negative = false;
};

Fault readAmount(std::string_view text, Amount& amount) {
  amount.is_negative = text.starts_with('-');
  if (amount.is_negative || text.starts_with('+')) text.remove_prefix(1);
  const size_t point = text.find('.');
  const std::string_view whole = text.substr(0, point);
  if (!whole.empty()) {
    uint64_t number = 0;
    const auto [end, error] = std::from_chars(whole.data(), whole.data() + whole.size(), number);
    // There is one more below zero than above.
    constexpr auto kWholeMax = static_cast<uint64_t>(INT64_MAX);
    if (error == std::errc::result_out_of_range || (error == std::errc() && number > kWholeMax + amount.is_negative))
      return Fault::IntervalOverflow;
    if (error != std::errc() || end != whole.data() + whole.size()) return Fault::BadFormat;
    amount.whole = static_cast<int64_t>(amount.is_negative ? 0 - number : number);
  }
  if (point != std::string_view::npos && text.size() > point + 1) {
    const std::string_view digits = text.substr(point);
    const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), amount.fraction);
    if (error != std::errc() || end != digits.data() + digits.size()) return Fault::BadFormat;
  }
  if (amount.is_negative) amount.fraction = -amount.fraction;
  return Fault::None;
}

/// "1-2": years and months.
Fault readYearMonth(std::string_view text, size_t hyphen, Amount& amount) {
  const Fault fault = readAmount(text.substr(0, hyphen), amount);
  if (fault != Fault::None) return fault;
  Amount months;
  const std::string_view digits = text.substr(hyphen + 1);
  if (digits.empty() || !isDigit(digits.front()) || readAmount(digits, months) != Fault::None || months.fraction != 0)
    return Fault::BadFormat;
  if (months.whole >= kMonthsPerYear) return Fault::IntervalOverflow;
  if (__builtin_mul_overflow(amount.whole, int64_t{kMonthsPerYear}, &amount.whole)) return Fault::IntervalOverflow;
  amount.whole += amount.is_negative ? -months.whole : months.whole;
  return Fault::None;
}

constexpr unsigned fieldBit(Field field) {
  return 1u << static_cast<unsigned>(field);
}
constexpr unsigned kSecondBits =
    fieldBit(Field::Second) | fieldBit(Field::Milliseconds) | fieldBit(Field::Microseconds);
constexpr unsigned kTimeBits = fieldBit(Field::Hour) | fieldBit(Field::Minute) | kSecondBits;

/// The verbose form, read from the last token to the first: a unit stands behind its number.
class VerboseReader {
 public:
  explicit VerboseReader(int32_t range) : range_(range) {}

  Fault read(const std::vector<DatetimeToken>& tokens, Interval& interval) {
    // In the standard a sign at the beginning is that of all fields, unless others have one.
    const auto isSigned = [](const DatetimeToken& token) {
      return token.text.starts_with('-') || token.text.starts_with('+');
    };
    negates_all_ = textStyle().interval == TextStyle::Interval::SqlStandard && !tokens.empty() &&
                   tokens[0].text.starts_with('-') && std::none_of(tokens.begin() + 1, tokens.end(), isSigned);
    for (size_t index = tokens.size(); index > 0; --index) {
      const Fault fault = readToken(tokens[index - 1]);
      if (fault != Fault::None) return fault;
    }
    if (seen_ == 0) return Fault::BadFormat;
    if (is_ago_ && !sum_.negate()) return Fault::IntervalOverflow;
    interval = sum_.interval();
    return Fault::None;
  }

 private:
  Fault readToken(const DatetimeToken& token) {
    switch (token.kind) {
      case Kind::Time:
        return readClock(token.text, false, false);
      case Kind::Signed:
        if (token.text.find(':') != std::string::npos)
          return readClock(std::string_view(token.text).substr(1), true, token.text[0] == '-');
        return readNumber(token.text);
      case Kind::Date:
      case Kind::Number:
        return readNumber(token.text);
      case Kind::Word:
        return readWord(token.text);
      case Kind::SignedWord:
        return Fault::BadFormat;
    }
    return Fault::BadFormat;
  }

  Fault mark(unsigned bits) {
    if ((seen_ & bits) != 0) return Fault::BadFormat;
    seen_ |= bits;
    return Fault::None;
  }

  Fault readClock(std::string_view text, bool is_signed, bool is_negative) {
    int64_t microseconds;
    const Fault fault = readTime(text, true, range_ == (kRangeMinute | kRangeSecond), microseconds);
    if (fault != Fault::None)
      return fault == Fault::FieldOverflow && !is_signed ? Fault::IntervalOverflow : Fault::BadFormat;
    if (!sum_.addMicroseconds(is_negative || negates_all_ ? -microseconds : microseconds))
      return Fault::IntervalOverflow;
    unit_ = Field::Day;
    return mark(kTimeBits);
  }

  Fault readNumber(std::string_view text) {
    if (!unit_) unit_ = lastField(range_);
    Amount amount;
    Fault fault;
    const size_t hyphen = text.find('-', 1);
    if (hyphen != std::string_view::npos) {
      unit_ = Field::Month;
      fault = readYearMonth(text, hyphen, amount);
    } else {
      fault = readAmount(text, amount);
    }
    if (fault != Fault::None) return fault;
    if (negates_all_ && !amount.is_negative) {
      amount.whole = -amount.whole;
      amount.fraction = -amount.fraction;
    }
    const Field field = *unit_;
    if (field == Field::Quarter) return Fault::BadFormat;
    if (!sum_.add(field, amount.whole, amount.fraction)) return Fault::IntervalOverflow;
    if (field == Field::Hour) unit_ = Field::Day;
    return mark(field == Field::Second && amount.fraction != 0 ? kSecondBits : fieldBit(field));
  }

  Fault readWord(std::string_view word) {
    if (word == "ago") {
      is_ago_ = true;
      return Fault::None;
    }
    const auto unit = findTimeUnit(word);
    if (!unit) return Fault::BadFormat;
    unit_ = unit;
    return Fault::None;
  }

  int32_t range_;
  Sum sum_;
  std::optional<Field> unit_;
  unsigned seen_ = 0;
  bool negates_all_ = false;
  bool is_ago_ = false;
};

/// Takes a number of the ISO form off the front: read as one double, perhaps with an exponent, and split, as PostgreSQL
/// does, so that its fraction carries that double's error.
Fault takeIsoAmount(std::string_view& text, Amount& amount) {
  const bool is_negative = text.starts_with('-');
  if (is_negative || text.starts_with('+')) text.remove_prefix(1);
  double number = 0;
  const bool is_number = !text.empty() && (isDigit(text.front()) || text.front() == '.');
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (!is_number || error != std::errc()) return Fault::BadFormat;
  text.remove_prefix(static_cast<size_t>(end - text.data()));
  constexpr double kNumberMax = 1e15;
  if (number > kNumberMax) return Fault::IntervalOverflow;
  const double whole = std::floor(number);
  amount.whole = static_cast<int64_t>(is_negative ? -whole : whole);
  amount.fraction = is_negative ? whole - number : number - whole;
  return Fault::None;
}

/// ISO 8601: P1Y2M3DT4H5M6.7S, P0001-02-03T04:05:06, P00010203T040506.
class IsoReader {
 public:
  Fault read(std::string_view text, Interval& interval) {
    if (text.size() < 2 || text.front() != 'P') return Fault::BadFormat;
    text.remove_prefix(1);
    bool is_time = false;
    bool has_field = false;
    while (!text.empty()) {
      if (text.front() == 'T') {
        is_time = true;
        has_field = false;
        text.remove_prefix(1);
        continue;
      }
      const Fault fault = readField(text, is_time, has_field);
      if (fault != Fault::None) return fault;
      has_field = true;
    }
    interval = sum_.interval();
    return Fault::None;
  }

 private:
  Fault readField(std::string_view& text, bool& is_time, bool has_field) {
    const std::string_view begin = text;
    Amount amount;
    const Fault fault = takeIsoAmount(text, amount);
    if (fault != Fault::None) return fault;
    const char unit = text.empty() ? '\0' : text.front();
    const bool is_end = unit == '\0' || (unit == 'T' && !is_time);
    if (is_end && !has_field && digitsOf(begin) == (is_time ? 6 : 8)) return addBasic(amount, is_time);
    if (is_end || unit == '-' || unit == ':') {
      text = begin;
      return readAlternative(text, is_time, has_field);
    }
    text.remove_prefix(1);
    const auto field = is_time ? timeField(unit) : dateField(unit);
    if (!field) return Fault::BadFormat;
    return sum_.add(*field, amount.whole, amount.fraction) ? Fault::None : Fault::IntervalOverflow;
  }

  static std::optional<Field> dateField(char unit) {
    switch (unit) {
      case 'Y':
        return Field::Year;
      case 'M':
        return Field::Month;
      case 'W':
        return Field::Week;
      case 'D':
        return Field::Day;
      default:
        return std::nullopt;
    }
  }
  static std::optional<Field> timeField(char unit) {
    switch (unit) {
      case 'H':
        return Field::Hour;
      case 'M':
        return Field::Minute;
      case 'S':
        return Field::Second;
      default:
        return std::nullopt;
    }
  }

  static size_t digitsOf(std::string_view text) {
    if (text.starts_with('-')) text.remove_prefix(1);
    return static_cast<size_t>(std::ranges::find_if_not(text, isDigit) - text.begin());
  }
  /// The alternative form without separators: yyyymmdd T hhmmss. A fraction of the seconds counts, as in PostgreSQL, as
  /// one of a microsecond.
  Fault addBasic(const Amount& amount, bool is_time) {
    const int64_t parts[] = {amount.whole / 10000, amount.whole / 100 % 100, amount.whole % 100};
    bool fits = sum_.add(is_time ? Field::Microseconds : Field::Day, 0, amount.fraction);
    for (size_t i = 0; i < std::size(parts); ++i)
      fits = fits && sum_.add((is_time ? kTimeFields : kDateFields)[i], parts[i], 0);
    return fits ? Fault::None : Fault::IntervalOverflow;
  }

  /// The alternative form: years-months-days T hours:minutes:seconds, each part optional from the right.
  Fault readAlternative(std::string_view& text, bool& is_time, bool has_field) {
    if (has_field) return Fault::BadFormat;
    const char separator = is_time ? ':' : '-';
    for (const Field field : is_time ? kTimeFields : kDateFields) {
      Amount amount;
      const Fault fault = takeIsoAmount(text, amount);
      if (fault != Fault::None) return fault;
      if (!sum_.add(field, amount.whole, amount.fraction)) return Fault::IntervalOverflow;
      if (text.empty() || (!is_time && text.front() == 'T')) return Fault::None;
      if (text.front() != separator) return Fault::BadFormat;
      text.remove_prefix(1);
    }
    return Fault::BadFormat;
  }

  static constexpr Field kDateFields[] = {Field::Year, Field::Month, Field::Day};
  static constexpr Field kTimeFields[] = {Field::Hour, Field::Minute, Field::Second};

  Sum sum_;
};

/// Drops what is smaller than `unit`.
int64_t cutTo(int64_t microseconds, int64_t unit) {
  return microseconds / unit * unit;
}

int64_t roundToPrecision(int64_t microseconds, int32_t precision) {
  constexpr int64_t kUnits[] = {1000000, 100000, 10000, 1000, 100, 10};
  const int64_t unit = kUnits[precision];
  const int64_t half = microseconds >= 0 ? unit / 2 : -(unit / 2);
  return (microseconds + half) / unit * unit;
}

}  // namespace

Interval fitInterval(Interval interval, int32_t typmod) {
  if (typmod < 0) return interval;
  const int32_t range = rangeOf(typmod);
  const int32_t precision = typmod & kPrecisionFull;
  if (range != kRangeFull) {
    if (range == kRangeYear) interval.months -= interval.months % kMonthsPerYear;
    if ((range & ~(kRangeYear | kRangeMonth)) == 0) {
      interval.days = 0;
      interval.microseconds = 0;
    } else if (range == kRangeDay) {
      interval.microseconds = 0;
    } else if ((range & kRangeSecond) == 0) {
      const bool has_minutes = (range & kRangeMinute) != 0;
      interval.microseconds = cutTo(interval.microseconds, has_minutes ? kMicrosecondsPerMinute : kMicrosecondsPerHour);
    }
  }
  if (precision < 6) interval.microseconds = roundToPrecision(interval.microseconds, precision);
  return interval;
}

Interval parseInterval(std::string_view text, int32_t typmod) {
  Interval interval;
  Fault fault = Fault::BadFormat;
  if (const auto tokens = datetimeTokens(text)) fault = VerboseReader(rangeOf(typmod)).read(*tokens, interval);
  if (fault == Fault::BadFormat) fault = IsoReader().read(text, interval);
  if (fault != Fault::None) throwDatetimeFault(fault, text, "interval");
  return fitInterval(interval, typmod);
}

}  // namespace gnomon::sql
