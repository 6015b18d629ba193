#include "sql/types/datetime_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <optional>
#include <utility>

#include "base/sql_error.h"
#include "base/text_style.h"
#include "sql/types/calendar.h"
#include "sql/types/integer.h"

namespace gnomon::sql {
namespace {

using Fault = DatetimeFault;
using Kind = DatetimeTokenKind;

/// Day numbers from here on belong to no year a date can have.
constexpr int64_t kNumberMax = INT32_MAX;

constexpr unsigned kHasYear = 1;
constexpr unsigned kHasMonth = 2;
constexpr unsigned kHasDay = 4;
constexpr unsigned kHasDate = kHasYear | kHasMonth | kHasDay;
constexpr unsigned kHasHour = 8;
constexpr unsigned kHasMinute = 16;
constexpr unsigned kHasSecond = 32;
constexpr unsigned kHasFraction = 64;  // seconds behind a label have it when they have a point
constexpr unsigned kHasTime = kHasHour | kHasMinute | kHasSecond | kHasFraction;
constexpr unsigned kHasZone = 128;

/// The whole text as a number that fits 32 bits.
bool readNumber(std::string_view text, int32_t& number) {
  if (text.empty()) return false;
  int64_t sum = 0;
  for (const char c : text) {
    if (!isDigit(c)) return false;
    sum = sum * 10 + (c - '0');
    if (sum > kNumberMax) return false;
  }
  number = static_cast<int32_t>(sum);
  return true;
}

/// ".25" as microseconds.
bool readFraction(std::string_view text, int64_t& microseconds) {
  double fraction = 0;
  if (text.size() > 1) {
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), fraction);
    if (error != std::errc() || end != text.data() + text.size()) return false;
  }
  microseconds = static_cast<int64_t>(std::rint(fraction * 1e6));
  return true;
}

/// 1..12 for a month's name or abbreviation of three letters, 0 otherwise.
int32_t findMonth(std::string_view word) {
  constexpr std::array<std::string_view, 12> kMonths{"january",   "february", "march",    "april",
                                                     "may",       "june",     "july",     "august",
                                                     "september", "october",  "november", "december"};
  for (size_t index = 0; index < kMonths.size(); ++index)
    if (word == kMonths[index] || word == kMonths[index].substr(0, 3)) return static_cast<int32_t>(index + 1);
  return word == "sept" ? 9 : 0;
}

bool isWeekday(std::string_view word) {
  constexpr std::array<std::string_view, 16> kNames{"sun",     "sunday",   "mon",  "monday",    "tue", "tues",
                                                    "tuesday", "wed",      "weds", "wednesday", "thu", "thur",
                                                    "thurs",   "thursday", "fri",  "friday"};
  return std::find(kNames.begin(), kNames.end(), word) != kNames.end() || word == "sat" || word == "saturday";
}

/// Collects the parts of one text.
class Reader {
 public:
  /// `is_time`: what is asked for is a time of day.
  explicit Reader(bool is_time) : is_time_(is_time) {}

  Fault read(const std::vector<DatetimeToken>& tokens, DatetimeParts& parts) {
    for (size_t index = 0; index < tokens.size(); ++index) {
      takes_date_ = !is_time_ || (index == 0 && tokens.size() >= 2 &&
                                  (tokens.back().kind == Kind::Date || tokens[1].kind == Kind::Time));
      const Fault fault = readToken(tokens[index]);
      if (fault != Fault::None) return fault;
    }
    if (needs_time_) return Fault::BadFormat;
    return finish(tokens.size(), parts);
  }

 private:
  Fault readToken(const DatetimeToken& token) {
    if (label_) return readLabelled(*std::exchange(label_, std::nullopt), token);
    switch (token.kind) {
      case Kind::Date:
        return readDate(token.text);
      case Kind::Time:
        return readClock(token.text);
      case Kind::Number:
        return readNumberToken(token.text);
      case Kind::Signed:
        return readZone(token.text);
      case Kind::Word:
        return readWord(token.text);
      case Kind::SignedWord:
        if (token.text == "-infinity") return setSpecial(DatetimeParts::Special::MinusInfinity);
        if (token.text == "+infinity") return setSpecial(DatetimeParts::Special::Infinity);
        return Fault::BadFormat;
    }
    return Fault::BadFormat;
  }

