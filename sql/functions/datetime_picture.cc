#include "sql/functions/datetime_picture.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdlib>

#include "base/sql_error.h"
#include "sql/functions/datetime_names.h"
#include "sql/types/calendar.h"
#include "sql/types/timestamp.h"

namespace gnomon::sql {
namespace {

using Pattern = DatetimePattern;

constexpr PatternName name(std::string_view text, Pattern pattern, bool is_digit = false,
                           DateConvention convention = DateConvention::None) {
  return {text, static_cast<uint8_t>(pattern), is_digit, static_cast<uint8_t>(convention)};
}
constexpr DateConvention kGregorian = DateConvention::Gregorian;
constexpr DateConvention kIso = DateConvention::IsoWeek;

constexpr PatternName kNames[] = {
    name("A.D.", Pattern::EraDotted),
    name("A.M.", Pattern::MeridianDotted),
    name("AD", Pattern::Era),
    name("AM", Pattern::Meridian),
    name("B.C.", Pattern::EraDotted),
    name("BC", Pattern::Era),
    name("CC", Pattern::Century, true),
    name("DAY", Pattern::DayName),
    name("DDD", Pattern::DayOfYear, true, kGregorian),
    name("DD", Pattern::Day, true, kGregorian),
    name("DY", Pattern::DayAbbreviation),
    name("Day", Pattern::DayName),
    name("Dy", Pattern::DayAbbreviation),
    name("D", Pattern::DayOfWeek, true, kGregorian),
    name("FF1", Pattern::Fraction1),
    name("FF2", Pattern::Fraction2),
    name("FF3", Pattern::Fraction3),
    name("FF4", Pattern::Fraction4),
    name("FF5", Pattern::Fraction5),
    name("FF6", Pattern::Fraction6),
    name("FX", Pattern::Exact),
    name("HH24", Pattern::Hour24, true),
    name("HH12", Pattern::Hour12, true),
    name("HH", Pattern::Hour12, true),
    name("IDDD", Pattern::IsoDayOfYear, true, kIso),
    name("ID", Pattern::IsoDayOfWeek, true, kIso),
    name("IW", Pattern::IsoWeek, true, kIso),
    name("IYYY", Pattern::IsoYear4, true, kIso),
    name("IYY", Pattern::IsoYear3, true, kIso),
    name("IY", Pattern::IsoYear2, true, kIso),
    name("I", Pattern::IsoYear1, true, kIso),
    name("J", Pattern::Julian, true),
    name("MI", Pattern::Minute, true),
    name("MM", Pattern::Month, true, kGregorian),
    name("MONTH", Pattern::MonthName, false, kGregorian),
    name("MON", Pattern::MonthAbbreviation, false, kGregorian),
    name("MS", Pattern::Millisecond, true),
    name("Month", Pattern::MonthName, false, kGregorian),
    name("Mon", Pattern::MonthAbbreviation, false, kGregorian),
    name("OF", Pattern::Offset),
    name("P.M.", Pattern::MeridianDotted),
    name("PM", Pattern::Meridian),
    name("Q", Pattern::Quarter, true),
    name("RM", Pattern::RomanMonth, false, kGregorian),
    name("SSSSS", Pattern::SecondOfDay, true),
    name("SSSS", Pattern::SecondOfDay, true),
    name("SS", Pattern::Second, true),
    name("TZH", Pattern::ZoneHours),
    name("TZM", Pattern::ZoneMinutes, true),
    name("TZ", Pattern::Zone),
    name("US", Pattern::Microsecond, true),
    name("WW", Pattern::WeekOfYear, true, kGregorian),
    name("W", Pattern::WeekOfMonth, true, kGregorian),
    name("Y,YYY", Pattern::YearWithComma, true, kGregorian),
    name("YYYY", Pattern::Year4, true, kGregorian),
    name("YYY", Pattern::Year3, true, kGregorian),
    name("YY", Pattern::Year2, true, kGregorian),
    name("Y", Pattern::Year1, true, kGregorian),
    name("a.d.", Pattern::EraDotted),
    name("a.m.", Pattern::MeridianDotted),
    name("ad", Pattern::Era),
    name("am", Pattern::Meridian),
    name("b.c.", Pattern::EraDotted),
    name("bc", Pattern::Era),
    name("cc", Pattern::Century, true),
    name("day", Pattern::DayName),
    name("ddd", Pattern::DayOfYear, true, kGregorian),
    name("dd", Pattern::Day, true, kGregorian),
    name("dy", Pattern::DayAbbreviation),
    name("d", Pattern::DayOfWeek, true, kGregorian),
    name("ff1", Pattern::Fraction1),
    name("ff2", Pattern::Fraction2),
    name("ff3", Pattern::Fraction3),
    name("ff4", Pattern::Fraction4),
    name("ff5", Pattern::Fraction5),
    name("ff6", Pattern::Fraction6),
    name("fx", Pattern::Exact),
    name("hh24", Pattern::Hour24, true),
    name("hh12", Pattern::Hour12, true),
    name("hh", Pattern::Hour12, true),
    name("iddd", Pattern::IsoDayOfYear, true, kIso),
    name("id", Pattern::IsoDayOfWeek, true, kIso),
    name("iw", Pattern::IsoWeek, true, kIso),
    name("iyyy", Pattern::IsoYear4, true, kIso),
    name("iyy", Pattern::IsoYear3, true, kIso),
    name("iy", Pattern::IsoYear2, true, kIso),
    name("i", Pattern::IsoYear1, true, kIso),
    name("j", Pattern::Julian, true),
    name("mi", Pattern::Minute, true),
    name("mm", Pattern::Month, true, kGregorian),
    name("month", Pattern::MonthName, false, kGregorian),
    name("mon", Pattern::MonthAbbreviation, false, kGregorian),
    name("ms", Pattern::Millisecond, true),
    name("of", Pattern::Offset),
    name("p.m.", Pattern::MeridianDotted),
    name("pm", Pattern::Meridian),
    name("q", Pattern::Quarter, true),
    name("rm", Pattern::RomanMonth, false, kGregorian),
    name("sssss", Pattern::SecondOfDay, true),
    name("ssss", Pattern::SecondOfDay, true),
    name("ss", Pattern::Second, true),
    name("tzh", Pattern::ZoneHours),
    name("tzm", Pattern::ZoneMinutes, true),
    name("tz", Pattern::Zone),
    name("us", Pattern::Microsecond, true),
    name("ww", Pattern::WeekOfYear, true, kGregorian),
    name("w", Pattern::WeekOfMonth, true, kGregorian),
    name("y,yyy", Pattern::YearWithComma, true, kGregorian),
    name("yyyy", Pattern::Year4, true, kGregorian),
    name("yyy", Pattern::Year3, true, kGregorian),
    name("yy", Pattern::Year2, true, kGregorian),
    name("y", Pattern::Year1, true, kGregorian),
};

constexpr bool isUpper(char c) {
  return c >= 'A' && c <= 'Z';
}

/// A name as the pattern is spelled: DAY, Day, day.
std::string inCaseOf(std::string_view text, std::string_view spelling) {
  std::string result(text);
  for (size_t i = 0; i < result.size(); ++i) {
    const bool is_upper = isUpper(spelling[i == 0 ? 0 : 1]);
    const char lower = static_cast<char>(result[i] | 0x20);
    result[i] = is_upper ? static_cast<char>(lower & ~0x20) : lower;
  }
  return result;
}

/// Writes the patterns of one picture.
class Writer {
 public:
  explicit Writer(const ShownMoment& moment) : moment_(moment) {}

