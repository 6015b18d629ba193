#include "codegen/runtime/copy_encoder.h"

#include <bit>
#include <string>
#include <string_view>

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
constexpr size_t kHeaderBytes = 1 + kLengthBytes;
constexpr size_t kRowBytesMax = 0x3fffffff;

/// The letter that stands for a control character behind a backslash; 0 when it has none.
constexpr char escapeLetter(char c) {
  switch (c) {
    case '\b':
      return 'b';
    case '\f':
      return 'f';
    case '\n':
      return 'n';
    case '\r':
      return 'r';
    case '\t':
      return 't';
    case '\v':
      return 'v';
    default:
      return 0;
  }
}

bool hasSpecial(const CopyFormat* format, std::string_view text) {
  for (const char c : text)
    if (format->is_special[static_cast<unsigned char>(c)]) return true;
  return false;
}

void appendDelimiter(WireBuffer* buffer, const CopyFormat* format, bool is_first) {
  if (is_first) return;
  buffer->reserve(1);
  *buffer->cur++ = format->delimiter;
}

void appendEscaped(WireBuffer* buffer, const CopyFormat* format, std::string_view text) {
  buffer->reserve(2 * text.size());
  char* out = buffer->cur;
  for (const char c : text) {
    if (!format->is_special[static_cast<unsigned char>(c)]) [[likely]] {
      *out++ = c;
      continue;
    }
    const char letter = escapeLetter(c);
    *out++ = '\\';
    *out++ = letter ? letter : c;
  }
  buffer->cur = out;
}

void appendQuoted(WireBuffer* buffer, const CopyFormat* format, std::string_view text) {
  buffer->reserve(2 * text.size() + 2);
  char* out = buffer->cur;
  *out++ = format->quote;
  for (const char c : text) {
    if (c == format->quote || c == format->escape) *out++ = format->escape;
    *out++ = c;
  }
  *out++ = format->quote;
  buffer->cur = out;
}

void appendText(WireBuffer* buffer, const CopyFormat* format, bool is_first, std::string_view text) {
  appendDelimiter(buffer, format, is_first);
  if (!format->is_csv) {
    if (hasSpecial(format, text)) return appendEscaped(buffer, format, text);
    return buffer->append(text);
  }
  const bool is_quoted = format->quotes_all || text == format->null_text || hasSpecial(format, text) ||
                         (format->is_single_column && text == "\\.");
  if (is_quoted) return appendQuoted(buffer, format, text);
  buffer->append(text);
}

/// A value without strings: printed straight into the buffer when no byte of it can be special.
template <size_t kBytesMax, typename Print>
void appendPrinted(WireBuffer* buffer, const CopyFormat* format, bool is_first, Print print) {
  if (format->are_numbers_plain) [[likely]] {
    buffer->reserve(kBytesMax + 1);
    *buffer->cur = format->delimiter;
    buffer->cur = print(buffer->cur + !is_first);
    return;
  }
  char text[kBytesMax];
  const char* const end = print(text);
  appendText(buffer, format, is_first, {text, static_cast<size_t>(end - text)});
}

/// A bytea in hexadecimal where no digit is special: only the backslash before them is escaped, in text format.
void appendHex(WireBuffer* buffer, const CopyFormat* format, bool is_first, std::string_view bytes) {
  appendDelimiter(buffer, format, is_first);
  buffer->reserve(1 + sql::byteaTextBytes(bytes, sql::ByteaOutput::Hex));
  if (!format->is_csv) *buffer->cur++ = '\\';
  buffer->cur = sql::printBytea(bytes, sql::ByteaOutput::Hex, buffer->cur);
}

void beginMessage(WireBuffer* buffer) {
  buffer->reserve(kHeaderBytes);
  buffer->row_offset = buffer->size();
  *buffer->cur = 'd';
  buffer->cur += kHeaderBytes;
}

void endMessage(WireBuffer* buffer) {
  const size_t bytes = buffer->size() - buffer->row_offset - 1;
  if (bytes > kRowBytesMax) [[unlikely]]
    throw SqlError(sqlstate::kProgramLimitExceeded, "row of " + std::to_string(bytes) + " bytes is too large to send");
  storeBigEndian(static_cast<int32_t>(bytes), buffer->begin + buffer->row_offset + 1);
}

}  // namespace

