#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <climits>
#include <cstdlib>
#include <optional>

#include "base/sql_error.h"
#include "sql/functions/datetime_names.h"
#include "sql/functions/datetime_picture.h"
#include "sql/types/calendar.h"
#include "sql/types/date.h"
#include "sql/types/datetime_text.h"
#include "sql/types/integer.h"
#include "sql/types/text.h"

namespace gnomon::sql {
namespace {

using Pattern = DatetimePattern;

[[noreturn]] void throwFormat(std::string message, std::string detail = {}, std::string hint = {}) {
  SqlError error(sqlstate::kInvalidDatetimeFormat, std::move(message));
  if (!detail.empty()) error.detail(std::move(detail));
  if (!hint.empty()) error.hint(std::move(hint));
  throw error;
}

/// What the patterns have read; 0: nothing.
struct Fields {
  DateConvention convention = DateConvention::None;
  int hour = 0, after_noon = 0, minute = 0, second = 0, second_of_day = 0;
  int day_of_week = 0;  ///< Sunday 1
  int day = 0, day_of_year = 0, month = 0, millisecond = 0, year = 0, is_before_christ = 0;
  int week = 0, week_of_month = 0, century = 0, julian = 0, microsecond = 0;
  int year_digits = 0;
  bool is_twelve_hours = false;
  int zone_sign = 0, zone_hours = 0, zone_minutes = 0;
  int digits = 0;
};

int fullYear(int year) {
  if (year < 70) return year + 2000;
  if (year < 100) return year + 1900;
  if (year < 520) return year + 2000;
  if (year < 1000) return year + 1000;
  return year;
}

/// Takes the text apart as the picture says.
class TextReader {
 public:
  TextReader(std::string_view text, const std::vector<PictureNode>& nodes, bool is_standard)
      : text_(text), nodes_(nodes), is_standard_(is_standard), is_exact_(is_standard) {}

  Fields run() {
    size_t i = 0;
    for (; i < nodes_.size() && at_ < text_.size(); ++i) {
      node_ = i;
      const PictureNode& node = nodes_[i];
      const bool is_exact_pattern = node.isPattern() && static_cast<Pattern>(node.pattern->id) == Pattern::Exact;
      if (!is_exact_ && !is_exact_pattern && (node.isPattern() || i == 0)) skipBlanks();
      if (!node.isPattern()) {
        skipCharacter(node);
        continue;
      }
      setConvention(node);
      const auto pattern = static_cast<Pattern>(node.pattern->id);
      if (!readTime(pattern) && !readZone(pattern) && !readDate(pattern)) readYear(pattern);
      if (!is_exact_) {
        extra_ = 0;
        skipBlanks();
      }
    }
    if (is_standard_) requireEnd(i);
    return fields_;
  }

 private:
  [[nodiscard]] const PictureNode& node() const { return nodes_[node_]; }
  [[nodiscard]] std::string_view name() const { return node().pattern->name; }
  [[nodiscard]] std::string_view rest() const { return text_.substr(std::min(at_, text_.size())); }
  void skipBlanks() {
    for (; at_ < text_.size() && isSpace(text_[at_]); ++at_) ++extra_;
  }
  void skipOne() {
    if (at_ >= text_.size()) return;
    at_ = std::min(text_.size(), at_ + characterBytes(static_cast<unsigned char>(text_[at_])));
  }
  void skipOrdinal() {
    if (!node().isOrdinal()) return;
    skipOne();
    skipOne();
  }

  void skipCharacter(const PictureNode& skipped) {
    if (at_ >= text_.size()) return;
    if (is_standard_) return takeAsWritten(skipped);
    if (is_exact_) return skipOne();
    if (skipped.kind != PictureNode::Kind::Character) {
      --extra_;
      if (isSpace(text_[at_]) || isPictureSeparator(text_[at_])) {
        ++at_;
        ++extra_;
      }
      return;
    }
    // What was skipped before may stand for it.
    if (extra_ > 0)
      --extra_;
    else
      skipOne();
  }

  void takeAsWritten(const PictureNode& written) {
    if (!rest().starts_with(written.character))
      throwFormat(fmt::format("unmatched format {} \"{}\"",
                              written.kind == PictureNode::Kind::Character ? "character" : "separator",
                              written.character));
    at_ += written.character.size();
  }
  void requireEnd(size_t nodes_read) {
    if (nodes_read < nodes_.size()) throwFormat("input string is too short for datetime format");
    skipBlanks();
    if (at_ < text_.size()) throwFormat("trailing characters remain in input string after datetime format");
  }

