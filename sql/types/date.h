#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "sql/types/calendar.h"
#include "sql/types/interval.h"

namespace gnomon::sql {

/// A date is a number of days since 2000-01-01; 4713-11-24 BC to 5874897-12-31.
inline constexpr int32_t kDateInfinity = INT32_MAX;
inline constexpr int32_t kDateMinusInfinity = INT32_MIN;
inline constexpr int32_t kDateMin = -kPostgresEpochJulian;
inline constexpr int32_t kDateEnd = 2147483494 - kPostgresEpochJulian;
constexpr bool isFiniteDate(int32_t date) {
  return date != kDateInfinity && date != kDateMinusInfinity;
}

/// Date from text, DateStyle ISO, MDY. 'YYYY-MM-DD' takes a fast path; other forms see datetime_text.h.
/// Failure: 22007, 22008.
int32_t parseDate(std::string_view text);
/// Writes the date as ISO at `out` (room for kDateTextBytesMax bytes) and returns the end.
char* printDate(int32_t date, char* out);
inline constexpr size_t kDateTextBytesMax = 24;

/// Failure: 22008 "date out of range".
int32_t addDays(int32_t date, int64_t days);
/// Failure: 22008 "cannot subtract infinite dates".
int32_t subtractDates(int32_t left, int32_t right);
/// Failure: 22008 "date field value out of range".
int32_t makeDate(int32_t year, int32_t month, int32_t day);
/// date + interval and date - interval, a timestamp. Failure: 22008.
int64_t addIntervalToDate(int32_t date, Interval interval);
int64_t subtractIntervalFromDate(int32_t date, Interval interval);

/// Failure: 22008 "date out of range for timestamp".
int64_t dateToTimestamp(int32_t date);
int32_t timestampToDate(int64_t timestamp);
/// Comparison of a date with a timestamp, over the whole range of both.
int compareDateTimestamp(int32_t date, int64_t timestamp);

}  // namespace gnomon::sql
