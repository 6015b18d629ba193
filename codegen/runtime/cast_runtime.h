#pragma once

#include <cstdint>

#include "base/int128.h"
#include "codegen/runtime/register_value.h"

namespace gnomon::codegen::rt {

/// Text to value, at run time (casts of text columns). Failure: the input functions' errors.
bool parseBoolean(uint64_t lo, uint64_t hi);
int16_t parseSmallint(uint64_t lo, uint64_t hi);
int32_t parseInteger(uint64_t lo, uint64_t hi);
int64_t parseBigint(uint64_t lo, uint64_t hi);
int64_t parseMoney(uint64_t lo, uint64_t hi);
/// numeric(precision, scale) of Small and Wide form; Big with any typmod.
int64_t parseSmallDecimal(uint64_t lo, uint64_t hi, uint32_t precision, uint32_t scale);
int128 parseWideDecimal(uint64_t lo, uint64_t hi, uint32_t precision, uint32_t scale);
StringValue parseNumeric(uint64_t lo, uint64_t hi, int32_t typmod, Arena* arena);
double parseReal(uint64_t lo, uint64_t hi);
double parseDouble(uint64_t lo, uint64_t hi);
int32_t parseDate(uint64_t lo, uint64_t hi);
int64_t parseTimestamp(uint64_t lo, uint64_t hi, int32_t typmod);
int64_t parseTimestampTz(uint64_t lo, uint64_t hi, int32_t typmod);
int64_t parseTime(uint64_t lo, uint64_t hi, int32_t typmod);
Pair parseInterval(uint64_t lo, uint64_t hi, int32_t typmod);
int128 parseUuid(uint64_t lo, uint64_t hi);
StringValue parseBytea(uint64_t lo, uint64_t hi, Arena* arena);

/// Value to text.
StringValue booleanToText(bool value);
StringValue integerToText(int64_t value, Arena* arena);
StringValue decimalToText(int128 value, uint32_t scale, Arena* arena);
StringValue numericToText(uint64_t lo, uint64_t hi, Arena* arena);
StringValue realToText(double value, Arena* arena);
StringValue doubleToText(double value, Arena* arena);
StringValue dateToText(int32_t date, Arena* arena);
StringValue timestampToText(int64_t timestamp, Arena* arena);
StringValue timestampTzToText(int64_t timestamp, Arena* arena);
StringValue timeToText(int64_t time, Arena* arena);
StringValue intervalToText(uint64_t lo, uint64_t hi, Arena* arena);
StringValue uuidToText(int128 uuid, Arena* arena);
StringValue byteaToText(uint64_t lo, uint64_t hi, bool is_escape, Arena* arena);

/// Floats to integers: half to even. Failure: 22003 "integer out of range" and so on.
int16_t doubleToSmallint(double value);
int32_t doubleToInteger(double value);
int64_t doubleToBigint(double value);
int16_t realToSmallint(double value);
int32_t realToInteger(double value);
int64_t realToBigint(double value);
/// Rounded to a float. Failure: 22003 overflow, underflow.
double doubleToReal(double value);
int16_t bigintToSmallint(int64_t value);
int32_t bigintToInteger(int64_t value);

/// Floats to numerics.
int128 doubleToDecimal(double value, uint32_t precision, uint32_t scale);
int128 realToDecimal(double value, uint32_t precision, uint32_t scale);
StringValue doubleToNumeric(double value, int32_t typmod, Arena* arena);
StringValue realToNumeric(double value, int32_t typmod, Arena* arena);

/// Scaled decimals to numbers. Integers round half away from zero.
int16_t decimalToSmallint(int128 value, uint32_t scale);
int32_t decimalToInteger(int128 value, uint32_t scale);
int64_t decimalToBigint(int128 value, uint32_t scale);
double decimalToDouble(int128 value, uint32_t scale);
double decimalToReal(int128 value, uint32_t scale);

/// Big numerics to numbers.
int16_t numericToSmallint(uint64_t lo, uint64_t hi);
int32_t numericToInteger(uint64_t lo, uint64_t hi);
int64_t numericToBigint(uint64_t lo, uint64_t hi);
double numericToDouble(uint64_t lo, uint64_t hi);
double numericToReal(uint64_t lo, uint64_t hi);
/// Into numeric(precision, scale). Failure: 22003 "numeric field overflow"; NaN is 0A000.
int128 numericToDecimal(uint64_t lo, uint64_t hi, uint32_t precision, uint32_t scale);

int64_t dateToTimestamp(int32_t date);
int32_t timestampToDate(int64_t timestamp);
/// Between timestamps with time zone and those that the session's clock shows.
int64_t localToUtc(int64_t local);
int64_t utcToLocal(int64_t timestamp);
int64_t dateToUtc(int32_t date);
int32_t utcToDate(int64_t timestamp);
/// *is_null: the timestamp was infinite.
int64_t timestampToTime(int64_t timestamp, bool has_zone, bool* is_null);
int64_t intervalToTime(int64_t microseconds);
int64_t fitTimestamp(int64_t timestamp, int32_t typmod);
Pair fitInterval(uint64_t lo, uint64_t hi, int32_t typmod);

}  // namespace gnomon::codegen::rt
