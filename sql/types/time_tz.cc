#include "sql/types/time_tz.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/sql_error.h"
#include "base/text_style.h"
#include "base/time_zone.h"
#include "sql/types/date.h"
#include "sql/types/datetime_text.h"
#include "sql/types/integer.h"
#include "sql/types/time.h"
#include "sql/types/timestamp.h"
#include "sql/types/timestamptz.h"

namespace gnomon::sql {
namespace {

constexpr uint64_t kSignLong = uint64_t{1} << 63;
constexpr uint32_t kSign = uint32_t{1} << 31;
constexpr int64_t kUnixEpochSeconds = int64_t{kUnixToPostgresDays} * 86400;

int64_t secondsOf(int64_t microseconds) {
  return microseconds / kMicrosecondsPerSecond - (microseconds % kMicrosecondsPerSecond < 0 ? 1 : 0);
}

int64_t withinDay(int64_t time) {
  time %= kMicrosecondsPerDay;
  return time < 0 ? time + kMicrosecondsPerDay : time;
}

/// The offset of the zone when its clock shows that time, on the day when the transaction began.
int32_t offsetToday(const DatetimeZone& zone, int64_t time) {
  const int32_t today = timestampDays(utcToLocal(textMoment()));
  return zone.offsetOfLocal(secondsOf(today * kMicrosecondsPerDay + time));
}

TimeTz moved(TimeTz time, int32_t west) {
  return {withinDay(time.time + (int64_t{time.west} - west) * kMicrosecondsPerSecond), west};
}

}  // namespace

std::string encodeTimeTz(TimeTz time) {
  std::string bytes;
  const uint64_t utc = static_cast<uint64_t>(time.utc()) ^ kSignLong;
  const uint32_t west = static_cast<uint32_t>(time.west) ^ kSign;
  for (int shift = 56; shift >= 0; shift -= 8) bytes += static_cast<char>(utc >> shift);
  for (int shift = 24; shift >= 0; shift -= 8) bytes += static_cast<char>(west >> shift);
  return bytes;
}

TimeTz decodeTimeTz(std::string_view bytes) {
  uint64_t utc = 0;
  uint32_t west = 0;
  for (size_t i = 0; i < 8; ++i) utc = utc << 8 | static_cast<uint8_t>(bytes[i]);
  for (size_t i = 8; i < kTimeTzBytes; ++i) west = west << 8 | static_cast<uint8_t>(bytes[i]);
  const auto offset = static_cast<int32_t>(west ^ kSign);
  return {static_cast<int64_t>(utc ^ kSignLong) - int64_t{offset} * kMicrosecondsPerSecond, offset};
}

TimeTz parseTimeTz(std::string_view text, int32_t typmod) {
  DatetimeParts parts;
  const DatetimeFault fault = readZonedTime(text, parts);
  if (fault != DatetimeFault::None) throwDatetimeFault(fault, text, "time with time zone");
  const int64_t time = fitTime(parts.microseconds, typmod);
  if (parts.month == 0) return {time, -offsetToday(parts.zone, parts.microseconds)};
  const int64_t local = daysFromCivil(parts.year, parts.month, parts.day) * kMicrosecondsPerDay + parts.microseconds;
  return {time, -parts.zone.offsetOfLocal(secondsOf(local))};
}

char* printTimeTz(TimeTz time, char* out) {
  out = printTime(time.time, out);
  const auto seconds = static_cast<uint64_t>(std::abs(time.west));
  *out++ = time.west <= 0 ? '+' : '-';
  out = printDigits(seconds / 3600, 2, out);
  if (seconds % 3600 == 0) return out;
  *out++ = ':';
  out = printDigits(seconds / 60 % 60, 2, out);
  if (seconds % 60 == 0) return out;
  *out++ = ':';
  return printDigits(seconds % 60, 2, out);
}

TimeTz timeInSession(int64_t time) {
  return {time, -offsetToday({}, time)};
}

TimeTz timeOfMoment(int64_t utc) {
  const int32_t offset = sessionTimeZone().offsetAt(secondsOf(utc) + kUnixEpochSeconds);
  return {timestampTimeOfDay(utc + offset * kMicrosecondsPerSecond), -offset};
}

TimeTz timeInZone(std::string_view zone, TimeTz time) {
  const DatetimeZone found = findDatetimeZone(zone);
  // What a zone's clock shows follows from the moment.
  const int64_t moment = textMoment();
  int32_t offset = found.offset;
  if (found.zone != nullptr) {
    const int64_t seconds = secondsOf(moment) + kUnixEpochSeconds;
    offset = found.zone->offsetAt(seconds);
    if (found.kind == DatetimeZone::Kind::Abbreviation)
      offset = found.zone->offsetOfAbbreviation(found.abbreviation, seconds).value_or(offset);
  }
  return moved(time, -offset);
}

TimeTz timeInZone(Interval zone, TimeTz time) {
  if (zone.months != 0 || zone.days != 0) {
    char text[kIntervalTextBytesMax];
    const std::string_view shown(text, static_cast<size_t>(printInterval(zone, text) - text));
    throw SqlError(sqlstate::kInvalidParameterValue,
                   fmt::format("interval time zone \"{}\" must not include months or days", shown));
  }
  return moved(time, -static_cast<int32_t>(zone.microseconds / kMicrosecondsPerSecond));
}

TimeTz addIntervalToTimeTz(TimeTz time, Interval interval) {
  return {addIntervalToTime(time.time, interval), time.west};
}

TimeTz subtractIntervalFromTimeTz(TimeTz time, Interval interval) {
  return {subtractIntervalFromTime(time.time, interval), time.west};
}

int64_t addTimeTzToDate(int32_t date, TimeTz time) {
  if (date == kDateInfinity) return kTimestampInfinity;
  if (date == kDateMinusInfinity) return kTimestampMinusInfinity;
  int64_t timestamp = 0;
  if (__builtin_mul_overflow(int64_t{date}, kMicrosecondsPerDay, &timestamp) ||
      __builtin_add_overflow(timestamp, time.utc(), &timestamp) || timestamp < kTimestampMin ||
      timestamp >= kTimestampEnd)
    throw SqlError(sqlstate::kDatetimeFieldOverflow, "timestamp out of range");
  return timestamp;
}

}  // namespace gnomon::sql
