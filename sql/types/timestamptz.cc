#include "sql/types/timestamptz.h"

#include <fmt/format.h>

#include <cmath>
#include <cstring>

#include "base/sql_error.h"
#include "base/text_style.h"
#include "base/time_zone.h"
#include "sql/types/date.h"
#include "sql/types/integer.h"
#include "sql/types/styled_text.h"

namespace gnomon::sql {
namespace {

constexpr int64_t kUnixEpochSeconds = int64_t{kUnixToPostgresDays} * 86400;

[[noreturn]] void throwOutOfRange() {
  throw SqlError(sqlstate::kDatetimeFieldOverflow, "timestamp out of range");
}

constexpr bool isInRange(int64_t timestamp) {
  return timestamp >= kTimestampMin && timestamp < kTimestampEnd;
}

/// Rounded down, as PostgreSQL's clocks count.
constexpr int64_t secondsOf(int64_t timestamp) {
  return timestamp / kMicrosecondsPerSecond - (timestamp % kMicrosecondsPerSecond < 0);
}

int32_t sessionOffset(int64_t timestamp) {
  return sessionTimeZone().offsetAt(secondsOf(timestamp) + kUnixEpochSeconds);
}

int32_t offsetAt(const DatetimeZone& zone, int64_t timestamp) {
  const int64_t seconds = secondsOf(timestamp) + kUnixEpochSeconds;
  if (zone.kind == DatetimeZone::Kind::Offset) return zone.offset;
  if (zone.kind == DatetimeZone::Kind::None) return sessionTimeZone().offsetAt(seconds);
  const int32_t usual = zone.zone->offsetAt(seconds);
  if (zone.kind == DatetimeZone::Kind::Named) return usual;
  return zone.zone->offsetOfAbbreviation(zone.abbreviation, seconds).value_or(usual);
}

int64_t moved(int64_t timestamp, int64_t seconds) {
  int64_t result;
  if (__builtin_add_overflow(timestamp, seconds * kMicrosecondsPerSecond, &result) || !isInRange(result))
    throwOutOfRange();
  return result;
}

int64_t toLocal(const DatetimeZone& zone, int64_t timestamp) {
  return isFiniteTimestamp(timestamp) ? moved(timestamp, offsetAt(zone, timestamp)) : timestamp;
}

int64_t toUtc(const DatetimeZone& zone, int64_t local) {
  return isFiniteTimestamp(local) ? moved(local, -int64_t{zone.offsetOfLocal(secondsOf(local))}) : local;
}

/// What its clock shows near the ends of the range may lie behind them.
int64_t uncheckedLocal(int64_t timestamp) {
  return timestamp + sessionOffset(timestamp) * kMicrosecondsPerSecond;
}

DatetimeZone zoneOf(Interval interval) {
  if (interval.months != 0 || interval.days != 0) {
    char text[kIntervalTextBytesMax];
    const std::string_view shown(text, static_cast<size_t>(printInterval(interval, text) - text));
    throw SqlError(sqlstate::kInvalidParameterValue,
                   fmt::format("interval time zone \"{}\" must not include months or days", shown));
  }
  return {
      DatetimeZone::Kind::Offset, static_cast<int32_t>(interval.microseconds / kMicrosecondsPerSecond), nullptr, {}};
}

char* printOffset(int32_t offset, char* out) {
  *out++ = offset < 0 ? '-' : '+';
  const auto seconds = static_cast<uint64_t>(offset < 0 ? -offset : offset);
  out = printDigits(seconds / 3600, 2, out);
  if (seconds % 3600 == 0) return out;
  *out++ = ':';
  out = printDigits(seconds / 60 % 60, 2, out);
  if (seconds % 60 == 0) return out;
  *out++ = ':';
  return printDigits(seconds % 60, 2, out);
}

int64_t truncateInZone(DatetimeField field, int64_t timestamp, const DatetimeZone& zone) {
  if (!isFiniteTimestamp(timestamp)) return timestamp;
  const int32_t offset = offsetAt(zone, timestamp);
  const int64_t local = timestamp + offset * kMicrosecondsPerSecond;
  const int64_t truncated = truncateTimestamp(field, local);
  // Parts of a day keep the offset; what begins at midnight has midnight's.
  return field <= DatetimeField::Hour ? moved(truncated, -int64_t{offset}) : toUtc(zone, truncated);
}

}  // namespace

int64_t parseTimestampTz(std::string_view text, int32_t typmod) {
  DatetimeParts parts;
  const DatetimeFault fault = readDatetime(text, parts);
  if (fault != DatetimeFault::None) throwDatetimeFault(fault, text, "timestamp with time zone");
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
  const auto refuse = [text] {
    throw SqlError(sqlstate::kDatetimeFieldOverflow, fmt::format("timestamp out of range: \"{}\"", text));
  };
  if (parts.year < -4713 || parts.year > 294277) refuse();
  const int64_t days = daysFromCivil(parts.year, parts.month, parts.day);
  const int64_t seconds = days * 86400 + parts.microseconds / kMicrosecondsPerSecond;
  const int32_t offset = parts.zone.offsetOfLocal(seconds);
  int64_t timestamp;
  if (__builtin_add_overflow(days * kMicrosecondsPerDay, parts.microseconds - offset * kMicrosecondsPerSecond,
                             &timestamp) ||
      !isInRange(timestamp))
    refuse();
  return fitTimestamp(timestamp, typmod);
}

char* printTimestampTz(int64_t timestamp, char* out) {
  if (!isFiniteTimestamp(timestamp)) return printTimestamp(timestamp, out);
  if (textStyle().date != TextStyle::Date::Iso) [[unlikely]] {
    const std::string& abbreviation = sessionTimeZone().abbreviationAt(secondsOf(timestamp) + kUnixEpochSeconds);
    return printStyledTimestamp(uncheckedLocal(timestamp), ShownZone{sessionOffset(timestamp), abbreviation}, out);
  }
  constexpr std::string_view kBeforeChrist = " BC";
  char* end = printTimestamp(uncheckedLocal(timestamp), out);
  const bool is_before_christ = end[-1] == 'C';
  if (is_before_christ) end -= kBeforeChrist.size();
  end = printOffset(sessionOffset(timestamp), end);
  if (!is_before_christ) return end;
  std::memcpy(end, kBeforeChrist.data(), kBeforeChrist.size());
  return end + kBeforeChrist.size();
}

int64_t utcToLocal(int64_t timestamp) {
  return toLocal({}, timestamp);
}

int64_t localToUtc(int64_t local) {
  return toUtc({}, local);
}

int64_t dateToUtc(int32_t date) {
  const int64_t local = dateToTimestamp(date);
  return toUtc({}, local);
}

int64_t comparableLocalToUtc(int64_t local) {
  // No offset leads from the ends of the range to the infinities.
  if (!isFiniteTimestamp(local)) return local;
  return local - DatetimeZone{}.offsetOfLocal(secondsOf(local)) * kMicrosecondsPerSecond;
}

int64_t comparableDateToUtc(int32_t date) {
  constexpr int64_t kDaysEnd = kTimestampEnd / kMicrosecondsPerDay;
  if (isFiniteDate(date) && date >= kDaysEnd) return kTimestampInfinity - 1;
  return comparableLocalToUtc(dateToTimestamp(date));
}

int32_t utcToDate(int64_t timestamp) {
  return timestampToDate(isFiniteTimestamp(timestamp) ? uncheckedLocal(timestamp) : timestamp);
}

int64_t utcToZone(std::string_view zone, int64_t timestamp) {
  return isFiniteTimestamp(timestamp) ? toLocal(findDatetimeZone(zone), timestamp) : timestamp;
}

int64_t zoneToUtc(std::string_view zone, int64_t local) {
  return isFiniteTimestamp(local) ? toUtc(findDatetimeZone(zone), local) : local;
}

int64_t utcToZone(Interval zone, int64_t timestamp) {
  return isFiniteTimestamp(timestamp) ? toLocal(zoneOf(zone), timestamp) : timestamp;
}

int64_t zoneToUtc(Interval zone, int64_t local) {
  return isFiniteTimestamp(local) ? toUtc(zoneOf(zone), local) : local;
}

int64_t addIntervalToUtc(int64_t timestamp, Interval interval) {
  if (!isFiniteTimestamp(timestamp)) return timestamp;
  if (interval.months != 0) timestamp = localToUtc(addInterval(uncheckedLocal(timestamp), {0, 0, interval.months}));
  if (interval.days != 0) timestamp = localToUtc(addInterval(uncheckedLocal(timestamp), {0, interval.days, 0}));
  int64_t sum;
  if (__builtin_add_overflow(timestamp, interval.microseconds, &sum) || !isInRange(sum)) throwOutOfRange();
  return sum;
}

int64_t subtractIntervalFromUtc(int64_t timestamp, Interval interval) {
  if (!isFiniteTimestamp(timestamp)) return timestamp;
  Interval negated = interval;
  if (__builtin_sub_overflow(0, interval.months, &negated.months) ||
      __builtin_sub_overflow(0, interval.days, &negated.days) ||
      __builtin_sub_overflow(int64_t{0}, interval.microseconds, &negated.microseconds))
    throwOutOfRange();
  return addIntervalToUtc(timestamp, negated);
}

int64_t truncateUtc(DatetimeField field, int64_t timestamp) {
  return truncateInZone(field, timestamp, {});
}

int64_t truncateUtc(DatetimeField field, int64_t timestamp, std::string_view zone) {
  return isFiniteTimestamp(timestamp) ? truncateInZone(field, timestamp, findDatetimeZone(zone)) : timestamp;
}

bool isZoneField(DatetimeField field) {
  return field == DatetimeField::Zone || field == DatetimeField::ZoneHour || field == DatetimeField::ZoneMinute;
}

bool extractFromUtc(DatetimeField field, int64_t timestamp, int128& result) {
  if (!isFiniteTimestamp(timestamp) && isZoneField(field)) return false;
  if (!isFiniteTimestamp(timestamp) || field == DatetimeField::Epoch)
    return extractFromTimestamp(field, timestamp, result);
  const int32_t offset = sessionOffset(timestamp);
  switch (field) {
    case DatetimeField::Zone:
      result = offset;
      return true;
    case DatetimeField::ZoneHour:
      result = offset / 3600;
      return true;
    case DatetimeField::ZoneMinute:
      result = offset / 60 % 60;
      return true;
    default:
      return extractFromTimestamp(field, uncheckedLocal(timestamp), result);
  }
}

BigNumeric extractGrowingFromUtc(DatetimeField field, int64_t timestamp) {
  if (field == DatetimeField::Epoch || !isFiniteTimestamp(timestamp)) return extractGrowing(field, timestamp);
  return extractGrowing(field, uncheckedLocal(timestamp));
}

bool datePartOfUtc(DatetimeField field, int64_t timestamp, double& result) {
  if (!isZoneField(field)) {
    const bool stays = field == DatetimeField::Epoch || !isFiniteTimestamp(timestamp);
    return datePartOfTimestamp(field, stays ? timestamp : uncheckedLocal(timestamp), result);
  }
  int128 number = 0;
  if (!extractFromUtc(field, timestamp, number)) return false;
  result = static_cast<double>(number);
  return true;
}

int64_t utcFromSeconds(double seconds) {
  if (std::isnan(seconds)) throw SqlError(sqlstate::kDatetimeFieldOverflow, "timestamp cannot be NaN");
  if (std::isinf(seconds)) return seconds < 0 ? kTimestampMinusInfinity : kTimestampInfinity;
  const auto refuse = [seconds] {
    throw SqlError(sqlstate::kDatetimeFieldOverflow, fmt::format("timestamp out of range: \"{:g}\"", seconds));
  };
  constexpr double kSecondsMin = -210866803200.0;  // 4714-11-24 BC, of 1970
  constexpr double kSecondsEnd = 9224318016000.0;
  if (seconds < kSecondsMin || seconds >= kSecondsEnd) refuse();
  const double moved_seconds = std::rint((seconds - static_cast<double>(kUnixEpochSeconds)) * 1e6);
  const auto timestamp = static_cast<int64_t>(moved_seconds);
  if (!isInRange(timestamp)) refuse();
  return timestamp;
}

}  // namespace gnomon::sql
