#include "sql/types/floating.h"

#include <fmt/format.h>
#include <strings.h>

#include <algorithm>
#include <bit>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <limits>
#include <string>

#include "base/int128.h"
#include "base/sql_error.h"
#include "base/text_style.h"
#include "sql/types/integer.h"

namespace gnomon::sql {
namespace {

template <typename Float>
constexpr const char* kTypeName = sizeof(Float) == 4 ? "real" : "double precision";

[[noreturn]] void throwSyntax(std::string_view text, const char* type) {
  throw SqlError(sqlstate::kInvalidTextRepresentation,
                 fmt::format("invalid input syntax for type {}: \"{}\"", type, text));
}

float stringToFloat(const char* text, char** end, float /*selects the overload*/) {
  return std::strtof(text, end);
}
double stringToFloat(const char* text, char** end, double /*selects the overload*/) {
  return std::strtod(text, end);
}

/// What strtod takes beyond plain decimals: hexadecimal floats, signs with +, names, denormals.
template <typename Float>
Float parseUnusual(std::string_view text, std::string_view trimmed) {
  const std::string copy(trimmed);
  char* end = nullptr;
  if (copy.empty()) throwSyntax(text, kTypeName<Float>);
  const Float number = stringToFloat(copy.c_str(), &end, Float{});
  if (end != copy.c_str() + copy.size()) throwSyntax(text, kTypeName<Float>);
  // strtod also takes "nan(...)"; PostgreSQL does so too. Infinity is only an overflow when it was not spelled out.
  const bool has_name = copy.find_first_of("iInN") != std::string::npos;
  const bool is_zero_text = copy.find_first_of("123456789abcdefABCDEF") == std::string::npos ||
                            copy.substr(0, copy.find_first_of("eE")).find_first_of("123456789") == std::string::npos;
  const bool is_hexadecimal = copy.find_first_of("xX") != std::string::npos;
  const bool is_lost = (std::isinf(number) && !has_name) || (number == 0 && !is_zero_text && !is_hexadecimal);
  if (is_lost)
    throw SqlError(sqlstate::kNumericValueOutOfRange,
                   fmt::format("\"{}\" is out of range for type {}", copy, kTypeName<Float>));
  return number;
}

template <typename Float>
Float parse(std::string_view text) {
  const std::string_view trimmed = trimSpace(text);
  Float number;
  const auto [end, error] = std::from_chars(trimmed.data(), trimmed.data() + trimmed.size(), number);
  const bool is_plain = error == std::errc() && end == trimmed.data() + trimmed.size();
  if (is_plain && std::isfinite(number) && number != 0) [[likely]]
    return number;
  return parseUnusual<Float>(text, trimmed);
}

/// A decimal as digits * 10^exponent.
struct Shortest {
  char digits[20];
  int count;
  int point;  ///< the number is 0.digits * 10^point
};

Shortest takeApart(const char* begin, const char* end) {
  Shortest result{};
  const char* next = begin;
  for (; next != end && *next != 'e'; ++next)
    if (*next != '.') result.digits[result.count++] = *next;
  int exponent = 0;
  std::from_chars(next + 1 + (next[1] == '+'), end, exponent);
  while (result.count > 1 && result.digits[result.count - 1] == '0') --result.count;
  result.point = exponent + 1;
  return result;
}

/// Whether digits * 10^k lies exactly halfway between `number` and a neighbour. PostgreSQL's printing does not use such
/// decimals although they read back as `number` when its mantissa is even. They exist only for large whole numbers.
template <typename Float>
bool isHalfway(const Shortest& decimal, Float number) {
  int exponent;
  const double fraction = std::frexp(static_cast<double>(number), &exponent);
  constexpr int kMantissaBits = std::numeric_limits<Float>::digits;
  const auto mantissa = static_cast<uint64_t>(std::ldexp(fraction, kMantissaBits));
  exponent -= kMantissaBits;
  const int ten_exponent = decimal.point - decimal.count;
  if (exponent < 1 || (mantissa & 1) != 0 || ten_exponent < 0 || ten_exponent > 23) return false;
  uint128 left = 0;
  for (int index = 0; index < decimal.count; ++index)
    left = left * 10 + static_cast<unsigned>(decimal.digits[index] - '0');
  for (int index = 0; index < ten_exponent; ++index) left *= 5;
  // digits * 5^k * 2^k against (2 * mantissa +- 1) * 2^(exponent - 1).
  const int shift = exponent - 1 - ten_exponent;
  if (shift < 0) {
    if (-shift > 16) return false;
    left <<= -shift;
  }
  const uint128 below = 2 * static_cast<uint128>(mantissa) - 1;
  const uint128 above = 2 * static_cast<uint128>(mantissa) + 1;
  if (shift <= 0) return left == below || left == above;
  if (shift > 70 || (left & ((uint128{1} << shift) - 1)) != 0) return false;
  return (left >> shift) == below || (left >> shift) == above;
}

template <typename Float>
Shortest shortestDigits(Float number) {
  char buffer[48];
  auto result = std::to_chars(buffer, buffer + sizeof(buffer), number, std::chars_format::scientific);
  Shortest decimal = takeApart(buffer, result.ptr);
  if (number < Float{16777216} || !isHalfway(decimal, number)) [[likely]]
    return decimal;
  const int first = decimal.count;
  for (int digits = first; digits <= std::numeric_limits<Float>::max_digits10; ++digits) {
    result = std::to_chars(buffer, buffer + sizeof(buffer), number, std::chars_format::scientific, digits - 1);
    decimal = takeApart(buffer, result.ptr);
    Float back;
    std::from_chars(buffer, result.ptr, back);
    if (back == number && !isHalfway(decimal, number)) break;
  }
  return decimal;
}

char* append(std::string_view text, char* out) {
  std::memcpy(out, text.data(), text.size());
  return out + text.size();
}

char* printScientific(const Shortest& decimal, char* out) {
  *out++ = decimal.digits[0];
  if (decimal.count > 1) {
    *out++ = '.';
    out = append({decimal.digits + 1, static_cast<size_t>(decimal.count - 1)}, out);
  }
  *out++ = 'e';
  int exponent = decimal.point - 1;
  *out++ = exponent < 0 ? '-' : '+';
  exponent = std::abs(exponent);
  return printDigits(static_cast<uint64_t>(exponent), exponent >= 100 ? 3 : 2, out);
}

char* printPositional(const Shortest& decimal, char* out) {
  if (decimal.point <= 0) {
    out = append("0.", out);
    std::memset(out, '0', static_cast<size_t>(-decimal.point));
    return append({decimal.digits, static_cast<size_t>(decimal.count)}, out - decimal.point);
  }
  const int before = std::min(decimal.count, decimal.point);
  out = append({decimal.digits, static_cast<size_t>(before)}, out);
  std::memset(out, '0', static_cast<size_t>(decimal.point - before));
  out += decimal.point - before;
  if (before == decimal.count) return out;
  *out++ = '.';
  return append({decimal.digits + before, static_cast<size_t>(decimal.count - before)}, out);
}

template <typename Float>
char* print(Float number, char* out) {
  if (std::isnan(number)) return append("NaN", out);
  if (std::signbit(number)) *out++ = '-';
  number = std::fabs(number);
  if (std::isinf(number)) return append("Infinity", out);
  if (number == 0) return append("0", out);
  if (textStyle().float_digits < 1) [[unlikely]] {
    const int digits = std::max(1, std::numeric_limits<Float>::digits10 + textStyle().float_digits);
    return std::to_chars(out, out + kFloatTextBytesMax - 1, number, std::chars_format::general, digits).ptr;
  }
  const Shortest decimal = shortestDigits(number);
  // The exponents at which %g with the type's decimal digits changes to scientific notation.
  const int exponent = decimal.point - 1;
  if (exponent < -4 || exponent >= std::numeric_limits<Float>::digits10) return printScientific(decimal, out);
  return printPositional(decimal, out);
}

}  // namespace

float parseReal(std::string_view text) {
  return parse<float>(text);
}

double parseDouble(std::string_view text) {
  return parse<double>(text);
}

char* printReal(float number, char* out) {
  return print(number, out);
}

char* printDouble(double number, char* out) {
  return print(number, out);
}

int compareDouble(double left, double right) {
  if (std::isnan(left)) return std::isnan(right) ? 0 : 1;
  if (std::isnan(right)) return -1;
  return left < right ? -1 : left > right;
}

}  // namespace gnomon::sql
