#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "sql/types/calendar.h"
#include "sql/types/interval.h"

namespace gnomon::sql {

/// A timestamp is microseconds since 2000-01-01 00:00; 4713-11-24 BC to 294276-12-31.
inline constexpr int64_t kTimestampInfinity = INT64_MAX;
inline constexpr int64_t kTimestampMinusInfinity = INT64_MIN;
inline constexpr int64_t kTimestampMin = -211813488000000000;
inline constexpr int64_t kTimestampEnd = 9223371331200000000;  ///< the first beyond the range
constexpr bool isFiniteTimestamp(int64_t timestamp) {
  return timestamp != kTimestampInfinity && timestamp != kTimestampMinusInfinity;
}

/// Timestamp from text, DateStyle ISO, MDY; 'YYYY-MM-DD HH:MM:SS[.ffffff]' takes a fast path. typmod: precision 0..6.
/// Failure: 22007, 22008.
int64_t parseTimestamp(std::string_view text, int32_t typmod = -1);
/// Rounds to `typmod` digits after the second.
int64_t fitTimestamp(int64_t timestamp, int32_t typmod);
/// Writes ISO at `out` (room for kTimestampTextBytesMax bytes) and returns the end.
char* printTimestamp(int64_t timestamp, char* out);
inline constexpr size_t kTimestampTextBytesMax = 48;

/// Months first (the day clamped to the month's end), then days, then microseconds. Failure: 22008 "timestamp out of
/// range".
int64_t addInterval(int64_t timestamp, Interval interval);
int64_t subtractInterval(int64_t timestamp, Interval interval);
/// left - right in days and microseconds. Failure: 22008.
Interval subtractTimestamps(int64_t left, int64_t right);
/// age(left, right) in years, months, days. Failure: 22008.
Interval age(int64_t left, int64_t right);

}  // namespace gnomon::sql
