#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "sql/functions/picture.h"
#include "sql/types/interval.h"

namespace gnomon::sql {

/// The patterns of dates and times.
enum class DatetimePattern : uint8_t {
  EraDotted,
  Era,
  MeridianDotted,
  Meridian,
  Century,
  DayName,
  DayAbbreviation,
  DayOfYear,
  IsoDayOfYear,
  Day,
  DayOfWeek,
  IsoDayOfWeek,
  Fraction1,
  Fraction2,
  Fraction3,
  Fraction4,
  Fraction5,
  Fraction6,
  Exact,  ///< FX
  Hour12,
  Hour24,
  IsoWeek,
  IsoYear4,
  IsoYear3,
  IsoYear2,
  IsoYear1,
  Julian,
  Minute,
  Month,
  MonthName,
  MonthAbbreviation,
  Millisecond,
  Offset,
  Quarter,
  RomanMonth,
  SecondOfDay,
  Second,
  ZoneHours,
  ZoneMinutes,
  Zone,
  Microsecond,
  WeekOfYear,
  WeekOfMonth,
  YearWithComma,
  Year4,
  Year3,
  Year2,
  Year1,
};
/// Which calendar a pattern belongs to; they do not mix in what is read.
enum class DateConvention : uint8_t { None, Gregorian, IsoWeek };

/// The parsed picture; of this thread, until it asks for another.
const std::vector<PictureNode>& datetimePicture(std::string_view picture);

/// What to_char shows.
struct ShownMoment {
  bool is_interval = false;
  int32_t year = 0;  ///< astronomical
  int32_t month = 0;
  int32_t day = 0;
  int64_t hour = 0;
  int32_t minute = 0;
  int32_t second = 0;
  int32_t microsecond = 0;
  int32_t week_day = 0;  ///< Sunday 0
  int32_t year_day = 0;
  int32_t offset = 0;  ///< east of UTC
  std::string_view zone;
};
ShownMoment momentOf(int64_t timestamp);
ShownMoment momentOf(Interval interval);
/// Failure: 22007 for what an interval has not.
std::string showMoment(const ShownMoment& moment, std::string_view picture);

/// What to_date and to_timestamp read.
struct ReadMoment {
  int32_t year = 0;
  int32_t month = 1;
  int32_t day = 1;
  int64_t time = 0;  ///< microseconds of the day
  bool has_zone = false;
  int32_t offset = 0;  ///< east of UTC
  int32_t digits = 0;  ///< of the second's fraction; 0: all
};
/// Failure: 22007, 22008, 0A000 as PostgreSQL's.
ReadMoment readMoment(std::string_view text, std::string_view picture);

}  // namespace gnomon::sql
