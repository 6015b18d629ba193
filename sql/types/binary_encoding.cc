#include "sql/types/binary_encoding.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "base/sql_error.h"
#include "sql/types/text.h"

namespace gnomon::sql {
namespace {

constexpr std::string_view kHexDigits = "0123456789abcdef";
constexpr std::string_view kBase64Digits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
constexpr int8_t kNoDigit = -1;
constexpr size_t kGroupBytes = 3;  ///< bytes that four base64 digits stand for
constexpr size_t kGroupDigits = 4;
constexpr size_t kLineDigits = 76;
constexpr unsigned kDigitBits = 6;

/// The value of each byte as a digit, kNoDigit when it is none.
using DigitTable = std::array<int8_t, 256>;

constexpr DigitTable makeDigitTable(std::string_view digits) {
  DigitTable table;
  table.fill(kNoDigit);
  for (size_t i = 0; i < digits.size(); ++i) table[static_cast<unsigned char>(digits[i])] = static_cast<int8_t>(i);
  return table;
}

constexpr DigitTable makeHexTable() {
  DigitTable table = makeDigitTable(kHexDigits);
  for (int i = 10; i < 16; ++i) table[static_cast<size_t>('A' + i - 10)] = static_cast<int8_t>(i);
  return table;
}

constexpr DigitTable kHexTable = makeHexTable();
constexpr DigitTable kBase64Table = makeDigitTable(kBase64Digits);

constexpr bool isSpace(char c) {
  return c == ' ' || c == '\t' || c == '\n' || c == '\r';
}
constexpr bool isOctal(char c) {
  return c >= '0' && c <= '7';
}

/// The character that starts at `offset`, for messages.
std::string_view characterAt(std::string_view text, size_t offset) {
  return text.substr(offset, characterBytes(static_cast<unsigned char>(text[offset])));
}

char* encodeHex(std::string_view bytes, char* out) {
  for (const char c : bytes) {
    const auto value = static_cast<unsigned char>(c);
    *out++ = kHexDigits[value >> 4];
    *out++ = kHexDigits[value & 15];
  }
  return out;
}

unsigned hexDigit(std::string_view text, size_t offset) {
  const int8_t digit = kHexTable[static_cast<unsigned char>(text[offset])];
  if (digit == kNoDigit) [[unlikely]]
    throw SqlError(sqlstate::kInvalidParameterValue,
                   fmt::format("invalid hexadecimal digit: \"{}\"", characterAt(text, offset)));
  return static_cast<unsigned>(digit);
}

char* decodeHex(std::string_view text, char* out) {
  for (size_t offset = 0; offset < text.size();) {
    if (isSpace(text[offset])) {
      ++offset;
      continue;
    }
    const unsigned high = hexDigit(text, offset++);
    if (offset == text.size())
      throw SqlError(sqlstate::kInvalidParameterValue, "invalid hexadecimal data: odd number of digits");
    *out++ = static_cast<char>(high << 4 | hexDigit(text, offset++));
  }
  return out;
}

/// Four digits for up to three bytes, padded with '='.
char* encodeGroup(std::string_view bytes, char* out) {
  uint32_t bits = 0;
  for (size_t i = 0; i < kGroupBytes; ++i)
    bits = bits << 8 | (i < bytes.size() ? static_cast<unsigned char>(bytes[i]) : 0);
  for (size_t i = 0; i < kGroupDigits; ++i) {
    const unsigned shift = kDigitBits * static_cast<unsigned>(kGroupDigits - 1 - i);
    *out++ = i <= bytes.size() ? kBase64Digits[bits >> shift & 63] : '=';
  }
  return out;
}

char* encodeBase64(std::string_view bytes, char* out) {
  constexpr size_t kLineBytes = kLineDigits / kGroupDigits * kGroupBytes;
  for (size_t offset = 0; offset < bytes.size(); offset += kGroupBytes) {
    out = encodeGroup(bytes.substr(offset, kGroupBytes), out);
    if ((offset + kGroupBytes) % kLineBytes == 0 && offset + kGroupBytes <= bytes.size()) *out++ = '\n';
  }
  return out;
}

/// Collects base64 digits and writes the bytes of every four.
class Base64Reader {
 public:
  explicit Base64Reader(char* out) : out_(out) {}

  void addDigit(uint32_t digit) {
    bits_ = bits_ << kDigitBits | digit;
    if (++digits_ == kGroupDigits) writeGroup();
  }
  /// A '=' stands for no bits; the first one says how many bytes its group and all later ones have.
  void addPadding() {
    if (bytes_in_group_ == kGroupBytes) {
      if (digits_ != 2 && digits_ != 3)
        throw SqlError(sqlstate::kInvalidParameterValue, "unexpected \"=\" while decoding base64 sequence");
      bytes_in_group_ = digits_ - 1;
    }
    addDigit(0);
  }
  char* finish() const {
    if (digits_ != 0)
      throw SqlError(sqlstate::kInvalidParameterValue, "invalid base64 end sequence")
          .hint("Input data is missing padding, is truncated, or is otherwise corrupted.");
    return out_;
  }