  Fault setSpecial(DatetimeParts::Special special) {
    special_ = special;
    return Fault::None;
  }

  /// 1999-01-08, 08-Jan-1999 and so on: names of months count first.
  Fault readDate(std::string_view text) {
    // Behind month and day may be the zone, before the year.
    constexpr unsigned kHasMonthAndDay = kHasMonth | kHasDay;
    if ((mask_ & kHasMonthAndDay) == kHasMonthAndDay || !takes_date_) return readTimeWithZone(text);
    std::array<std::string_view, 3> parts{};
    size_t count = 0;
    for (size_t index = 0; index < text.size();) {
      const auto is_part = [](char c) { return isDigit(c) || (c >= 'a' && c <= 'z'); };
      if (!is_part(text[index])) {
        ++index;
        continue;
      }
      size_t end = index;
      const bool is_number = isDigit(text[index]);
      while (end < text.size() && is_part(text[end]) && isDigit(text[end]) == is_number) ++end;
      if (count == parts.size()) return Fault::BadFormat;
      parts[count++] = text.substr(index, end - index);
      // One byte after a part separates it, whatever it is.
      index = end + 1;
    }
    for (size_t index = 0; index < count; ++index) {
      if (isDigit(parts[index].front())) continue;
      const int32_t month = findMonth(parts[index]);
      if (month == 0 || (mask_ & kHasMonth) != 0) return Fault::BadFormat;
      month_ = month;
      mask_ |= kHasMonth;
      has_month_name_ = true;
    }
    for (size_t index = 0; index < count; ++index) {
      if (!isDigit(parts[index].front())) continue;
      const Fault fault = assignNumber(parts[index]);
      if (fault != Fault::None) return fault;
    }
    return (mask_ & kHasDate) == kHasDate ? Fault::None : Fault::BadFormat;
  }

  /// Where a date is out of place: hhmmss-zz, or the name of a zone with punctuation in it.
  Fault readTimeWithZone(std::string_view text) {
    if (!isDigit(text.front())) {
      if ((mask_ & kHasZone) != 0) return Fault::BadFormat;
      const TimeZone* zone = TimeZone::find(text);
      if (zone == nullptr)
        throw SqlError(sqlstate::kInvalidParameterValue, fmt::format("time zone \"{}\" not recognized", text));
      return setZone({DatetimeZone::Kind::Named, 0, zone, {}});
    }
    const size_t dash = text.find('-');
    if (dash == std::string_view::npos) return Fault::BadFormat;
    const Fault fault = readRunTogether(text.substr(0, dash), text.substr(0, std::min(dash, text.find('.'))));
    return fault != Fault::None ? fault : readZone(text.substr(dash));
  }
  Fault setZone(DatetimeZone zone) {
    zone_ = std::move(zone);
    mask_ |= kHasZone;
    return Fault::None;
  }

  /// Which field a number is, from what has been seen and the order that DateStyle says.
  Fault assignNumber(std::string_view text) {
    int32_t number;
    if (!readNumber(text, number)) return text.size() > 9 ? Fault::FieldOverflow : Fault::BadFormat;
    const bool is_long = text.size() >= 3;
    const unsigned seen = mask_ & kHasDate;
    if (text.size() == 3 && seen == kHasYear && number >= 1 && number <= 366) {
      day_of_year_ = number;
      mask_ |= kHasMonth | kHasDay;
      return Fault::None;
    }
    switch (seen) {
      case 0:
        if (is_long || textStyle().order == TextStyle::DateOrder::YearMonthDay) return setYear(number, text.size());
        return textStyle().order == TextStyle::DateOrder::DayMonthYear ? setDay(number) : setMonth(number);
      case kHasYear:
        return setMonth(number);
      case kHasMonth:
        return has_month_name_ && (is_long || textStyle().order == TextStyle::DateOrder::YearMonthDay)
                   ? setYear(number, text.size())
                   : setDay(number);
      case kHasYear | kHasMonth:
        if (has_month_name_ && is_long && is_short_year_) {
          setDay(year_);
          return setYear(number, text.size());
        }
        return setDay(number);
      case kHasDay:
        return setMonth(number);
      case kHasMonth | kHasDay:
        return setYear(number, text.size());
      default:
        return Fault::BadFormat;
    }
  }
  Fault setYear(int32_t number, size_t digits) {
    year_ = number;
    is_short_year_ = digits <= 2;
    mask_ |= kHasYear;
    return Fault::None;
  }
  Fault setMonth(int32_t number) {
    month_ = number;
    mask_ |= kHasMonth;
    return Fault::None;
  }
  Fault setDay(int32_t number) {
    day_ = number;
    mask_ |= kHasDay;
    return Fault::None;
  }

