#pragma once

#include <cstdint>
#include <string_view>

#include "base/int128.h"
#include "sql/types/big_numeric.h"
#include "sql/types/interval.h"
#include "sql/types/type.h"

namespace gnomon::sql {

/// The fields of extract, date_part and date_trunc.
enum class DatetimeField : uint8_t {
  Microseconds,
  Milliseconds,
  Second,
  Minute,
  Hour,
  Day,
  Week,
  Month,
  Quarter,
  Year,
  Decade,
  Century,
  Millennium,
  DayOfWeek,
  IsoDayOfWeek,
  DayOfYear,
  IsoYear,
  Julian,
  Epoch,
  Zone,
  ZoneHour,
  ZoneMinute,
};

/// The field named `text` (any case, PostgreSQL's abbreviations), as extract from or date_trunc of `source` (a date, a
/// time, a timestamp or an interval) takes it. Failure: 22023 not recognised, 0A000 not supported for the type.
DatetimeField parseExtractField(std::string_view text, TypeKind source);
DatetimeField parseTruncateField(std::string_view text, TypeKind source);

/// Fields that grow with time without end (year, epoch): of infinity they are infinite, the others NULL.
bool isGrowing(DatetimeField field);

/// The type of extract(field from source): a decimal with PostgreSQL's scale (Big for julian of a timestamp).
Type extractType(DatetimeField field, TypeKind source);

/// extract as the scaled integer of extractType's scale. False: NULL (a field of an infinite date or timestamp). Not
/// for a growing field of an infinite value: no decimal holds Infinity.
bool extractFromDate(DatetimeField field, int32_t date, int128& result);
bool extractFromTimestamp(DatetimeField field, int64_t timestamp, int128& result);
bool extractFromInterval(DatetimeField field, Interval interval, int128& result);
bool extractFromTime(DatetimeField field, int64_t time, int128& result);
/// A growing field, of infinity too.
BigNumeric extractGrowing(DatetimeField field, int32_t date);
BigNumeric extractGrowing(DatetimeField field, int64_t timestamp);
/// date_part: extract as a double, infinities included. False: NULL.
bool datePartOfTimestamp(DatetimeField field, int64_t timestamp, double& result);
bool datePartOfInterval(DatetimeField field, Interval interval, double& result);
double datePartOfTime(DatetimeField field, int64_t time);

int64_t truncateTimestamp(DatetimeField field, int64_t timestamp);
/// date_bin: the last of the moments a whole number of strides from `origin` that is not after the timestamp; both with
/// or without time zone. Failure: 22008 (also a stride that is not positive), 0A000 a stride with months.
int64_t binTimestamp(Interval stride, int64_t timestamp, int64_t origin);
Interval truncateInterval(DatetimeField field, Interval interval);

}  // namespace gnomon::sql
