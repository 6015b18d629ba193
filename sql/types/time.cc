#include "sql/types/time.h"

#include <fmt/format.h>

#include <cmath>

#include "base/sql_error.h"
#include "sql/types/date.h"
#include "sql/types/datetime_text.h"
#include "sql/types/integer.h"
#include "sql/types/timestamp.h"

namespace gnomon::sql {
namespace {

int64_t withinDay(int64_t time) {
  time %= kMicrosecondsPerDay;
  return time < 0 ? time + kMicrosecondsPerDay : time;
}

}  // namespace

int64_t parseTime(std::string_view text, int32_t typmod) {
  int64_t time = 0;
  const DatetimeFault fault = readTimeOfDay(text, time);
  if (fault != DatetimeFault::None) throwDatetimeFault(fault, text, "time");
  return fitTime(time, typmod);
}

int64_t fitTime(int64_t time, int32_t typmod) {
  return fitTimestamp(time, typmod);
}

char* printTime(int64_t time, char* out) {
  const auto seconds = static_cast<uint64_t>(time / kMicrosecondsPerSecond);
  out = printDigits(seconds / 3600, 2, out);
  *out++ = ':';
  out = printDigits(seconds / 60 % 60, 2, out);
  *out++ = ':';
  out = printDigits(seconds % 60, 2, out);
  if (const auto fraction = static_cast<uint64_t>(time % kMicrosecondsPerSecond); fraction != 0) {
    *out++ = '.';
    out = printDigits(fraction, 6, out);
    while (out[-1] == '0') --out;
  }
  return out;
}

int64_t addIntervalToTime(int64_t time, Interval interval) {
  return withinDay(time + interval.microseconds % kMicrosecondsPerDay);
}

int64_t subtractIntervalFromTime(int64_t time, Interval interval) {
  return withinDay(time - interval.microseconds % kMicrosecondsPerDay);
}

int64_t intervalToTime(Interval interval) {
  return withinDay(interval.microseconds);
}

int64_t addTimeToDate(int32_t date, int64_t time) {
  const int64_t timestamp = dateToTimestamp(date);
  if (!isFiniteTimestamp(timestamp)) return timestamp;
  const int64_t sum = timestamp + time;
  if (sum >= kTimestampEnd) throw SqlError(sqlstate::kDatetimeFieldOverflow, "timestamp out of range");
  return sum;
}

int64_t makeTime(int32_t hour, int32_t minute, double second) {
  // PostgreSQL's float_time_overflows.
  const double rounded = std::isnan(second) ? second : std::rint(second * 1e6);
  const bool is_field = hour >= 0 && hour <= 24 && minute >= 0 && minute <= 59 && rounded >= 0 && rounded <= 60e6;
  const int64_t sum =
      is_field ? hour * kMicrosecondsPerHour + minute * kMicrosecondsPerMinute + static_cast<int64_t>(rounded) : 0;
  if (!is_field || sum > kMicrosecondsPerDay)
    throw SqlError(sqlstate::kDatetimeFieldOverflow,
                   std::isnan(second)
                       ? fmt::format("time field value out of range: {}:{:02}:NaN", hour, minute)
                       : fmt::format("time field value out of range: {}:{:02}:{:02g}", hour, minute, second));
  return sum;
}

}  // namespace gnomon::sql
