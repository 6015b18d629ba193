#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace gnomon::sql {

/// smallint, integer and bigint from text: surrounding white space, one sign, decimal digits.
/// Failure: 22P02 for anything else, 22003 out of the type's range; PostgreSQL's messages.
int16_t parseSmallint(std::string_view text);
int32_t parseInteger(std::string_view text);
int64_t parseBigint(std::string_view text);

/// Writes the number at `out` (room for kIntegerTextBytesMax bytes) and returns the end.
char* printInteger(int64_t number, char* out);
inline constexpr size_t kIntegerTextBytesMax = 20;

/// Writes exactly `digits` digits of `number`, with leading zeros.
char* printDigits(uint64_t number, unsigned digits, char* out);

/// White space as PostgreSQL's input functions skip it: the C locale's isspace.
constexpr bool isSpace(char c) {
  return c == ' ' || (c >= '\t' && c <= '\r');
}
constexpr bool isDigit(char c) {
  return c >= '0' && c <= '9';
}
/// The text without surrounding white space.
std::string_view trimSpace(std::string_view text);

}  // namespace gnomon::sql