  void setConvention(const PictureNode& node) {
    const auto convention = static_cast<DateConvention>(node.pattern->convention);
    if (convention == DateConvention::None) return;
    if (fields_.convention == DateConvention::None) fields_.convention = convention;
    if (fields_.convention != convention)
      throwFormat("invalid combination of date conventions", {},
                  "Do not mix Gregorian and ISO week date conventions in a formatting template.");
  }

  void set(int& field, int value) const {
    if (field != 0 && field != value)
      throwFormat(fmt::format("conflicting values for \"{}\" field in formatting string", name()),
                  "This value contradicts a previous setting for the same field type.");
    field = value;
  }

  /// Whether what follows cannot be a digit of the same number.
  [[nodiscard]] bool isSeparated() const {
    if (node().isOrdinal()) return true;
    if (node_ + 1 == nodes_.size()) return true;
    const PictureNode& next = nodes_[node_ + 1];
    if (next.isPattern()) return !next.pattern->is_digit;
    return !(next.character.size() == 1 && isDigit(next.character[0]));
  }

  /// A number of `length` characters, or of as many as there are; the number of characters taken.
  int number(int* field, int length) {
    const size_t begin = at_;
    while (at_ < text_.size() && isSpace(text_[at_])) ++at_;
    const std::string copy(rest().substr(0, static_cast<size_t>(length)));
    long result = 0;
    errno = 0;
    if (node().has(kFillMode) || isSeparated()) {
      const std::string all(text_.substr(begin));
      char* end = nullptr;
      result = std::strtol(all.c_str(), &end, 10);
      at_ = begin + static_cast<size_t>(end - all.c_str());
    } else {
      result = exactNumber(copy, length);
    }
    if (at_ == begin)
      throwFormat(fmt::format("invalid value \"{}\" for \"{}\"", copy, name()), "Value must be an integer.");
    if (errno == ERANGE || result < INT_MIN || result > INT_MAX)
      throw SqlError(sqlstate::kDatetimeFieldOverflow,
                     fmt::format("value for \"{}\" in source string is out of range", name()))
          .detail(fmt::format("Value must be in the range {} to {}.", INT_MIN, INT_MAX));
    if (field != nullptr) set(*field, static_cast<int>(result));
    return static_cast<int>(at_ - begin);
  }
  long exactNumber(const std::string& copy, int length) {
    constexpr const char* kHint = "If your source string is not fixed-width, try using the \"FM\" modifier.";
    if (rest().size() < static_cast<size_t>(length))
      throwFormat(fmt::format("source string too short for \"{}\" formatting field", name()),
                  fmt::format("Field requires {} characters, but only {} remain.", length, rest().size()), kHint);
    char* end = nullptr;
    const long result = std::strtol(copy.c_str(), &end, 10);
    const auto used = static_cast<int>(end - copy.c_str());
    if (used > 0 && used < length)
      throwFormat(fmt::format("invalid value \"{}\" for \"{}\"", copy, name()),
                  fmt::format("Field requires {} characters, but only {} could be parsed.", length, used), kHint);
    at_ += static_cast<size_t>(used);
    return result;
  }
  int number(int* field) { return number(field, static_cast<int>(name().size())); }
  void ordinalNumber(int& field) {
    number(&field);
    skipOrdinal();
  }

  /// The index of the word, of those at hand, that the text begins with, in any case.
  template <typename Words>
  int word(const Words& words, size_t letters = std::string_view::npos) {
    const std::string lower = lowered(rest().substr(0, 16));
    for (size_t i = 0; i < std::size(words); ++i) {
      const std::string wanted = lowered(std::string_view(words[i]).substr(0, letters));
      if (!lower.starts_with(wanted)) continue;
      at_ += wanted.size();
      return static_cast<int>(i);
    }
    std::string_view shown = rest();
    shown = shown.substr(0, shown.find_first_of(" \t\n\r\f"));
    throwFormat(fmt::format("invalid value \"{}\" for \"{}\"", shown, name()),
                "The given value did not match any of the allowed values for this field.");
  }

