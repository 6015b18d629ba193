#include "sql/types/styled_text.h"

#include <algorithm>
#include <array>
#include <cstdlib>

#include "base/text_style.h"
#include "sql/types/calendar.h"
#include "sql/types/integer.h"

namespace gnomon::sql {
namespace {

char* append(std::string_view text, char* out) {
  return std::ranges::copy(text, out).out;
}
char* printYear(int32_t year, char* out) {
  const int32_t shown = year > 0 ? year : 1 - year;
  return shown < 10000 ? printDigits(static_cast<uint64_t>(shown), 4, out) : printInteger(shown, out);
}
char* printTwo(int64_t number, char* out) {
  return printDigits(static_cast<uint64_t>(number), 2, out);
}

/// The seconds, of two digits when they are `padded`, and what is shown of their fraction.
char* printSeconds(uint64_t microseconds, bool padded, char* out) {
  const uint64_t second = microseconds / static_cast<uint64_t>(kMicrosecondsPerSecond);
  const uint64_t fraction = microseconds % static_cast<uint64_t>(kMicrosecondsPerSecond);
  out = padded ? printDigits(second, 2, out) : printInteger(static_cast<int64_t>(second), out);
  if (fraction == 0) return out;
  *out++ = '.';
  out = printDigits(fraction, 6, out);
  while (out[-1] == '0') --out;
  return out;
}

/// Day and month with a mark between them, in the order of the setting.
char* printDayAndMonth(const CivilDate& date, char mark, char* out) {
  const bool day_first = textStyle().order == TextStyle::DateOrder::DayMonthYear;
  out = printTwo(day_first ? date.day : date.month, out);
  *out++ = mark;
  return printTwo(day_first ? date.month : date.day, out);
}

char* printClock(int64_t time, char* out) {
  out = printTwo(time / kMicrosecondsPerHour, out);
  *out++ = ':';
  out = printTwo(time / kMicrosecondsPerMinute % 60, out);
  *out++ = ':';
  return printSeconds(static_cast<uint64_t>(time % kMicrosecondsPerMinute), true, out);
}

/// 10.01.2024 or 01/10/2024: what German and SQL have before the time.
char* printNumericDate(const CivilDate& date, char* out) {
  if (textStyle().date == TextStyle::Date::German) {
    out = printTwo(date.day, out);
    *out++ = '.';
    out = printTwo(date.month, out);
    *out++ = '.';
  } else {
    const char mark = textStyle().date == TextStyle::Date::Sql ? '/' : '-';
    out = printDayAndMonth(date, mark, out);
    *out++ = mark;
  }
  return printYear(date.year, out);
}

/// Wed Jan 10 04:05:06 2024
char* printTraditional(int64_t local, const CivilDate& date, char* out) {
  constexpr std::string_view kDays = "SunMonTueWedThuFriSat";
  constexpr std::string_view kMonths = "JanFebMarAprMayJunJulAugSepOctNovDec";
  const auto day = static_cast<size_t>(dayOfWeek(timestampDays(local)));
  const std::string_view month = kMonths.substr(static_cast<size_t>(date.month - 1) * 3, 3);
  out = append(kDays.substr(day * 3, 3), out);
  *out++ = ' ';
  const bool day_first = textStyle().order == TextStyle::DateOrder::DayMonthYear;
  out = day_first ? printTwo(date.day, out) : append(month, out);
  *out++ = ' ';
  out = day_first ? append(month, out) : printTwo(date.day, out);
  *out++ = ' ';
  out = printClock(timestampTimeOfDay(local), out);
  *out++ = ' ';
  return printYear(date.year, out);
}

/// The parts of an interval; all signs as they are.
struct Parts {
  int64_t years, months, days, hours, minutes, microseconds;  ///< the last of the minute