  std::string run(const std::vector<PictureNode>& nodes) {
    for (const PictureNode& node : nodes) {
      if (!node.isPattern()) {
        text_ += node.character;
        continue;
      }
      node_ = &node;
      const auto pattern = static_cast<Pattern>(node.pattern->id);
      if (writeTime(pattern) || writeZone(pattern) || writeDate(pattern)) continue;
      writeYear(pattern);
    }
    return std::move(text_);
  }

 private:
  /// A number padded with zeros, by as many as stand here without FM, and its ordinal ending.
  void number(int64_t value, int width) {
    std::string digits = fmt::format("{:0{}d}", value, node_->has(kFillMode) ? 0 : width);
    if (node_->isOrdinal()) digits += ordinalEnding(digits, node_->has(kUpperOrdinal));
    text_ += digits;
  }
  /// As number(), whatever FM says.
  void fixedNumber(int64_t value, int width) {
    std::string digits = fmt::format("{:0{}d}", value, width);
    if (node_->isOrdinal()) digits += ordinalEnding(digits, node_->has(kUpperOrdinal));
    text_ += digits;
  }
  /// With room for a sign where there is one.
  void signedNumber(int64_t value, int width) { number(value, value >= 0 ? width : width + 1); }
  void padded(std::string_view word, size_t width) {
    text_ += word;
    if (!node_->has(kFillMode) && word.size() < width) text_.append(width - word.size(), ' ');
  }
  void refuseInterval() const {
    if (!moment_.is_interval) return;
    throw SqlError(sqlstate::kInvalidDatetimeFormat, "invalid format specification for an interval value")
        .hint("Intervals are not tied to specific calendar dates.");
  }