  Fault readClock(std::string_view text) {
    if ((mask_ & kHasTime) != 0) return Fault::BadFormat;
    const Fault fault = readTime(text, false, false, microseconds_);
    mask_ |= kHasTime;
    needs_time_ = false;
    return fault;
  }

  /// 19990108, 990108, 040506 or a single field.
  Fault readNumberToken(std::string_view text) {
    const size_t point = text.find('.');
    const std::string_view whole = text.substr(0, point);
    const bool has_point = point != std::string_view::npos;
    const bool is_after_t = std::exchange(needs_time_, false);
    if (is_time_) return readRunTogether(text, whole);
    if (has_point && (mask_ & kHasDate) == 0) return readDate(text);
    const bool lacks_date_or_time = (mask_ & kHasDate) == 0 || (mask_ & kHasTime) == 0;
    if (has_point || is_after_t || (whole.size() >= 6 && lacks_date_or_time)) return readRunTogether(text, whole);
    return assignNumber(whole);
  }
  Fault readRunTogether(std::string_view text, std::string_view whole) {
    const bool has_point = whole.size() != text.size();
    if ((mask_ & kHasDate) != kHasDate && !is_time_) {
      if (has_point || whole.size() < 6 || (mask_ & kHasDate) != 0) return Fault::BadFormat;
      const size_t year_digits = whole.size() - 4;
      int32_t year;
      int32_t month;
      int32_t day;
      if (!readNumber(whole.substr(0, year_digits), year) || !readNumber(whole.substr(year_digits, 2), month) ||
          !readNumber(whole.substr(year_digits + 2), day))
        return Fault::FieldOverflow;
      setMonth(month);
      setDay(day);
      return setYear(year, year_digits);
    }
    if ((mask_ & kHasTime) != 0 || (whole.size() != 6 && (whole.size() != 4 || has_point))) return Fault::BadFormat;
    std::string clock = std::string(whole.substr(0, 2)) + ":" + std::string(whole.substr(2, 2));
    if (whole.size() == 6) clock += ":" + std::string(text.substr(4));
    return readClock(clock);
  }

  Fault claim(unsigned parts) {
    if ((mask_ & parts) != 0) return Fault::BadFormat;
    mask_ |= parts;
    return Fault::None;
  }
  Fault addTime(unsigned parts, int64_t count, int64_t unit, int64_t count_max) {
    if (is_time_ && count > count_max) return Fault::FieldOverflow;
    microseconds_ += count * unit;
    needs_time_ = false;
    return claim(parts);
  }

  /// What a word before a number says that the number is: J2451187, Y2001M12D27H04MM05S06.
  static std::optional<DatetimeField> labelOf(std::string_view word) {
    if (word == "y") return DatetimeField::Year;
    if (word == "m") return DatetimeField::Month;
    if (word == "d") return DatetimeField::Day;
    if (word == "h") return DatetimeField::Hour;
    if (word == "mm") return DatetimeField::Minute;
    if (word == "s") return DatetimeField::Second;
    if (word == "j" || word == "jd" || word == "julian") return DatetimeField::Julian;
    return std::nullopt;
  }

