#include "server/text_style_setting.h"

#include <string_view>

namespace gnomon::server {

TextStyle textStyleOf(const Settings& settings) {
  const std::string_view date = settings.text(SettingId::DateStyle);
  TextStyle style;
  style.date = date.starts_with("SQL")        ? TextStyle::Date::Sql
               : date.starts_with("Postgres") ? TextStyle::Date::Postgres
               : date.starts_with("German")   ? TextStyle::Date::German
                                              : TextStyle::Date::Iso;
  style.order = date.ends_with("DMY")   ? TextStyle::DateOrder::DayMonthYear
                : date.ends_with("YMD") ? TextStyle::DateOrder::YearMonthDay
                                        : TextStyle::DateOrder::MonthDayYear;
  const std::string_view interval = settings.text(SettingId::IntervalStyle);
  style.interval = interval == "postgres_verbose" ? TextStyle::Interval::PostgresVerbose
                   : interval == "sql_standard"   ? TextStyle::Interval::SqlStandard
                   : interval == "iso_8601"       ? TextStyle::Interval::Iso8601
                                                  : TextStyle::Interval::Postgres;
  style.float_digits = static_cast<int8_t>(settings.integer(SettingId::ExtraFloatDigits));
  return style;
}

}  // namespace gnomon::server
