#include "sql/types/calendar.h"

namespace gnomon::sql {
namespace {

/// Days from 0000-03-01 to 2000-01-01; years are counted from March so that the leap day comes last.
constexpr int64_t kMarchEpochDays = 730425;
constexpr int64_t kDaysPerEra = 146097;
constexpr int64_t kYearsPerEra = 400;

constexpr int64_t floorDivide(int64_t left, int64_t right) {
  return left / right - (left % right < 0);
}

}  // namespace

int32_t daysFromCivil(int32_t year, int32_t month, int32_t day) {
  const int64_t march_year = int64_t{year} - (month <= 2);
  const int64_t era = floorDivide(march_year, kYearsPerEra);
  const int64_t year_of_era = march_year - era * kYearsPerEra;
  const int64_t day_of_year = (153 * (month + (month > 2 ? -3 : 9)) + 2) / 5 + day - 1;
  const int64_t day_of_era = year_of_era * 365 + year_of_era / 4 - year_of_era / 100 + day_of_year;
  return static_cast<int32_t>(era * kDaysPerEra + day_of_era - kMarchEpochDays);
}

CivilDate civilFromDays(int32_t days) {
  const int64_t shifted = int64_t{days} + kMarchEpochDays;
  const int64_t era = floorDivide(shifted, kDaysPerEra);
  const auto day_of_era = static_cast<uint32_t>(shifted - era * kDaysPerEra);
  const uint32_t year_of_era = (day_of_era - day_of_era / 1460 + day_of_era / 36524 - day_of_era / 146096) / 365;
  const uint32_t day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
  const uint32_t march_month = (5 * day_of_year + 2) / 153;
  const auto day = static_cast<int32_t>(day_of_year - (153 * march_month + 2) / 5 + 1);
  const auto month = static_cast<int32_t>(march_month < 10 ? march_month + 3 : march_month - 9);
  const auto year = static_cast<int32_t>(era * kYearsPerEra + year_of_era);
  return {year + (month <= 2), month, day};
}

int32_t daysInMonth(int32_t year, int32_t month) {
  constexpr int32_t kDays[] = {31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
  return month == 2 && isLeapYear(year) ? 29 : kDays[month - 1];
}

int32_t dayOfWeek(int32_t days) {
  // 2000-01-01 was a Saturday.
  const auto day = static_cast<int32_t>((int64_t{days} + 6) % 7);
  return day < 0 ? day + 7 : day;
}

IsoWeek isoWeek(int32_t days) {
  // A week belongs to the year of its Thursday.
  const int32_t monday_based = (dayOfWeek(days) + 6) % 7;
  const int32_t thursday = days - monday_based + 3;
  const int32_t year = civilFromDays(thursday).year;
  return {year, (thursday - daysFromCivil(year, 1, 1)) / 7 + 1};
}

}  // namespace gnomon::sql
