#include "sql/types/datetime_field.h"

#include <fmt/format.h>

#include <limits>
#include <string>

#include "base/assert.h"
#include "base/sql_error.h"
#include "sql/types/date.h"
#include "sql/types/datetime_text.h"
#include "sql/types/timestamp.h"

namespace gnomon::sql {
namespace {

using Field = DatetimeField;

constexpr unsigned kSecondScale = 6;
constexpr unsigned kMillisecondScale = 3;

std::string lowerCase(std::string_view text) {
  std::string lower(text);
  for (char& c : lower)
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c + ('a' - 'A'));
  return lower;
}

[[noreturn]] void throwNotRecognised(std::string_view unit, TypeKind source) {
  throw SqlError(sqlstate::kInvalidParameterValue,
                 fmt::format("unit \"{}\" not recognized for type {}", unit, Type::of(source).baseName()));
}

[[noreturn]] void throwUnsupported(std::string_view unit, TypeKind source) {
  throw SqlError(sqlstate::kFeatureNotSupported,
                 fmt::format("unit \"{}\" not supported for type {}", unit, Type::of(source).baseName()));
}

std::optional<Field> findSpecialField(std::string_view lower) {
  if (lower == "epoch") return Field::Epoch;
  if (lower == "dow") return Field::DayOfWeek;
  if (lower == "isodow") return Field::IsoDayOfWeek;
  if (lower == "doy") return Field::DayOfYear;
  if (lower == "isoyear") return Field::IsoYear;
  if (lower == "julian" || lower == "j" || lower == "jd") return Field::Julian;
  return std::nullopt;
}

constexpr bool isTimeField(Field field) {
  return field <= Field::Hour;
}

std::optional<Field> findZoneField(std::string_view lower) {
  if (lower == "timezone") return Field::Zone;
  // Names are compared up to ten letters.
  if (lower.starts_with("timezone_h")) return Field::ZoneHour;
  if (lower.starts_with("timezone_m")) return Field::ZoneMinute;
  return std::nullopt;
}

/// Fields that an interval has not.
constexpr bool isCalendarField(Field field) {
  switch (field) {
    case Field::Week:
    case Field::DayOfWeek:
    case Field::IsoDayOfWeek:
    case Field::DayOfYear:
    case Field::IsoYear:
    case Field::Julian:
      return true;
    default:
      return false;
  }
}

/// Year 0 is 1 BC, shown as -1: there is no year 0.
constexpr int32_t shownYear(int32_t year) {
  return year > 0 ? year : year - 1;
}
constexpr int32_t decadeOf(int32_t year) {
  return year >= 0 ? year / 10 : -((8 - (year - 1)) / 10);
}
constexpr int32_t centuryOf(int32_t year) {
  return year > 0 ? (year + 99) / 100 : -((99 - (year - 1)) / 100);
}
constexpr int32_t millenniumOf(int32_t year) {
  return year > 0 ? (year + 999) / 1000 : -((999 - (year - 1)) / 1000);
}

int64_t calendarField(Field field, int32_t days) {
  const CivilDate civil = civilFromDays(days);
  switch (field) {
    case Field::Day:
      return civil.day;
    case Field::Week:
      return isoWeek(days).week;
    case Field::Month:
      return civil.month;
    case Field::Quarter:
      return (civil.month - 1) / 3 + 1;
    case Field::Year:
      return shownYear(civil.year);
    case Field::Decade:
      return decadeOf(civil.year);
    case Field::Century:
      return centuryOf(civil.year);
    case Field::Millennium:
      return millenniumOf(civil.year);
    case Field::DayOfWeek:
      return dayOfWeek(days);
    case Field::IsoDayOfWeek:
      return dayOfWeek(days) == 0 ? 7 : dayOfWeek(days);
    case Field::DayOfYear:
      return days - daysFromCivil(civil.year, 1, 1) + 1;
    case Field::IsoYear:
      return shownYear(isoWeek(days).year);
    default:
      break;
  }
  CHECK(false, "calendar field");
  return 0;
}

/// Fields of a time of day or of an interval's time.
int64_t timeField(Field field, int64_t microseconds) {
  switch (field) {
    case Field::Hour:
      return microseconds / kMicrosecondsPerHour;
    case Field::Minute:
      return microseconds / kMicrosecondsPerMinute % 60;
    // One number at three scales.
    default:
      return microseconds % kMicrosecondsPerMinute;
  }
}

constexpr int64_t kUnixEpochSeconds = int64_t{kUnixToPostgresDays} * 86400;

double scaleDown(int128 value, Type type) {
  double divisor = 1;
  for (unsigned index = 0; index < type.scale; ++index) divisor *= 10;
  return static_cast<double>(value) / divisor;
}

/// Seconds and milliseconds of the minute as PostgreSQL's date_part sums them.
bool partOfMinute(Field field, int64_t microseconds, double& result) {
  const auto seconds = static_cast<double>(microseconds / kMicrosecondsPerSecond % 60);
  const auto fraction = static_cast<double>(microseconds % kMicrosecondsPerSecond);
  if (field == Field::Second) result = seconds + fraction / 1e6;
  if (field == Field::Milliseconds) result = seconds * 1000.0 + fraction / 1000.0;
  return field == Field::Second || field == Field::Milliseconds;
}

constexpr double kInfinity = std::numeric_limits<double>::infinity();

int32_t truncatedYear(Field field, int32_t year) {
  switch (field) {
    case Field::Decade:
      return year > 0 ? year / 10 * 10 : -((8 - (year - 1)) / 10) * 10;
    case Field::Century:
      return year > 0 ? (year + 99) / 100 * 100 - 99 : -((99 - (year - 1)) / 100) * 100 + 1;
    case Field::Millennium:
      return year > 0 ? (year + 999) / 1000 * 1000 - 999 : -((999 - (year - 1)) / 1000) * 1000 + 1;
    default:
      return year;
  }
}

int32_t truncatedDays(Field field, int32_t days) {
  if (field == Field::Day) return days;
  if (field == Field::Week) return days - (dayOfWeek(days) + 6) % 7;
  const CivilDate civil = civilFromDays(days);
  if (field == Field::Month) return daysFromCivil(civil.year, civil.month, 1);
  if (field == Field::Quarter) return daysFromCivil(civil.year, (civil.month - 1) / 3 * 3 + 1, 1);
  return daysFromCivil(truncatedYear(field, civil.year), 1, 1);
}

int64_t timeUnit(Field field) {
  switch (field) {
    case Field::Hour:
      return kMicrosecondsPerHour;
    case Field::Minute:
      return kMicrosecondsPerMinute;
    case Field::Second:
      return kMicrosecondsPerSecond;
    case Field::Milliseconds:
      return 1000;
    default:
      return 1;
  }
}

}  // namespace

