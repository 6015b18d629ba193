#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "base/int128.h"
#include "sql/types/big_numeric.h"
#include "sql/types/type.h"
#include "sql/types/value.h"

namespace gnomon::sql {

/// Scaled decimals: a number is value / 10^scale, value an int64 (Small) or int128 (Wide). See sql/types/type.h.

/// Which of them is NaN where the type says that one may be (Type::may_be_nan): it is above all others, as in
/// PostgreSQL, and as long as scales and forms are equal it compares as an integer.
constexpr int128 decimalNan(NumericForm form) {
  return form == NumericForm::Small ? int128{INT64_MAX} : static_cast<int128>(~uint128{0} >> 1);
}
/// The same of numeric(precision, s), precision up to 38.
constexpr int128 decimalNan(unsigned precision) {
  return decimalNan(precision <= Type::kSmallDigitsMax ? NumericForm::Small : NumericForm::Wide);
}
constexpr bool isNan(Type type, int128 value) {
  return type.may_be_nan != 0 && value == decimalNan(type.form);
}
/// Whether it is a scaled decimal, not NULL, that is NaN.
bool isNan(const Value& value);
/// What a scaled decimal of this type stands for.
BigNumeric unscaledDecimal(Type type, int128 value);

/// 10^exponent, exponent 0..38; 10^38 is the largest power of ten an int128 holds.
extern const std::array<int128, 39> kPowersOfTen;
inline int128 powerOfTen(unsigned exponent) {
  return kPowersOfTen[exponent];
}

/// Number of decimal digits of |value|; 0 for zero.
unsigned countDigits(int128 value);

/// numeric(precision, scale) out of atttypmod: as Type holds it.
constexpr int modifierPrecision(int32_t typmod) {
  return ((typmod - 4) >> 16) & 0xffff;
}
constexpr int modifierScale(int32_t typmod) {
  return (((typmod - 4) & 0x7ff) ^ 1024) - 1024;
}
constexpr int32_t numericModifier(int precision, int scale) {
  return ((precision << 16) | (scale & 0x7ff)) + 4;
}

/// numeric(precision, scale) from text, as the scaled integer; precision up to 38, rounded half away from zero.
/// Plain "-12345.67" takes a fast path. NaN is decimalNan(precision). Failure: 22P02; 22003 "numeric field overflow".
int64_t parseSmallDecimal(std::string_view text, unsigned precision, unsigned scale);
int128 parseWideDecimal(std::string_view text, unsigned precision, unsigned scale);

/// Writes value / 10^scale with `scale` digits after the point at `out` and returns the end.
/// Room: kDecimalTextBytesMax bytes.
char* printSmallDecimal(int64_t value, unsigned scale, char* out);
char* printWideDecimal(int128 value, unsigned scale, char* out);
inline constexpr size_t kDecimalTextBytesMax = 48;

/// value at `from_scale` brought to `to_scale`, rounded half away from zero. Failure: false, the result leaves int128.
bool rescale(int128 value, unsigned from_scale, unsigned to_scale, int128& result);
/// As rescale, to numeric(precision, to_scale); precision over 38 is not checked. Failure: 22003 "numeric field
/// overflow" with PostgreSQL's detail.
int128 rescaleChecked(int128 value, unsigned from_scale, unsigned to_scale, unsigned precision);
/// Throws 22003 unless |value| < 10^precision.
void checkPrecision(int128 value, unsigned precision, unsigned scale);
[[noreturn]] void throwFieldOverflow(int precision, int scale);

/// left / right with PostgreSQL's number of digits. Failure: 22012.
BigNumeric divideDecimals(int128 left, unsigned left_scale, int128 right, unsigned right_scale);
/// The average of `count` numbers whose scaled sum is `sum`: avg(numeric) and avg(integers, scale 0). count > 0.
BigNumeric averageDecimal(int128 sum, unsigned scale, int64_t count);

/// The nearest double.
double decimalToDouble(int128 value, unsigned scale);
/// numeric(precision, scale) from a float, by way of its 15 (real: 6) significant digits as PostgreSQL. NaN is
/// decimalNan(precision). Failure: 22003.
int128 doubleToDecimal(double number, unsigned precision, unsigned scale);
int128 realToDecimal(float number, unsigned precision, unsigned scale);
/// numeric(precision, scale) from one of any size; NaN is decimalNan(precision). Failure: 22003.
int128 numericToDecimal(const BigNumeric& number, unsigned precision, unsigned scale);
/// The integer nearest, half away from zero, as PostgreSQL's numeric to integer casts. Failure: false, not an int64.
bool decimalToInt64(int128 value, unsigned scale, int64_t& result);

/// PostgreSQL's binary format of a scaled numeric, written at `out` (room for kDecimalBinaryBytesMax); returns the end.
char* writeDecimalBinary(int128 value, unsigned scale, char* out);
inline constexpr size_t kDecimalBinaryBytesMax = 8 + 2 * 22;

}  // namespace gnomon::sql