  Fault readLabelled(DatetimeField label, const DatetimeToken& token) {
    const std::string_view text = token.text;
    const std::string_view whole = text.substr(0, text.find_first_of(".-"));
    const std::string_view rest = text.substr(whole.size());
    // J2451187-08: with a zone.
    const bool has_zone = label == DatetimeField::Julian && token.kind == Kind::Date && rest.starts_with('-');
    const bool has_fraction = token.kind == Kind::Number && rest.starts_with('.');
    const bool takes_fraction = label == DatetimeField::Julian || label == DatetimeField::Second;
    if ((token.kind != Kind::Number && !has_zone) || (has_fraction && !takes_fraction)) return Fault::BadFormat;
    int32_t number;
    if (!readNumber(whole, number)) return Fault::FieldOverflow;
    if (label == DatetimeField::Julian) return readJulian(number, rest, has_zone);
    if (label != DatetimeField::Second) return assignLabelled(label, number);
    int64_t fraction = 0;
    if (has_fraction && !readFraction(rest, fraction)) return Fault::BadFormat;
    microseconds_ += fraction;
    return addTime(has_fraction ? kHasSecond | kHasFraction : kHasSecond, number, kMicrosecondsPerSecond, 60);
  }
  Fault assignLabelled(DatetimeField label, int32_t number) {
    constexpr unsigned kHasMonthAndHour = kHasMonth | kHasHour;
    // Behind an hour a second month counts minutes.
    const bool is_minute = label == DatetimeField::Month && (mask_ & kHasMonthAndHour) == kHasMonthAndHour;
    if (is_minute || label == DatetimeField::Minute) return addTime(kHasMinute, number, kMicrosecondsPerMinute, 59);
    if (label == DatetimeField::Hour) return addTime(kHasHour, number, kMicrosecondsPerHour, 24);
    if (label == DatetimeField::Year) return claim(kHasYear) == Fault::None ? setYear(number, 4) : Fault::BadFormat;
    if (label == DatetimeField::Month) return claim(kHasMonth) == Fault::None ? setMonth(number) : Fault::BadFormat;
    return claim(kHasDay) == Fault::None ? setDay(number) : Fault::BadFormat;
  }
  /// `rest`: the zone, or a fraction of the day, or nothing.
  Fault readJulian(int32_t number, std::string_view rest, bool has_zone) {
    setDate(number - kPostgresEpochJulian);
    if (rest.empty()) return Fault::None;
    const Fault fault = claim(kHasTime);
    if (fault != Fault::None || has_zone) return fault != Fault::None ? fault : readZone(rest);
    double fraction = 0;
    if (rest.size() > 1) std::from_chars(rest.data(), rest.data() + rest.size(), fraction);
    microseconds_ = static_cast<int64_t>(fraction * static_cast<double>(kMicrosecondsPerDay));
    return Fault::None;
  }

  Fault readZone(std::string_view text) {
    if ((mask_ & kHasZone) != 0) return Fault::BadFormat;
    DatetimeZone zone;
    const Fault fault = readZoneOffset(text, zone);
    return fault != Fault::None ? fault : setZone(std::move(zone));
  }

  Fault readWord(std::string_view word) {
    if (const int32_t month = findMonth(word); month != 0) return readMonthName(month);
    if (word == "t") {
      needs_time_ = is_time_ || (mask_ & kHasDate) == kHasDate;
      return needs_time_ ? Fault::None : Fault::BadFormat;
    }
    if (word == "infinity") return setSpecial(DatetimeParts::Special::Infinity);
    if (word == "epoch") return setSpecial(DatetimeParts::Special::Epoch);
    if (word == "bc" || word == "ad") {
      is_before_christ_ = word == "bc";
      return Fault::None;
    }
    if (word == "am" || word == "pm") {
      meridian_ = word == "am" ? Meridian::Morning : Meridian::Afternoon;
      return Fault::None;
    }
    if (const auto label = labelOf(word)) {
      label_ = label;
      return label != DatetimeField::Julian || (mask_ & kHasDate) == 0 ? Fault::None : Fault::BadFormat;
    }
    if (isWeekday(word) || word == "at" || word == "on") return Fault::None;
    if (word == "now") return readNow();
    if (word == "today" || word == "tomorrow" || word == "yesterday")
      return readDay(word == "today" ? 0 : word == "tomorrow" ? 1 : -1);
    if (word == "allballs") {
      if ((mask_ & (kHasTime | kHasZone)) != 0) return Fault::BadFormat;
      mask_ |= kHasTime;
      return setZone({DatetimeZone::Kind::Offset, 0, nullptr, {}});
    }
    return readZoneWord(word);
  }

