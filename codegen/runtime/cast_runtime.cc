#include "codegen/runtime/cast_runtime.h"

#include <fmt/format.h>

#include <cmath>
#include <limits>
#include <string>

#include "base/sql_error.h"
#include "sql/types/big_numeric.h"
#include "sql/types/boolean.h"
#include "sql/types/bytea.h"
#include "sql/types/date.h"
#include "sql/types/decimal.h"
#include "sql/types/floating.h"
#include "sql/types/integer.h"
#include "sql/types/interval.h"
#include "sql/types/money.h"
#include "sql/types/time.h"
#include "sql/types/timestamp.h"
#include "sql/types/timestamptz.h"
#include "sql/types/uuid.h"

namespace gnomon::codegen::rt {
namespace {

using sql::BigNumeric;

[[noreturn]] void throwOutOfRange(const char* type) {
  throw SqlError(sqlstate::kNumericValueOutOfRange, fmt::format("{} out of range", type));
}

template <typename Integer>
constexpr const char* kTypeName = sizeof(Integer) == 2   ? "smallint"
                                  : sizeof(Integer) == 4 ? "integer"
                                                         : "bigint";

template <typename Integer>
Integer narrow(int64_t number) {
  if (number != static_cast<Integer>(number)) [[unlikely]]
    throwOutOfRange(kTypeName<Integer>);
  return static_cast<Integer>(number);
}

/// Rounded half to even.
template <typename Integer>
Integer fromFloat(double value) {
  constexpr auto kBound = -static_cast<double>(std::numeric_limits<Integer>::min());
  const double rounded = std::rint(value);
  if (!(rounded >= -kBound && rounded < kBound)) [[unlikely]]
    throwOutOfRange(kTypeName<Integer>);
  return static_cast<Integer>(rounded);
}

template <typename Integer>
Integer fromDecimal(int128 value, uint32_t scale) {
  int64_t number;
  if (!sql::decimalToInt64(value, scale, number)) throwOutOfRange(kTypeName<Integer>);
  return narrow<Integer>(number);
}

BigNumeric decode(uint64_t lo, uint64_t hi) {
  const StringValue bytes(lo, hi);
  return BigNumeric::decode(bytes.view());
}

template <typename Integer>
Integer fromNumeric(uint64_t lo, uint64_t hi) {
  const BigNumeric number = decode(lo, hi);
  if (!number.isFinite())
    throw SqlError(sqlstate::kFeatureNotSupported,
                   fmt::format("cannot convert {} to {}", number.isNaN() ? "NaN" : "infinity", kTypeName<Integer>));
  int64_t whole;
  if (!number.toInt64(whole)) throwOutOfRange(kTypeName<Integer>);
  return narrow<Integer>(whole);
}

StringValue encode(const BigNumeric& number, Arena* arena) {
  return copied(number.encoded(), arena);
}

/// Prints into a local buffer with `print(char*) -> end`.
template <size_t kBytesMax, typename Print>
StringValue printed(Arena* arena, Print print) {
  char buffer[kBytesMax];
  const char* const end = print(buffer);
  return copied({buffer, static_cast<size_t>(end - buffer)}, arena);
}

}  // namespace

bool parseBoolean(uint64_t lo, uint64_t hi) {
  const StringValue text(lo, hi);
  return sql::parseBoolean(text.view());
}

int16_t parseSmallint(uint64_t lo, uint64_t hi) {
  const StringValue text(lo, hi);
  return sql::parseSmallint(text.view());
}

int32_t parseInteger(uint64_t lo, uint64_t hi) {
  const StringValue text(lo, hi);
  return sql::parseInteger(text.view());
}

int64_t parseBigint(uint64_t lo, uint64_t hi) {
  const StringValue text(lo, hi);
  return sql::parseBigint(text.view());
}

int64_t parseMoney(uint64_t lo, uint64_t hi) {
  const StringValue text(lo, hi);
  return sql::parseMoney(text.view());
}

int64_t parseSmallDecimal(uint64_t lo, uint64_t hi, uint32_t precision, uint32_t scale) {
  const StringValue text(lo, hi);
  return sql::parseSmallDecimal(text.view(), precision, scale);
}

int128 parseWideDecimal(uint64_t lo, uint64_t hi, uint32_t precision, uint32_t scale) {
  const StringValue text(lo, hi);
  return sql::parseWideDecimal(text.view(), precision, scale);
}

StringValue parseNumeric(uint64_t lo, uint64_t hi, int32_t typmod, Arena* arena) {
  const StringValue text(lo, hi);
  return encode(BigNumeric::parse(text.view()).withModifier(typmod), arena);
}

double parseReal(uint64_t lo, uint64_t hi) {
  const StringValue text(lo, hi);
  return static_cast<double>(sql::parseReal(text.view()));
}

double parseDouble(uint64_t lo, uint64_t hi) {
  const StringValue text(lo, hi);
  return sql::parseDouble(text.view());
}

int32_t parseDate(uint64_t lo, uint64_t hi) {
  const StringValue text(lo, hi);
  return sql::parseDate(text.view());
}

int64_t parseTimestamp(uint64_t lo, uint64_t hi, int32_t typmod) {
  const StringValue text(lo, hi);
  return sql::parseTimestamp(text.view(), typmod);
}

int64_t parseTimestampTz(uint64_t lo, uint64_t hi, int32_t typmod) {
  const StringValue text(lo, hi);
  return sql::parseTimestampTz(text.view(), typmod);
}

int64_t parseTime(uint64_t lo, uint64_t hi, int32_t typmod) {
  const StringValue text(lo, hi);
  return sql::parseTime(text.view(), typmod);
}

Pair parseInterval(uint64_t lo, uint64_t hi, int32_t typmod) {
  const StringValue text(lo, hi);
  return toPair(sql::parseInterval(text.view(), typmod));
}

StringValue booleanToText(bool value) {
  return transient(value ? "true" : "false");
}

StringValue integerToText(int64_t value, Arena* arena) {
  return printed<sql::kIntegerTextBytesMax>(arena, [value](char* out) { return sql::printInteger(value, out); });
}

StringValue decimalToText(int128 value, uint32_t scale, Arena* arena) {
  return printed<sql::kDecimalTextBytesMax>(arena, [&](char* out) { return sql::printWideDecimal(value, scale, out); });
}

StringValue numericToText(uint64_t lo, uint64_t hi, Arena* arena) {
  std::string text;
  decode(lo, hi).appendText(text);
  return copied(text, arena);
}

StringValue realToText(double value, Arena* arena) {
  return printed<sql::kFloatTextBytesMax>(
      arena, [value](char* out) { return sql::printReal(static_cast<float>(value), out); });
}

StringValue doubleToText(double value, Arena* arena) {
  return printed<sql::kFloatTextBytesMax>(arena, [value](char* out) { return sql::printDouble(value, out); });
}

StringValue dateToText(int32_t date, Arena* arena) {
  return printed<sql::kDateTextBytesMax>(arena, [date](char* out) { return sql::printDate(date, out); });
}

StringValue timestampToText(int64_t timestamp, Arena* arena) {
  return printed<sql::kTimestampTextBytesMax>(arena,
                                              [timestamp](char* out) { return sql::printTimestamp(timestamp, out); });
}

StringValue timestampTzToText(int64_t timestamp, Arena* arena) {
  return printed<sql::kTimestampTzTextBytesMax>(
      arena, [timestamp](char* out) { return sql::printTimestampTz(timestamp, out); });
}

StringValue timeToText(int64_t time, Arena* arena) {
  return printed<sql::kTimeTextBytesMax>(arena, [time](char* out) { return sql::printTime(time, out); });
}

StringValue parseBytea(uint64_t lo, uint64_t hi, Arena* arena) {
  const StringValue value(lo, hi);
  const std::string_view text = value.view();
  auto* const bytes = static_cast<char*>(arena->allocate(sql::byteaBytesMax(text)));
  const char* const end = sql::parseBytea(text, bytes);
  return transient({bytes, static_cast<size_t>(end - bytes)});
}

StringValue byteaToText(uint64_t lo, uint64_t hi, bool is_escape, Arena* arena) {
  const StringValue value(lo, hi);
  const auto output = is_escape ? sql::ByteaOutput::Escape : sql::ByteaOutput::Hex;
  const size_t bytes = sql::byteaTextBytes(value.view(), output);
  auto* const text = static_cast<char*>(arena->allocate(bytes));
  sql::printBytea(value.view(), output, text);
  return transient({text, bytes});
}

int128 parseUuid(uint64_t lo, uint64_t hi) {
  const StringValue text(lo, hi);
  return sql::parseUuid(text.view());
}

StringValue uuidToText(int128 uuid, Arena* arena) {
  return printed<sql::kUuidTextBytes>(arena, [uuid](char* out) { return sql::printUuid(uuid, out); });
}

StringValue intervalToText(uint64_t lo, uint64_t hi, Arena* arena) {
  return printed<sql::kIntervalTextBytesMax>(
      arena, [=](char* out) { return sql::printInterval(sql::Interval::fromBits(lo, hi), out); });
}

int16_t doubleToSmallint(double value) {
  return fromFloat<int16_t>(value);
}

int32_t doubleToInteger(double value) {
  return fromFloat<int32_t>(value);
}

int64_t doubleToBigint(double value) {
  return fromFloat<int64_t>(value);
}

int16_t realToSmallint(double value) {
  return fromFloat<int16_t>(value);
}

int32_t realToInteger(double value) {
  return fromFloat<int32_t>(value);
}

int64_t realToBigint(double value) {
  return fromFloat<int64_t>(value);
}

double doubleToReal(double value) {
  const auto result = static_cast<float>(value);
  if (std::isinf(result) && !std::isinf(value)) [[unlikely]]
    throw SqlError(sqlstate::kNumericValueOutOfRange, "value out of range: overflow");
  if (result == 0 && value != 0) [[unlikely]]
    throw SqlError(sqlstate::kNumericValueOutOfRange, "value out of range: underflow");
  return static_cast<double>(result);
}

int16_t bigintToSmallint(int64_t value) {
  return narrow<int16_t>(value);
}

int32_t bigintToInteger(int64_t value) {
  return narrow<int32_t>(value);
}

int128 doubleToDecimal(double value, uint32_t precision, uint32_t scale) {
  return sql::doubleToDecimal(value, precision, scale);
}

int128 realToDecimal(double value, uint32_t precision, uint32_t scale) {
  return sql::realToDecimal(static_cast<float>(value), precision, scale);
}

StringValue doubleToNumeric(double value, int32_t typmod, Arena* arena) {
  return encode(BigNumeric::fromDouble(value).withModifier(typmod), arena);
}

StringValue realToNumeric(double value, int32_t typmod, Arena* arena) {
  return encode(BigNumeric::fromReal(static_cast<float>(value)).withModifier(typmod), arena);
}

int16_t decimalToSmallint(int128 value, uint32_t scale) {
  return fromDecimal<int16_t>(value, scale);
}

int32_t decimalToInteger(int128 value, uint32_t scale) {
  return fromDecimal<int32_t>(value, scale);
}

int64_t decimalToBigint(int128 value, uint32_t scale) {
  return fromDecimal<int64_t>(value, scale);
}

double decimalToDouble(int128 value, uint32_t scale) {
  return sql::decimalToDouble(value, scale);
}

double decimalToReal(int128 value, uint32_t scale) {
  char buffer[sql::kDecimalTextBytesMax];
  const char* const end = sql::printWideDecimal(value, scale, buffer);
  return static_cast<double>(sql::parseReal({buffer, end}));
}

int16_t numericToSmallint(uint64_t lo, uint64_t hi) {
  return fromNumeric<int16_t>(lo, hi);
}

int32_t numericToInteger(uint64_t lo, uint64_t hi) {
  return fromNumeric<int32_t>(lo, hi);
}

int64_t numericToBigint(uint64_t lo, uint64_t hi) {
  return fromNumeric<int64_t>(lo, hi);
}

double numericToDouble(uint64_t lo, uint64_t hi) {
  return decode(lo, hi).toDouble();
}

double numericToReal(uint64_t lo, uint64_t hi) {
  std::string text;
  decode(lo, hi).appendText(text);
  return static_cast<double>(sql::parseReal(text));
}

int128 numericToDecimal(uint64_t lo, uint64_t hi, uint32_t precision, uint32_t scale) {
  int128 value;
  unsigned value_scale;
  if (sql::decodeInline(lo, hi, value, value_scale)) [[likely]]
    return sql::rescaleChecked(value, value_scale, scale, precision);
  return sql::numericToDecimal(decode(lo, hi), precision, scale);
}

int64_t dateToTimestamp(int32_t date) {
  return sql::dateToTimestamp(date);
}

int32_t timestampToDate(int64_t timestamp) {
  return sql::timestampToDate(timestamp);
}

int64_t localToUtc(int64_t local) {
  return sql::localToUtc(local);
}

int64_t utcToLocal(int64_t timestamp) {
  return sql::utcToLocal(timestamp);
}

int64_t dateToUtc(int32_t date) {
  return sql::dateToUtc(date);
}

int32_t utcToDate(int64_t timestamp) {
  return sql::utcToDate(timestamp);
}

int64_t timestampToTime(int64_t timestamp, bool has_zone, bool* is_null) {
  *is_null = !sql::isFiniteTimestamp(timestamp);
  if (*is_null) return 0;
  return sql::timestampTimeOfDay(has_zone ? sql::utcToLocal(timestamp) : timestamp);
}

int64_t intervalToTime(int64_t microseconds) {
  return sql::intervalToTime({microseconds, 0, 0});
}

int64_t fitTimestamp(int64_t timestamp, int32_t typmod) {
  return sql::fitTimestamp(timestamp, typmod);
}

Pair fitInterval(uint64_t lo, uint64_t hi, int32_t typmod) {
  return toPair(sql::fitInterval(sql::Interval::fromBits(lo, hi), typmod));
}

}  // namespace gnomon::codegen::rt
