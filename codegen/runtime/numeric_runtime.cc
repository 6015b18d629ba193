#include "codegen/runtime/numeric_runtime.h"

#include <algorithm>
#include <bit>

#include "base/sql_error.h"
#include "codegen/ir/trap.h"
#include "sql/types/big_numeric.h"
#include "sql/types/decimal.h"
#include "sql/types/numeric_functions.h"

namespace gnomon::codegen::rt {
namespace {

using sql::BigNumeric;

BigNumeric decode(uint64_t lo, uint64_t hi) {
  int128 value;
  unsigned scale;
  if (sql::decodeInline(lo, hi, value, scale)) [[likely]]
    return BigNumeric(value, scale);
  const StringValue bytes(lo, hi);
  return BigNumeric::decode(bytes.view());
}

/// Two numbers within the words of their strings, at one scale. False: they are not.
struct Aligned {
  int128 left, right;
  unsigned scale;
};
bool alignInline(uint64_t left_lo, uint64_t left_hi, uint64_t right_lo, uint64_t right_hi, Aligned& both) {
  unsigned left_scale, right_scale;
  if (!sql::decodeInline(left_lo, left_hi, both.left, left_scale) ||
      !sql::decodeInline(right_lo, right_hi, both.right, right_scale))
    return false;
  both.scale = std::max(left_scale, right_scale);
  return left_scale == right_scale || (sql::rescale(both.left, left_scale, both.scale, both.left) &&
                                       sql::rescale(both.right, right_scale, both.scale, both.right));
}

/// Digits behind the point to round or cut to, as far as a numeric can have them.
int withinScales(int32_t scale) {
  constexpr auto kMost = static_cast<int32_t>(BigNumeric::kScaleMax);
  constexpr auto kLeast = -static_cast<int32_t>(BigNumeric::kIntegerDigitsMax) - 1;
  return std::clamp(scale, kLeast, kMost);
}

StringValue encode(const BigNumeric& number, Arena* arena);

StringValue encode(int128 value, unsigned scale, Arena* arena) {
  uint64_t lo, hi;
  if (sql::encodeInline(value, scale, lo, hi)) [[likely]]
    return {lo, hi};
  return encode(BigNumeric(value, scale), arena);
}

StringValue encode(const BigNumeric& number, Arena* arena) {
  const size_t size = number.encodedBytes();
  char inline_bytes[StringValue::kInlineBytesMax];
  char* const bytes = size <= sizeof(inline_bytes) ? inline_bytes : static_cast<char*>(arena->allocate(size));
  number.encode(bytes);
  return transient({bytes, size});
}

/// Both scaled integers at the larger scale. Failure: DecimalOverflow.
void alignScales(int128& left, uint32_t left_scale, int128& right, uint32_t right_scale) {
  const uint32_t scale = std::max(left_scale, right_scale);
  if (!sql::rescale(left, left_scale, scale, left) || !sql::rescale(right, right_scale, scale, right))
    throw DecimalOverflow();
}

/// 10^exponent, or 0 when an int128 cannot hold it: no decimal reaches half of it either.
int128 unitOf(uint32_t exponent) {
  return exponent <= 38 ? sql::powerOfTen(exponent) : 0;
}

}  // namespace

StringValue addNumeric(uint64_t left_lo, uint64_t left_hi, uint64_t right_lo, uint64_t right_hi, Arena* arena) {
  if (Aligned both; alignInline(left_lo, left_hi, right_lo, right_hi, both))
    if (int128 sum; !__builtin_add_overflow(both.left, both.right, &sum)) return encode(sum, both.scale, arena);
  return encode(decode(left_lo, left_hi) + decode(right_lo, right_hi), arena);
}

StringValue subtractNumeric(uint64_t left_lo, uint64_t left_hi, uint64_t right_lo, uint64_t right_hi, Arena* arena) {
  if (Aligned both; alignInline(left_lo, left_hi, right_lo, right_hi, both))
    if (int128 difference; !__builtin_sub_overflow(both.left, both.right, &difference))
      return encode(difference, both.scale, arena);
  return encode(decode(left_lo, left_hi) - decode(right_lo, right_hi), arena);
}

StringValue multiplyNumeric(uint64_t left_lo, uint64_t left_hi, uint64_t right_lo, uint64_t right_hi, Arena* arena) {
  int128 left, right, product;
  unsigned left_scale, right_scale;
  if (sql::decodeInline(left_lo, left_hi, left, left_scale) &&
      sql::decodeInline(right_lo, right_hi, right, right_scale) && left_scale + right_scale <= BigNumeric::kScaleMax &&
      !__builtin_mul_overflow(left, right, &product))
    return encode(product, left_scale + right_scale, arena);
  return encode(decode(left_lo, left_hi) * decode(right_lo, right_hi), arena);
}

StringValue divideNumeric(uint64_t left_lo, uint64_t left_hi, uint64_t right_lo, uint64_t right_hi, Arena* arena) {
  return encode(decode(left_lo, left_hi) / decode(right_lo, right_hi), arena);
}

StringValue moduloNumeric(uint64_t left_lo, uint64_t left_hi, uint64_t right_lo, uint64_t right_hi, Arena* arena) {
  return encode(decode(left_lo, left_hi) % decode(right_lo, right_hi), arena);
}

StringValue powerNumeric(uint64_t left_lo, uint64_t left_hi, uint64_t right_lo, uint64_t right_hi, Arena* arena) {
  return encode(sql::power(decode(left_lo, left_hi), decode(right_lo, right_hi)), arena);
}

StringValue logarithmBaseNumeric(uint64_t base_lo, uint64_t base_hi, uint64_t lo, uint64_t hi, Arena* arena) {
  return encode(sql::logarithm(decode(base_lo, base_hi), decode(lo, hi)), arena);
}

StringValue negateNumeric(uint64_t lo, uint64_t hi, Arena* arena) {
  return encode(-decode(lo, hi), arena);
}

StringValue absoluteNumeric(uint64_t lo, uint64_t hi, Arena* arena) {
  return encode(decode(lo, hi).absolute(), arena);
}

StringValue ceilingNumeric(uint64_t lo, uint64_t hi, Arena* arena) {
  return encode(decode(lo, hi).ceiling(), arena);
}

StringValue floorNumeric(uint64_t lo, uint64_t hi, Arena* arena) {
  return encode(decode(lo, hi).floor(), arena);
}

StringValue signNumeric(uint64_t lo, uint64_t hi, Arena* arena) {
  const BigNumeric number = decode(lo, hi);
  return encode(number.isNaN() ? number : BigNumeric(number.sign()), arena);
}

StringValue roundNumeric(uint64_t lo, uint64_t hi, int32_t scale, Arena* arena) {
  return encode(decode(lo, hi).rounded(withinScales(scale)), arena);
}

StringValue truncateNumeric(uint64_t lo, uint64_t hi, int32_t scale, Arena* arena) {
  return encode(decode(lo, hi).truncated(withinScales(scale)), arena);
}

StringValue squareRootNumeric(uint64_t lo, uint64_t hi, Arena* arena) {
  return encode(sql::squareRoot(decode(lo, hi)), arena);
}

StringValue exponentialNumeric(uint64_t lo, uint64_t hi, Arena* arena) {
  return encode(sql::exponential(decode(lo, hi)), arena);
}

StringValue naturalLogarithmNumeric(uint64_t lo, uint64_t hi, Arena* arena) {
  return encode(sql::naturalLogarithm(decode(lo, hi)), arena);
}

StringValue logarithmNumeric(uint64_t lo, uint64_t hi, Arena* arena) {
  return encode(sql::logarithm(BigNumeric(10), decode(lo, hi)), arena);
}

StringValue fitNumeric(uint64_t lo, uint64_t hi, int32_t typmod, Arena* arena) {
  return encode(decode(lo, hi).withModifier(typmod), arena);
}

int32_t compareNumeric(uint64_t left_lo, uint64_t left_hi, uint64_t right_lo, uint64_t right_hi) {
  if (Aligned both; alignInline(left_lo, left_hi, right_lo, right_hi, both))
    return both.left < both.right ? -1 : both.left > both.right ? 1 : 0;
  return BigNumeric::compare(decode(left_lo, left_hi), decode(right_lo, right_hi));
}

bool equalNumeric(uint64_t left_lo, uint64_t left_hi, uint64_t right_lo, uint64_t right_hi) {
  return compareNumeric(left_lo, left_hi, right_lo, right_hi) == 0;
}

uint64_t hashNumeric(uint64_t lo, uint64_t hi) {
  return decode(lo, hi).hash();
}

bool isNaNNumeric(uint64_t lo, uint64_t hi) {
  return decode(lo, hi).isNaN();
}

StringValue decimalToNumeric(int128 value, uint32_t scale, Arena* arena) {
  return encode(value, scale, arena);
}

StringValue unscaledDecimal(uint64_t type, int128 value, Arena* arena) {
  return encode(sql::unscaledDecimal(std::bit_cast<sql::Type>(type), value), arena);
}

StringValue divideDecimals(int128 left, uint32_t left_scale, int128 right, uint32_t right_scale, Arena* arena) {
  return encode(sql::divideDecimals(left, left_scale, right, right_scale), arena);
}

StringValue averageDecimal(int128 sum, uint32_t scale, int64_t count, Arena* arena) {
  return encode(sql::averageDecimal(sum, scale, count), arena);
}

StringValue averageNumeric(uint64_t sum_lo, uint64_t sum_hi, int64_t count, Arena* arena) {
  return encode(decode(sum_lo, sum_hi) / BigNumeric(count), arena);
}

int128 roundDecimal(int128 value, uint32_t from_scale, int32_t to) {
  int128 result;
  if (to >= 0) {
    sql::rescale(value, from_scale, static_cast<uint32_t>(to), result);
    return result;
  }
  // Before the point: drop the digits, then fill up with zeros.
  const auto zeros = static_cast<uint32_t>(-to);
  const int128 unit = unitOf(zeros);
  if (unit == 0) return 0;
  sql::rescale(value, from_scale + zeros, 0, result);
  if (__builtin_mul_overflow(result, unit, &result)) throw DecimalOverflow();
  return result;
}

int128 truncateDecimal(int128 value, uint32_t from_scale, int32_t to) {
  const int64_t dropped = int64_t{from_scale} - to;
  const int128 unit = unitOf(static_cast<uint32_t>(std::max<int64_t>(dropped, 0)));
  if (unit == 0) return 0;
  const int128 kept = value / unit;
  return to >= 0 ? kept : kept * unitOf(static_cast<uint32_t>(-to));
}

int128 ceilingDecimal(int128 value, uint32_t scale) {
  const int128 unit = sql::powerOfTen(scale);
  return value / unit + (value % unit > 0);
}

int128 floorDecimal(int128 value, uint32_t scale) {
  const int128 unit = sql::powerOfTen(scale);
  return value / unit - (value % unit < 0);
}

int128 moduloDecimals(int128 left, uint32_t left_scale, int128 right, uint32_t right_scale) {
  if (right == 0) throw SqlError(sqlstate::kDivisionByZero, "division by zero");
  alignScales(left, left_scale, right, right_scale);
  return right == -1 ? 0 : left % right;
}

int128 rescaleDecimal(int128 value, uint32_t from_scale, uint32_t to_scale) {
  int128 result;
  if (!sql::rescale(value, from_scale, to_scale, result)) throw DecimalOverflow();
  return result;
}

int128 fitDecimal(int128 value, uint32_t from_scale, uint32_t precision, uint32_t to_scale) {
  return sql::rescaleChecked(value, from_scale, to_scale, precision);
}

int32_t compareDecimals(int128 left, uint32_t left_scale, int128 right, uint32_t right_scale) {
  const uint32_t scale = std::max(left_scale, right_scale);
  int128 first;
  int128 second;
  if (sql::rescale(left, left_scale, scale, first) && sql::rescale(right, right_scale, scale, second))
    return first < second ? -1 : first > second;
  return BigNumeric::compare(BigNumeric(left, left_scale), BigNumeric(right, right_scale));
}

uint64_t hashDecimal(int128 value, uint32_t scale) {
  return sql::hashDecimal(value, scale);
}

}  // namespace gnomon::codegen::rt