DatetimeField parseExtractField(std::string_view text, TypeKind source) {
  const std::string lower = lowerCase(text);
  std::optional<Field> field = findTimeUnit(lower);
  if (!field) field = findSpecialField(lower);
  if (!field) field = findZoneField(lower);
  if (!field) throwNotRecognised(lower, source);
  if (*field >= Field::Zone && source != TypeKind::TimestampTz && source != TypeKind::TimeTz)
    throwUnsupported(lower, source);
  if (source == TypeKind::TimeTz && !isTimeField(*field) && *field != Field::Epoch && *field < Field::Zone)
    throwUnsupported(lower, source);
  if (source == TypeKind::Time && !isTimeField(*field) && *field != Field::Epoch) throwUnsupported(lower, source);
  if (source == TypeKind::Date && isTimeField(*field)) throwUnsupported(lower, source);
  if (source == TypeKind::Interval && isCalendarField(*field)) throwUnsupported(lower, source);
  return *field;
}

DatetimeField parseTruncateField(std::string_view text, TypeKind source) {
  const std::string lower = lowerCase(text);
  const std::optional<Field> field = findTimeUnit(lower);
  if (!field && findZoneField(lower)) throwUnsupported(lower, source);
  if (!field) throwNotRecognised(lower, source);
  if (source == TypeKind::Interval && *field == Field::Week)
    throw SqlError(sqlstate::kFeatureNotSupported, fmt::format("unit \"{}\" not supported for type interval", lower))
        .detail("Months usually have fractional weeks.");
  return *field;
}

bool isGrowing(DatetimeField field) {
  switch (field) {
    case Field::Year:
    case Field::Decade:
    case Field::Century:
    case Field::Millennium:
    case Field::IsoYear:
    case Field::Julian:
    case Field::Epoch:
      return true;
    default:
      return false;
  }
}

