#include "sql/types/decimal.h"

#include <fmt/format.h>

#include <charconv>
#include <cmath>
#include <cstring>

#include "base/sql_error.h"
#include "sql/types/floating.h"
#include "sql/types/integer.h"
#include "sql/types/type.h"

namespace gnomon::sql {
namespace {

constexpr std::array<int128, 39> makePowers() {
  std::array<int128, 39> powers{};
  powers[0] = 1;
  for (size_t index = 1; index < powers.size(); ++index) powers[index] = powers[index - 1] * 10;
  return powers;
}

/// Those that fit 64 bits.
constexpr std::array<uint64_t, 20> makeNarrowPowers() {
  std::array<uint64_t, 20> powers{};
  powers[0] = 1;
  for (size_t index = 1; index < powers.size(); ++index) powers[index] = powers[index - 1] * 10;
  return powers;
}
constexpr std::array<uint64_t, 20> kNarrowPowers = makeNarrowPowers();

constexpr std::array<double, 23> kDoublePowers{1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,  1e8,  1e9,  1e10, 1e11,
                                               1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22};

constexpr unsigned kGroupDigits = 4;
constexpr uint32_t kGroupBase = 10000;
constexpr uint64_t kChunk = 1'000'000'000'000'000'000;
constexpr unsigned kChunkDigits = 18;

uint128 magnitudeOf(int128 value) {
  return value < 0 ? -static_cast<uint128>(value) : static_cast<uint128>(value);
}

unsigned countNarrowDigits(uint64_t value) {
  if (value == 0) return 0;
  const auto bits = static_cast<unsigned>(64 - __builtin_clzll(value));
  const unsigned guess = bits * 1233 >> 12;
  return guess + (guess >= kNarrowPowers.size() || value >= kNarrowPowers[guess]);
}

/// The plain form -12345.67: digits summed up to `scale` places, rounded by the first digit left out. False: another
/// form, or more digits than Integer is sure to hold.
template <typename Integer>
bool parsePlain(std::string_view text, unsigned scale, Integer& result) {
  constexpr ptrdiff_t kDigitsMax = sizeof(Integer) == 8 ? 18 : 37;
  const char* next = text.data();
  const char* const end = next + text.size();
  const bool is_negative = next != end && *next == '-';
  next += is_negative;
  // Sums the digits before the point.
  const char* const digits = next;
  Integer number = 0;
  for (; next != end && isDigit(*next); ++next) {
    if (next - digits >= kDigitsMax) return false;
    number = number * 10 + (*next - '0');
  }
  ptrdiff_t count = next - digits;
  auto missing = static_cast<ptrdiff_t>(scale);
  if (next != end && *next == '.') {
    const char* const fraction = ++next;
    if (count + missing > kDigitsMax) return false;
    for (; next != end && missing > 0 && isDigit(*next); ++next, --missing) number = number * 10 + (*next - '0');
    const bool is_up = next != end && *next >= '5' && *next <= '9';
    while (next != end && isDigit(*next)) ++next;
    number += is_up;
    count += next - fraction;
  }
  if (next != end || count == 0) return false;
  if (missing > 0) {
    if (next - digits + missing > kDigitsMax) return false;
    number *= static_cast<Integer>(kPowersOfTen[static_cast<size_t>(missing)]);
  }
  result = is_negative ? -number : number;
  return true;
}

char* printMagnitude(uint128 magnitude, char* out) {
  if (magnitude < kChunk) {
    const auto low = static_cast<uint64_t>(magnitude);
    return printDigits(low, low == 0 ? 1 : countNarrowDigits(low), out);
  }
  out = printMagnitude(magnitude / kChunk, out);
  return printDigits(static_cast<uint64_t>(magnitude % kChunk), kChunkDigits, out);
}

}  // namespace

const std::array<int128, 39> kPowersOfTen = makePowers();

bool isNan(const Value& value) {
  const int128 scaled = value.type.form == NumericForm::Small ? int128{value.asInt()} : value.asInt128();
  return !value.is_null && isNan(value.type, scaled);
}

BigNumeric unscaledDecimal(Type type, int128 value) {
  if (isNan(type, value)) return BigNumeric(BigNumeric::Kind::NaN);
  return BigNumeric(value, type.scale);
}

int128 numericToDecimal(const BigNumeric& number, unsigned precision, unsigned scale) {
  if (number.isNaN()) return decimalNan(precision);
  const int32_t typmod = numericModifier(static_cast<int>(precision), static_cast<int>(scale));
  int128 result = 0;
  if (!number.withModifier(typmod).toScaled(scale, result))
    throwFieldOverflow(static_cast<int>(precision), static_cast<int>(scale));
  return result;
}

unsigned countDigits(int128 value) {
  const uint128 magnitude = magnitudeOf(value);
  if (static_cast<uint64_t>(magnitude >> 64) == 0) return countNarrowDigits(static_cast<uint64_t>(magnitude));
  const auto bits = static_cast<unsigned>(128 - __builtin_clzll(static_cast<uint64_t>(magnitude >> 64)));
  const unsigned guess = bits * 1233 >> 12;
  return guess + (magnitude >= static_cast<uint128>(kPowersOfTen[guess]));
}

void throwFieldOverflow(int precision, int scale) {
  const int digits = precision - scale;
  const std::string bound = digits == 0 ? "1" : fmt::format("10^{}", digits);
  throw SqlError(sqlstate::kNumericValueOutOfRange, "numeric field overflow")
      .detail(fmt::format("A field with precision {}, scale {} must round to an absolute value less than {}.",
                          precision, scale, bound));
}

void checkPrecision(int128 value, unsigned precision, unsigned scale) {
  if (precision > Type::kWideDigitsMax) return;
  if (value >= powerOfTen(precision) || value <= -powerOfTen(precision)) [[unlikely]]
    throwFieldOverflow(static_cast<int>(precision), static_cast<int>(scale));
}

int64_t parseSmallDecimal(std::string_view text, unsigned precision, unsigned scale) {
  int64_t number;
  if (!parsePlain(text, scale, number)) [[unlikely]]
    return static_cast<int64_t>(numericToDecimal(BigNumeric::parse(text), precision, scale));
  const auto bound = static_cast<int64_t>(kNarrowPowers[precision]);
  if (number >= bound || number <= -bound) [[unlikely]]
    throwFieldOverflow(static_cast<int>(precision), static_cast<int>(scale));
  return number;
}

int128 parseWideDecimal(std::string_view text, unsigned precision, unsigned scale) {
  int128 number;
  if (!parsePlain(text, scale, number)) [[unlikely]]
    return numericToDecimal(BigNumeric::parse(text), precision, scale);
  checkPrecision(number, precision, scale);
  return number;
}

char* printSmallDecimal(int64_t value, unsigned scale, char* out) {
  if (scale == 0) return printInteger(value, out);
  if (scale > kChunkDigits) return printWideDecimal(value, scale, out);
  auto magnitude = static_cast<uint64_t>(value);
  if (value < 0) {
    *out++ = '-';
    magnitude = -magnitude;
  }
  const uint64_t unit = kNarrowPowers[scale];
  const uint64_t whole = magnitude / unit;
  out = printDigits(whole, whole == 0 ? 1 : countNarrowDigits(whole), out);
  *out++ = '.';
  return printDigits(magnitude - whole * unit, scale, out);
}

char* printWideDecimal(int128 value, unsigned scale, char* out) {
  if (value == static_cast<int64_t>(value) && scale <= kChunkDigits)
    return printSmallDecimal(static_cast<int64_t>(value), scale, out);
  if (value < 0) *out++ = '-';
  char digits[kDecimalTextBytesMax];
  const auto count = static_cast<unsigned>(printMagnitude(magnitudeOf(value), digits) - digits);
  if (count > scale) {
    std::memcpy(out, digits, count - scale);
    out += count - scale;
    if (scale == 0) return out;
    *out++ = '.';
    std::memcpy(out, digits + count - scale, scale);
    return out + scale;
  }
  *out++ = '0';
  *out++ = '.';
  std::memset(out, '0', scale - count);
  std::memcpy(out + scale - count, digits, count);
  return out + scale;
}

bool rescale(int128 value, unsigned from_scale, unsigned to_scale, int128& result) {
  result = value;
  if (from_scale == to_scale || value == 0) return true;
  if (to_scale > from_scale) {
    const unsigned shift = to_scale - from_scale;
    return shift <= Type::kWideDigitsMax && !__builtin_mul_overflow(value, powerOfTen(shift), &result);
  }
  const unsigned shift = from_scale - to_scale;
  if (shift > Type::kWideDigitsMax) {
    result = 0;
    return true;
  }
  const int128 unit = powerOfTen(shift);
  int128 quotient;
  int128 rest;
  if (value == static_cast<int64_t>(value) && shift <= kChunkDigits) {
    const auto narrow_unit = static_cast<int64_t>(unit);
    quotient = static_cast<int64_t>(value) / narrow_unit;
    rest = static_cast<int64_t>(value) % narrow_unit;
  } else {
    quotient = value / unit;
    rest = value - quotient * unit;
  }
  // rest >= unit / 2 without leaving the range: units are even.
  if (rest >= unit / 2) ++quotient;
  if (rest <= -(unit / 2)) --quotient;
  result = quotient;
  return true;
}

int128 rescaleChecked(int128 value, unsigned from_scale, unsigned to_scale, unsigned precision) {
  int128 result;
  if (!rescale(value, from_scale, to_scale, result))
    throwFieldOverflow(static_cast<int>(precision), static_cast<int>(to_scale));
  checkPrecision(result, precision, to_scale);
  return result;
}

BigNumeric divideDecimals(int128 left, unsigned left_scale, int128 right, unsigned right_scale) {
  return BigNumeric(left, left_scale) / BigNumeric(right, right_scale);
}

BigNumeric averageDecimal(int128 sum, unsigned scale, int64_t count) {
  return BigNumeric(sum, scale) / BigNumeric(count);
}

double decimalToDouble(int128 value, unsigned scale) {
  constexpr int128 kExactMax = int128{1} << 53;
  // Both operands are exact, so the quotient is rounded once.
  if (value <= kExactMax && value >= -kExactMax && scale < kDoublePowers.size())
    return static_cast<double>(static_cast<int64_t>(value)) / kDoublePowers[scale];
  char buffer[2 * kDecimalTextBytesMax];
  const char* const end = printWideDecimal(value, scale, buffer);
  return parseDouble({buffer, end});
}

int128 doubleToDecimal(double number, unsigned precision, unsigned scale) {
  return numericToDecimal(BigNumeric::fromDouble(number), precision, scale);
}

int128 realToDecimal(float number, unsigned precision, unsigned scale) {
  return numericToDecimal(BigNumeric::fromReal(number), precision, scale);
}

bool decimalToInt64(int128 value, unsigned scale, int64_t& result) {
  int128 whole;
  if (!rescale(value, scale, 0, whole) || whole != static_cast<int64_t>(whole)) return false;
  result = static_cast<int64_t>(whole);
  return true;
}

char* writeDecimalBinary(int128 value, unsigned scale, char* out) {
  // Groups of four digits from the lowest; the lowest is filled up with zeros behind.
  uint16_t groups[12];
  unsigned count = 0;
  uint128 magnitude = magnitudeOf(value);
  if (const unsigned partial = scale % kGroupDigits; partial != 0) {
    const auto unit = static_cast<uint32_t>(kNarrowPowers[partial]);
    groups[count++] = static_cast<uint16_t>(static_cast<uint32_t>(magnitude % unit) * (kGroupBase / unit));
    magnitude /= unit;
  }
  for (; static_cast<uint64_t>(magnitude >> 64) != 0; magnitude /= kGroupBase)
    groups[count++] = static_cast<uint16_t>(magnitude % kGroupBase);
  for (auto rest = static_cast<uint64_t>(magnitude); rest != 0; rest /= kGroupBase)
    groups[count++] = static_cast<uint16_t>(rest % kGroupBase);
  const int fraction_groups = static_cast<int>((scale + kGroupDigits - 1) / kGroupDigits);
  unsigned lowest = 0;
  while (lowest < count && groups[lowest] == 0) ++lowest;
  while (count > lowest && groups[count - 1] == 0) --count;
  const int weight = count == lowest ? 0 : static_cast<int>(count) - fraction_groups - 1;
  const auto store = [&out](unsigned word) {
    *out++ = static_cast<char>(word >> 8);
    *out++ = static_cast<char>(word);
  };
  store(count - lowest);
  store(static_cast<uint16_t>(weight));
  store(value < 0 ? 0x4000 : 0);
  store(scale);
  for (unsigned index = count; index > lowest; --index) store(groups[index - 1]);
  return out;
}

}  // namespace gnomon::sql
