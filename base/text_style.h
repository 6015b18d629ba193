#pragma once

#include <cstdint>

namespace gnomon {

/// How dates, intervals and floating-point numbers are read from text and shown as text: what the settings DateStyle,
/// IntervalStyle and extra_float_digits say.
struct TextStyle {
  enum class Date : uint8_t { Iso, Sql, Postgres, German };
  /// What the numbers of a date mean where nothing else tells them apart.
  enum class DateOrder : uint8_t { YearMonthDay, DayMonthYear, MonthDayYear };
  enum class Interval : uint8_t { Postgres, PostgresVerbose, SqlStandard, Iso8601 };

  Date date = Date::Iso;
  DateOrder order = DateOrder::MonthDayYear;
  Interval interval = Interval::Postgres;
  int8_t float_digits = 1;  ///< extra_float_digits

  constexpr bool operator==(const TextStyle&) const = default;
};

/// The style of the session that this thread works for; the defaults where there is none.
const TextStyle& textStyle();
/// When the transaction of that session began, microseconds since 2000-01-01 UTC: what the inputs now, today, tomorrow
/// and yesterday count from.
int64_t textMoment();

/// For as long as it lives, this thread works for a session with that style, in a transaction of that time.
class TextStyleScope {
 public:
  TextStyleScope(const TextStyle& style, int64_t moment);
  ~TextStyleScope();
  TextStyleScope(const TextStyleScope&) = delete;
  TextStyleScope& operator=(const TextStyleScope&) = delete;
  /// The session has changed its settings, or begins a transaction.
  static void change(const TextStyle& style, int64_t moment);

 private:
  TextStyle style_before_;
  int64_t moment_before_;
};

}  // namespace gnomon