Type extractType(DatetimeField field, TypeKind source) {
  switch (field) {
    case Field::Second:
      return Type::decimal(source == TypeKind::Interval ? 19 : 18, kSecondScale);
    case Field::Milliseconds:
      return Type::decimal(18, kMillisecondScale);
    case Field::Epoch:
      return source == TypeKind::Date ? Type::decimal(18, 0) : Type::decimal(26, kSecondScale);
    case Field::Julian:
      return source == TypeKind::Date ? Type::decimal(18, 0) : Type::bigNumeric();
    default:
      return Type::decimal(18, 0);
  }
}

bool extractFromDate(DatetimeField field, int32_t date, int128& result) {
  if (!isFiniteDate(date)) {
    CHECK(!isGrowing(field), "Infinity has no decimal");
    return false;
  }
  if (field == Field::Epoch)
    result = int64_t{date} * 86400 + kUnixEpochSeconds;
  else if (field == Field::Julian)
    result = int64_t{date} + kPostgresEpochJulian;
  else
    result = calendarField(field, date);
  return true;
}

bool extractFromTimestamp(DatetimeField field, int64_t timestamp, int128& result) {
  if (!isFiniteTimestamp(timestamp)) {
    CHECK(!isGrowing(field), "Infinity has no decimal");
    return false;
  }
  if (isTimeField(field))
    result = timeField(field, timestampTimeOfDay(timestamp));
  else if (field == Field::Epoch)
    result = static_cast<int128>(timestamp) + int128{kUnixEpochSeconds} * kMicrosecondsPerSecond;
  else
    result = calendarField(field, timestampDays(timestamp));
  return true;
}

bool extractFromInterval(DatetimeField field, Interval interval, int128& result) {
  const int32_t years = interval.months / kMonthsPerYear;
  const int32_t months = interval.months % kMonthsPerYear;
  switch (field) {
    case Field::Day:
      result = interval.days;
      return true;
    case Field::Month:
      result = months;
      return true;
    case Field::Quarter:
      result = months / 3 + 1;
      return true;
    case Field::Year:
      result = years;
      return true;
    case Field::Decade:
      result = years / 10;
      return true;
    case Field::Century:
      result = years / 100;
      return true;
    case Field::Millennium:
      result = years / 1000;
      return true;
    case Field::Epoch: {
      // Years of 365.25 days, months of 30.
      constexpr int64_t kSecondsPerYear = 31557600;
      const int128 seconds =
          static_cast<int128>(years) * kSecondsPerYear + (int128{months} * 30 + interval.days) * 86400;
      result = seconds * kMicrosecondsPerSecond + interval.microseconds;
      return true;
    }
    default:
      break;
  }
  if (!isTimeField(field)) throwUnsupported("field", TypeKind::Interval);
  result = timeField(field, interval.microseconds);
  return true;
}

bool extractFromTime(DatetimeField field, int64_t time, int128& result) {
  result = field == Field::Epoch ? time : timeField(field, time);
  return true;
}

BigNumeric extractGrowing(DatetimeField field, int32_t date) {
  if (!isFiniteDate(date)) return BigNumeric(date > 0 ? BigNumeric::Kind::Infinity : BigNumeric::Kind::MinusInfinity);
  int128 scaled;
  extractFromDate(field, date, scaled);
  return BigNumeric(scaled, extractType(field, TypeKind::Date).scale);
}

BigNumeric extractGrowing(DatetimeField field, int64_t timestamp) {
  if (!isFiniteTimestamp(timestamp))
    return BigNumeric(timestamp > 0 ? BigNumeric::Kind::Infinity : BigNumeric::Kind::MinusInfinity);
  if (field != Field::Julian) {
    int128 scaled;
    extractFromTimestamp(field, timestamp, scaled);
    return BigNumeric(scaled, extractType(field, TypeKind::Timestamp).scale);
  }
  const BigNumeric days(int64_t{timestampDays(timestamp)} + kPostgresEpochJulian);
  return days + BigNumeric(timestampTimeOfDay(timestamp)) / BigNumeric(kMicrosecondsPerDay);
}

