#include "sql/types/timestamp.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <string_view>

#include "base/sql_error.h"
#include "base/text_style.h"
#include "sql/types/date.h"
#include "sql/types/datetime_text.h"
#include "sql/types/integer.h"
#include "sql/types/styled_text.h"

namespace gnomon::sql {
namespace {

constexpr int kFractionDigits = 6;

[[noreturn]] void throwOutOfRange() {
  throw SqlError(sqlstate::kDatetimeFieldOverflow, "timestamp out of range");
}

[[noreturn]] void throwOutOfRange(std::string_view text) {
  throw SqlError(sqlstate::kDatetimeFieldOverflow, fmt::format("timestamp out of range: \"{}\"", text));
}

constexpr bool isInRange(int64_t timestamp) {
  return timestamp >= kTimestampMin && timestamp < kTimestampEnd;
}

/// The number of `digits` decimal digits at `text`; negative when one is none.
int32_t digitsAt(const char* text, int digits) {
  int32_t number = 0;
  for (int index = 0; index < digits; ++index) {
    if (!isDigit(text[index])) return -1;
    number = number * 10 + (text[index] - '0');
  }
  return number;
}

/// YYYY-MM-DD HH:MM:SS[.f], at most six digits of fraction. False: another form or a value out of range.
bool parsePlain(std::string_view text, int64_t& timestamp) {
  const char* const t = text.data();
  if (text.size() < 19 || text.size() > 26 || text.size() == 20) return false;
  if (t[4] != '-' || t[7] != '-' || (t[10] != ' ' && t[10] != 'T') || t[13] != ':' || t[16] != ':') return false;
  const int32_t year = digitsAt(t, 4);
  const int32_t month = digitsAt(t + 5, 2);
  const int32_t day = digitsAt(t + 8, 2);
  const int32_t hour = digitsAt(t + 11, 2);
  const int32_t minute = digitsAt(t + 14, 2);
  const int32_t second = digitsAt(t + 17, 2);
  if (year <= 0 || month < 1 || month > 12 || day < 1 || day > daysInMonth(year, month)) return false;
  if (hour < 0 || hour > 23 || minute < 0 || minute > 59 || second < 0 || second > 59) return false;
  int64_t fraction = 0;
  if (text.size() > 19) {
    const int digits = static_cast<int>(text.size()) - 20;
    const int32_t number = digitsAt(t + 20, digits);
    if (t[19] != '.' || number < 0) return false;
    constexpr int32_t kUnits[] = {1000000, 100000, 10000, 1000, 100, 10, 1};
    fraction = int64_t{number} * kUnits[digits];
  }
  timestamp = daysFromCivil(year, month, day) * kMicrosecondsPerDay +
              ((hour * int64_t{60} + minute) * 60 + second) * kMicrosecondsPerSecond + fraction;
  return true;
}

}  // namespace

int64_t fitTimestamp(int64_t timestamp, int32_t typmod) {
  if (typmod < 0 || typmod >= kFractionDigits || !isFiniteTimestamp(timestamp)) return timestamp;
  constexpr int64_t kUnits[] = {1000000, 100000, 10000, 1000, 100, 10};
  const int64_t unit = kUnits[typmod];
  // Half away from zero.
  if (timestamp >= 0) return (timestamp + unit / 2) / unit * unit;
  return -((-timestamp + unit / 2) / unit * unit);
}

int64_t parseTimestamp(std::string_view text, int32_t typmod) {
  int64_t timestamp;
  if (parsePlain(text, timestamp)) [[likely]]
    return fitTimestamp(timestamp, typmod);
  DatetimeParts parts;
  const DatetimeFault fault = readDatetime(text, parts);
  if (fault != DatetimeFault::None) throwDatetimeFault(fault, text, "timestamp");
  switch (parts.special) {
    case DatetimeParts::Special::Infinity:
      return kTimestampInfinity;
    case DatetimeParts::Special::MinusInfinity:
      return kTimestampMinusInfinity;
    case DatetimeParts::Special::Epoch:
      return -kUnixToPostgresDays * kMicrosecondsPerDay;
    case DatetimeParts::Special::None:
      break;
  }
  if (parts.year < -4713 || parts.year > 294276) throwOutOfRange(text);
  const int64_t days = daysFromCivil(parts.year, parts.month, parts.day);
  if (__builtin_add_overflow(days * kMicrosecondsPerDay, parts.microseconds, &timestamp) || !isInRange(timestamp))
    throwOutOfRange(text);
  return fitTimestamp(timestamp, typmod);
}

char* printTimestamp(int64_t timestamp, char* out) {
  if (!isFiniteTimestamp(timestamp)) return printDate(timestampToDate(timestamp), out);
  if (textStyle().date != TextStyle::Date::Iso) [[unlikely]]
    return printStyledTimestamp(timestamp, std::nullopt, out);
  const int32_t days = timestampDays(timestamp);
  const int64_t time = timestampTimeOfDay(timestamp);
  char date[kDateTextBytesMax];
  const char* const date_end = printDate(days, date);
  // The era stands behind the time.
  const bool is_before_christ = date_end[-1] == 'C';
  const auto date_bytes = static_cast<size_t>(date_end - date) - (is_before_christ ? 3 : 0);
  std::memcpy(out, date, date_bytes);
  out += date_bytes;
  const auto seconds = static_cast<uint64_t>(time / kMicrosecondsPerSecond);
  *out++ = ' ';
  out = printDigits(seconds / 3600, 2, out);
  *out++ = ':';
  out = printDigits(seconds / 60 % 60, 2, out);
  *out++ = ':';
  out = printDigits(seconds % 60, 2, out);
  if (const auto fraction = static_cast<uint64_t>(time % kMicrosecondsPerSecond); fraction != 0) {
    *out++ = '.';
    out = printDigits(fraction, kFractionDigits, out);
    while (out[-1] == '0') --out;
  }
  if (!is_before_christ) return out;
  return std::ranges::copy(std::string_view(" BC"), out).out;
}

int64_t addInterval(int64_t timestamp, Interval interval) {
  if (!isFiniteTimestamp(timestamp)) return timestamp;
  if (interval.months != 0) {
    const CivilDate civil = civilFromDays(timestampDays(timestamp));
    const int64_t months = int64_t{civil.year} * kMonthsPerYear + civil.month - 1 + interval.months;
    const int64_t year = months / kMonthsPerYear - (months % kMonthsPerYear < 0);
    if (year < -4713 || year > 294276) throwOutOfRange();
    const auto month = static_cast<int32_t>(months - year * kMonthsPerYear) + 1;
    const int32_t last = daysInMonth(static_cast<int32_t>(year), month);
    const int32_t day = civil.day < last ? civil.day : last;
    timestamp =
        daysFromCivil(static_cast<int32_t>(year), month, day) * kMicrosecondsPerDay + timestampTimeOfDay(timestamp);
  }
  const int128 result = static_cast<int128>(timestamp) + static_cast<int128>(interval.days) * kMicrosecondsPerDay;
  // PostgreSQL checks the range after the days and again after the time.
  if (result < kTimestampMin - kMicrosecondsPerDay || result >= kTimestampEnd) throwOutOfRange();
  const int128 sum = result + interval.microseconds;
  if (sum < kTimestampMin || sum >= kTimestampEnd) throwOutOfRange();
  return static_cast<int64_t>(sum);
}

int64_t subtractInterval(int64_t timestamp, Interval interval) {
  if (!isFiniteTimestamp(timestamp)) return timestamp;
  Interval negated = interval;
  if (__builtin_sub_overflow(0, interval.months, &negated.months) ||
      __builtin_sub_overflow(0, interval.days, &negated.days) ||
      __builtin_sub_overflow(int64_t{0}, interval.microseconds, &negated.microseconds))
    throwOutOfRange();
  return addInterval(timestamp, negated);
}

Interval subtractTimestamps(int64_t left, int64_t right) {
  if (!isFiniteTimestamp(left) || !isFiniteTimestamp(right))
    throw SqlError(sqlstate::kDatetimeFieldOverflow, "cannot subtract infinite timestamps");
  int64_t difference;
  if (__builtin_sub_overflow(left, right, &difference))
    throw SqlError(sqlstate::kDatetimeFieldOverflow, "interval out of range");
  return justifyHours({difference, 0, 0});
}

Interval age(int64_t left, int64_t right) {
  if (!isFiniteTimestamp(left) || !isFiniteTimestamp(right)) throwOutOfRange();
  const CivilDate first = civilFromDays(timestampDays(left));
  const CivilDate second = civilFromDays(timestampDays(right));
  const bool is_negative = left < right;
  const int sign = is_negative ? -1 : 1;
  int64_t time = sign * (timestampTimeOfDay(left) - timestampTimeOfDay(right));
  int32_t days = sign * (first.day - second.day);
  int32_t months = sign * ((first.year - second.year) * kMonthsPerYear + first.month - second.month);
  if (time < 0) {
    time += kMicrosecondsPerDay;
    --days;
  }
  // A missing month is as long as the earlier date's.
  const CivilDate& earlier = is_negative ? first : second;
  while (days < 0) {
    days += daysInMonth(earlier.year, earlier.month);
    --months;
  }
  return {sign * time, sign * days, sign * months};
}

}  // namespace gnomon::sql