  /// What the session's clock showed when its transaction began.
  Fault readNow() {
    if ((mask_ & (kHasTime | kHasZone)) != 0 || (!is_time_ && (mask_ & kHasDate) != 0)) return Fault::BadFormat;
    const int32_t offset = currentOffset();
    const int64_t local = textMoment() + offset * kMicrosecondsPerSecond;
    microseconds_ = timestampTimeOfDay(local);
    mask_ |= kHasTime;
    if ((mask_ & kHasDate) == 0) setDate(timestampDays(local));
    return setZone({DatetimeZone::Kind::Offset, offset, nullptr, {}});
  }
  Fault readDay(int32_t days_from_today) {
    if (is_time_ || (mask_ & kHasDate) != 0) return Fault::BadFormat;
    setDate(timestampDays(textMoment() + currentOffset() * kMicrosecondsPerSecond) + days_from_today);
    return Fault::None;
  }
  static int32_t currentOffset() {
    const int64_t moment = textMoment();
    const int64_t seconds = moment / kMicrosecondsPerSecond - (moment % kMicrosecondsPerSecond < 0 ? 1 : 0);
    return sessionTimeZone().offsetAt(seconds + int64_t{kUnixToPostgresDays} * 86400);
  }
  void setDate(int32_t days) {
    const CivilDate date = civilFromDays(days);
    year_ = date.year;
    month_ = date.month;
    day_ = date.day;
    is_julian_ = true;
    mask_ |= kHasDate;
  }

  Fault readZoneWord(std::string_view word) {
    if ((mask_ & kHasZone) != 0) return Fault::BadFormat;
    if (const auto known = findZoneAbbreviation(word)) {
      const auto kind = known->zone != nullptr ? DatetimeZone::Kind::Abbreviation : DatetimeZone::Kind::Offset;
      return setZone({kind, known->offset, known->zone, std::string(word)});
    }
    const TimeZone* zone = TimeZone::find(word);
    return zone == nullptr ? Fault::BadFormat : setZone({DatetimeZone::Kind::Named, 0, zone, {}});
  }

  Fault readMonthName(int32_t month) {
    if (has_month_name_) return Fault::BadFormat;
    // A number taken for the month was the day.
    if ((mask_ & kHasMonth) != 0) {
      if ((mask_ & kHasDay) != 0 || month_ < 1 || month_ > 31) return Fault::BadFormat;
      setDay(month_);
    }
    has_month_name_ = true;
    return setMonth(month);
  }

  Fault finish(size_t token_count, DatetimeParts& parts) {
    parts.special = special_;
    if (special_ != DatetimeParts::Special::None && is_time_) return Fault::BadFormat;
    if (special_ != DatetimeParts::Special::None) return token_count == 1 && !label_ ? Fault::None : Fault::BadFormat;
    const Fault fault = checkDate();
    if (fault != Fault::None) return fault;
    if (meridian_ != Meridian::None) {
      constexpr int64_t kNoon = 12 * kMicrosecondsPerHour;
      if (microseconds_ >= kNoon + kMicrosecondsPerHour) return Fault::FieldOverflow;
      if (meridian_ == Meridian::Morning && microseconds_ >= kNoon) microseconds_ -= kNoon;
      if (meridian_ == Meridian::Afternoon && microseconds_ < kNoon) microseconds_ += kNoon;
    }
    if (is_time_ && microseconds_ > kMicrosecondsPerDay) return Fault::FieldOverflow;
    if (label_ || !isComplete()) return Fault::BadFormat;
    parts.zone = std::move(zone_);
    parts.year = year_;
    parts.month = month_;
    parts.day = day_;
    parts.microseconds = microseconds_;
    return Fault::None;
  }

