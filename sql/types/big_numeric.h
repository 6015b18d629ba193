#pragma once

#include <gmp.h>

#include <bit>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "base/int128.h"

namespace gnomon::sql {

/// A numeric of any size, as PostgreSQL's: NaN, the infinities, or an integer divided by 10^scale with the scale shown.
///
/// Shape in memory: integers within int128 are held inline (is_wide_ false); others as a GMP integer.
/// Encoded form, the bytes a StringValue or Value carries; up to 24 digits fit a StringValue's 12 inline bytes:
///   bytes 0-1  little endian: bits 0-13 display scale; bit 14 negative; bit 15 special: NaN when bit 14 and the scale
///              are 0, infinity with the sign of bit 14 when the scale is 1
///   bytes 2..  magnitude of the integer, little endian, without leading zero bytes; none for 0
/// Invariants:  N1  scale <= 16383, at most 131072 digits before the point
///              N2  zero is not negative
/// Equal numbers of different scale have different encodings: compare and hash with the functions below.
/// Failure of all operations: 22003 "value overflows numeric format" beyond N1; 22012 for a zero divisor.
class BigNumeric {
 public:
  enum class Kind : uint8_t { Finite, NaN, Infinity, MinusInfinity };

  BigNumeric() = default;
  explicit BigNumeric(Kind kind) : kind_(kind) {}
  /// value / 10^scale.
  explicit BigNumeric(int128 value, unsigned scale = 0) : small_(value), scale_(scale) {}
  BigNumeric(const BigNumeric& other);
  BigNumeric(BigNumeric&& other) noexcept;
  BigNumeric& operator=(const BigNumeric& other);
  BigNumeric& operator=(BigNumeric&& other) noexcept;
  ~BigNumeric();

  static BigNumeric decode(std::string_view bytes);
  [[nodiscard]] size_t encodedBytes() const;
  /// Writes encodedBytes() bytes.
  void encode(char* out) const;
  [[nodiscard]] std::string encoded() const;

  /// PostgreSQL's numeric input syntax. Failure: 22P02, 22003.
  static BigNumeric parse(std::string_view text);
  void appendText(std::string& out) const;
  /// PostgreSQL's binary format. Failure: 22P03; 08P01 when bytes are missing.
  static BigNumeric parseBinary(std::string_view bytes);
  void appendBinary(std::string& out) const;

  /// Bytes that memcmp orders as the numbers are, equal for equal numbers of any scale, none a proper prefix of
  /// another:
  ///   1 byte     0 -infinity, 1 negative, 2 zero, 3 positive, 4 infinity, 5 NaN; of numbers but zero there follow
  ///   4 bytes    integerDigits(), big-endian with the sign bit flipped
  ///   n bytes    the digits two by two plus 1, from the first one that is not 0 to the last
  ///   1 byte     0
  /// of negative ones with all bits inverted.
  void appendOrdered(std::string& out) const;

  /// By way of 15 (real: 6) significant digits, as PostgreSQL.
  static BigNumeric fromDouble(double number);
  static BigNumeric fromReal(float number);
  [[nodiscard]] double toDouble() const;
  /// Rounded half away from zero to an integer. False: not finite or out of range.
  [[nodiscard]] bool toInt64(int64_t& result) const;
  /// Rounded to `scale`. False: not finite or beyond int128.
  [[nodiscard]] bool toScaled(unsigned scale, int128& result) const;

  [[nodiscard]] Kind kind() const { return kind_; }
  [[nodiscard]] bool isFinite() const { return kind_ == Kind::Finite; }
  [[nodiscard]] bool isNaN() const { return kind_ == Kind::NaN; }
  [[nodiscard]] unsigned scale() const { return scale_; }
  /// -1, 0, 1; NaN is 0.
  [[nodiscard]] int sign() const;
  [[nodiscard]] bool isInteger() const;
  /// Digits before the point, negative when zeros follow it: the number is < 10^result. 0 for zero.
  [[nodiscard]] int64_t integerDigits() const;

