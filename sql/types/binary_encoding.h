#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace gnomon::sql {

/// The formats of encode() and decode().
///   Hex     two digits a byte; decoding takes both cases and skips white space between bytes
///   Base64  RFC 2045: lines of 76 characters with a line feed between them; decoding skips white space
///   Escape  zero bytes and bytes with the high bit as a backslash and three octal digits, a backslash doubled
enum class BinaryEncoding : uint8_t { Hex, Base64, Escape };

/// The format of that name, in any case. Failure: 22023 `unrecognized encoding: "x"`.
BinaryEncoding findBinaryEncoding(std::string_view name);

/// The length of what encodeBinary() writes.
size_t encodedBytes(BinaryEncoding encoding, std::string_view bytes);
/// Writes the text at `out` and returns the end.
char* encodeBinary(BinaryEncoding encoding, std::string_view bytes, char* out);

/// The most that decodeBinary() writes for a text of `text_bytes` bytes.
size_t decodedBytesMax(BinaryEncoding encoding, size_t text_bytes);
/// Writes the bytes at `out` and returns the end. Failure: 22023; for Escape 22P02.
char* decodeBinary(BinaryEncoding encoding, std::string_view text, char* out);

/// A backslash and three octal digits.
inline char* writeOctalEscape(char byte, char* out) {
  const auto value = static_cast<unsigned char>(byte);
  *out++ = '\\';
  *out++ = static_cast<char>('0' + (value >> 6));
  *out++ = static_cast<char>('0' + ((value >> 3) & 7));
  *out++ = static_cast<char>('0' + (value & 7));
  return out;
}

}  // namespace gnomon::sql
