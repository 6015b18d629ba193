#include "sql/types/interval.h"

#include <cmath>
#include <cstring>

#include "base/sql_error.h"
#include "base/text_style.h"
#include "sql/types/calendar.h"
#include "sql/types/hash.h"
#include "sql/types/integer.h"
#include "sql/types/styled_text.h"

namespace gnomon::sql {
namespace {

constexpr int32_t kDaysPerMonth = 30;
constexpr double kSecondsPerDay = 86400;

[[noreturn]] void throwOutOfRange() {
  throw SqlError(sqlstate::kDatetimeFieldOverflow, "interval out of range");
}

/// To whole microseconds, which hides what binary fractions add.
double roundToMicroseconds(double seconds) {
  return std::rint(seconds * 1e6) / 1e6;
}

int32_t toInt32(double number) {
  if (!(number >= -2147483648.0 && number < 2147483648.0)) throwOutOfRange();
  return static_cast<int32_t>(number);
}

int64_t toInt64(double number) {
  if (!(number >= -9223372036854775808.0 && number < 9223372036854775808.0)) throwOutOfRange();
  return static_cast<int64_t>(number);
}

/// The interval whose parts are months, days and microseconds, each a product with a fraction: fractions of months go
/// down to days, those of days to seconds.
Interval fromFractions(double months, double days, double microseconds) {
  Interval result;
  result.months = toInt32(months);
  result.days = toInt32(days);
  const double rest_days = roundToMicroseconds((months - result.months) * kDaysPerMonth);
  double seconds = (days - result.days + rest_days - static_cast<int>(rest_days)) * kSecondsPerDay;
  seconds = roundToMicroseconds(seconds);
  if (std::fabs(seconds) >= kSecondsPerDay) {
    const int whole = static_cast<int>(seconds / kSecondsPerDay);
    if (__builtin_add_overflow(result.days, whole, &result.days)) throwOutOfRange();
    seconds -= whole * kSecondsPerDay;
  }
  if (__builtin_add_overflow(result.days, static_cast<int32_t>(rest_days), &result.days)) throwOutOfRange();
  result.microseconds = toInt64(std::rint(microseconds + seconds * 1e6));
  return result;
}

char* append(std::string_view text, char* out) {
  std::memcpy(out, text.data(), text.size());
  return out + text.size();
}

/// Prints "3 days" and so on. A positive part after a negative one shows its sign.
struct PartPrinter {
  char* out;
  bool is_first = true;
  bool was_negative = false;

