#include "codegen/runtime/datetime_runtime.h"

#include "codegen/ir/trap.h"
#include "sql/types/date.h"
#include "sql/types/datetime_field.h"
#include "sql/types/time.h"
#include "sql/types/timestamp.h"
#include "sql/types/timestamptz.h"

namespace gnomon::codegen::rt {
namespace {

using sql::DatetimeField;
using sql::Interval;

Interval intervalOf(uint64_t lo, uint64_t hi) {
  return Interval::fromBits(lo, hi);
}

}  // namespace

int32_t addDays(int32_t date, int32_t days) {
  return sql::addDays(date, days);
}

int32_t subtractDays(int32_t date, int32_t days) {
  return sql::addDays(date, -int64_t{days});
}

int32_t subtractDates(int32_t left, int32_t right) {
  return sql::subtractDates(left, right);
}

int32_t makeDate(int32_t year, int32_t month, int32_t day) {
  return sql::makeDate(year, month, day);
}

int64_t addIntervalToDate(int32_t date, uint64_t lo, uint64_t hi) {
  return sql::addIntervalToDate(date, intervalOf(lo, hi));
}

int64_t subtractIntervalFromDate(int32_t date, uint64_t lo, uint64_t hi) {
  return sql::subtractIntervalFromDate(date, intervalOf(lo, hi));
}

int64_t addIntervalToTimestamp(int64_t timestamp, uint64_t lo, uint64_t hi) {
  return sql::addInterval(timestamp, intervalOf(lo, hi));
}

int64_t subtractIntervalFromTimestamp(int64_t timestamp, uint64_t lo, uint64_t hi) {
  return sql::subtractInterval(timestamp, intervalOf(lo, hi));
}

Pair subtractTimestamps(int64_t left, int64_t right) {
  return toPair(sql::subtractTimestamps(left, right));
}

Pair ageTimestamps(int64_t left, int64_t right) {
  return toPair(sql::age(left, right));
}

int32_t compareDateTimestamp(int32_t date, int64_t timestamp) {
  return sql::compareDateTimestamp(date, timestamp);
}

int64_t comparableDateToUtc(int32_t date) {
  return sql::comparableDateToUtc(date);
}

int64_t comparableLocalToUtc(int64_t local) {
  return sql::comparableLocalToUtc(local);
}

Pair addIntervals(uint64_t left_lo, uint64_t left_hi, uint64_t right_lo, uint64_t right_hi) {
  return toPair(sql::addIntervals(intervalOf(left_lo, left_hi), intervalOf(right_lo, right_hi)));
}

Pair subtractIntervals(uint64_t left_lo, uint64_t left_hi, uint64_t right_lo, uint64_t right_hi) {
  return toPair(sql::subtractIntervals(intervalOf(left_lo, left_hi), intervalOf(right_lo, right_hi)));
}

Pair negateInterval(uint64_t lo, uint64_t hi) {
  return toPair(sql::negateInterval(intervalOf(lo, hi)));
}

Pair multiplyInterval(uint64_t lo, uint64_t hi, double factor) {
  return toPair(sql::multiplyInterval(intervalOf(lo, hi), factor));
}

Pair divideInterval(uint64_t lo, uint64_t hi, double divisor) {
  return toPair(sql::divideInterval(intervalOf(lo, hi), divisor));
}

Pair justifyDays(uint64_t lo, uint64_t hi) {
  return toPair(sql::justifyDays(intervalOf(lo, hi)));
}

Pair justifyHours(uint64_t lo, uint64_t hi) {
  return toPair(sql::justifyHours(intervalOf(lo, hi)));
}

Pair justifyInterval(uint64_t lo, uint64_t hi) {
  return toPair(sql::justifyInterval(intervalOf(lo, hi)));
}

int32_t compareIntervals(uint64_t left_lo, uint64_t left_hi, uint64_t right_lo, uint64_t right_hi) {
  return sql::compareIntervals(intervalOf(left_lo, left_hi), intervalOf(right_lo, right_hi));
}

bool equalIntervals(uint64_t left_lo, uint64_t left_hi, uint64_t right_lo, uint64_t right_hi) {
  return compareIntervals(left_lo, left_hi, right_lo, right_hi) == 0;
}

uint64_t hashInterval(uint64_t lo, uint64_t hi) {
  return sql::hashInterval(intervalOf(lo, hi));
}

int128 extractFromDate(int32_t field, int32_t date, bool* is_null) {
  if (!sql::isFiniteDate(date) && sql::isGrowing(static_cast<DatetimeField>(field))) throw DecimalOverflow();
  int128 result = 0;
  *is_null = !sql::extractFromDate(static_cast<DatetimeField>(field), date, result);
  return result;
}

int128 extractFromTimestamp(int32_t field, int64_t timestamp, bool* is_null) {
  if (!sql::isFiniteTimestamp(timestamp) && sql::isGrowing(static_cast<DatetimeField>(field))) throw DecimalOverflow();
  int128 result = 0;
  *is_null = !sql::extractFromTimestamp(static_cast<DatetimeField>(field), timestamp, result);
  return result;
}

int128 extractFromInterval(int32_t field, uint64_t lo, uint64_t hi, bool* is_null) {
  int128 result = 0;
  *is_null = !sql::extractFromInterval(static_cast<DatetimeField>(field), intervalOf(lo, hi), result);
  return result;
}

StringValue extractGrowingFromDate(int32_t field, int32_t date, Arena* arena) {
  return copied(sql::extractGrowing(static_cast<DatetimeField>(field), date).encoded(), arena);
}

StringValue extractGrowingFromTimestamp(int32_t field, int64_t timestamp, Arena* arena) {
  return copied(sql::extractGrowing(static_cast<DatetimeField>(field), timestamp).encoded(), arena);
}

double datePartOfTimestamp(int32_t field, int64_t timestamp, bool* is_null) {
  double result = 0;
  *is_null = !sql::datePartOfTimestamp(static_cast<DatetimeField>(field), timestamp, result);
  return result;
}

double datePartOfInterval(int32_t field, uint64_t lo, uint64_t hi, bool* is_null) {
  double result = 0;
  *is_null = !sql::datePartOfInterval(static_cast<DatetimeField>(field), intervalOf(lo, hi), result);
  return result;
}

int64_t truncateTimestamp(int32_t field, int64_t timestamp) {
  return sql::truncateTimestamp(static_cast<DatetimeField>(field), timestamp);
}

Pair truncateInterval(int32_t field, uint64_t lo, uint64_t hi) {
  return toPair(sql::truncateInterval(static_cast<DatetimeField>(field), intervalOf(lo, hi)));
}

int64_t binTimestamp(uint64_t stride_lo, uint64_t stride_hi, int64_t timestamp, int64_t origin) {
  return sql::binTimestamp(intervalOf(stride_lo, stride_hi), timestamp, origin);
}

int64_t addIntervalToUtc(int64_t timestamp, uint64_t lo, uint64_t hi) {
  return sql::addIntervalToUtc(timestamp, intervalOf(lo, hi));
}

int64_t subtractIntervalFromUtc(int64_t timestamp, uint64_t lo, uint64_t hi) {
  return sql::subtractIntervalFromUtc(timestamp, intervalOf(lo, hi));
}

int64_t addIntervalToTime(int64_t time, uint64_t lo) {
  return sql::addIntervalToTime(time, intervalOf(lo, 0));
}

int64_t subtractIntervalFromTime(int64_t time, uint64_t lo) {
  return sql::subtractIntervalFromTime(time, intervalOf(lo, 0));
}

int64_t addTimeToDate(int32_t date, int64_t time) {
  return sql::addTimeToDate(date, time);
}

int64_t makeTime(int32_t hour, int32_t minute, double second) {
  return sql::makeTime(hour, minute, second);
}

int64_t utcFromSeconds(double seconds) {
  return sql::utcFromSeconds(seconds);
}

Pair ageUtc(int64_t left, int64_t right) {
  return toPair(sql::age(sql::utcToLocal(left), sql::utcToLocal(right)));
}

int64_t utcToZone(uint64_t zone_lo, uint64_t zone_hi, int64_t timestamp) {
  const StringValue zone(zone_lo, zone_hi);
  return sql::utcToZone(zone.view(), timestamp);
}

int64_t zoneToUtc(uint64_t zone_lo, uint64_t zone_hi, int64_t local) {
  const StringValue zone(zone_lo, zone_hi);
  return sql::zoneToUtc(zone.view(), local);
}

int64_t utcToOffset(uint64_t lo, uint64_t hi, int64_t timestamp) {
  return sql::utcToZone(intervalOf(lo, hi), timestamp);
}

int64_t offsetToUtc(uint64_t lo, uint64_t hi, int64_t local) {
  return sql::zoneToUtc(intervalOf(lo, hi), local);
}

int128 extractFromUtc(int32_t field, int64_t timestamp, bool* is_null) {
  const auto wanted = static_cast<DatetimeField>(field);
  // Infinity, as of timestamps without zone.
  if (!sql::isFiniteTimestamp(timestamp) && !sql::isZoneField(wanted))
    return extractFromTimestamp(field, timestamp, is_null);
  int128 result = 0;
  *is_null = !sql::extractFromUtc(wanted, timestamp, result);
  return result;
}

int128 extractFromTime(int32_t field, int64_t time, bool* is_null) {
  int128 result = 0;
  *is_null = !sql::extractFromTime(static_cast<DatetimeField>(field), time, result);
  return result;
}

StringValue extractGrowingFromUtc(int32_t field, int64_t timestamp, Arena* arena) {
  return copied(sql::extractGrowingFromUtc(static_cast<DatetimeField>(field), timestamp).encoded(), arena);
}

double datePartOfUtc(int32_t field, int64_t timestamp, bool* is_null) {
  double result = 0;
  *is_null = !sql::datePartOfUtc(static_cast<DatetimeField>(field), timestamp, result);
  return result;
}

double datePartOfTime(int32_t field, int64_t time) {
  return sql::datePartOfTime(static_cast<DatetimeField>(field), time);
}

int64_t truncateUtc(int32_t field, int64_t timestamp) {
  return sql::truncateUtc(static_cast<DatetimeField>(field), timestamp);
}

int64_t truncateUtcInZone(int32_t field, int64_t timestamp, uint64_t zone_lo, uint64_t zone_hi) {
  const StringValue zone(zone_lo, zone_hi);
  return sql::truncateUtc(static_cast<DatetimeField>(field), timestamp, zone.view());
}

int32_t parseExtractField(uint64_t lo, uint64_t hi, int32_t source) {
  const StringValue text(lo, hi);
  return static_cast<int32_t>(sql::parseExtractField(text.view(), static_cast<sql::TypeKind>(source)));
}

int32_t parseTruncateField(uint64_t lo, uint64_t hi, int32_t source) {
  const StringValue text(lo, hi);
  return static_cast<int32_t>(sql::parseTruncateField(text.view(), static_cast<sql::TypeKind>(source)));
}

}  // namespace gnomon::codegen::rt