  [[nodiscard]] bool isComplete() const {
    const bool has_date = (mask_ & kHasDate) == kHasDate;
    if (!is_time_) return has_date;
    // What a zone's clock shows depends on the date.
    const bool needs_date = zone_.kind == DatetimeZone::Kind::Abbreviation ||
                            (zone_.kind == DatetimeZone::Kind::Named && !zone_.zone->isFixed());
    return (mask_ & kHasTime) == kHasTime && (has_date || !needs_date);
  }

  Fault checkDate() {
    if ((mask_ & kHasYear) != 0 && !is_julian_) {
      if (is_before_christ_) {
        if (year_ <= 0) return Fault::FieldOverflow;
        year_ = 1 - year_;
      } else if (is_short_year_) {
        year_ += year_ < 70 ? 2000 : 1900;
      } else if (year_ <= 0) {
        return Fault::FieldOverflow;
      }
    }
    if (day_of_year_ != 0) {
      const CivilDate date = civilFromDays(daysFromCivil(year_, 1, 1) + day_of_year_ - 1);
      year_ = date.year;
      month_ = date.month;
      day_ = date.day;
    }
    if ((mask_ & kHasMonth) != 0 && (month_ < 1 || month_ > 12)) return Fault::MonthDayOverflow;
    if ((mask_ & kHasDay) != 0 && (day_ < 1 || day_ > 31)) return Fault::MonthDayOverflow;
    if ((mask_ & kHasDate) == kHasDate && day_ > daysInMonth(year_, month_)) return Fault::FieldOverflow;
    return Fault::None;
  }

  enum class Meridian : uint8_t { None, Morning, Afternoon };

  const bool is_time_;
  bool takes_date_ = true;
  unsigned mask_ = 0;
  int32_t year_ = 0;
  int32_t month_ = 0;
  int32_t day_ = 0;
  int32_t day_of_year_ = 0;
  int64_t microseconds_ = 0;
  bool is_short_year_ = false;
  bool is_before_christ_ = false;
  bool is_julian_ = false;
  std::optional<DatetimeField> label_;  ///< of the number that follows
  bool has_month_name_ = false;
  bool needs_time_ = false;
  Meridian meridian_ = Meridian::None;
  DatetimeParts::Special special_ = DatetimeParts::Special::None;
  DatetimeZone zone_;
};

}  // namespace

DatetimeFault readZoneOffset(std::string_view text, DatetimeZone& zone) {
  std::array<int32_t, 3> parts{};
  std::string_view rest = text.substr(1);
  if (rest.find(':') == std::string_view::npos && rest.size() > 2) {
    if (rest.size() != 3 && rest.size() != 4) return Fault::BadFormat;
    const std::string_view hours = rest.substr(0, rest.size() - 2);
    if (!readNumber(hours, parts[0]) || !readNumber(rest.substr(hours.size()), parts[1])) return Fault::BadFormat;
  } else {
    if (rest.empty()) return Fault::BadFormat;
    for (size_t index = 0; !rest.empty(); ++index) {
      const size_t colon = std::min(rest.find(':'), rest.size());
      if (index == parts.size() || !readNumber(rest.substr(0, colon), parts[index])) return Fault::BadFormat;
      rest.remove_prefix(std::min(colon + 1, rest.size()));
    }
  }
  constexpr int32_t kZoneHoursMax = 15;
  if (parts[0] > kZoneHoursMax || parts[1] > 59 || parts[2] > 59) return Fault::ZoneOverflow;
  const int32_t seconds = (parts[0] * 60 + parts[1]) * 60 + parts[2];
  zone = {DatetimeZone::Kind::Offset, text.front() == '-' ? -seconds : seconds, nullptr, {}};
  return Fault::None;
}

