#include "sql/json/json_path_datetime.h"

#include <fmt/format.h>

#include "base/int128.h"
#include "base/sql_error.h"
#include "sql/functions/datetime_picture.h"
#include "sql/types/calendar.h"
#include "sql/types/date.h"
#include "sql/types/time.h"
#include "sql/types/time_tz.h"
#include "sql/types/timestamptz.h"

namespace gnomon::sql {
namespace {

constexpr int64_t kSecond = kMicrosecondsPerSecond;

constexpr bool isTimestamp(int128 microseconds) {
  return microseconds >= kTimestampMin && microseconds < kTimestampEnd;
}

/// Reads numbers and what stands between them.
class Reader {
 public:
  explicit Reader(std::string_view text) : rest_(text) {}

  std::optional<JsonPathDatetime> run() {
    skipBlanks();
    const std::string_view begin = rest_;
    JsonPathDatetime value;
    int32_t days = 0;
    const bool has_date = readDate(days);
    value.local = days;
    if (!has_date) rest_ = begin;
    if (has_date && isAtEnd()) return value;
    if (has_date && !take('T')) skipBlanks();
    int64_t time = 0;
    if (!readTime(time)) return {};
    const bool has_zone = !isAtEnd();
    if (has_zone && !readOffset(value.west)) return {};
    if (!isAtEnd()) return {};
    value.local = time;
    value.kind = has_zone ? TypeKind::TimeTz : TypeKind::Time;
    if (!has_date) return value;
    value.kind = has_zone ? TypeKind::TimestampTz : TypeKind::Timestamp;
    const int128 local = static_cast<int128>(days) * kMicrosecondsPerDay + time;
    if (!isTimestamp(local + int64_t{value.west} * kSecond)) return {};
    value.local = static_cast<int64_t>(local);
    return value;
  }

 private:
  void skipBlanks() {
    while (rest_.starts_with(' ')) rest_.remove_prefix(1);
  }
  bool isAtEnd() {
    skipBlanks();
    return rest_.empty();
  }
  bool take(char c) {
    if (!rest_.starts_with(c)) return false;
    rest_.remove_prefix(1);
    return true;
  }
  bool number(int32_t& value, int32_t most) {
    int64_t read = 0;
    size_t digits = 0;
    for (; digits < rest_.size() && rest_[digits] >= '0' && rest_[digits] <= '9' && read <= most; ++digits)
      read = read * 10 + (rest_[digits] - '0');
    rest_.remove_prefix(digits);
    value = static_cast<int32_t>(read);
    return digits > 0 && read <= most;
  }

  /// Years before Christ have a sign, or are 0.
  bool readDate(int32_t& days) {
    constexpr int32_t kYearMax = 5'874'897;
    const bool is_negative = take('-');
    if (!is_negative) take('+');
    CivilDate date{};
    if (!number(date.year, kYearMax) || !take('-') || !number(date.month, 12) || !take('-') || !number(date.day, 31))
      return false;
    if (is_negative && date.year != 0) date.year = 1 - date.year;
    constexpr int32_t kYearMin = -4713;  // 4714 before Christ
    if (date.month == 0 || date.day == 0 || date.year < kYearMin) return false;
    days = daysFromCivil(date.year, date.month, date.day);
    const CivilDate back = civilFromDays(days);
    return back.month == date.month && back.day == date.day && days >= kDateMin && days < kDateEnd;
  }

  bool readTime(int64_t& microseconds) {
    int32_t hours = 0, minutes = 0, seconds = 0;
    if (!number(hours, 23) || !take(':') || !number(minutes, 59) || !take(':') || !number(seconds, 59)) return false;
    microseconds = ((int64_t{hours} * 60 + minutes) * 60 + seconds) * kSecond;
    if (!take('.')) return true;
    int64_t unit = kSecond / 10;
    for (; !rest_.empty() && rest_[0] >= '0' && rest_[0] <= '9'; rest_.remove_prefix(1), unit /= 10)
      microseconds += unit * (rest_[0] - '0');
    return true;
  }

  bool readOffset(int32_t& west) {
    const bool is_west = take('-');
    if (!is_west && !take('+')) return false;
    int32_t hours = 0, minutes = 0;
    if (!number(hours, 15)) return false;
    if (take(':') && !number(minutes, 59)) return false;
    const int32_t seconds = (hours * 60 + minutes) * 60;
    west = is_west ? seconds : -seconds;
    return true;
  }