void CopyFormat::prepare() {
  is_special.fill(false);
  const auto mark = [this](char c) { is_special[static_cast<unsigned char>(c)] = true; };
  mark(delimiter);
  mark('\n');
  mark('\r');
  if (is_csv) {
    mark(quote);
  } else {
    for (const char c : {'\\', '\b', '\f', '\t', '\v'}) mark(c);
  }
  are_numbers_plain = !quotes_all && (!is_csv || null_text.empty());
  for (int c = 0; c < 128; ++c) {
    const bool is_of_numbers = (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '+' ||
                               c == '-' || c == '.' || c == ':' || c == ' ';
    if (is_of_numbers && is_special[static_cast<size_t>(c)]) are_numbers_plain = false;
  }
}

void beginCopyRow(WireBuffer* buffer, const CopyFormat* /*format*/) {
  beginMessage(buffer);
}

void endCopyRow(WireBuffer* buffer, const CopyFormat* /*format*/) {
  buffer->append("\n");
  endMessage(buffer);
}

void copyNull(WireBuffer* buffer, const CopyFormat* format, bool is_first) {
  appendDelimiter(buffer, format, is_first);
  buffer->append(format->null_text);
}

void copyBoolean(WireBuffer* buffer, const CopyFormat* format, bool is_first, bool value) {
  appendPrinted<1>(buffer, format, is_first, [value](char* out) {
    *out = value ? 't' : 'f';
    return out + 1;
  });
}

void copyInteger(WireBuffer* buffer, const CopyFormat* format, bool is_first, int64_t value) {
  appendPrinted<sql::kIntegerTextBytesMax>(buffer, format, is_first,
                                           [value](char* out) { return sql::printInteger(value, out); });
}

void copySmallDecimal(WireBuffer* buffer, const CopyFormat* format, bool is_first, int64_t value, uint32_t scale) {
  appendPrinted<sql::kDecimalTextBytesMax>(buffer, format, is_first,
                                           [=](char* out) { return sql::printSmallDecimal(value, scale, out); });
}

void copyWideDecimal(WireBuffer* buffer, const CopyFormat* format, bool is_first, int128 value, uint32_t scale) {
  appendPrinted<sql::kDecimalTextBytesMax>(buffer, format, is_first,
                                           [=](char* out) { return sql::printWideDecimal(value, scale, out); });
}

void copyNumeric(WireBuffer* buffer, const CopyFormat* format, bool is_first, uint64_t lo, uint64_t hi) {
  int128 value;
  unsigned scale;
  if (sql::decodeInline(lo, hi, value, scale) && scale <= sql::Type::kWideDigitsMax) [[likely]]
    return copyWideDecimal(buffer, format, is_first, value, scale);
  const StringValue bytes(lo, hi);
  std::string text;
  sql::BigNumeric::decode(bytes.view()).appendText(text);
  appendText(buffer, format, is_first, text);
}

void copyReal(WireBuffer* buffer, const CopyFormat* format, bool is_first, double value) {
  appendPrinted<sql::kFloatTextBytesMax>(buffer, format, is_first,
                                         [value](char* out) { return sql::printReal(static_cast<float>(value), out); });
}

void copyDouble(WireBuffer* buffer, const CopyFormat* format, bool is_first, double value) {
  appendPrinted<sql::kFloatTextBytesMax>(buffer, format, is_first,
                                         [value](char* out) { return sql::printDouble(value, out); });
}

void copyDate(WireBuffer* buffer, const CopyFormat* format, bool is_first, int32_t date) {
  appendPrinted<sql::kDateTextBytesMax>(buffer, format, is_first,
                                        [date](char* out) { return sql::printDate(date, out); });
}

void copyTimestamp(WireBuffer* buffer, const CopyFormat* format, bool is_first, int64_t timestamp) {
  appendPrinted<sql::kTimestampTextBytesMax>(buffer, format, is_first,
                                             [timestamp](char* out) { return sql::printTimestamp(timestamp, out); });
}

void copyTimestampTz(WireBuffer* buffer, const CopyFormat* format, bool is_first, int64_t timestamp) {
  appendPrinted<sql::kTimestampTzTextBytesMax>(
      buffer, format, is_first, [timestamp](char* out) { return sql::printTimestampTz(timestamp, out); });
}

void copyTime(WireBuffer* buffer, const CopyFormat* format, bool is_first, int64_t time) {
  appendPrinted<sql::kTimeTextBytesMax>(buffer, format, is_first,
                                        [time](char* out) { return sql::printTime(time, out); });
}

void copyUuid(WireBuffer* buffer, const CopyFormat* format, bool is_first, int128 uuid) {
  appendPrinted<sql::kUuidTextBytes>(buffer, format, is_first, [=](char* out) { return sql::printUuid(uuid, out); });
}

void copyInterval(WireBuffer* buffer, const CopyFormat* format, bool is_first, uint64_t lo, uint64_t hi) {
  appendPrinted<sql::kIntervalTextBytesMax>(
      buffer, format, is_first, [=](char* out) { return sql::printInterval(sql::Interval::fromBits(lo, hi), out); });
}

void copyBytea(WireBuffer* buffer, const CopyFormat* format, bool is_first, bool is_escape, uint64_t lo, uint64_t hi) {
  const StringValue value(lo, hi);
  const auto output = is_escape ? sql::ByteaOutput::Escape : sql::ByteaOutput::Hex;
  const bool is_plain = format->are_numbers_plain && (!format->is_csv || !format->is_special['\\']);
  if (!is_escape && is_plain) return appendHex(buffer, format, is_first, value.view());
  std::string text(sql::byteaTextBytes(value.view(), output), '\0');
  sql::printBytea(value.view(), output, text.data());
  appendText(buffer, format, is_first, text);
}

void copyAny(WireBuffer* buffer, const CopyFormat* format, bool is_first, uint64_t type, bool is_escape, uint64_t lo,
             uint64_t hi) {
  std::string text;
  sql::appendText(std::bit_cast<sql::Type>(type), lo, hi, text,
                  is_escape ? sql::ByteaOutput::Escape : sql::ByteaOutput::Hex);
  appendText(buffer, format, is_first, text);
}

void copyString(WireBuffer* buffer, const CopyFormat* format, bool is_first, uint64_t lo, uint64_t hi) {
  const StringValue text(lo, hi);
  appendText(buffer, format, is_first, text.view());
}

void beginCopyBinaryRow(WireBuffer* buffer, int32_t columns) {
  beginMessage(buffer);
  buffer->reserve(2);
  buffer->cur = storeBigEndian(static_cast<int16_t>(columns), buffer->cur);
}

void endCopyBinaryRow(WireBuffer* buffer) {
  endMessage(buffer);
}

}  // namespace gnomon::codegen::rt