DatetimeFault readTime(std::string_view text, bool is_interval, bool is_minutes_seconds, int64_t& microseconds) {
  std::array<int64_t, 3> parts{};
  size_t count = 0;
  int64_t fraction = 0;
  const size_t point = text.find('.');
  std::string_view rest = text.substr(0, point);
  for (bool is_last = false; !is_last; ++count) {
    const size_t colon = rest.find(':');
    is_last = colon == std::string_view::npos;
    const std::string_view digits = rest.substr(0, colon);
    if (count == parts.size() || digits.empty()) return DatetimeFault::BadFormat;
    const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), parts[count]);
    if (error != std::errc()) return DatetimeFault::FieldOverflow;
    if (end != digits.data() + digits.size()) return DatetimeFault::BadFormat;
    if (!is_last) rest.remove_prefix(colon + 1);
  }
  if (point != std::string_view::npos && !readFraction(text.substr(point), fraction)) return DatetimeFault::BadFormat;
  // mm:ss.f has no hours.
  if (count == 1) return DatetimeFault::BadFormat;
  if (count == 2 && (is_minutes_seconds || point != std::string_view::npos)) {
    parts = {0, parts[0], parts[1]};
  }
  if (parts[0] < 0 || parts[1] < 0 || parts[1] > 59 || parts[2] < 0 || parts[2] > 60)
    return DatetimeFault::FieldOverflow;
  int64_t hours;
  if (__builtin_mul_overflow(parts[0], kMicrosecondsPerHour, &hours) ||
      __builtin_add_overflow(hours, parts[1] * kMicrosecondsPerMinute + parts[2] * kMicrosecondsPerSecond + fraction,
                             &microseconds))
    return DatetimeFault::FieldOverflow;
  if (!is_interval && microseconds > kMicrosecondsPerDay) return DatetimeFault::FieldOverflow;
  return DatetimeFault::None;
}

bool namesMoment(std::string_view text) {
  std::string lower(text);
  for (char& c : lower)
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c + ('a' - 'A'));
  constexpr std::string_view kWords[] = {"now", "today", "tomorrow", "yesterday"};
  return std::ranges::any_of(kWords, [&](std::string_view word) { return lower.contains(word); });
}

DatetimeFault readDatetime(std::string_view text, DatetimeParts& parts) {
  const auto tokens = datetimeTokens(text);
  if (!tokens) return DatetimeFault::BadFormat;
  return Reader(false).read(*tokens, parts);
}

DatetimeFault readTimeOfDay(std::string_view text, int64_t& microseconds) {
  const auto tokens = datetimeTokens(text);
  if (!tokens) return DatetimeFault::BadFormat;
  DatetimeParts parts;
  const DatetimeFault fault = Reader(true).read(*tokens, parts);
  microseconds = parts.microseconds;
  return fault;
}

DatetimeFault readZonedTime(std::string_view text, DatetimeParts& parts) {
  const auto tokens = datetimeTokens(text);
  return tokens ? Reader(true).read(*tokens, parts) : DatetimeFault::BadFormat;
}

int32_t DatetimeZone::offsetOfLocal(int64_t local) const {
  if (kind == Kind::Offset) return offset;
  const int64_t seconds = local + int64_t{kUnixToPostgresDays} * (kMicrosecondsPerDay / kMicrosecondsPerSecond);
  if (kind == Kind::None) return sessionTimeZone().offsetOfLocal(seconds);
  const int32_t usual = zone->offsetOfLocal(seconds);
  return kind == Kind::Named ? usual : zone->offsetOfAbbreviation(abbreviation, seconds - usual).value_or(usual);
}

DatetimeZone findDatetimeZone(std::string_view text) {
  std::string lower(text);
  for (char& c : lower)
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c + ('a' - 'A'));
  if (const auto known = findZoneAbbreviation(lower)) {
    const auto kind = known->zone != nullptr ? DatetimeZone::Kind::Abbreviation : DatetimeZone::Kind::Offset;
    return {kind, known->offset, known->zone, lower};
  }
  const TimeZone* zone = TimeZone::find(text);
  if (zone == nullptr)
    throw SqlError(sqlstate::kInvalidParameterValue, fmt::format("time zone \"{}\" not recognized", text));
  return {DatetimeZone::Kind::Named, 0, zone, {}};
}

}  // namespace gnomon::sql
