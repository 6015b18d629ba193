#include "sql/tests/type_case.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <bit>
#include <functional>
#include <map>

#include "base/sql_error.h"
#include "sql/types/cast.h"
#include "sql/types/date.h"
#include "sql/types/datetime_field.h"
#include "sql/types/decimal.h"
#include "sql/types/numeric_functions.h"
#include "sql/types/text_io.h"
#include "sql/types/timestamp.h"

namespace gnomon::sql::test {
namespace {

using Call = std::vector<std::string>;

/// A type by the name it has in SQL, perhaps with a modifier in parentheses.
Type typeNamed(const std::string& name) {
  static const std::map<std::string, TypeKind> kKinds{
      {"bool", TypeKind::Boolean},     {"int2", TypeKind::Smallint},   {"int4", TypeKind::Integer},
      {"int8", TypeKind::Bigint},      {"numeric", TypeKind::Numeric}, {"float4", TypeKind::Real},
      {"float8", TypeKind::Double},    {"text", TypeKind::Text},       {"varchar", TypeKind::Varchar},
      {"char", TypeKind::Char},        {"date", TypeKind::Date},       {"timestamp", TypeKind::Timestamp},
      {"interval", TypeKind::Interval}};
  const size_t parenthesis = name.find('(');
  const TypeKind kind = kKinds.at(name.substr(0, parenthesis));
  if (parenthesis == std::string::npos) return Type::of(kind);
  const int first = std::stoi(name.substr(parenthesis + 1));
  if (kind == TypeKind::Numeric) return numericWithModifier(first, std::stoi(name.substr(name.find(',') + 1)));
  return Type::of(kind, kind == TypeKind::Timestamp ? first : first + 4);
}

std::string show(const BigNumeric& number) {
  std::string text;
  BigNumeric::decode(number.encoded()).appendText(text);
  return text;
}
std::string show(Interval interval) {
  return toText({Type::of(TypeKind::Interval), false, interval.lo(), interval.hi(), {}});
}
std::string showTimestamp(int64_t timestamp) {
  return toText(Value::fromInt(Type::of(TypeKind::Timestamp), timestamp));
}
std::string showDate(int32_t date) {
  return toText(Value::fromInt(Type::of(TypeKind::Date), date));
}
std::string showDouble(double number) {
  return toText({Type::of(TypeKind::Double), false, std::bit_cast<uint64_t>(number), 0, {}});
}

std::string cast(const Call& call) {
  Value value = parseText(typeNamed(call[2]), call[1]);
  for (size_t index = 3; index < call.size(); ++index) value = castValue(value, typeNamed(call[index]), true);
  return toText(value);
}

/// The binary format in hexadecimal, after a round trip.
std::string send(const Call& call) {
  const Value value = parseText(typeNamed(call[2]), call[1]);
  std::string bytes;
  appendBinary(value, bytes);
  EXPECT_EQ(toText(parseBinary(value.type, bytes, 1)), toText(value));
  std::string text = "\\x";
  for (const unsigned char byte : bytes) text += fmt::format("{:02x}", byte);
  return text;
}

std::string extract(const Call& call) {
  const TypeKind kind = typeNamed(call[2]).kind;
  const DatetimeField field = parseExtractField(call[1], kind);
  const Type type = extractType(field, kind);
  const bool is_infinite = isGrowing(field) && call[3].ends_with("infinity");
  if (kind == TypeKind::Date && is_infinite) return show(extractGrowing(field, parseDate(call[3])));
  if (type.isBig() || is_infinite) return show(extractGrowing(field, parseTimestamp(call[3])));
  int128 result = 0;
  bool has_value = false;
  if (kind == TypeKind::Date) has_value = extractFromDate(field, parseDate(call[3]), result);
  if (kind == TypeKind::Timestamp) has_value = extractFromTimestamp(field, parseTimestamp(call[3]), result);
  if (kind == TypeKind::Interval) has_value = extractFromInterval(field, parseInterval(call[3]), result);
  return has_value ? show(BigNumeric(result, type.scale)) : "";
}

std::string datePart(const Call& call) {
  const TypeKind kind = typeNamed(call[2]).kind;
  const DatetimeField field = parseExtractField(call[1], kind);
  double result = 0;
  const bool has_value = kind == TypeKind::Interval ? datePartOfInterval(field, parseInterval(call[3]), result)
                                                    : datePartOfTimestamp(field, parseTimestamp(call[3]), result);
  return has_value ? showDouble(result) : "";
}

BigNumeric numeric(const std::string& text) {
  return BigNumeric::parse(text);
}

std::map<std::string, std::function<std::string(const Call&)>> numericCalls() {
  return {
      {"add", [](const Call& call) { return show(numeric(call[1]) + numeric(call[2])); }},
      {"sub", [](const Call& call) { return show(numeric(call[1]) - numeric(call[2])); }},
      {"mul", [](const Call& call) { return show(numeric(call[1]) * numeric(call[2])); }},
      {"div", [](const Call& call) { return show(numeric(call[1]) / numeric(call[2])); }},
      {"mod", [](const Call& call) { return show(numeric(call[1]) % numeric(call[2])); }},
      {"cmp", [](const Call& call) { return std::to_string(BigNumeric::compare(numeric(call[1]), numeric(call[2]))); }},
      {"round", [](const Call& call) { return show(numeric(call[1]).rounded(std::stoi(call[2]))); }},
      {"trunc", [](const Call& call) { return show(numeric(call[1]).truncated(std::stoi(call[2]))); }},
      {"ceil", [](const Call& call) { return show(numeric(call[1]).ceiling()); }},
      {"floor", [](const Call& call) { return show(numeric(call[1]).floor()); }},
      {"abs", [](const Call& call) { return show(numeric(call[1]).absolute()); }},
      {"sqrt", [](const Call& call) { return show(squareRoot(numeric(call[1]))); }},
      {"exp", [](const Call& call) { return show(exponential(numeric(call[1]))); }},
      {"ln", [](const Call& call) { return show(naturalLogarithm(numeric(call[1]))); }},
      {"log", [](const Call& call) { return show(logarithm(numeric(call[1]), numeric(call[2]))); }},
      {"power", [](const Call& call) { return show(power(numeric(call[1]), numeric(call[2]))); }},
  };
}

std::map<std::string, std::function<std::string(const Call&)>> datetimeCalls() {
  return {
      {"tadd",
       [](const Call& call) { return showTimestamp(addInterval(parseTimestamp(call[1]), parseInterval(call[2]))); }},
      {"tsubi",
       [](const Call& call) {
         return showTimestamp(subtractInterval(parseTimestamp(call[1]), parseInterval(call[2])));
       }},
      {"tsub",
       [](const Call& call) { return show(subtractTimestamps(parseTimestamp(call[1]), parseTimestamp(call[2]))); }},
      {"age", [](const Call& call) { return show(age(parseTimestamp(call[1]), parseTimestamp(call[2]))); }},
      {"imul", [](const Call& call) { return show(multiplyInterval(parseInterval(call[1]), std::stod(call[2]))); }},
      {"idiv", [](const Call& call) { return show(divideInterval(parseInterval(call[1]), std::stod(call[2]))); }},
      {"iadd", [](const Call& call) { return show(addIntervals(parseInterval(call[1]), parseInterval(call[2]))); }},
      {"icmp",
       [](const Call& call) {
         return std::to_string(compareIntervals(parseInterval(call[1]), parseInterval(call[2])));
       }},
      {"justify", [](const Call& call) { return show(justifyInterval(parseInterval(call[1]))); }},
      {"justifyd", [](const Call& call) { return show(justifyDays(parseInterval(call[1]))); }},
      {"justifyh", [](const Call& call) { return show(justifyHours(parseInterval(call[1]))); }},
      {"tt",
       [](const Call& call) {
         return showTimestamp(
             truncateTimestamp(parseTruncateField(call[1], TypeKind::Timestamp), parseTimestamp(call[2])));
       }},
      {"ti",
       [](const Call& call) {
         return show(truncateInterval(parseTruncateField(call[1], TypeKind::Interval), parseInterval(call[2])));
       }},
      {"mkdate",
       [](const Call& call) { return showDate(makeDate(std::stoi(call[1]), std::stoi(call[2]), std::stoi(call[3]))); }},
      {"extract", extract},
      {"part", datePart},
      {"cast", cast},
      {"send", send},
  };
}

}  // namespace

std::string evaluate(const std::vector<std::string>& call) {
  static const auto kCalls = [] {
    auto calls = numericCalls();
    calls.merge(datetimeCalls());
    return calls;
  }();
  try {
    return kCalls.at(call[0])(call);
  } catch (const SqlError& error) {
    return std::string(error.state().text()) + ": " + error.message();
  }
}

void checkCases(std::span<const TypeCase> cases) {
  for (const TypeCase& one : cases) {
    std::string shown;
    for (const std::string& word : one.call) shown += "[" + word + "] ";
    EXPECT_EQ(evaluate(one.call), one.expected) << shown;
  }
}

}  // namespace gnomon::sql::test
