#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

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
/// The same of a picture in the SQL standard's form. Failure: 22007 for what is no separator there.
const std::vector<PictureNode>& standardDatetimePicture(std::string_view picture);

/// What a picture's patterns are about.
struct PictureParts {
  bool has_date = false;
  bool has_time = false;
  bool has_zone = false;
};
PictureParts partsOf(const std::vector<PictureNode>& picture);

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

  /// Nothing: out of a date's range.
  [[nodiscard]] std::optional<int32_t> date() const;
  /// Microseconds since 2000-01-01 by the zone's clock; nothing: they do not fit.
  [[nodiscard]] std::optional<int64_t> local() const;
};
/// Failure: 22007, 22008, 0A000 as PostgreSQL's.
ReadMoment readMoment(std::string_view text, std::string_view picture);
/// As the SQL standard reads: what stands between patterns is in the text as in the picture, and both end together.
/// Failure: the same.
ReadMoment readStandardMoment(std::string_view text, const std::vector<PictureNode>& picture);

}  // namespace gnomon::sql