  bool writeTime(Pattern pattern) {
    constexpr int kHalfDay = 12;
    const int64_t in_half = moment_.hour % kHalfDay;
    switch (pattern) {
      case Pattern::MeridianDotted:
      case Pattern::Meridian: {
        const bool is_after_noon = moment_.hour % 24 >= kHalfDay;
        const std::string_view word =
            pattern == Pattern::Meridian ? (is_after_noon ? "PM" : "AM") : (is_after_noon ? "P.M." : "A.M.");
        text_ += isUpper(node_->pattern->name[0]) ? std::string(word) : lowered(word);
        return true;
      }
      case Pattern::Hour12:
        number(in_half == 0 ? kHalfDay : in_half, moment_.hour >= 0 ? 2 : 3);
        return true;
      case Pattern::Hour24:
        signedNumber(moment_.hour, 2);
        return true;
      case Pattern::Minute:
        signedNumber(moment_.minute, 2);
        return true;
      case Pattern::Second:
        signedNumber(moment_.second, 2);
        return true;
      case Pattern::Fraction1:
      case Pattern::Fraction2:
      case Pattern::Fraction3:
      case Pattern::Fraction4:
      case Pattern::Fraction5:
      case Pattern::Fraction6: {
        constexpr int32_t kUnits[] = {100000, 10000, 1000, 100, 10, 1};
        const int digits = static_cast<int>(pattern) - static_cast<int>(Pattern::Fraction1);
        fixedNumber(moment_.microsecond / kUnits[digits], digits + 1);
        return true;
      }
      case Pattern::Millisecond:
        fixedNumber(moment_.microsecond / 1000, 3);
        return true;
      case Pattern::Microsecond:
        fixedNumber(moment_.microsecond, 6);
        return true;
      case Pattern::SecondOfDay:
        fixedNumber(moment_.hour * 3600 + moment_.minute * 60 + moment_.second, 0);
        return true;
      case Pattern::Exact:
        return true;
      default:
        return false;
    }
  }

  bool writeZone(Pattern pattern) {
    const char sign = moment_.offset >= 0 ? '+' : '-';
    const int32_t seconds = std::abs(moment_.offset);
    switch (pattern) {
      case Pattern::Zone:
        refuseInterval();
        text_ += isUpper(node_->pattern->name[0]) ? std::string(moment_.zone) : lowered(moment_.zone);
        return true;
      case Pattern::ZoneHours:
        refuseInterval();
        text_ += fmt::format("{}{:02}", sign, seconds / 3600);
        return true;
      case Pattern::ZoneMinutes:
        refuseInterval();
        text_ += fmt::format("{:02}", seconds % 3600 / 60);
        return true;
      case Pattern::Offset:
        refuseInterval();
        text_ += fmt::format("{}{:0{}d}", sign, seconds / 3600, node_->has(kFillMode) ? 0 : 2);
        if (seconds % 3600 != 0) text_ += fmt::format(":{:02}", seconds % 3600 / 60);
        return true;
      default:
        return false;
    }
  }

  void writeName(std::string_view name, bool is_full) {
    const std::string word = inCaseOf(name, node_->pattern->name);
    const bool is_padded = is_full && !node_->has(kTranslated);
    padded(word, is_padded ? kNameWidth : 0);
  }

