#include "sql/functions/datetime_functions.h"

#include <fmt/format.h>

#include <bit>
#include <cmath>

#include "base/sql_error.h"
#include "base/time_zone.h"
#include "sql/functions/datetime_picture.h"
#include "sql/types/date.h"
#include "sql/types/datetime_text.h"
#include "sql/types/time.h"
#include "sql/types/timestamp.h"
#include "sql/types/timestamptz.h"

namespace gnomon::sql {
namespace {

using enum TypeKind;
using Arguments = std::span<const Value>;

int32_t integerAt(Arguments arguments, size_t index) {
  return index < arguments.size() ? static_cast<int32_t>(arguments[index].lo) : 0;
}
double doubleAt(Arguments arguments, size_t index) {
  return index < arguments.size() ? std::bit_cast<double>(arguments[index].lo) : 0;
}

// to_char: NULL without a picture and of infinity.

Value timestampToChar(Arguments arguments, Type result) {
  const int64_t timestamp = arguments[0].asInt();
  if (arguments[1].bytes.empty() || !isFiniteTimestamp(timestamp)) return Value::null(result);
  return Value::fromString(result, showMoment(momentOf(timestamp), arguments[1].bytes));
}

Value timestampTzToChar(Arguments arguments, Type result) {
  const int64_t timestamp = arguments[0].asInt();
  if (arguments[1].bytes.empty() || !isFiniteTimestamp(timestamp)) return Value::null(result);
  constexpr int64_t kEpoch = int64_t{kUnixToPostgresDays} * 86400;
  const int64_t seconds =
      timestamp / kMicrosecondsPerSecond - (timestamp % kMicrosecondsPerSecond < 0 ? 1 : 0) + kEpoch;
  ShownMoment moment = momentOf(utcToLocal(timestamp));
  moment.offset = sessionTimeZone().offsetAt(seconds);
  moment.zone = sessionTimeZone().abbreviationAt(seconds);
  return Value::fromString(result, showMoment(moment, arguments[1].bytes));
}

Value intervalToChar(Arguments arguments, Type result) {
  if (arguments[1].bytes.empty()) return Value::null(result);
  const auto interval = sql::Interval::fromBits(arguments[0].lo, arguments[0].hi);
  return Value::fromString(result, showMoment(momentOf(interval), arguments[1].bytes));
}

// to_date and to_timestamp.

[[noreturn]] void throwTimestampRange() {
  throw SqlError(sqlstate::kDatetimeFieldOverflow, "timestamp out of range");
}

int64_t checkedTimestamp(int64_t timestamp) {
  if (timestamp < kTimestampMin || timestamp >= kTimestampEnd) throwTimestampRange();
  return timestamp;
}

Value toTimestamp(Arguments arguments, Type result) {
  const ReadMoment moment = readMoment(arguments[0].bytes, arguments[1].bytes);
  const std::optional<int64_t> local = moment.local();
  if (!local) throwTimestampRange();
  int64_t utc = 0;
  if (moment.has_zone)
    utc = checkedTimestamp(*local - int64_t{moment.offset} * kMicrosecondsPerSecond);
  else
    utc = localToUtc(*local);
  return Value::fromInt(result, moment.digits != 0 ? fitTimestamp(utc, moment.digits) : utc);
}

Value toDate(Arguments arguments, Type result) {
  const ReadMoment moment = readMoment(arguments[0].bytes, arguments[1].bytes);
  const std::optional<int32_t> date = moment.date();
  if (!date)
    throw SqlError(sqlstate::kDatetimeFieldOverflow, fmt::format("date out of range: \"{}\"", arguments[0].bytes));
  return Value::fromInt(result, *date);
}

// Dates and timestamps beside timestamps with time zone.

Value comparableDate(Arguments arguments, Type result) {
  return Value::fromInt(result, comparableDateToUtc(static_cast<int32_t>(arguments[0].asInt())));
}

Value comparableTimestamp(Arguments arguments, Type result) {
  return Value::fromInt(result, comparableLocalToUtc(arguments[0].asInt()));
}

// Out of parts.

int64_t localOf(Arguments arguments) {
  const int32_t year = integerAt(arguments, 0), month = integerAt(arguments, 1), day = integerAt(arguments, 2);
  const int32_t hour = integerAt(arguments, 3), minute = integerAt(arguments, 4);
  const double second = doubleAt(arguments, 5);
  const int64_t date = makeDate(year, month, day);
  const int64_t time = makeTime(hour, minute, second);
  int64_t timestamp = 0;
  if (__builtin_mul_overflow(date, kMicrosecondsPerDay, &timestamp) ||
      __builtin_add_overflow(timestamp, time, &timestamp) || timestamp < kTimestampMin || timestamp >= kTimestampEnd) {
    char text[32];
    std::snprintf(text, sizeof(text), "%02g", second);
    throw SqlError(sqlstate::kDatetimeFieldOverflow, fmt::format("timestamp out of range: {}-{:02}-{:02} {}:{:02}:{}",
                                                                 year, month, day, hour, minute, text));
  }
  return timestamp;
}

Value makeTimestamp(Arguments arguments, Type result) {
  return Value::fromInt(result, localOf(arguments));
}

Value makeTimestampTz(Arguments arguments, Type result) {
  return Value::fromInt(result, localToUtc(localOf(arguments)));
}

/// The zone is an offset, an abbreviation or a name.
Value makeTimestampInZone(Arguments arguments, Type result) {
  const int64_t local = localOf(arguments);
  const std::string& zone = arguments[6].bytes;
  if (!zone.empty() && zone[0] >= '0' && zone[0] <= '9')
    throw SqlError(sqlstate::kInvalidParameterValue,
                   fmt::format("invalid input syntax for type numeric time zone: \"{}\"", zone))
        .hint("Numeric time zones must have \"-\" or \"+\" as first character.");
  DatetimeZone found;
  if (zone.starts_with('-') || zone.starts_with('+')) {
    const DatetimeFault fault = readZoneOffset(zone, found);
    if (fault == DatetimeFault::ZoneOverflow)
      throw SqlError(sqlstate::kInvalidParameterValue, fmt::format("numeric time zone \"{}\" out of range", zone));
    if (fault != DatetimeFault::None) found = findDatetimeZone(zone);
  } else {
    found = findDatetimeZone(zone);
  }
  const int64_t seconds = local / kMicrosecondsPerSecond - (local % kMicrosecondsPerSecond < 0 ? 1 : 0);
  const int64_t offset = found.offsetOfLocal(seconds);
  return Value::fromInt(result, checkedTimestamp(local - offset * kMicrosecondsPerSecond));
}

/// What overflows wraps around, as it does in PostgreSQL 15.
Value makeInterval(Arguments arguments, Type result) {
  const double seconds = doubleAt(arguments, 6);
  if (!std::isfinite(seconds)) throw SqlError(sqlstate::kDatetimeFieldOverflow, "interval out of range");
  const auto part = [&](size_t index) { return static_cast<uint32_t>(integerAt(arguments, index)); };
  const auto longPart = [&](size_t index) { return static_cast<uint64_t>(int64_t{integerAt(arguments, index)}); };
  sql::Interval interval;
  const double microseconds = std::rint(seconds * 1e6);
  const int64_t rest = std::fabs(microseconds) < 0x1p63 ? static_cast<int64_t>(microseconds) : INT64_MIN;
  interval.months = static_cast<int32_t>(part(0) * kMonthsPerYear + part(1));
  interval.days = static_cast<int32_t>(part(2) * 7 + part(3));
  interval.microseconds = static_cast<int64_t>(longPart(4) * kMicrosecondsPerHour +
                                               longPart(5) * kMicrosecondsPerMinute + static_cast<uint64_t>(rest));
  return {result, false, interval.lo(), interval.hi(), {}};
}

}  // namespace

void addDatetimeFunctions(std::vector<ValueFunction>& functions) {
  const auto add = [&](std::string_view name, std::vector<TypeKind> arguments, TypeKind result,
                       Value (*answer)(Arguments, Type), Volatility volatility = Volatility::Stable) {
    functions.push_back({name, std::move(arguments), result, answer, volatility});
  };
  add("to_char", {Timestamp, Text}, Text, timestampToChar);
  add("to_char", {TimestampTz, Text}, Text, timestampTzToChar);
  add("to_char", {TypeKind::Interval, Text}, Text, intervalToChar);
  add("$comparable_date", {Date}, TimestampTz, comparableDate);
  add("$comparable_timestamp", {Timestamp}, TimestampTz, comparableTimestamp);
  add("to_date", {Text, Text}, Date, toDate);
  add("to_timestamp", {Text, Text}, TimestampTz, toTimestamp);
  const std::vector<TypeKind> parts{Integer, Integer, Integer, Integer, Integer, Double};
  std::vector<TypeKind> in_zone = parts;
  in_zone.push_back(Text);
  add("make_timestamp", parts, Timestamp, makeTimestamp, Volatility::Immutable);
  add("make_timestamptz", parts, TimestampTz, makeTimestampTz);
  add("make_timestamptz", in_zone, TimestampTz, makeTimestampInZone);
  // Any number of its parameters.
  std::vector<TypeKind> of_interval;
  add("make_interval", of_interval, TypeKind::Interval, makeInterval, Volatility::Immutable);
  for (int i = 0; i < 7; ++i) {
    of_interval.push_back(i < 6 ? Integer : Double);
    add("make_interval", of_interval, TypeKind::Interval, makeInterval, Volatility::Immutable);
  }
}

}  // namespace gnomon::sql