  bool readTime(Pattern pattern) {
    static constexpr std::string_view kMeridians[] = {"am", "pm"}, kDotted[] = {"a.m.", "p.m."};
    switch (pattern) {
      case Pattern::Exact:
        is_exact_ = true;
        return true;
      case Pattern::Meridian:
      case Pattern::MeridianDotted:
        set(fields_.after_noon, pattern == Pattern::Meridian ? word(kMeridians) : word(kDotted));
        fields_.is_twelve_hours = true;
        return true;
      case Pattern::Hour12:
        number(&fields_.hour, 2);
        fields_.is_twelve_hours = true;
        skipOrdinal();
        return true;
      case Pattern::Hour24:
        number(&fields_.hour, 2);
        skipOrdinal();
        return true;
      case Pattern::Minute:
        ordinalNumber(fields_.minute);
        return true;
      case Pattern::Second:
        ordinalNumber(fields_.second);
        return true;
      case Pattern::SecondOfDay:
        ordinalNumber(fields_.second_of_day);
        return true;
      case Pattern::Millisecond: {
        const int length = number(&fields_.millisecond, 3);
        fields_.millisecond *= length == 1 ? 100 : length == 2 ? 10 : 1;
        skipOrdinal();
        return true;
      }
      case Pattern::Fraction1:
      case Pattern::Fraction2:
      case Pattern::Fraction3:
      case Pattern::Fraction4:
      case Pattern::Fraction5:
      case Pattern::Fraction6:
        fields_.digits = static_cast<int>(pattern) - static_cast<int>(Pattern::Fraction1) + 1;
        readMicroseconds(fields_.digits);
        return true;
      case Pattern::Microsecond:
        readMicroseconds(6);
        return true;
      default:
        return false;
    }
  }
  void readMicroseconds(int digits) {
    const int length = number(&fields_.microsecond, digits);
    constexpr int kFactors[] = {1, 100000, 10000, 1000, 100, 10};
    if (length < 6) fields_.microsecond *= kFactors[length];
    skipOrdinal();
  }

  bool readZone(Pattern pattern) {
    switch (pattern) {
      case Pattern::Zone:
      case Pattern::Offset:
        throw SqlError(sqlstate::kFeatureNotSupported,
                       fmt::format("formatting field \"{}\" is only supported in to_char", name()));
      case Pattern::ZoneHours: {
        const char first = at_ < text_.size() ? text_[at_] : '\0';
        if (first == '+' || first == '-' || first == ' ') {
          fields_.zone_sign = first == '-' ? -1 : 1;
          ++at_;
        } else {
          // The sign may have been taken for a separator.
          fields_.zone_sign = extra_ > 0 && at_ > 0 && text_[at_ - 1] == '-' ? -1 : 1;
        }
        number(&fields_.zone_hours, 2);
        return true;
      }
      case Pattern::ZoneMinutes:
        if (fields_.zone_sign == 0) fields_.zone_sign = 1;
        number(&fields_.zone_minutes, 2);
        return true;
      default:
        return false;
    }
  }

  bool readDate(Pattern pattern) {
    static constexpr std::string_view kEras[] = {"ad", "bc"}, kDotted[] = {"a.d.", "b.c."};
    switch (pattern) {
      case Pattern::Era:
      case Pattern::EraDotted:
        set(fields_.is_before_christ, pattern == Pattern::Era ? word(kEras) : word(kDotted));
        return true;
      case Pattern::MonthName:
        set(fields_.month, word(kMonthNames) + 1);
        return true;
      case Pattern::MonthAbbreviation:
        set(fields_.month, word(kMonthNames, 3) + 1);
        return true;
      case Pattern::RomanMonth:
        set(fields_.month, kMonthsPerYear - word(kRomanMonths));
        return true;
      case Pattern::Month:
        ordinalNumber(fields_.month);
        return true;
      case Pattern::DayName:
      case Pattern::DayAbbreviation:
        set(fields_.day_of_week, word(kDayNames, pattern == Pattern::DayName ? std::string_view::npos : 3));
        ++fields_.day_of_week;
        return true;
      case Pattern::DayOfYear:
        ordinalNumber(fields_.day_of_year);
        return true;
      case Pattern::IsoDayOfYear:
        number(&fields_.day_of_year, 3);
        skipOrdinal();
        return true;
      case Pattern::Day:
        ordinalNumber(fields_.day);
        return true;
      case Pattern::DayOfWeek:
        ordinalNumber(fields_.day_of_week);
        return true;
      case Pattern::IsoDayOfWeek:
        number(&fields_.day_of_week, 1);
        // Sunday is the first of the other calendar.
        if (++fields_.day_of_week > 7) fields_.day_of_week = 1;
        skipOrdinal();
        return true;
      case Pattern::WeekOfYear:
      case Pattern::IsoWeek:
        ordinalNumber(fields_.week);
        return true;
      case Pattern::WeekOfMonth:
        ordinalNumber(fields_.week_of_month);
        return true;
      case Pattern::Quarter:
        // It says no date: read and forgotten.
        number(nullptr);
        skipOrdinal();
        return true;
      case Pattern::Julian:
        ordinalNumber(fields_.julian);
        return true;
      default:
        return false;
    }
  }

