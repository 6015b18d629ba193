#include "sql/types/integer.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <limits>

#include "base/sql_error.h"

namespace gnomon::sql {
namespace {

constexpr char kTwoDigits[] =
    "0001020304050607080910111213141516171819202122232425262728293031323334353637383940414243444546474849"
    "5051525354555657585960616263646566676869707172737475767778798081828384858687888990919293949596979899";

[[noreturn]] void throwSyntax(std::string_view text, const char* type) {
  throw SqlError(sqlstate::kInvalidTextRepresentation,
                 fmt::format("invalid input syntax for type {}: \"{}\"", type, text));
}

[[noreturn]] void throwRange(std::string_view text, const char* type) {
  throw SqlError(sqlstate::kNumericValueOutOfRange,
                 fmt::format("value \"{}\" is out of range for type {}", text, type));
}

/// Digits are summed up below zero, where there is room for the smallest number.
template <typename Integer>
Integer parse(std::string_view text, const char* type) {
  const char* next = text.data();
  const char* const end = next + text.size();
  while (next != end && isSpace(*next)) ++next;
  bool negative = false;
  if (next != end && (*next == '-' || *next == '+')) negative = *next++ == '-';
  if (next == end || !isDigit(*next)) throwSyntax(text, type);
  Integer number = 0;
  // So many fit, whatever they are.
  const char* const fitting = next + std::min<ptrdiff_t>(end - next, std::numeric_limits<Integer>::digits10);
  for (; next != fitting && isDigit(*next); ++next) number = static_cast<Integer>(number * 10 - (*next - '0'));
  for (; next != end && isDigit(*next); ++next) {
    if (__builtin_mul_overflow(number, Integer{10}, &number) ||
        __builtin_sub_overflow(number, static_cast<Integer>(*next - '0'), &number)) [[unlikely]]
      throwRange(text, type);
  }
  while (next != end && isSpace(*next)) ++next;
  if (next != end) throwSyntax(text, type);
  if (negative) return number;
  if (number == std::numeric_limits<Integer>::min()) throwRange(text, type);
  return static_cast<Integer>(-number);
}

unsigned countDecimalDigits(uint64_t number) {
  unsigned digits = 1;
  for (;;) {
    if (number < 10) return digits;
    if (number < 100) return digits + 1;
    if (number < 1000) return digits + 2;
    if (number < 10000) return digits + 3;
    number /= 10000;
    digits += 4;
  }
}

}  // namespace

int16_t parseSmallint(std::string_view text) {
  return parse<int16_t>(text, "smallint");
}

int32_t parseInteger(std::string_view text) {
  return parse<int32_t>(text, "integer");
}

int64_t parseBigint(std::string_view text) {
  return parse<int64_t>(text, "bigint");
}

char* printDigits(uint64_t number, unsigned digits, char* out) {
  char* const end = out + digits;
  char* next = end;
  while (next - out >= 2) {
    next -= 2;
    std::memcpy(next, kTwoDigits + 2 * (number % 100), 2);
    number /= 100;
  }
  if (next != out) *out = static_cast<char>('0' + number % 10);
  return end;
}

char* printInteger(int64_t number, char* out) {
  uint64_t magnitude = static_cast<uint64_t>(number);
  if (number < 0) {
    *out++ = '-';
    magnitude = -magnitude;
  }
  return printDigits(magnitude, countDecimalDigits(magnitude), out);
}

std::string_view trimSpace(std::string_view text) {
  while (!text.empty() && isSpace(text.front())) text.remove_prefix(1);
  while (!text.empty() && isSpace(text.back())) text.remove_suffix(1);
  return text;
}

}  // namespace gnomon::sql