  explicit Parts(Interval interval)
      : years(interval.months / kMonthsPerYear),
        months(interval.months % kMonthsPerYear),
        days(interval.days),
        hours(interval.microseconds / kMicrosecondsPerHour),
        minutes(interval.microseconds / kMicrosecondsPerMinute % 60),
        microseconds(interval.microseconds % kMicrosecondsPerMinute) {}
  [[nodiscard]] std::array<int64_t, 6> all() const { return {years, months, days, hours, minutes, microseconds}; }
  void negate() {
    for (int64_t* part : {&years, &months, &days, &hours, &minutes, &microseconds}) *part = -*part;
  }
};

uint64_t magnitude(int64_t number) {
  return number < 0 ? -static_cast<uint64_t>(number) : static_cast<uint64_t>(number);
}

char* printHoursOn(const Parts& parts, char* out) {
  out = printInteger(static_cast<int64_t>(magnitude(parts.hours)), out);
  *out++ = ':';
  out = printDigits(magnitude(parts.minutes), 2, out);
  *out++ = ':';
  return printSeconds(magnitude(parts.microseconds), true, out);
}

/// 1-2, 3 4:05:06, or +1-2 +3 +4:05:06 where the standard has no such interval.
char* printStandard(Parts parts, char* out) {
  const auto all = parts.all();
  const bool has_negative = std::ranges::any_of(all, [](int64_t part) { return part < 0; });
  const bool has_positive = std::ranges::any_of(all, [](int64_t part) { return part > 0; });
  const bool has_months = parts.years != 0 || parts.months != 0;
  const bool has_time = parts.hours != 0 || parts.minutes != 0 || parts.microseconds != 0;
  if (!has_negative && !has_positive) return append("0", out);
  const bool is_standard = !(has_negative && has_positive) && !(has_months && (parts.days != 0 || has_time));
  if (!is_standard) {
    *out++ = parts.years < 0 || parts.months < 0 ? '-' : '+';
    out = printInteger(static_cast<int64_t>(magnitude(parts.years)), out);
    *out++ = '-';
    out = printInteger(static_cast<int64_t>(magnitude(parts.months)), out);
    *out++ = ' ';
    *out++ = parts.days < 0 ? '-' : '+';
    out = printInteger(static_cast<int64_t>(magnitude(parts.days)), out);
    *out++ = ' ';
    *out++ = parts.hours < 0 || parts.minutes < 0 || parts.microseconds < 0 ? '-' : '+';
    return printHoursOn(parts, out);
  }
  if (has_negative) {
    *out++ = '-';
    parts.negate();
  }
  if (has_months) {
    out = printInteger(parts.years, out);
    *out++ = '-';
    return printInteger(parts.months, out);
  }
  if (parts.days != 0) {
    out = printInteger(parts.days, out);
    *out++ = ' ';
  }
  return printHoursOn(parts, out);
}

/// P1Y2M3DT4H5M6S
char* printIso(const Parts& parts, char* out) {
  if (std::ranges::all_of(parts.all(), [](int64_t part) { return part == 0; })) return append("PT0S", out);
  const auto print = [&out](int64_t number, char unit) {
    if (number == 0) return;
    out = printInteger(number, out);
    *out++ = unit;
  };
  *out++ = 'P';
  print(parts.years, 'Y');
  print(parts.months, 'M');
  print(parts.days, 'D');
  if (parts.hours == 0 && parts.minutes == 0 && parts.microseconds == 0) return out;
  *out++ = 'T';
  print(parts.hours, 'H');
  print(parts.minutes, 'M');
  if (parts.microseconds == 0) return out;
  if (parts.microseconds < 0) *out++ = '-';
  out = printSeconds(magnitude(parts.microseconds), false, out);
  *out++ = 'S';
  return out;
}

/// @ 1 year 2 mons 3 days 4 hours 5 mins 6 secs [ago]: the first part's sign is that of all.
char* printVerbose(const Parts& parts, char* out) {
  *out++ = '@';
  bool is_first = true;
  bool is_before = false;
  const auto print = [&](int64_t number, std::string_view unit) {
    if (number == 0) return;
    if (is_first) is_before = number < 0;
    if (is_before) number = -number;
    is_first = false;
    *out++ = ' ';
    out = printInteger(number, out);
    *out++ = ' ';
    out = append(unit, out);
    if (number != 1) *out++ = 's';
  };
  print(parts.years, "year");
  print(parts.months, "mon");
  print(parts.days, "day");
  print(parts.hours, "hour");
  print(parts.minutes, "min");
  if (parts.microseconds != 0) {
    *out++ = ' ';
    if (is_first)
      is_before = parts.microseconds < 0;
    else if ((parts.microseconds < 0) != is_before)
      *out++ = '-';
    is_first = false;
    out = printSeconds(magnitude(parts.microseconds), false, out);
    out =
        append(magnitude(parts.microseconds) == static_cast<uint64_t>(kMicrosecondsPerSecond) ? " sec" : " secs", out);
  }
  if (is_first) out = append(" 0", out);
  return is_before ? append(" ago", out) : out;
}

char* printOffset(int32_t offset, char* out) {
  *out++ = offset < 0 ? '-' : '+';
  const auto seconds = magnitude(offset);
  out = printDigits(seconds / 3600, 2, out);
  if (seconds % 3600 == 0) return out;
  *out++ = ':';
  out = printDigits(seconds / 60 % 60, 2, out);
  if (seconds % 60 == 0) return out;
  *out++ = ':';
  return printDigits(seconds % 60, 2, out);
}

}  // namespace

char* printStyledDate(int32_t date, char* out) {
  const CivilDate civil = civilFromDays(date);
  out = printNumericDate(civil, out);
  return civil.year > 0 ? out : append(" BC", out);
}

char* printStyledTimestamp(int64_t local, const std::optional<ShownZone>& zone, char* out) {
  const CivilDate civil = civilFromDays(timestampDays(local));
  if (textStyle().date == TextStyle::Date::Postgres) {
    out = printTraditional(local, civil, out);
  } else {
    out = printNumericDate(civil, out);
    *out++ = ' ';
    out = printClock(timestampTimeOfDay(local), out);
  }
  if (zone) {
    constexpr size_t kAbbreviationMax = 10;
    *out++ = ' ';
    out = zone->abbreviation.empty() ? printOffset(zone->offset, out)
                                     : append(zone->abbreviation.substr(0, kAbbreviationMax), out);
  }
  return civil.year > 0 ? out : append(" BC", out);
}

char* printStyledInterval(Interval interval, char* out) {
  const Parts parts(interval);
  switch (textStyle().interval) {
    case TextStyle::Interval::SqlStandard:
      return printStandard(parts, out);
    case TextStyle::Interval::Iso8601:
      return printIso(parts, out);
    default:
      return printVerbose(parts, out);
  }
}

}  // namespace gnomon::sql
