#include "sql/types/date.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <string_view>

#include "base/sql_error.h"
#include "base/text_style.h"
#include "sql/types/datetime_text.h"
#include "sql/types/integer.h"
#include "sql/types/styled_text.h"
#include "sql/types/timestamp.h"

namespace gnomon::sql {
namespace {

[[noreturn]] void throwOutOfRange(const char* what) {
  throw SqlError(sqlstate::kDatetimeFieldOverflow, what);
}

/// Two digits, or a negative number when one is none.
int twoDigits(const char* text) {
  if (!isDigit(text[0]) || !isDigit(text[1])) return -10000;
  return (text[0] - '0') * 10 + (text[1] - '0');
}

/// Dates before 1 BC need not be told apart: the year alone decides.
bool isDateYear(int32_t year) {
  return year >= -4713 && year <= 5874897;
}

}  // namespace

int32_t parseDate(std::string_view text) {
  if (text.size() == 10 && text[4] == '-' && text[7] == '-') {
    const int year = twoDigits(text.data()) * 100 + twoDigits(text.data() + 2);
    const int month = twoDigits(text.data() + 5);
    const int day = twoDigits(text.data() + 8);
    if (year > 0 && month >= 1 && month <= 12 && day >= 1 && day <= daysInMonth(year, month)) [[likely]]
      return daysFromCivil(year, month, day);
  }
  DatetimeParts parts;
  const DatetimeFault fault = readDatetime(text, parts);
  if (fault != DatetimeFault::None) throwDatetimeFault(fault, text, "date");
  switch (parts.special) {
    case DatetimeParts::Special::Infinity:
      return kDateInfinity;
    case DatetimeParts::Special::MinusInfinity:
      return kDateMinusInfinity;
    case DatetimeParts::Special::Epoch:
      return -kUnixToPostgresDays;
    case DatetimeParts::Special::None:
      break;
  }
  const bool is_in_range = isDateYear(parts.year) && daysFromCivil(parts.year, parts.month, parts.day) >= kDateMin;
  if (!is_in_range) throw SqlError(sqlstate::kDatetimeFieldOverflow, fmt::format("date out of range: \"{}\"", text));
  return daysFromCivil(parts.year, parts.month, parts.day);
}

char* printDate(int32_t date, char* out) {
  if (!isFiniteDate(date)) {
    const std::string_view text = date == kDateInfinity ? "infinity" : "-infinity";
    std::memcpy(out, text.data(), text.size());
    return out + text.size();
  }
  if (textStyle().date != TextStyle::Date::Iso) [[unlikely]]
    return printStyledDate(date, out);
  const CivilDate civil = civilFromDays(date);
  const int32_t year = civil.year > 0 ? civil.year : 1 - civil.year;
  out = year < 10000 ? printDigits(static_cast<uint64_t>(year), 4, out) : printInteger(year, out);
  *out++ = '-';
  out = printDigits(static_cast<uint64_t>(civil.month), 2, out);
  *out++ = '-';
  out = printDigits(static_cast<uint64_t>(civil.day), 2, out);
  if (civil.year > 0) return out;
  return std::ranges::copy(std::string_view(" BC"), out).out;
}

int32_t addDays(int32_t date, int64_t days) {
  if (!isFiniteDate(date)) return date;
  int64_t result;
  if (__builtin_add_overflow(int64_t{date}, days, &result) || result < kDateMin || result >= kDateEnd)
    throwOutOfRange("date out of range");
  return static_cast<int32_t>(result);
}

int32_t subtractDates(int32_t left, int32_t right) {
  if (!isFiniteDate(left) || !isFiniteDate(right)) throwOutOfRange("cannot subtract infinite dates");
  return left - right;
}

int32_t makeDate(int32_t year, int32_t month, int32_t day) {
  // Negative years are BC: -1 is 1 BC, the year 0 of astronomers.
  const int32_t astronomical = year < 0 && year > INT32_MIN ? year + 1 : year;
  const auto shown = [&] { return fmt::format("{}-{:02}-{:02}", astronomical, month, day); };
  const bool is_valid = year != 0 && month >= 1 && month <= 12 && day >= 1 && day <= daysInMonth(astronomical, month);
  if (!is_valid) throw SqlError(sqlstate::kDatetimeFieldOverflow, "date field value out of range: " + shown());
  const bool is_in_range = isDateYear(astronomical) && daysFromCivil(astronomical, month, day) >= kDateMin;
  if (!is_in_range) throw SqlError(sqlstate::kDatetimeFieldOverflow, "date out of range: " + shown());
  return daysFromCivil(astronomical, month, day);
}

int64_t dateToTimestamp(int32_t date) {
  if (date == kDateInfinity) return kTimestampInfinity;
  if (date == kDateMinusInfinity) return kTimestampMinusInfinity;
  if (date >= kTimestampEnd / kMicrosecondsPerDay) throwOutOfRange("date out of range for timestamp");
  return int64_t{date} * kMicrosecondsPerDay;
}

int32_t timestampToDate(int64_t timestamp) {
  if (timestamp == kTimestampInfinity) return kDateInfinity;
  if (timestamp == kTimestampMinusInfinity) return kDateMinusInfinity;
  return timestampDays(timestamp);
}

int compareDateTimestamp(int32_t date, int64_t timestamp) {
  if (timestamp == kTimestampInfinity) return date == kDateInfinity ? 0 : -1;
  if (timestamp == kTimestampMinusInfinity) return date == kDateMinusInfinity ? 0 : 1;
  if (date == kDateInfinity) return 1;
  if (date == kDateMinusInfinity) return -1;
  const int128 left = static_cast<int128>(date) * kMicrosecondsPerDay;
  return left < timestamp ? -1 : left > timestamp;
}

int64_t addIntervalToDate(int32_t date, Interval interval) {
  return addInterval(dateToTimestamp(date), interval);
}

int64_t subtractIntervalFromDate(int32_t date, Interval interval) {
  return subtractInterval(dateToTimestamp(date), interval);
}

}  // namespace gnomon::sql