  bool writeDate(Pattern pattern) {
    const auto month = static_cast<size_t>(moment_.month - 1);
    switch (pattern) {
      case Pattern::EraDotted:
      case Pattern::Era: {
        refuseInterval();
        const bool is_before = moment_.year <= 0;
        const std::string_view word =
            pattern == Pattern::Era ? (is_before ? "BC" : "AD") : (is_before ? "B.C." : "A.D.");
        text_ += isUpper(node_->pattern->name[0]) ? std::string(word) : lowered(word);
        return true;
      }
      case Pattern::MonthName:
      case Pattern::MonthAbbreviation:
        refuseInterval();
        if (pattern == Pattern::MonthName)
          writeName(kMonthNames[month], true);
        else
          writeName(kMonthNames[month].substr(0, 3), false);
        return true;
      case Pattern::Month:
        signedNumber(moment_.month, 2);
        return true;
      case Pattern::DayName:
      case Pattern::DayAbbreviation: {
        refuseInterval();
        const std::string_view day = kDayNames[static_cast<size_t>(moment_.week_day)];
        writeName(pattern == Pattern::DayName ? day : day.substr(0, 3), pattern == Pattern::DayName);
        return true;
      }
      case Pattern::DayOfYear:
        number(moment_.year_day, 3);
        return true;
      case Pattern::IsoDayOfYear:
        number(isoDayOfYear(), 3);
        return true;
      case Pattern::Day:
        number(moment_.day, 2);
        return true;
      case Pattern::DayOfWeek:
        refuseInterval();
        fixedNumber(moment_.week_day + 1, 0);
        return true;
      case Pattern::IsoDayOfWeek:
        refuseInterval();
        fixedNumber(moment_.week_day == 0 ? 7 : moment_.week_day, 0);
        return true;
      default:
        return writeWeek(pattern);
    }
  }

  bool writeWeek(Pattern pattern) {
    switch (pattern) {
      case Pattern::WeekOfYear:
        number((moment_.year_day - 1) / 7 + 1, 2);
        return true;
      case Pattern::IsoWeek:
        number(isoWeek(days()).week, 2);
        return true;
      case Pattern::WeekOfMonth:
        fixedNumber((moment_.day - 1) / 7 + 1, 0);
        return true;
      case Pattern::Quarter:
        if (moment_.month != 0) fixedNumber((moment_.month - 1) / 3 + 1, 0);
        return true;
      case Pattern::RomanMonth:
        writeRomanMonth();
        return true;
      case Pattern::Julian:
        fixedNumber(int64_t{days()} + kPostgresEpochJulian, 0);
        return true;
      default:
        return false;
    }
  }

  /// Of an interval of whole years the month counts as the last, or the first of negative ones.
  void writeRomanMonth() {
    if (moment_.month == 0 && moment_.year == 0) return;
    size_t index;
    if (moment_.month == 0)
      index = moment_.year >= 0 ? 0 : kMonthsPerYear - 1;
    else if (moment_.month < 0)
      index = static_cast<size_t>(-(moment_.month + 1));
    else
      index = static_cast<size_t>(kMonthsPerYear - moment_.month);
    const std::string_view roman = kRomanMonths[index];
    padded(isUpper(node_->pattern->name[0]) ? uppered(roman) : std::string(roman), 4);
  }

  /// As it is counted before and after Christ; of intervals as it is.
  [[nodiscard]] int64_t counted(int32_t year) const {
    return moment_.is_interval || year > 0 ? year : 1 - int64_t{year};
  }
  [[nodiscard]] int32_t days() const {
    // Of an interval the parts are no date: what comes out is what PostgreSQL's formula gives.
    int64_t month = moment_.month;
    int64_t year = moment_.year;
    if (month > 2) {
      month += 1;
      year += 4800;
    } else {
      month += 13;
      year += 4799;
    }
    const int64_t century = year / 100;
    int64_t julian = year * 365 - 32167;
    julian += year / 4 - century + century / 4;
    julian += 7834 * month / 256 + moment_.day;
    return static_cast<int32_t>(julian - kPostgresEpochJulian);
  }
  [[nodiscard]] int32_t isoDayOfYear() const {
    const int32_t day = days();
    const int32_t fourth = daysFromCivil(isoWeek(day).year, 1, 4);
    const int32_t monday = fourth - (dayOfWeek(fourth) + 6) % 7;
    return day - monday + 1;
  }

  void writeYear(Pattern pattern) {
    const bool is_iso = pattern >= Pattern::IsoYear4 && pattern <= Pattern::IsoYear1;
    // The width follows from the year of the calendar.
    const int64_t year = counted(moment_.year);
    const int64_t shown = is_iso ? counted(isoWeek(days()).year) : year;
    const int sign = year >= 0 ? 0 : 1;
    switch (pattern) {
      case Pattern::Century:
        return writeCentury();
      case Pattern::YearWithComma: {
        const int64_t thousands = year / 1000;
        std::string digits = fmt::format("{},{:03}", thousands, year - thousands * 1000);
        if (node_->isOrdinal()) digits += ordinalEnding(digits, node_->has(kUpperOrdinal));
        text_ += digits;
        return;
      }
      case Pattern::Year4:
      case Pattern::IsoYear4:
        return number(shown, 4 + sign);
      case Pattern::Year3:
      case Pattern::IsoYear3:
        return number(shown % 1000, 3 + sign);
      case Pattern::Year2:
      case Pattern::IsoYear2:
        return number(shown % 100, 2 + sign);
      default:
        return fixedNumber(shown % 10, 1);
    }
  }

