#include <fmt/format.h>
#include <strings.h>

#include <algorithm>
#include <charconv>
#include <climits>
#include <cmath>
#include <cstring>
#include <limits>

#include "base/sql_error.h"
#include "sql/types/big_integer.h"
#include "sql/types/big_numeric.h"
#include "sql/types/decimal.h"
#include "sql/types/floating.h"
#include "sql/types/integer.h"
#include "sql/types/type.h"

/// The text, binary and floating-point forms of big numerics.
namespace gnomon::sql {
namespace {

constexpr int64_t kExponentEnd = INT_MAX / 2;
constexpr unsigned kGroupDigits = 4;
constexpr uint32_t kGroupBase = 10000;

constexpr uint16_t kSignNegative = 0x4000;
constexpr uint16_t kSignNaN = 0xc000;
constexpr uint16_t kSignInfinity = 0xd000;
constexpr uint16_t kSignMinusInfinity = 0xf000;
/// The display scale PostgreSQL's numeric_send shows for the infinities.
constexpr uint16_t kInfinityDisplayScale = 0x20;

[[noreturn]] void throwSyntax(std::string_view text) {
  throw SqlError(sqlstate::kInvalidTextRepresentation,
                 fmt::format("invalid input syntax for type numeric: \"{}\"", text));
}

[[noreturn]] void throwOverflow() {
  throw SqlError(sqlstate::kNumericValueOutOfRange, "value overflows numeric format");
}

bool equalsIgnoringCase(std::string_view text, std::string_view word) {
  return text.size() == word.size() && strncasecmp(text.data(), word.data(), word.size()) == 0;
}

/// A numeric literal taken apart: sign, digits without the point, digits after the point, exponent.
struct Literal {
  bool is_negative = false;
  std::string_view whole;
  std::string_view fraction;
  int64_t exponent = 0;
};

std::string_view takeDigits(std::string_view& rest) {
  size_t length = 0;
  while (length < rest.size() && isDigit(rest[length])) ++length;
  const std::string_view digits = rest.substr(0, length);
  rest.remove_prefix(length);
  return digits;
}

/// What follows the e, as strtol reads it: white space, a sign, digits.
int64_t takeExponent(std::string_view& rest, std::string_view text) {
  while (!rest.empty() && isSpace(rest.front())) rest.remove_prefix(1);
  bool is_negative = false;
  if (!rest.empty() && (rest.front() == '-' || rest.front() == '+')) {
    is_negative = rest.front() == '-';
    rest.remove_prefix(1);
  }
  const std::string_view digits = takeDigits(rest);
  if (digits.empty()) throwSyntax(text);
  int64_t exponent = 0;
  for (const char digit : digits) exponent = std::min(kExponentEnd, exponent * 10 + (digit - '0'));
  if (exponent >= kExponentEnd) throwOverflow();
  return is_negative ? -exponent : exponent;
}

Literal takeApart(std::string_view trimmed, std::string_view text) {
  Literal literal;
  std::string_view rest = trimmed;
  if (!rest.empty() && (rest.front() == '-' || rest.front() == '+')) {
    literal.is_negative = rest.front() == '-';
    rest.remove_prefix(1);
  }
  literal.whole = takeDigits(rest);
  if (!rest.empty() && rest.front() == '.') {
    rest.remove_prefix(1);
    literal.fraction = takeDigits(rest);
  }
  if (literal.whole.empty() && literal.fraction.empty()) throwSyntax(text);
  if (!rest.empty() && (rest.front() == 'e' || rest.front() == 'E')) {
    rest.remove_prefix(1);
    literal.exponent = takeExponent(rest, text);
  }
  if (!rest.empty()) throwSyntax(text);
  return literal;
}

/// The digits of the literal as an integer, at the scale its fraction has.
BigNumeric integerOf(const Literal& literal, unsigned scale) {
  if (literal.whole.size() + literal.fraction.size() <= Type::kWideDigitsMax - 1) {
    int128 number = 0;
    for (const char digit : literal.whole) number = number * 10 + (digit - '0');
    for (const char digit : literal.fraction) number = number * 10 + (digit - '0');
    return BigNumeric(literal.is_negative ? -number : number, scale);
  }
  std::string digits(literal.is_negative ? "-" : "");
  digits.append(literal.whole).append(literal.fraction);
  BigInteger integer;
  mpz_set_str(integer.get(), digits.c_str(), 10);
  return BigNumeric::fromInteger(integer.get(), scale);
}

uint16_t loadBigEndian(const char* bytes) {
  uint16_t word;
  std::memcpy(&word, bytes, 2);
  return __builtin_bswap16(word);
}

void appendBigEndian(std::string& out, uint16_t word) {
  const uint16_t swapped = __builtin_bswap16(word);
  out.append(reinterpret_cast<const char*>(&swapped), 2);
}

[[noreturn]] void throwBinary(const char* what) {
  throw SqlError(sqlstate::kInvalidBinaryRepresentation, fmt::format("invalid {} in external \"numeric\" value", what));
}

}  // namespace

BigNumeric BigNumeric::parse(std::string_view text) {
  const std::string_view trimmed = trimSpace(text);
  if (trimmed.empty()) throwSyntax(text);
  if (!isDigit(trimmed.back()) && trimmed.back() != '.') {
    if (equalsIgnoringCase(trimmed, "nan")) return BigNumeric(Kind::NaN);
    const bool is_signed = trimmed.front() == '-' || trimmed.front() == '+';
    const std::string_view word = trimmed.substr(is_signed);
    if (equalsIgnoringCase(word, "inf") || equalsIgnoringCase(word, "infinity"))
      return BigNumeric(trimmed.front() == '-' ? Kind::MinusInfinity : Kind::Infinity);
  }
  const Literal literal = takeApart(trimmed, text);
  const auto fraction_digits = static_cast<int64_t>(literal.fraction.size());
  const int64_t scale = std::max<int64_t>(fraction_digits - literal.exponent, 0);
  if (scale > int64_t{kScaleMax}) throwOverflow();
  BigNumeric number = integerOf(literal, static_cast<unsigned>(scale));
  // A positive exponent beyond the fraction's digits appends zeros.
  const int64_t zeros = literal.exponent - fraction_digits;
  if (zeros <= 0 || number.sign() == 0) {
    number.checkLimits();
    return number;
  }
  if (number.integerDigits() + zeros > int64_t{kIntegerDigitsMax}) throwOverflow();
  BigInteger integer;
  number.getInteger(integer.get());
  integer.scaleUp(static_cast<unsigned long>(zeros));
  return fromInteger(integer.get(), 0);
}

void BigNumeric::appendText(std::string& out) const {
  switch (kind_) {
    case Kind::NaN:
      out += "NaN";
      return;
    case Kind::Infinity:
      out += "Infinity";
      return;
    case Kind::MinusInfinity:
      out += "-Infinity";
      return;
    case Kind::Finite:
      break;
  }
  if (!is_wide_ && scale_ <= Type::kWideDigitsMax) {
    char buffer[kDecimalTextBytesMax];
    out.append(buffer, printWideDecimal(small_, scale_, buffer));
    return;
  }
  BigInteger magnitude;
  getInteger(magnitude.get());
  if (mpz_sgn(magnitude.get()) < 0) out += '-';
  mpz_abs(magnitude.get(), magnitude.get());
  std::string digits(mpz_sizeinbase(magnitude.get(), 10) + 2, '\0');
  mpz_get_str(digits.data(), 10, magnitude.get());
  digits.resize(std::strlen(digits.c_str()));
  if (digits.size() <= scale_) digits.insert(0, scale_ + 1 - digits.size(), '0');
  out.append(digits, 0, digits.size() - scale_);
  if (scale_ == 0) return;
  out += '.';
  out.append(digits, digits.size() - scale_);
}

BigNumeric BigNumeric::fromDouble(double number) {
  if (std::isnan(number)) return BigNumeric(Kind::NaN);
  if (std::isinf(number)) return BigNumeric(number > 0 ? Kind::Infinity : Kind::MinusInfinity);
  char buffer[64];
  const auto result = std::to_chars(buffer, buffer + sizeof(buffer), number, std::chars_format::general, 15);
  return parse({buffer, result.ptr});
}

BigNumeric BigNumeric::fromReal(float number) {
  if (std::isnan(number)) return BigNumeric(Kind::NaN);
  if (std::isinf(number)) return BigNumeric(number > 0 ? Kind::Infinity : Kind::MinusInfinity);
  char buffer[64];
  const auto result =
      std::to_chars(buffer, buffer + sizeof(buffer), static_cast<double>(number), std::chars_format::general, 6);
  return parse({buffer, result.ptr});
}

double BigNumeric::toDouble() const {
  switch (kind_) {
    case Kind::NaN:
      return std::numeric_limits<double>::quiet_NaN();
    case Kind::Infinity:
      return std::numeric_limits<double>::infinity();
    case Kind::MinusInfinity:
      return -std::numeric_limits<double>::infinity();
    case Kind::Finite:
      break;
  }
  if (!is_wide_ && scale_ <= Type::kWideDigitsMax) return decimalToDouble(small_, scale_);
  std::string text;
  appendText(text);
  return parseDouble(text);
}

BigNumeric BigNumeric::parseBinary(std::string_view bytes) {
  if (bytes.size() < 8) throw SqlError(sqlstate::kProtocolViolation, "insufficient data left in message");
  const unsigned groups = loadBigEndian(bytes.data());
  const auto weight = static_cast<int16_t>(loadBigEndian(bytes.data() + 2));
  const uint16_t sign = loadBigEndian(bytes.data() + 4);
  const uint16_t scale = loadBigEndian(bytes.data() + 6);
  const bool is_finite = sign == 0 || sign == kSignNegative;
  if (!is_finite && sign != kSignNaN && sign != kSignInfinity && sign != kSignMinusInfinity) throwBinary("sign");
  if (scale > kScaleMax) throwBinary("scale");
  if (bytes.size() < 8 + size_t{groups} * 2)
    throw SqlError(sqlstate::kProtocolViolation, "insufficient data left in message");
  if (bytes.size() > 8 + size_t{groups} * 2)
    throw SqlError(sqlstate::kInvalidBinaryRepresentation, "incorrect binary data format");
  std::string digits(sign == kSignNegative ? "-0" : "0");
  for (size_t index = 0; index < groups; ++index) {
    const uint16_t group = loadBigEndian(bytes.data() + 8 + 2 * index);
    if (group >= kGroupBase) throwBinary("digit");
    char buffer[kGroupDigits];
    digits.append(buffer, printDigits(group, kGroupDigits, buffer));
  }
  if (sign == kSignNaN) return BigNumeric(Kind::NaN);
  if (sign == kSignInfinity) return BigNumeric(Kind::Infinity);
  if (sign == kSignMinusInfinity) return BigNumeric(Kind::MinusInfinity);
  BigInteger integer;
  mpz_set_str(integer.get(), digits.c_str(), 10);
  const int exponent = static_cast<int>(kGroupDigits) * (weight - static_cast<int>(groups) + 1);
  if (exponent > 0) integer.scaleUp(static_cast<unsigned long>(exponent));
  const BigNumeric exact = fromInteger(integer.get(), exponent < 0 ? static_cast<unsigned>(-exponent) : 0);
  BigNumeric result = exact.truncated(scale);
  result.checkLimits();
  return result;
}

void BigNumeric::appendBinary(std::string& out) const {
  const auto header = [&out](size_t groups, int64_t weight, uint16_t sign, unsigned scale) {
    appendBigEndian(out, static_cast<uint16_t>(groups));
    appendBigEndian(out, static_cast<uint16_t>(weight));
    appendBigEndian(out, sign);
    appendBigEndian(out, static_cast<uint16_t>(scale));
  };
  switch (kind_) {
    case Kind::NaN:
      return header(0, 0, kSignNaN, 0);
    case Kind::Infinity:
      return header(0, 0, kSignInfinity, kInfinityDisplayScale);
    case Kind::MinusInfinity:
      return header(0, 0, kSignMinusInfinity, kInfinityDisplayScale);
    case Kind::Finite:
      break;
  }
  if (!is_wide_ && scale_ <= Type::kWideDigitsMax) {
    char buffer[kDecimalBinaryBytesMax];
    out.append(buffer, writeDecimalBinary(small_, scale_, buffer));
    return;
  }
  BigInteger magnitude;
  getInteger(magnitude.get());
  mpz_abs(magnitude.get(), magnitude.get());
  const unsigned padding = (kGroupDigits - scale_ % kGroupDigits) % kGroupDigits;
  magnitude.scaleUp(padding);
  std::string digits(mpz_sizeinbase(magnitude.get(), 10) + 2, '\0');
  mpz_get_str(digits.data(), 10, magnitude.get());
  digits.resize(std::strlen(digits.c_str()));
  digits.insert(0, (kGroupDigits - digits.size() % kGroupDigits) % kGroupDigits, '0');
  const size_t fraction_groups = (scale_ + padding) / kGroupDigits;
  const int64_t weight = static_cast<int64_t>(digits.size() / kGroupDigits) - static_cast<int64_t>(fraction_groups) - 1;
  const size_t last = digits.find_last_not_of('0');
  const size_t groups = last == std::string::npos ? 0 : last / kGroupDigits + 1;
  header(groups, groups == 0 ? 0 : weight, sign() < 0 ? kSignNegative : 0, scale_);
  for (size_t index = 0; index < groups; ++index) {
    uint16_t group = 0;
    std::from_chars(digits.data() + index * kGroupDigits, digits.data() + (index + 1) * kGroupDigits, group);
    appendBigEndian(out, group);
  }
}

}  // namespace gnomon::sql
