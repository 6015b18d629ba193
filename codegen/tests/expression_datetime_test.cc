#include <gtest/gtest.h>

#include "codegen/runtime/expression_support.h"
#include "codegen/tests/expression_harness.h"
#include "sql/types/calendar.h"
#include "sql/types/datetime_field.h"

/// Dates, timestamps, intervals.
namespace gnomon::codegen::test {
namespace {

Value date(std::string_view input) {
  return parsed(kDate, input);
}
Value timestamp(std::string_view input) {
  return parsed(kTimestamp, input);
}
Value interval(std::string_view input) {
  return parsed(kInterval, input);
}

Outcome binary(FunctionId function, Type type, const Value& left, const Value& right) {
  Row row;
  row.add(left.type);
  row.add(right.type);
  return evaluate(row, *call(function, type, row.column(0), row.column(1)), {{left, right}}).front();
}

Outcome field(FunctionId function, Type type, std::string_view name, const Value& source) {
  Row row;
  row.add(source.type);
  return evaluate(row, *call(function, type, constant(text(name)), row.column(0)), {{source}}).front();
}

std::string extracted(std::string_view name, const Value& source) {
  const Type type = sql::extractType(sql::parseExtractField(name, source.type.kind), source.type.kind);
  return describe(field(FunctionId::Extract, type, name, source));
}

TEST(ExpressionDatetime, ArithmeticAmongDatesTimestampsAndIntervals) {
  EXPECT_EQ(binary(FunctionId::Add, kDate, date("1998-12-01"), integer(31)), gives(date("1999-01-01")));
  EXPECT_EQ(binary(FunctionId::Add, kDate, integer(31, kSmallint), date("1998-12-01")), gives(date("1999-01-01")));
  EXPECT_EQ(binary(FunctionId::Subtract, kDate, date("1999-01-01"), integer(31)), gives(date("1998-12-01")));
  EXPECT_EQ(binary(FunctionId::Subtract, kInteger, date("1999-01-01"), date("1998-12-01")), gives(integer(31)));
  EXPECT_EQ(binary(FunctionId::Subtract, kTimestamp, date("1998-12-01"), interval("90 days")),
            gives(timestamp("1998-09-02")));
  EXPECT_EQ(binary(FunctionId::Add, kTimestamp, interval("1 month"), date("1999-01-31")),
            gives(timestamp("1999-02-28")));
  EXPECT_EQ(binary(FunctionId::Add, kTimestamp, timestamp("1999-01-31 10:00"), interval("1 day 1 hour")),
            gives(timestamp("1999-02-01 11:00")));
  EXPECT_EQ(binary(FunctionId::Subtract, kInterval, timestamp("1999-01-02 01:00"), timestamp("1999-01-01")),
            gives(interval("1 day 01:00:00")));
  EXPECT_EQ(binary(FunctionId::Add, kInterval, interval("1 month"), interval("2 days")),
            gives(interval("1 month 2 days")));
  EXPECT_EQ(binary(FunctionId::Multiply, kInterval, interval("1 day"), floating(1.5)),
            gives(interval("1 day 12:00:00")));
  EXPECT_EQ(binary(FunctionId::Multiply, kInterval, integer(2), interval("1 day")), gives(interval("2 days")));
  EXPECT_EQ(binary(FunctionId::Divide, kInterval, interval("1 day"), floating(0)), fails("22012 division by zero"));
  EXPECT_EQ(binary(FunctionId::Add, kDate, date("5874897-12-31"), integer(1)), fails("22008 date out of range"));
  EXPECT_EQ(binary(FunctionId::Add, kDate, null(kDate), integer(1)), gives(null(kDate)));
}

TEST(ExpressionDatetime, DatesAndTimestampsCompare) {
  EXPECT_EQ(binary(FunctionId::Less, kBoolean, date("1998-12-01"), timestamp("1998-12-01 00:00:01")),
            gives(boolean(true)));
  EXPECT_EQ(binary(FunctionId::Less, kBoolean, timestamp("1998-12-01 00:00:01"), date("1998-12-01")),
            gives(boolean(false)));
  EXPECT_EQ(binary(FunctionId::Equal, kBoolean, timestamp("1998-12-01"), date("1998-12-01")), gives(boolean(true)));
  EXPECT_EQ(binary(FunctionId::Equal, kBoolean, interval("1 month"), interval("30 days")), gives(boolean(true)));
  EXPECT_EQ(binary(FunctionId::Less, kBoolean, interval("29 days"), interval("1 month")), gives(boolean(true)));
}

/// With a constant on one side the comparison is one of integers: it gives what the general one does.
TEST(ExpressionDatetime, ConstantsCompareAsColumnsDo) {
  const Value dates[] = {date("-infinity"),  date("1998-11-30"),    date("1998-12-01"),
                         date("1998-12-02"), date("5874897-12-31"), date("infinity")};
  const Value timestamps[] = {timestamp("-infinity"),          timestamp("1998-11-30 23:59:59.999999"),
                              timestamp("1998-12-01"),         timestamp("1998-12-01 00:00:00.000001"),
                              timestamp("294276-12-31 12:00"), timestamp("infinity")};
  for (int function = static_cast<int>(FunctionId::Equal); function <= static_cast<int>(FunctionId::GreaterEqual);
       ++function) {
    const auto id = static_cast<FunctionId>(function);
    Row row;
    row.add(kDate);
    row.add(kTimestamp);
    const auto general = call(id, kBoolean, row.column(0), row.column(1));
    for (const Value& day : dates) {
      for (const Value& moment : timestamps) {
        const Outcome wanted = evaluate(row, *general, {{day, moment}}).front();
        const auto fixed_moment = call(id, kBoolean, row.column(0), constant(moment));
        const auto fixed_day = call(id, kBoolean, constant(day), row.column(1));
        EXPECT_EQ(Compiled(row, *fixed_moment, {.mode = ExecutionMode::Vm}).run({day, moment}), wanted);
        EXPECT_EQ(Compiled(row, *fixed_day, {.mode = ExecutionMode::Vm}).run({day, moment}), wanted);
      }
    }
  }
}

TEST(ExpressionDatetime, FieldsOfDatesAndTimestamps) {
  EXPECT_EQ(extracted("year", date("1998-12-01")), "1998");
  EXPECT_EQ(extracted("month", date("1998-12-01")), "12");
  EXPECT_EQ(extracted("day", date("1998-12-31")), "31");
  EXPECT_EQ(extracted("year", date("0044-03-15 BC")), "-44");
  EXPECT_EQ(extracted("quarter", date("1998-12-01")), "4");
  EXPECT_EQ(extracted("day", timestamp("1969-12-31 23:59:59.999999")), "31");
  EXPECT_EQ(extracted("second", timestamp("1998-12-01 01:02:03.5")), "3.500000");
  EXPECT_EQ(extracted("epoch", timestamp("1970-01-01 00:00:01.25")), "1.250000");
  EXPECT_EQ(extracted("hour", interval("1 day 05:00:00")), "5");
  EXPECT_EQ(extracted("year", null(kDate)), "NULL");
  EXPECT_EQ(extracted("month", date("infinity")), "NULL");
  EXPECT_EQ(extracted("month", timestamp("-infinity")), "NULL");
  EXPECT_EQ(describe(field(FunctionId::Extract, kBig, "year", date("infinity"))), "Infinity");
  EXPECT_EQ(describe(field(FunctionId::Extract, kBig, "epoch", timestamp("-infinity"))), "-Infinity");
  EXPECT_EQ(describe(field(FunctionId::Extract, kBig, "epoch", timestamp("1970-01-01 00:00:01.25"))), "1.250000");
  EXPECT_EQ(describe(field(FunctionId::Extract, kBig, "year", date("0044-03-15 BC"))), "-44");
  EXPECT_EQ(describe(field(FunctionId::Extract, kBig, "year", null(kDate))), "NULL");
  EXPECT_EQ(field(FunctionId::Extract, kBig, "nonsense", date("1998-12-01")).error.substr(0, 5), "22023");
  EXPECT_EQ(field(FunctionId::DatePart, kDouble, "month", date("1998-12-01")), gives(floating(12)));
  EXPECT_EQ(field(FunctionId::DatePart, kDouble, "second", timestamp("1998-12-01 00:00:01.5")), gives(floating(1.5)));
  EXPECT_EQ(field(FunctionId::DateTruncate, kTimestamp, "month", timestamp("1998-12-17 10:00")),
            gives(timestamp("1998-12-01")));
  EXPECT_EQ(field(FunctionId::DateTruncate, kInterval, "hour", interval("03:59:59")), gives(interval("03:00:00")));
}

TEST(ExpressionDatetime, AgesAndMadeDates) {
  EXPECT_EQ(binary(FunctionId::Age, kInterval, timestamp("2001-04-10"), timestamp("1957-06-13")),
            gives(interval("43 years 9 mons 27 days")));
  Row row;
  row.add(kInteger);
  const auto made = call(FunctionId::MakeDate, kDate, row.column(0), constant(integer(2)), constant(integer(29)));
  EXPECT_EQ(
      evaluate(row, *made, {{integer(2000)}, {integer(2001)}}),
      (std::vector<Outcome>{gives(date("2000-02-29")), fails("22008 date field value out of range: 2001-02-29")}));
}

TEST(ExpressionDatetime, CalendarFieldsAgreeWithTheCalendarOverAllDates) {
  for (int64_t day = -2451545; day < 2145031949; day += day < 800000 ? 13 : 104729) {
    const auto value = static_cast<int32_t>(day);
    const sql::CivilDate civil = sql::civilFromDays(value);
    ASSERT_EQ(rt::yearOfDate(value), civil.year > 0 ? civil.year : civil.year - 1) << day;
    ASSERT_EQ(rt::monthOfDate(value), civil.month) << day;
    ASSERT_EQ(rt::dayOfDate(value), civil.day) << day;
  }
}

}  // namespace
}  // namespace gnomon::codegen::test
