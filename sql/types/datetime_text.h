#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/time_zone.h"
#include "sql/types/datetime_field.h"
#include "sql/types/type.h"

namespace gnomon::sql {

/// Taking the text of dates, timestamps and intervals apart.
///
/// Source: PostgreSQL's datetime.c for which text means what (textStyle() says the order of a date's numbers).
/// Understood: 1999-01-08, 1/8/1999, 1999-Jan-08, January 8, 1999, 8 Jan 1999, 19990108, 990108, 1999.008,
/// J2451187[.5], Y2001M12D27H04MM05S06.789; times 04:05[:06.789] [am|pm], 040506; T between date and time; BC and AD;
/// names of weekdays; epoch, infinity, -infinity; zones by offset (+hh[:mm[:ss]]), abbreviation or name; now, today,
/// tomorrow, yesterday, counted from textMoment().

enum class DatetimeTokenKind : uint8_t {
  Number,  ///< digits, perhaps with one point
  Date,    ///< digits or letters joined by - / .
  Time,    ///< starts with digits and a colon
  Word,    ///< letters, in lower case
  Signed,  ///< a sign and digits, : . -
  SignedWord,
};
struct DatetimeToken {
  DatetimeTokenKind kind;
  std::string text;
};
/// The tokens of a text; nothing when it has a character that belongs to none.
std::optional<std::vector<DatetimeToken>> datetimeTokens(std::string_view text);

/// What went wrong with a text.
enum class DatetimeFault : uint8_t { None, BadFormat, FieldOverflow, MonthDayOverflow, IntervalOverflow, ZoneOverflow };
/// Throws PostgreSQL's error for a fault in the text of a `type_name`.
[[noreturn]] void throwDatetimeFault(DatetimeFault fault, std::string_view text, const char* type_name);

/// The zone that a text names.
struct DatetimeZone {
  enum class Kind : uint8_t { None, Offset, Named, Abbreviation };
  Kind kind = Kind::None;
  int32_t offset = 0;              ///< Offset: seconds east of UTC
  const TimeZone* zone = nullptr;  ///< Named; Abbreviation: where it was used
  std::string abbreviation;        ///< in lower case

  /// East of UTC, when the clock there shows `local` seconds since 2000-01-01; None: in the session's zone.
  [[nodiscard]] int32_t offsetOfLocal(int64_t local) const;
};
/// What timezone() and date_trunc() take as a zone: an abbreviation or a name. Failure: 22023.
DatetimeZone findDatetimeZone(std::string_view text);

/// +hh, +hh:mm, +hh:mm:ss or +hhmm, or the same with a minus.
DatetimeFault readZoneOffset(std::string_view text, DatetimeZone& zone);

/// The parts of a date or timestamp.
struct DatetimeParts {
  enum class Special : uint8_t { None, Infinity, MinusInfinity, Epoch };
  Special special = Special::None;
  int32_t year = 0;  ///< astronomical: 0 is 1 BC
  int32_t month = 0;
  int32_t day = 0;
  int64_t microseconds = 0;  ///< of the day; up to 24 h and a leap second
  DatetimeZone zone;
};
DatetimeFault readDatetime(std::string_view text, DatetimeParts& parts);
/// A time of day; a date may stand before it. A zone is dropped, but must mean something on that date.
DatetimeFault readTimeOfDay(std::string_view text, int64_t& microseconds);
/// The same with its zone; without a date the month is 0.
DatetimeFault readZonedTime(std::string_view text, DatetimeParts& parts);

/// hh:mm[:ss[.f]] or mm:ss.f as microseconds; hours may pass 24 for intervals. `is_minutes_seconds`: two parts are
/// mm:ss.
DatetimeFault readTime(std::string_view text, bool is_interval, bool is_minutes_seconds, int64_t& microseconds);

/// Whether the type's input takes such texts.
constexpr bool isDatetime(TypeKind kind) {
  return kind == TypeKind::Date || kind == TypeKind::Timestamp || kind == TypeKind::TimestampTz ||
         kind == TypeKind::Time || kind == TypeKind::TimeTz;
}
/// Whether the text may mean another time in another transaction.
bool namesMoment(std::string_view text);

/// A unit of time by any of its names; `text` in lower case.
std::optional<DatetimeField> findTimeUnit(std::string_view text);

}  // namespace gnomon::sql
