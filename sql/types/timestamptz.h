#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "sql/types/big_numeric.h"
#include "sql/types/datetime_field.h"
#include "sql/types/datetime_text.h"
#include "sql/types/timestamp.h"

namespace gnomon::sql {

/// A timestamp with time zone is a timestamp of UTC. Where a zone is needed and none is given, it is the session's
/// (sessionTimeZone()); "local" is a timestamp that its clock shows. Failure of all: 22008 "timestamp out of range".

/// From text, with or without a zone. Failure besides: 22007, 22008, 22009, 22023 for a zone that is not known.
int64_t parseTimestampTz(std::string_view text, int32_t typmod = -1);
/// Writes ISO at `out` (room for kTimestampTzTextBytesMax bytes) and returns the end.
char* printTimestampTz(int64_t timestamp, char* out);
inline constexpr size_t kTimestampTzTextBytesMax = 64;

int64_t utcToLocal(int64_t timestamp);
int64_t localToUtc(int64_t local);
int64_t dateToUtc(int32_t date);
int32_t utcToDate(int64_t timestamp);
/// The moment to compare others with, without failure: behind the ends of the range it is beyond all of them but
/// infinity.
int64_t comparableLocalToUtc(int64_t local);
int64_t comparableDateToUtc(int32_t date);
/// `AT TIME ZONE` with a zone's name, or the offset an interval says. Failure besides: 22023.
int64_t utcToZone(std::string_view zone, int64_t timestamp);
int64_t zoneToUtc(std::string_view zone, int64_t local);
int64_t utcToZone(Interval zone, int64_t timestamp);
int64_t zoneToUtc(Interval zone, int64_t local);

/// Months and days by the session's clock, then the time.
int64_t addIntervalToUtc(int64_t timestamp, Interval interval);
int64_t subtractIntervalFromUtc(int64_t timestamp, Interval interval);
/// By the clock of a zone; of the session's when the name is empty.
int64_t truncateUtc(DatetimeField field, int64_t timestamp);
int64_t truncateUtc(DatetimeField field, int64_t timestamp, std::string_view zone);

/// timezone, timezone_hour, timezone_minute: the session's offset then.
bool isZoneField(DatetimeField field);
/// As the functions of datetime_field.h.
bool extractFromUtc(DatetimeField field, int64_t timestamp, int128& result);
BigNumeric extractGrowingFromUtc(DatetimeField field, int64_t timestamp);
bool datePartOfUtc(DatetimeField field, int64_t timestamp, double& result);

/// Seconds since 1970. Failure: 22008 "timestamp cannot be NaN", "timestamp out of range: \"...\"".
int64_t utcFromSeconds(double seconds);

}  // namespace gnomon::sql