  std::string_view rest_;
};

bool hasZone(TypeKind kind) {
  return kind == TypeKind::TimeTz || kind == TypeKind::TimestampTz;
}
bool isTime(TypeKind kind) {
  return kind == TypeKind::Time || kind == TypeKind::TimeTz;
}

std::string_view castName(TypeKind kind) {
  switch (kind) {
    case TypeKind::Date:
      return "date";
    case TypeKind::Time:
      return "time";
    case TypeKind::TimeTz:
      return "timetz";
    case TypeKind::Timestamp:
      return "timestamp";
    default:
      return "timestamptz";
  }
}

int64_t utcOf(const JsonPathDatetime& value) {
  return value.local + int64_t{value.west} * kSecond;
}

template <typename Number>
int order(Number one, Number other) {
  return one < other ? -1 : one > other;
}

/// With a zone or in that of the session. Times at one moment, but of other zones, differ.
int compareTimes(const JsonPathDatetime& left, const JsonPathDatetime& right) {
  const auto zoned = [](const JsonPathDatetime& value) {
    return hasZone(value.kind) ? TimeTz{value.local, value.west} : timeInSession(value.local);
  };
  const TimeTz one = zoned(left), other = zoned(right);
  const int by_time = order(one.utc(), other.utc());
  return by_time != 0 ? by_time : order(one.west, other.west);
}

/// What has no zone is in the session's.
int compareWithMoment(const JsonPathDatetime& value, const JsonPathDatetime& moment) {
  const int64_t utc = utcOf(moment);
  if (hasZone(value.kind)) return order(utcOf(value), utc);
  return order(value.kind == TypeKind::Date ? comparableDateToUtc(static_cast<int32_t>(value.local))
                                            : comparableLocalToUtc(value.local),
               utc);
}

/// Dates are longer than what microseconds can count.
int128 localMicroseconds(const JsonPathDatetime& value) {
  return value.kind == TypeKind::Date ? static_cast<int128>(value.local) * kMicrosecondsPerDay : value.local;
}

[[noreturn]] void throwFormat(const char* message) {
  throw SqlError(sqlstate::kInvalidDatetimeFormat, message);
}

std::string offsetText(int32_t west) {
  const int32_t minutes = (west < 0 ? -west : west) / 60;
  return fmt::format("{}{:02}:{:02}", west > 0 ? '-' : '+', minutes / 60, minutes % 60);
}

std::string timeText(int64_t microseconds) {
  const int64_t seconds = microseconds / kSecond;
  std::string text = fmt::format("{:02}:{:02}:{:02}", seconds / 3600, seconds / 60 % 60, seconds % 60);
  if (const int64_t fraction = microseconds % kSecond; fraction != 0) {
    text += fmt::format(".{:06}", fraction);
    text.erase(text.find_last_not_of('0') + 1);
  }
  return text;
}

}  // namespace

std::optional<JsonPathDatetime> readJsonPathDatetime(std::string_view text) {
  return Reader(text).run();
}

JsonPathDatetime readJsonPathDatetime(std::string_view text, const std::vector<PictureNode>& picture) {
  const ReadMoment moment = picture.empty() ? ReadMoment{} : readStandardMoment(text, picture);
  const PictureParts parts = partsOf(picture);
  if (!parts.has_date && !parts.has_time) throwFormat("datetime format is not dated and not timed");
  if (!parts.has_time && parts.has_zone) throwFormat("datetime format is zoned but not timed");
  const int32_t digits = moment.digits != 0 ? moment.digits : -1;
  JsonPathDatetime value;
  value.west = -moment.offset;
  if (!parts.has_time) {
    const std::optional<int32_t> date = moment.date();
    if (!date) throw SqlError(sqlstate::kDatetimeFieldOverflow, fmt::format("date out of range: \"{}\"", text));
    value.local = *date;
    return value;
  }
  if (!parts.has_date) {
    value.kind = parts.has_zone ? TypeKind::TimeTz : TypeKind::Time;
    value.local = fitTime(moment.time, digits);
    return value;
  }
  value.kind = parts.has_zone ? TypeKind::TimestampTz : TypeKind::Timestamp;
  const std::optional<int64_t> local = moment.local();
  const int64_t west = int64_t{value.west} * kSecond;
  if (!local || !isTimestamp(static_cast<int128>(*local) + west))
    throw SqlError(sqlstate::kDatetimeFieldOverflow, fmt::format("{} out of range", castName(value.kind)));
  value.local = fitTimestamp(*local + west, digits) - west;
  return value;
}

std::string jsonPathDatetimeText(const JsonPathDatetime& value) {
  std::string text;
  std::string era;
  int64_t time = value.local;
  if (!isTime(value.kind)) {
    const bool is_date = value.kind == TypeKind::Date;
    time = timestampTimeOfDay(value.local);
    const CivilDate date = civilFromDays(is_date ? static_cast<int32_t>(value.local) : timestampDays(value.local));
    text = fmt::format("{:04}-{:02}-{:02}", date.year > 0 ? date.year : 1 - date.year, date.month, date.day);
    if (date.year <= 0) era = " BC";
    if (is_date) return text + era;
    text += 'T';
  }
  text += timeText(time);
  if (hasZone(value.kind)) text += offsetText(value.west);
  return text + era;
}

std::string_view jsonPathDatetimeName(TypeKind kind) {
  switch (kind) {
    case TypeKind::Date:
      return "date";
    case TypeKind::Time:
      return "time without time zone";
    case TypeKind::TimeTz:
      return "time with time zone";
    case TypeKind::Timestamp:
      return "timestamp without time zone";
    default:
      return "timestamp with time zone";
  }
}

std::optional<int> compareJsonPathDatetimes(const JsonPathDatetime& left, const JsonPathDatetime& right,
                                            bool has_zone) {
  if (isTime(left.kind) != isTime(right.kind)) return {};
  if (!hasZone(left.kind) && !hasZone(right.kind)) return order(localMicroseconds(left), localMicroseconds(right));
  if (!has_zone && hasZone(left.kind) != hasZone(right.kind)) {
    const auto& [without, with] = hasZone(left.kind) ? std::pair(right, left) : std::pair(left, right);
    throw SqlError(sqlstate::kFeatureNotSupported,
                   fmt::format("cannot convert value from {} to {} without time zone usage", castName(without.kind),
                               castName(with.kind)))
        .hint("Use *_tz() function for time zone support.");
  }
  if (isTime(left.kind)) return compareTimes(left, right);
  return hasZone(right.kind) ? compareWithMoment(left, right) : -compareWithMoment(right, left);
}

}  // namespace gnomon::sql