bool datePartOfTimestamp(DatetimeField field, int64_t timestamp, double& result) {
  if (!isFiniteTimestamp(timestamp) && isGrowing(field)) {
    result = timestamp == kTimestampInfinity ? kInfinity : -kInfinity;
    return true;
  }
  if (field == Field::Julian) {
    result = timestampDays(timestamp) + kPostgresEpochJulian +
             static_cast<double>(timestampTimeOfDay(timestamp)) / static_cast<double>(kMicrosecondsPerDay);
    return true;
  }
  int128 scaled;
  if (!extractFromTimestamp(field, timestamp, scaled)) return false;
  if (partOfMinute(field, timestampTimeOfDay(timestamp), result)) return true;
  result = scaleDown(scaled, extractType(field, TypeKind::Timestamp));
  return true;
}

bool datePartOfInterval(DatetimeField field, Interval interval, double& result) {
  if (field == Field::Epoch) {
    // Summed as doubles, part by part, as PostgreSQL does.
    result = static_cast<double>(interval.microseconds) / 1e6;
    const auto years = interval.months / kMonthsPerYear;
    result += 365.25 * 86400 * years;
    result += 30.0 * 86400 * (interval.months % kMonthsPerYear);
    result += 86400.0 * interval.days;
    return true;
  }
  if (partOfMinute(field, interval.microseconds, result)) return true;
  int128 scaled;
  if (!extractFromInterval(field, interval, scaled)) return false;
  result = scaleDown(scaled, extractType(field, TypeKind::Interval));
  return true;
}

double datePartOfTime(DatetimeField field, int64_t time) {
  double result = 0;
  if (partOfMinute(field, time, result)) return result;
  int128 scaled;
  extractFromTime(field, time, scaled);
  return scaleDown(scaled, extractType(field, TypeKind::Time));
}

int64_t truncateTimestamp(DatetimeField field, int64_t timestamp) {
  if (!isFiniteTimestamp(timestamp)) return timestamp;
  if (isTimeField(field)) {
    const int64_t time = timestampTimeOfDay(timestamp);
    return timestamp - time % timeUnit(field);
  }
  const int64_t result = int64_t{truncatedDays(field, timestampDays(timestamp))} * kMicrosecondsPerDay;
  if (result < kTimestampMin) throw SqlError(sqlstate::kDatetimeFieldOverflow, "timestamp out of range");
  return result;
}

int64_t binTimestamp(Interval stride, int64_t timestamp, int64_t origin) {
  if (!isFiniteTimestamp(timestamp)) return timestamp;
  if (!isFiniteTimestamp(origin)) throw SqlError(sqlstate::kDatetimeFieldOverflow, "origin out of range");
  if (stride.months != 0)
    throw SqlError(sqlstate::kFeatureNotSupported,
                   "timestamps cannot be binned into intervals containing months or years");
  int64_t width = 0, distance = 0;
  if (__builtin_mul_overflow(int64_t{stride.days}, kMicrosecondsPerDay, &width) ||
      __builtin_add_overflow(width, stride.microseconds, &width))
    throw SqlError(sqlstate::kDatetimeFieldOverflow, "interval out of range");
  if (width <= 0) throw SqlError(sqlstate::kDatetimeFieldOverflow, "stride must be greater than zero");
  if (__builtin_sub_overflow(timestamp, origin, &distance))
    throw SqlError(sqlstate::kDatetimeFieldOverflow, "interval out of range");
  const int64_t remainder = distance % width;
  int64_t result = timestamp - remainder;
  // Before the origin it was rounded towards it.
  if (remainder < 0 && (__builtin_sub_overflow(result, width, &result) || result < kTimestampMin))
    throw SqlError(sqlstate::kDatetimeFieldOverflow, "timestamp out of range");
  return result;
}

Interval truncateInterval(DatetimeField field, Interval interval) {
  if (isTimeField(field)) {
    interval.microseconds -= interval.microseconds % timeUnit(field);
    return interval;
  }
  interval.microseconds = 0;
  if (field == Field::Day) return interval;
  interval.days = 0;
  const auto unit = [field] {
    switch (field) {
      case Field::Quarter:
        return 3;
      case Field::Year:
        return 12;
      case Field::Decade:
        return 120;
      case Field::Century:
        return 1200;
      case Field::Millennium:
        return 12000;
      default:
        return 1;
    }
  }();
  interval.months -= interval.months % unit;
  return interval;
}

}  // namespace gnomon::sql