  /// The number rounded (half away from zero) or cut to `scale` digits after the point; a negative scale rounds before
  /// it. The display scale becomes max(scale, 0).
  [[nodiscard]] BigNumeric rounded(int scale) const;
  [[nodiscard]] BigNumeric truncated(int scale) const;
  /// As a column numeric(p, s) holds it, typmod as Type has it (-1: unchanged). Failure: 22003.
  [[nodiscard]] BigNumeric withModifier(int32_t typmod) const;
  [[nodiscard]] BigNumeric ceiling() const;
  [[nodiscard]] BigNumeric floor() const;
  [[nodiscard]] BigNumeric absolute() const;
  [[nodiscard]] BigNumeric operator-() const;

  friend BigNumeric operator+(const BigNumeric& left, const BigNumeric& right);
  friend BigNumeric operator-(const BigNumeric& left, const BigNumeric& right);
  friend BigNumeric operator*(const BigNumeric& left, const BigNumeric& right);
  friend BigNumeric operator/(const BigNumeric& left, const BigNumeric& right);
  /// The remainder has the dividend's sign.
  friend BigNumeric operator%(const BigNumeric& left, const BigNumeric& right);
  /// left / right rounded (or cut) to `scale` digits; both finite.
  static BigNumeric divide(const BigNumeric& left, const BigNumeric& right, unsigned scale, bool is_rounded = true);
  /// -1, 0, 1; NaN equals NaN and is the greatest. Display scales are ignored.
  static int compare(const BigNumeric& left, const BigNumeric& right);
  bool operator==(const BigNumeric& other) const { return compare(*this, other) == 0; }
  /// Equal numbers have equal hashes.
  [[nodiscard]] uint64_t hash() const;

  /// For sql/types/numeric_functions.cc: value as a GMP integer (initialised by the caller), and back.
  void getInteger(mpz_t result) const;
  static BigNumeric fromInteger(const mpz_t value, unsigned scale);
  /// Throws 22003 unless N1 holds.
  void checkLimits() const;

  static constexpr unsigned kDisplayScaleMax = 1000;  ///< of results whose scale is chosen by an operation
  static constexpr unsigned kScaleMax = 16383;
  static constexpr unsigned kIntegerDigitsMax = 131072;

 private:
  struct Borrowed;  // the integer as a GMP operand, without a copy where there is one

  void setMagnitude(const char* bytes, size_t size, bool negative);

  int128 small_ = 0;
  unsigned scale_ = 0;
  Kind kind_ = Kind::Finite;
  bool is_wide_ = false;
  mpz_t wide_;
};

/// A finite numeric whose encoded form fits a StringValue's inline bytes, out of its two words: value / 10^scale.
/// False: a longer one, NaN or an infinity.
inline bool decodeInline(uint64_t lo, uint64_t hi, int128& value, unsigned& scale) {
  const auto header = static_cast<uint16_t>(lo >> 32);
  if (static_cast<uint32_t>(lo) > 12 || (header & 0x8000) != 0) return false;
  const uint128 magnitude = (static_cast<uint128>(hi) << 16) | (lo >> 48);
  scale = header & 0x3fff;
  value = (header & 0x4000) != 0 ? -static_cast<int128>(magnitude) : static_cast<int128>(magnitude);
  return true;
}

/// The reverse, of value / 10^scale: false: it does not fit.
inline bool encodeInline(int128 value, unsigned scale, uint64_t& lo, uint64_t& hi) {
  constexpr unsigned kMagnitudeBits = 80;
  const uint128 magnitude = value < 0 ? -static_cast<uint128>(value) : static_cast<uint128>(value);
  if (magnitude >> kMagnitudeBits != 0) return false;
  const auto low = static_cast<uint64_t>(magnitude), high = static_cast<uint64_t>(magnitude >> 64);
  const auto bits = static_cast<uint64_t>(high != 0 ? 64 + std::bit_width(high) : std::bit_width(low));
  lo = (2 + (bits + 7) / 8) | uint64_t{scale | (value < 0 ? 0x4000U : 0U)} << 32 | low << 48;
  hi = static_cast<uint64_t>(magnitude >> 16);
  return true;
}

/// Three-way comparison and hash of encoded numerics.
int compareEncodedNumerics(std::string_view left, std::string_view right);
uint64_t hashEncodedNumeric(std::string_view bytes);
/// The hash() of value / 10^scale.
uint64_t hashDecimal(int128 value, unsigned scale);

}  // namespace gnomon::sql