  void writeCentury() {
    const int32_t year = moment_.year;
    const int32_t century = moment_.is_interval ? year / 100 : year > 0 ? (year - 1) / 100 + 1 : year / 100 - 1;
    if (century <= 99 && century >= -99)
      signedNumber(century, 2);
    else
      fixedNumber(century, 0);
  }

  static constexpr size_t kNameWidth = 9;

  const ShownMoment& moment_;
  const PictureNode* node_ = nullptr;
  std::string text_;
};

}  // namespace

const std::vector<PictureNode>& datetimePicture(std::string_view picture) {
  thread_local PictureCache cache(kNames, PictureStyle::Dates);
  return cache.nodesOf(picture);
}

const std::vector<PictureNode>& standardDatetimePicture(std::string_view picture) {
  thread_local PictureCache cache(kNames, PictureStyle::StandardDates);
  return cache.nodesOf(picture);
}

PictureParts partsOf(const std::vector<PictureNode>& picture) {
  PictureParts parts;
  for (const PictureNode& node : picture) {
    if (!node.isPattern()) continue;
    switch (static_cast<Pattern>(node.pattern->id)) {
      case Pattern::Exact:
        break;
      case Pattern::MeridianDotted:
      case Pattern::Meridian:
      case Pattern::Hour12:
      case Pattern::Hour24:
      case Pattern::Minute:
      case Pattern::Second:
      case Pattern::SecondOfDay:
      case Pattern::Millisecond:
      case Pattern::Microsecond:
      case Pattern::Fraction1:
      case Pattern::Fraction2:
      case Pattern::Fraction3:
      case Pattern::Fraction4:
      case Pattern::Fraction5:
      case Pattern::Fraction6:
        parts.has_time = true;
        break;
      case Pattern::Offset:
      case Pattern::Zone:
      case Pattern::ZoneHours:
      case Pattern::ZoneMinutes:
        parts.has_zone = true;
        break;
      default:
        parts.has_date = true;
    }
  }
  return parts;
}

ShownMoment momentOf(int64_t timestamp) {
  const int32_t days = timestampDays(timestamp);
  const int64_t time = timestampTimeOfDay(timestamp);
  const CivilDate date = civilFromDays(days);
  ShownMoment moment;
  moment.year = date.year;
  moment.month = date.month;
  moment.day = date.day;
  moment.hour = time / kMicrosecondsPerHour;
  moment.minute = static_cast<int32_t>(time / kMicrosecondsPerMinute % 60);
  moment.second = static_cast<int32_t>(time / kMicrosecondsPerSecond % 60);
  moment.microsecond = static_cast<int32_t>(time % kMicrosecondsPerSecond);
  moment.week_day = dayOfWeek(days);
  moment.year_day = days - daysFromCivil(date.year, 1, 1) + 1;
  return moment;
}

ShownMoment momentOf(Interval interval) {
  constexpr int32_t kDaysPerMonth = 30;
  const int64_t time = interval.microseconds;
  ShownMoment moment;
  moment.is_interval = true;
  moment.year = interval.months / kMonthsPerYear;
  moment.month = interval.months % kMonthsPerYear;
  moment.day = interval.days;
  moment.hour = time / kMicrosecondsPerHour;
  moment.minute = static_cast<int32_t>(time / kMicrosecondsPerMinute % 60);
  moment.second = static_cast<int32_t>(time / kMicrosecondsPerSecond % 60);
  moment.microsecond = static_cast<int32_t>(time % kMicrosecondsPerSecond);
  moment.year_day = static_cast<int32_t>(int64_t{interval.months} * kDaysPerMonth + interval.days);
  return moment;
}

std::string showMoment(const ShownMoment& moment, std::string_view picture) {
  return Writer(moment).run(datetimePicture(picture));
}

}  // namespace gnomon::sql