 private:
  void writeGroup() {
    for (size_t i = 0; i < bytes_in_group_; ++i)
      *out_++ = static_cast<char>(bits_ >> (8 * static_cast<unsigned>(kGroupBytes - 1 - i)));
    bits_ = 0;
    digits_ = 0;
  }

  char* out_;
  uint32_t bits_ = 0;
  size_t digits_ = 0;
  size_t bytes_in_group_ = kGroupBytes;
};

char* decodeBase64(std::string_view text, char* out) {
  Base64Reader reader(out);
  for (size_t offset = 0; offset < text.size(); ++offset) {
    const char c = text[offset];
    if (isSpace(c)) continue;
    if (c == '=') {
      reader.addPadding();
      continue;
    }
    const int8_t digit = kBase64Table[static_cast<unsigned char>(c)];
    if (digit == kNoDigit)
      throw SqlError(
          sqlstate::kInvalidParameterValue,
          fmt::format("invalid symbol \"{}\" found while decoding base64 sequence", characterAt(text, offset)));
    reader.addDigit(static_cast<uint32_t>(digit));
  }
  return reader.finish();
}

constexpr bool needsOctal(char c) {
  return c == 0 || (static_cast<unsigned char>(c) & 0x80) != 0;
}

char* encodeEscape(std::string_view bytes, char* out) {
  for (const char c : bytes) {
    if (needsOctal(c)) {
      out = writeOctalEscape(c, out);
      continue;
    }
    if (c == '\\') *out++ = '\\';
    *out++ = c;
  }
  return out;
}

char* decodeEscape(std::string_view text, char* out) {
  for (size_t offset = 0; offset < text.size();) {
    if (text[offset] != '\\') {
      *out++ = text[offset++];
      continue;
    }
    const std::string_view rest = text.substr(offset + 1, kGroupBytes);
    if (rest.starts_with('\\')) {
      *out++ = '\\';
      offset += 2;
      continue;
    }
    if (rest.size() < kGroupBytes || rest[0] > '3' || !std::ranges::all_of(rest, isOctal))
      throw SqlError(sqlstate::kInvalidTextRepresentation, "invalid input syntax for type bytea");
    *out++ = static_cast<char>((rest[0] - '0') << 6 | (rest[1] - '0') << 3 | (rest[2] - '0'));
    offset += 1 + kGroupBytes;
  }
  return out;
}

bool sameIgnoringCase(std::string_view name, std::string_view lower) {
  return std::ranges::equal(name, lower, [](char c, char expected) {
    return (c >= 'A' && c <= 'Z' ? static_cast<char>(c + ('a' - 'A')) : c) == expected;
  });
}

}  // namespace

BinaryEncoding findBinaryEncoding(std::string_view name) {
  if (sameIgnoringCase(name, "hex")) return BinaryEncoding::Hex;
  if (sameIgnoringCase(name, "base64")) return BinaryEncoding::Base64;
  if (sameIgnoringCase(name, "escape")) return BinaryEncoding::Escape;
  throw SqlError(sqlstate::kInvalidParameterValue, fmt::format("unrecognized encoding: \"{}\"", name));
}

size_t encodedBytes(BinaryEncoding encoding, std::string_view bytes) {
  if (encoding == BinaryEncoding::Hex) return 2 * bytes.size();
  if (encoding == BinaryEncoding::Base64) {
    const size_t digits = (bytes.size() + kGroupBytes - 1) / kGroupBytes * kGroupDigits;
    return digits + bytes.size() / (kLineDigits / kGroupDigits * kGroupBytes);
  }
  size_t count = 0;
  for (const char c : bytes) count += needsOctal(c) ? 4 : (c == '\\' ? 2 : 1);
  return count;
}

char* encodeBinary(BinaryEncoding encoding, std::string_view bytes, char* out) {
  switch (encoding) {
    case BinaryEncoding::Hex:
      return encodeHex(bytes, out);
    case BinaryEncoding::Base64:
      return encodeBase64(bytes, out);
    case BinaryEncoding::Escape:
      break;
  }
  return encodeEscape(bytes, out);
}

size_t decodedBytesMax(BinaryEncoding encoding, size_t text_bytes) {
  if (encoding == BinaryEncoding::Hex) return text_bytes / 2;
  if (encoding == BinaryEncoding::Base64) return text_bytes / kGroupDigits * kGroupBytes;
  return text_bytes;
}

char* decodeBinary(BinaryEncoding encoding, std::string_view text, char* out) {
  switch (encoding) {
    case BinaryEncoding::Hex:
      return decodeHex(text, out);
    case BinaryEncoding::Base64:
      return decodeBase64(text, out);
    case BinaryEncoding::Escape:
      break;
  }
  return decodeEscape(text, out);
}

}  // namespace gnomon::sql