  void print(int32_t value, std::string_view unit) {
    if (value == 0) return;
    if (!is_first) *out++ = ' ';
    if (was_negative && value > 0) *out++ = '+';
    out = printInteger(value, out);
    *out++ = ' ';
    out = append(unit, out);
    if (value != 1) *out++ = 's';
    is_first = false;
    was_negative = value < 0;
  }
};

}  // namespace

int128 Interval::span() const {
  const int64_t all_days = int64_t{months} * kDaysPerMonth + days;
  return static_cast<int128>(all_days) * kMicrosecondsPerDay + microseconds;
}

char* printInterval(Interval interval, char* out) {
  if (textStyle().interval != TextStyle::Interval::Postgres) [[unlikely]]
    return printStyledInterval(interval, out);
  PartPrinter printer{out};
  printer.print(interval.months / kMonthsPerYear, "year");
  printer.print(interval.months % kMonthsPerYear, "mon");
  printer.print(interval.days, "day");
  if (interval.microseconds == 0 && !printer.is_first) return printer.out;
  out = printer.out;
  if (!printer.is_first) *out++ = ' ';
  const bool is_negative = interval.microseconds < 0;
  if (is_negative)
    *out++ = '-';
  else if (printer.was_negative)
    *out++ = '+';
  auto time = static_cast<uint64_t>(interval.microseconds);
  if (is_negative) time = -time;
  const uint64_t hours = time / static_cast<uint64_t>(kMicrosecondsPerHour);
  out = hours < 100 ? printDigits(hours, 2, out) : printInteger(static_cast<int64_t>(hours), out);
  *out++ = ':';
  out = printDigits(time / static_cast<uint64_t>(kMicrosecondsPerMinute) % 60, 2, out);
  *out++ = ':';
  out = printDigits(time / static_cast<uint64_t>(kMicrosecondsPerSecond) % 60, 2, out);
  if (const uint64_t fraction = time % static_cast<uint64_t>(kMicrosecondsPerSecond); fraction != 0) {
    *out++ = '.';
    out = printDigits(fraction, 6, out);
    while (out[-1] == '0') --out;
  }
  return out;
}

Interval addIntervals(Interval left, Interval right) {
  Interval sum;
  if (__builtin_add_overflow(left.months, right.months, &sum.months) ||
      __builtin_add_overflow(left.days, right.days, &sum.days) ||
      __builtin_add_overflow(left.microseconds, right.microseconds, &sum.microseconds))
    throwOutOfRange();
  return sum;
}

Interval subtractIntervals(Interval left, Interval right) {
  Interval difference;
  if (__builtin_sub_overflow(left.months, right.months, &difference.months) ||
      __builtin_sub_overflow(left.days, right.days, &difference.days) ||
      __builtin_sub_overflow(left.microseconds, right.microseconds, &difference.microseconds))
    throwOutOfRange();
  return difference;
}

Interval negateInterval(Interval interval) {
  return subtractIntervals({}, interval);
}

Interval multiplyInterval(Interval interval, double factor) {
  return fromFractions(interval.months * factor, interval.days * factor,
                       static_cast<double>(interval.microseconds) * factor);
}

Interval divideInterval(Interval interval, double divisor) {
  if (divisor == 0) throw SqlError(sqlstate::kDivisionByZero, "division by zero");
  return fromFractions(interval.months / divisor, interval.days / divisor,
                       static_cast<double>(interval.microseconds) / divisor);
}

Interval justifyHours(Interval interval) {
  const auto whole = static_cast<int32_t>(interval.microseconds / kMicrosecondsPerDay);
  interval.microseconds %= kMicrosecondsPerDay;
  if (__builtin_add_overflow(interval.days, whole, &interval.days)) throwOutOfRange();
  if (interval.days > 0 && interval.microseconds < 0) {
    interval.microseconds += kMicrosecondsPerDay;
    --interval.days;
  } else if (interval.days < 0 && interval.microseconds > 0) {
    interval.microseconds -= kMicrosecondsPerDay;
    ++interval.days;
  }
  return interval;
}

Interval justifyDays(Interval interval) {
  if (__builtin_add_overflow(interval.months, interval.days / kDaysPerMonth, &interval.months)) throwOutOfRange();
  interval.days %= kDaysPerMonth;
  if (interval.months > 0 && interval.days < 0) {
    interval.days += kDaysPerMonth;
    --interval.months;
  } else if (interval.months < 0 && interval.days > 0) {
    interval.days -= kDaysPerMonth;
    ++interval.months;
  }
  return interval;
}

Interval justifyInterval(Interval interval) {
  const auto whole_days = interval.microseconds / kMicrosecondsPerDay;
  interval.microseconds %= kMicrosecondsPerDay;
  int64_t days = interval.days + whole_days;
  int64_t months = interval.months + days / kDaysPerMonth;
  days %= kDaysPerMonth;
  const int64_t time = interval.microseconds;
  if (months > 0 && (days < 0 || (days == 0 && time < 0))) {
    days += kDaysPerMonth;
    --months;
  } else if (months < 0 && (days > 0 || (days == 0 && time > 0))) {
    days -= kDaysPerMonth;
    ++months;
  }
  if (days > 0 && time < 0) {
    interval.microseconds += kMicrosecondsPerDay;
    --days;
  } else if (days < 0 && time > 0) {
    interval.microseconds -= kMicrosecondsPerDay;
    ++days;
  }
  if (months != static_cast<int32_t>(months)) throwOutOfRange();
  interval.days = static_cast<int32_t>(days);
  interval.months = static_cast<int32_t>(months);
  return interval;
}

int compareIntervals(Interval left, Interval right) {
  const int128 first = left.span();
  const int128 second = right.span();
  return first < second ? -1 : first > second;
}

uint64_t hashInterval(Interval interval) {
  const int128 span = interval.span();
  return combineHash(static_cast<uint64_t>(span), static_cast<uint64_t>(span >> 64));
}

}  // namespace gnomon::sql
