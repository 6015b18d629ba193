#pragma once

#include <cstdint>

#include "base/int128.h"
#include "codegen/runtime/register_value.h"

namespace gnomon::codegen::rt {

/// Dates (days), timestamps (microseconds) and intervals (two words); see sql/types/date.h, timestamp.h, interval.h.
int32_t addDays(int32_t date, int32_t days);
int32_t subtractDays(int32_t date, int32_t days);
int32_t subtractDates(int32_t left, int32_t right);
int32_t makeDate(int32_t year, int32_t month, int32_t day);
int64_t addIntervalToDate(int32_t date, uint64_t lo, uint64_t hi);
int64_t subtractIntervalFromDate(int32_t date, uint64_t lo, uint64_t hi);
int64_t addIntervalToTimestamp(int64_t timestamp, uint64_t lo, uint64_t hi);
int64_t subtractIntervalFromTimestamp(int64_t timestamp, uint64_t lo, uint64_t hi);
Pair subtractTimestamps(int64_t left, int64_t right);
Pair ageTimestamps(int64_t left, int64_t right);
/// -1, 0, 1.
int32_t compareDateTimestamp(int32_t date, int64_t timestamp);
/// What stands for them beside a timestamp with time zone.
int64_t comparableDateToUtc(int32_t date);
int64_t comparableLocalToUtc(int64_t local);

Pair addIntervals(uint64_t left_lo, uint64_t left_hi, uint64_t right_lo, uint64_t right_hi);
Pair subtractIntervals(uint64_t left_lo, uint64_t left_hi, uint64_t right_lo, uint64_t right_hi);
Pair negateInterval(uint64_t lo, uint64_t hi);
Pair multiplyInterval(uint64_t lo, uint64_t hi, double factor);
Pair divideInterval(uint64_t lo, uint64_t hi, double divisor);
Pair justifyDays(uint64_t lo, uint64_t hi);
Pair justifyHours(uint64_t lo, uint64_t hi);
Pair justifyInterval(uint64_t lo, uint64_t hi);
int32_t compareIntervals(uint64_t left_lo, uint64_t left_hi, uint64_t right_lo, uint64_t right_hi);
bool equalIntervals(uint64_t left_lo, uint64_t left_hi, uint64_t right_lo, uint64_t right_hi);
uint64_t hashInterval(uint64_t lo, uint64_t hi);

/// extract(field from ...): field is a sql::DatetimeField, the result scaled as sql::extractType says. *is_null is set
/// to whether the result is NULL (a field of infinity). Failure: DecimalOverflow for a growing field of infinity.
int128 extractFromDate(int32_t field, int32_t date, bool* is_null);
int128 extractFromTimestamp(int32_t field, int64_t timestamp, bool* is_null);
int128 extractFromInterval(int32_t field, uint64_t lo, uint64_t hi, bool* is_null);
/// The same as a Big numeric, for growing fields; infinite of infinity.
StringValue extractGrowingFromDate(int32_t field, int32_t date, Arena* arena);
StringValue extractGrowingFromTimestamp(int32_t field, int64_t timestamp, Arena* arena);
double datePartOfTimestamp(int32_t field, int64_t timestamp, bool* is_null);
double datePartOfInterval(int32_t field, uint64_t lo, uint64_t hi, bool* is_null);
int64_t truncateTimestamp(int32_t field, int64_t timestamp);
Pair truncateInterval(int32_t field, uint64_t lo, uint64_t hi);
int64_t binTimestamp(uint64_t stride_lo, uint64_t stride_hi, int64_t timestamp, int64_t origin);
/// Of timestamps with time zone and times of day; see sql/types/timestamptz.h and time.h. Zones are names (two words)
/// or intervals.
int64_t addIntervalToUtc(int64_t timestamp, uint64_t lo, uint64_t hi);
int64_t subtractIntervalFromUtc(int64_t timestamp, uint64_t lo, uint64_t hi);
int64_t addIntervalToTime(int64_t time, uint64_t lo);
int64_t subtractIntervalFromTime(int64_t time, uint64_t lo);
int64_t addTimeToDate(int32_t date, int64_t time);
int64_t makeTime(int32_t hour, int32_t minute, double second);
int64_t utcFromSeconds(double seconds);
Pair ageUtc(int64_t left, int64_t right);
int64_t utcToZone(uint64_t zone_lo, uint64_t zone_hi, int64_t timestamp);
int64_t zoneToUtc(uint64_t zone_lo, uint64_t zone_hi, int64_t local);
int64_t utcToOffset(uint64_t lo, uint64_t hi, int64_t timestamp);
int64_t offsetToUtc(uint64_t lo, uint64_t hi, int64_t local);
int128 extractFromUtc(int32_t field, int64_t timestamp, bool* is_null);
int128 extractFromTime(int32_t field, int64_t time, bool* is_null);
StringValue extractGrowingFromUtc(int32_t field, int64_t timestamp, Arena* arena);
double datePartOfUtc(int32_t field, int64_t timestamp, bool* is_null);
double datePartOfTime(int32_t field, int64_t time);
int64_t truncateUtc(int32_t field, int64_t timestamp);
int64_t truncateUtcInZone(int32_t field, int64_t timestamp, uint64_t zone_lo, uint64_t zone_hi);
/// The field's number for a name known only at run time; source is a sql::TypeKind.
int32_t parseExtractField(uint64_t lo, uint64_t hi, int32_t source);
int32_t parseTruncateField(uint64_t lo, uint64_t hi, int32_t source);

}  // namespace gnomon::codegen::rt