  void readYear(Pattern pattern) {
    switch (pattern) {
      case Pattern::Century:
        return ordinalNumber(fields_.century);
      case Pattern::YearWithComma:
        readYearWithComma();
        break;
      case Pattern::Year4:
      case Pattern::IsoYear4:
        number(&fields_.year);
        fields_.year_digits = 4;
        break;
      default: {
        const int length = number(&fields_.year);
        if (length < 4) fields_.year = fullYear(fields_.year);
        const bool is_three = pattern == Pattern::Year3 || pattern == Pattern::IsoYear3;
        const bool is_two = pattern == Pattern::Year2 || pattern == Pattern::IsoYear2;
        fields_.year_digits = is_three ? 3 : is_two ? 2 : 1;
        break;
      }
    }
    skipOrdinal();
  }
  /// 2,024: as scanf's "%d,%03d" takes it.
  void readYearWithComma() {
    const std::string all(rest());
    int millennia = 0, years = 0, taken = 0;
    if (std::sscanf(all.c_str(), "%d,%3d%n", &millennia, &years, &taken) < 2)
      throwFormat("invalid input string for \"Y,YYY\"");
    set(fields_.year, static_cast<int>(years + int64_t{millennia} * 1000));
    fields_.year_digits = 4;
    at_ += static_cast<size_t>(taken);
  }

  const std::string_view text_;
  const std::vector<PictureNode>& nodes_;
  size_t at_ = 0;
  size_t node_ = 0;
  int extra_ = 0;  ///< characters skipped beyond those of the picture
  const bool is_standard_;
  bool is_exact_;
  Fields fields_;
};

[[noreturn]] void throwOverflow(std::string_view text) {
  throwDatetimeFault(DatetimeFault::FieldOverflow, text, "timestamp");
}

/// Makes a moment of what was read.
class Assembly {
 public:
  Assembly(std::string_view text, const Fields& fields) : text_(text), fields_(fields) {}

  ReadMoment run() {
    setTime();
    setYear();
    setDate();
    setDayOfYear();
    check();
    setZone();
    result_.digits = fields_.digits;
    return result_;
  }

 private:
  void setTime() {
    if (fields_.second_of_day != 0) {
      hour_ = fields_.second_of_day / 3600;
      minute_ = fields_.second_of_day % 3600 / 60;
      second_ = fields_.second_of_day % 60;
    }
    if (fields_.second != 0) second_ = fields_.second;
    if (fields_.minute != 0) minute_ = fields_.minute;
    if (fields_.hour != 0) hour_ = fields_.hour;
    if (!fields_.is_twelve_hours) return;
    if (hour_ < 1 || hour_ > 12)
      throwFormat(fmt::format("hour \"{}\" is invalid for the 12-hour clock", hour_), {},
                  "Use the 24-hour clock, or give an hour between 1 and 12.");
    if (fields_.after_noon != 0 && hour_ < 12)
      hour_ += 12;
    else if (fields_.after_noon == 0 && hour_ == 12)
      hour_ = 0;
  }

  void setYear() {
    if (fields_.year == 0 && fields_.century == 0) return;
    has_date_ = true;
    const int century = fields_.is_before_christ != 0 ? -fields_.century : fields_.century;
    if (fields_.year == 0) {
      // The first year of the century.
      result_.year = century >= 0 ? (century - 1) * 100 + 1 : century * 100 + 1;
      return;
    }
    if (fields_.century != 0 && fields_.year_digits <= 2) {
      const int in_century = fields_.year % 100;
      if (in_century == 0)
        result_.year = century * 100 + (century >= 0 ? 0 : 1);
      else
        result_.year = century >= 0 ? in_century + (century - 1) * 100 : (century + 1) * 100 - in_century + 1;
      return;
    }
    result_.year = fields_.is_before_christ != 0 ? -fields_.year : fields_.year;
    if (result_.year < 0) ++result_.year;
  }

