#pragma once

#include <cstdint>

namespace gnomon::sql {

inline constexpr int64_t kMicrosecondsPerSecond = 1'000'000;
inline constexpr int64_t kMicrosecondsPerMinute = 60 * kMicrosecondsPerSecond;
inline constexpr int64_t kMicrosecondsPerHour = 60 * kMicrosecondsPerMinute;
inline constexpr int64_t kMicrosecondsPerDay = 24 * kMicrosecondsPerHour;
inline constexpr int kMonthsPerYear = 12;
/// Days from 1970-01-01 to 2000-01-01, and the Julian day number of 2000-01-01.
inline constexpr int32_t kUnixToPostgresDays = 10957;
inline constexpr int32_t kPostgresEpochJulian = 2451545;

/// A day of the proleptic Gregorian calendar; year 0 is 1 BC.
struct CivilDate {
  int32_t year;
  int32_t month;  ///< 1..12
  int32_t day;    ///< 1..31
};

/// Days since 2000-01-01, for any month 1..12.
int32_t daysFromCivil(int32_t year, int32_t month, int32_t day);
CivilDate civilFromDays(int32_t days);
constexpr bool isLeapYear(int32_t year) {
  return (year % 4 == 0 && year % 100 != 0) || year % 400 == 0;
}
int32_t daysInMonth(int32_t year, int32_t month);
/// Sunday 0 .. Saturday 6.
int32_t dayOfWeek(int32_t days);
/// ISO 8601 week 1..53 of a day and the year that week belongs to.
struct IsoWeek {
  int32_t year;
  int32_t week;
};
IsoWeek isoWeek(int32_t days);

/// Floor division of a timestamp into days and the microseconds of the day, 0..86399999999.
constexpr int32_t timestampDays(int64_t timestamp) {
  return static_cast<int32_t>(timestamp / kMicrosecondsPerDay - (timestamp % kMicrosecondsPerDay < 0));
}
constexpr int64_t timestampTimeOfDay(int64_t timestamp) {
  const int64_t rest = timestamp % kMicrosecondsPerDay;
  return rest < 0 ? rest + kMicrosecondsPerDay : rest;
}

}  // namespace gnomon::sql
