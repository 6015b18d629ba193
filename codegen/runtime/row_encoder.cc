#include "codegen/runtime/row_encoder.h"

#include <bit>
#include <string>

#include "base/sql_error.h"
#include "base/string_value.h"
#include "sql/types/array_text.h"
#include "sql/types/big_numeric.h"
#include "sql/types/bytea.h"
#include "sql/types/date.h"
#include "sql/types/decimal.h"
#include "sql/types/floating.h"
#include "sql/types/integer.h"
#include "sql/types/interval.h"
#include "sql/types/text_io.h"
#include "sql/types/time.h"
#include "sql/types/timestamp.h"
#include "sql/types/timestamptz.h"
#include "sql/types/type.h"
#include "sql/types/uuid.h"

namespace gnomon::codegen::rt {
namespace {

constexpr size_t kLengthBytes = 4;
/// PostgreSQL's limit of a message.
constexpr size_t kRowBytesMax = 0x3fffffff;

/// Room for a value of at most kBytesMax bytes, written by `write(char*) -> end` behind its length.
template <size_t kBytesMax, typename Write>
void appendValue(WireBuffer* buffer, Write write) {
  buffer->reserve(kLengthBytes + kBytesMax);
  char* const bytes = buffer->cur + kLengthBytes;
  char* const end = write(bytes);
  storeBigEndian(static_cast<int32_t>(end - bytes), buffer->cur);
  buffer->cur = end;
}

void appendBytes(WireBuffer* buffer, std::string_view bytes) {
  buffer->reserve(kLengthBytes + bytes.size());
  char* const out = storeBigEndian(static_cast<int32_t>(bytes.size()), buffer->cur);
  if (!bytes.empty()) std::memcpy(out, bytes.data(), bytes.size());
  buffer->cur = out + bytes.size();
}

template <typename Integer>
void appendFixed(WireBuffer* buffer, Integer value) {
  appendValue<sizeof(Integer)>(buffer, [value](char* out) { return storeBigEndian(value, out); });
}

}  // namespace

void beginRow(WireBuffer* buffer, int32_t columns) {
  constexpr size_t kHeaderBytes = 1 + kLengthBytes + 2;
  buffer->reserve(kHeaderBytes);
  buffer->row_offset = buffer->size();
  *buffer->cur = 'D';
  storeBigEndian(static_cast<int16_t>(columns), buffer->cur + 1 + kLengthBytes);
  buffer->cur += kHeaderBytes;
}

void endRow(WireBuffer* buffer) {
  // The length counts itself, not the type byte.
  const size_t bytes = buffer->size() - buffer->row_offset - 1;
  if (bytes > kRowBytesMax) [[unlikely]]
    throw SqlError(sqlstate::kProgramLimitExceeded, "row of " + std::to_string(bytes) + " bytes is too large to send");
  storeBigEndian(static_cast<int32_t>(bytes), buffer->begin + buffer->row_offset + 1);
}

void appendNull(WireBuffer* buffer) {
  buffer->reserve(kLengthBytes);
  buffer->cur = storeBigEndian(int32_t{-1}, buffer->cur);
}

void appendBooleanText(WireBuffer* buffer, bool value) {
  appendValue<1>(buffer, [value](char* out) {
    *out = value ? 't' : 'f';
    return out + 1;
  });
}

void appendIntegerText(WireBuffer* buffer, int64_t value) {
  appendValue<sql::kIntegerTextBytesMax>(buffer, [value](char* out) { return sql::printInteger(value, out); });
}

void appendSmallDecimalText(WireBuffer* buffer, int64_t value, uint32_t scale) {
  appendValue<sql::kDecimalTextBytesMax>(buffer, [=](char* out) { return sql::printSmallDecimal(value, scale, out); });
}

void appendWideDecimalText(WireBuffer* buffer, int128 value, uint32_t scale) {
  appendValue<sql::kDecimalTextBytesMax>(buffer, [=](char* out) { return sql::printWideDecimal(value, scale, out); });
}

void appendNumericText(WireBuffer* buffer, uint64_t lo, uint64_t hi) {
  int128 value;
  unsigned scale;
  if (sql::decodeInline(lo, hi, value, scale) && scale <= sql::Type::kWideDigitsMax) [[likely]]
    return appendWideDecimalText(buffer, value, scale);
  const StringValue bytes(lo, hi);
  std::string text;
  sql::BigNumeric::decode(bytes.view()).appendText(text);
  appendBytes(buffer, text);
}

void appendRealText(WireBuffer* buffer, double value) {
  appendValue<sql::kFloatTextBytesMax>(buffer,
                                       [value](char* out) { return sql::printReal(static_cast<float>(value), out); });
}

void appendDoubleText(WireBuffer* buffer, double value) {
  appendValue<sql::kFloatTextBytesMax>(buffer, [value](char* out) { return sql::printDouble(value, out); });
}

void appendDateText(WireBuffer* buffer, int32_t date) {
  appendValue<sql::kDateTextBytesMax>(buffer, [date](char* out) { return sql::printDate(date, out); });
}

void appendTimestampText(WireBuffer* buffer, int64_t timestamp) {
  appendValue<sql::kTimestampTextBytesMax>(buffer,
                                           [timestamp](char* out) { return sql::printTimestamp(timestamp, out); });
}

void appendTimestampTzText(WireBuffer* buffer, int64_t timestamp) {
  appendValue<sql::kTimestampTzTextBytesMax>(buffer,
                                             [timestamp](char* out) { return sql::printTimestampTz(timestamp, out); });
}

void appendTimeText(WireBuffer* buffer, int64_t time) {
  appendValue<sql::kTimeTextBytesMax>(buffer, [time](char* out) { return sql::printTime(time, out); });
}

void appendIntervalText(WireBuffer* buffer, uint64_t lo, uint64_t hi) {
  appendValue<sql::kIntervalTextBytesMax>(
      buffer, [=](char* out) { return sql::printInterval(sql::Interval::fromBits(lo, hi), out); });
}

void appendUuidText(WireBuffer* buffer, int128 uuid) {
  char text[sql::kUuidTextBytes];
  sql::printUuid(uuid, text);
  appendBytes(buffer, {text, sizeof(text)});
}

void appendUuidBinary(WireBuffer* buffer, int128 uuid) {
  char bytes[sql::kUuidBytes];
  sql::uuidToBytes(uuid, bytes);
  appendBytes(buffer, {bytes, sizeof(bytes)});
}

void appendByteaText(WireBuffer* buffer, bool is_escape, uint64_t lo, uint64_t hi) {
  const StringValue value(lo, hi);
  const auto output = is_escape ? sql::ByteaOutput::Escape : sql::ByteaOutput::Hex;
  const size_t bytes = sql::byteaTextBytes(value.view(), output);
  buffer->reserve(kLengthBytes + bytes);
  char* const out = storeBigEndian(static_cast<int32_t>(bytes), buffer->cur);
  buffer->cur = sql::printBytea(value.view(), output, out);
}

void appendAnyText(WireBuffer* buffer, uint64_t type, bool is_escape, uint64_t lo, uint64_t hi) {
  std::string text;
  sql::appendText(std::bit_cast<sql::Type>(type), lo, hi, text,
                  is_escape ? sql::ByteaOutput::Escape : sql::ByteaOutput::Hex);
  appendBytes(buffer, text);
}

void appendAnyBinary(WireBuffer* buffer, uint64_t type, uint64_t lo, uint64_t hi) {
  std::string bytes;
  sql::appendBinary(std::bit_cast<sql::Type>(type), lo, hi, bytes);
  appendBytes(buffer, bytes);
}

void appendString(WireBuffer* buffer, uint64_t lo, uint64_t hi) {
  const StringValue text(lo, hi);
  appendBytes(buffer, text.view());
}

void appendWords(WireBuffer* buffer, uint64_t lo, uint64_t hi) {
  appendValue<16>(buffer, [lo, hi](char* out) {
    std::memcpy(out, &lo, sizeof(lo));
    std::memcpy(out + sizeof(lo), &hi, sizeof(hi));
    return out + 16;
  });
}

void appendBooleanBinary(WireBuffer* buffer, bool value) {
  appendValue<1>(buffer, [value](char* out) {
    *out = static_cast<char>(value);
    return out + 1;
  });
}

void appendSmallintBinary(WireBuffer* buffer, int16_t value) {
  appendFixed(buffer, value);
}

void appendIntegerBinary(WireBuffer* buffer, int32_t value) {
  appendFixed(buffer, value);
}

void appendBigintBinary(WireBuffer* buffer, int64_t value) {
  appendFixed(buffer, value);
}

void appendSmallDecimalBinary(WireBuffer* buffer, int64_t value, uint32_t scale) {
  appendWideDecimalBinary(buffer, value, scale);
}

void appendWideDecimalBinary(WireBuffer* buffer, int128 value, uint32_t scale) {
  appendValue<sql::kDecimalBinaryBytesMax>(buffer,
                                           [=](char* out) { return sql::writeDecimalBinary(value, scale, out); });
}

void appendNumericBinary(WireBuffer* buffer, uint64_t lo, uint64_t hi) {
  int128 value;
  unsigned scale;
  if (sql::decodeInline(lo, hi, value, scale) && scale <= sql::Type::kWideDigitsMax) [[likely]]
    return appendWideDecimalBinary(buffer, value, scale);
  const StringValue bytes(lo, hi);
  std::string encoded;
  sql::BigNumeric::decode(bytes.view()).appendBinary(encoded);
  appendBytes(buffer, encoded);
}

void appendRealBinary(WireBuffer* buffer, double value) {
  appendFixed(buffer, std::bit_cast<int32_t>(static_cast<float>(value)));
}

void appendDoubleBinary(WireBuffer* buffer, double value) {
  appendFixed(buffer, std::bit_cast<int64_t>(value));
}

void appendDateBinary(WireBuffer* buffer, int32_t date) {
  appendFixed(buffer, date);
}

void appendTimestampBinary(WireBuffer* buffer, int64_t timestamp) {
  appendFixed(buffer, timestamp);
}

void appendIntervalBinary(WireBuffer* buffer, uint64_t lo, uint64_t hi) {
  appendValue<16>(buffer, [=](char* out) {
    out = storeBigEndian(lo, out);
    out = storeBigEndian(static_cast<uint32_t>(hi), out);
    return storeBigEndian(static_cast<uint32_t>(hi >> 32), out);
  });
}

}  // namespace gnomon::codegen::rt
