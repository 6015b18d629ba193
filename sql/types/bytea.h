#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace gnomon::sql {

/// How a bytea is shown: the setting bytea_output.
///   Hex     \x and two lower-case digits a byte
///   Escape  printable ASCII as it is, a backslash doubled, other bytes as a backslash and three octal digits
enum class ByteaOutput : uint8_t { Hex, Escape };

/// PostgreSQL's MaxAllocSize less a header: no string, bytea or text of one is longer.
constexpr size_t kStringBytesMax = 0x3fffffff - 4;

/// The most bytes that parseBytea() makes of the text.
size_t byteaBytesMax(std::string_view text);
/// Writes the bytes that a text in either format denotes at `out` and returns the end.
/// Failure: 22023 for wrong hexadecimal digits (as PostgreSQL 15 has it), 22P02 for a wrong escape.
char* parseBytea(std::string_view text, char* out);

/// The length of the text that printBytea() makes. Failure: 54000 over kStringBytesMax.
size_t byteaTextBytes(std::string_view bytes, ByteaOutput output);
/// Writes the text at `out` and returns the end.
char* printBytea(std::string_view bytes, ByteaOutput output, char* out);

}  // namespace gnomon::sql