  void setDays(int64_t days) {
    const CivilDate date = civilFromDays(static_cast<int32_t>(days));
    result_.year = date.year;
    result_.month = date.month;
    result_.day = date.day;
    has_date_ = true;
  }
  /// The day before the ISO year's first.
  [[nodiscard]] int64_t beforeIsoYear() const {
    const int32_t fourth = daysFromCivil(result_.year, 1, 4);
    return int64_t{fourth} - (dayOfWeek(fourth) + 6) % 7 - 1;
  }

  void setDate() {
    if (fields_.julian != 0) setDays(int64_t{fields_.julian} - kPostgresEpochJulian);
    if (fields_.week != 0) {
      if (fields_.convention == DateConvention::IsoWeek) {
        const int64_t monday = beforeIsoYear() + 1 + int64_t{fields_.week - 1} * 7;
        const int day = fields_.day_of_week;
        setDays(monday + (day == 0 ? 0 : day > 1 ? day - 2 : 6));
      } else {
        fields_.day_of_year = (fields_.week - 1) * 7 + 1;
      }
    }
    if (fields_.week_of_month != 0) fields_.day = (fields_.week_of_month - 1) * 7 + 1;
    if (fields_.day != 0) result_.day = fields_.day;
    if (fields_.month != 0) result_.month = fields_.month;
    has_date_ |= fields_.day != 0 || fields_.month != 0;
  }

  void setDayOfYear() {
    if (fields_.day_of_year == 0 || (result_.month > 1 && result_.day > 1)) return;
    if (result_.year == 0 && fields_.is_before_christ == 0)
      throwFormat("cannot calculate day of year without year information");
    if (fields_.convention == DateConvention::IsoWeek) return setDays(beforeIsoYear() + fields_.day_of_year);
    int month = 1;
    int before = 0;
    for (; month <= kMonthsPerYear; ++month) {
      const int days = daysInMonth(result_.year, month);
      if (fields_.day_of_year <= before + days) break;
      before += days;
    }
    if (result_.month <= 1) result_.month = month;
    if (result_.day <= 1) result_.day = fields_.day_of_year - before;
    has_date_ = true;
  }

  void check() {
    const int64_t fraction = int64_t{fields_.millisecond} * 1000 + fields_.microsecond;
    const bool is_month = result_.month >= 1 && result_.month <= 12;
    if (has_date_ && (!is_month || result_.day < 1 || result_.day > daysInMonth(result_.year, result_.month)))
      throwOverflow(text_);
    const bool is_time = hour_ >= 0 && hour_ < 24 && minute_ >= 0 && minute_ < 60 && second_ >= 0 && second_ < 60 &&
                         fraction >= 0 && fraction < kMicrosecondsPerSecond;
    if (!is_time) throwOverflow(text_);
    result_.time = (int64_t{hour_} * 3600 + minute_ * 60 + second_) * kMicrosecondsPerSecond + fraction;
  }

  void setZone() {
    if (fields_.zone_sign == 0) return;
    constexpr int kHoursMax = 15;
    if (fields_.zone_hours < 0 || fields_.zone_hours > kHoursMax || fields_.zone_minutes < 0 ||
        fields_.zone_minutes >= 60)
      throwDatetimeFault(DatetimeFault::ZoneOverflow, text_, "timestamp");
    result_.has_zone = true;
    result_.offset = fields_.zone_sign * (fields_.zone_hours * 3600 + fields_.zone_minutes * 60);
  }

  const std::string_view text_;
  Fields fields_;
  ReadMoment result_;
  int hour_ = 0, minute_ = 0, second_ = 0;
  bool has_date_ = false;
};

}  // namespace

std::optional<int32_t> ReadMoment::date() const {
  constexpr int32_t kYearMin = -4713, kYearMax = 5874897;
  if (year < kYearMin || year > kYearMax) return std::nullopt;
  const int32_t days = daysFromCivil(year, month, day);
  return days >= kDateMin && days < kDateEnd ? std::optional(days) : std::nullopt;
}

std::optional<int64_t> ReadMoment::local() const {
  const std::optional<int32_t> days = date();
  int64_t sum = 0;
  if (!days || __builtin_mul_overflow(int64_t{*days}, kMicrosecondsPerDay, &sum) ||
      __builtin_add_overflow(sum, time, &sum))
    return std::nullopt;
  return sum;
}

ReadMoment readMoment(std::string_view text, std::string_view picture) {
  return Assembly(text, TextReader(text, datetimePicture(picture), false).run()).run();
}

ReadMoment readStandardMoment(std::string_view text, const std::vector<PictureNode>& picture) {
  return Assembly(text, TextReader(text, picture, true).run()).run();
}

}  // namespace gnomon::sql
