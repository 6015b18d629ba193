#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "sql/types/calendar.h"
#include "sql/types/interval.h"

namespace gnomon::sql {

/// A time of day is microseconds since midnight, 24:00:00 included.
constexpr bool isTimeOfDay(int64_t time) {
  return time >= 0 && time <= kMicrosecondsPerDay;
}

/// Time from text; typmod: precision 0..6. Failure: 22007, 22008.
int64_t parseTime(std::string_view text, int32_t typmod = -1);
int64_t fitTime(int64_t time, int32_t typmod);
/// Writes hh:mm:ss[.ffffff] at `out` (room for kTimeTextBytesMax bytes) and returns the end.
char* printTime(int64_t time, char* out);
inline constexpr size_t kTimeTextBytesMax = 24;

/// The interval's time alone counts; past midnight it begins anew.
int64_t addIntervalToTime(int64_t time, Interval interval);
int64_t subtractIntervalFromTime(int64_t time, Interval interval);
/// What an interval has besides whole days.
int64_t intervalToTime(Interval interval);
/// Failure: 22008 "timestamp out of range".
int64_t addTimeToDate(int32_t date, int64_t time);
/// Failure: 22008 "time field value out of range".
int64_t makeTime(int32_t hour, int32_t minute, double second);

}  // namespace gnomon::sql
