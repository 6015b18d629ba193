#include "sql/types/big_numeric.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <utility>

#include "base/assert.h"
#include "base/sql_error.h"
#include "sql/types/big_integer.h"
#include "sql/types/decimal.h"
#include "sql/types/hash.h"

namespace gnomon::sql {
namespace {

constexpr unsigned kScaleBits = 14;
constexpr uint16_t kScaleMask = (1u << kScaleBits) - 1;
constexpr uint16_t kNegativeBit = 1u << 14;
constexpr uint16_t kSpecialBit = 1u << 15;
constexpr size_t kHeaderBytes = 2;
/// Integers over this many bits are held by GMP; one bit less than an int128 has, so that negation is safe.
constexpr size_t kSmallBitsMax = 126;
constexpr unsigned kDigitsPerGroup = 4;

[[noreturn]] void throwOverflow() {
  throw SqlError(sqlstate::kNumericValueOutOfRange, "value overflows numeric format");
}

[[noreturn]] void throwDivisionByZero() {
  throw SqlError(sqlstate::kDivisionByZero, "division by zero");
}

uint128 magnitudeOf(int128 value) {
  return value < 0 ? -static_cast<uint128>(value) : static_cast<uint128>(value);
}

/// Quotient rounded half away from zero (or cut) in int128.
int128 divideSmall(int128 dividend, int128 divisor, bool is_rounded) {
  if (dividend == static_cast<int64_t>(dividend) && divisor == static_cast<int64_t>(divisor) && divisor != -1) {
    const auto narrow_dividend = static_cast<int64_t>(dividend);
    const auto narrow_divisor = static_cast<int64_t>(divisor);
    const int64_t quotient = narrow_dividend / narrow_divisor;
    const int128 rest = narrow_dividend % narrow_divisor;
    const bool is_up = is_rounded && magnitudeOf(rest) * 2 >= magnitudeOf(divisor);
    return int128{quotient} + (is_up ? ((dividend < 0) == (divisor < 0) ? 1 : -1) : 0);
  }
  const uint128 divisor_magnitude = magnitudeOf(divisor);
  uint128 quotient = magnitudeOf(dividend) / divisor_magnitude;
  const uint128 rest = magnitudeOf(dividend) - quotient * divisor_magnitude;
  if (is_rounded && rest >= divisor_magnitude - rest) ++quotient;
  return (dividend < 0) == (divisor < 0) ? static_cast<int128>(quotient) : -static_cast<int128>(quotient);
}

/// value * 10^exponent in int128. False when it does not fit.
bool scaleSmall(int128 value, uint64_t exponent, int128& result) {
  if (exponent == 0 || value == 0) {
    result = value;
    return true;
  }
  return exponent <= 37 && !__builtin_mul_overflow(value, powerOfTen(static_cast<unsigned>(exponent)), &result);
}

size_t countDigits(const mpz_t value) {
  const size_t digits = mpz_sizeinbase(value, 10);
  BigInteger bound;
  BigInteger::powerOfTen(bound.get(), digits - 1);
  return mpz_cmpabs(value, bound.get()) < 0 ? digits - 1 : digits;
}

/// The first group of four decimal digits as PostgreSQL's base-10000 numbers have it.
struct LeadingGroup {
  int64_t weight = 0;  ///< of the group: its value is group * 10000^weight
  int64_t group = 0;
};

LeadingGroup leadingGroup(int128 value, size_t digits, unsigned scale, const mpz_t wide) {
  if (digits == 0) return {};
  const int64_t exponent = static_cast<int64_t>(digits) - 1 - scale;
  const int64_t weight = exponent >= 0 ? exponent / kDigitsPerGroup : -((-exponent + 3) / kDigitsPerGroup);
  const size_t kept = static_cast<size_t>(exponent - weight * kDigitsPerGroup + 1);
  if (kept > digits) {  // fewer digits than the group has places: zeros follow
    auto group = static_cast<int64_t>(magnitudeOf(value));
    for (size_t index = digits; index < kept; ++index) group *= 10;
    return {weight, group};
  }
  if (!wide)
    return {weight, static_cast<int64_t>(magnitudeOf(value) /
                                         static_cast<uint128>(powerOfTen(static_cast<unsigned>(digits - kept))))};
  BigInteger divisor;
  BigInteger::powerOfTen(divisor.get(), digits - kept);
  mpz_tdiv_q(divisor.get(), wide, divisor.get());
  return {weight, std::abs(mpz_get_si(divisor.get()))};
}

/// Hashing: the number modulo the prime 2^61 - 1, where dividing by 10^scale is multiplying by an inverse.
constexpr uint64_t kHashPrime = (uint64_t{1} << 61) - 1;

uint64_t multiplyModulo(uint64_t left, uint64_t right) {
  return static_cast<uint64_t>(static_cast<uint128>(left) * right % kHashPrime);
}

uint64_t inversePowerOfTen(unsigned scale) {
  constexpr uint64_t kInverseOfTen = 2075258708292324556;  // 10 * this = 1 modulo 2^61 - 1
  static_assert(static_cast<uint128>(kInverseOfTen) * 10 % kHashPrime == 1);
  uint64_t result = 1;
  for (uint64_t square = kInverseOfTen; scale != 0; scale >>= 1, square = multiplyModulo(square, square))
    if (scale & 1) result = multiplyModulo(result, square);
  return result;
}

uint64_t finishHash(uint64_t residue, unsigned scale, bool is_negative) {
  if (scale != 0 && residue != 0) residue = multiplyModulo(residue, inversePowerOfTen(scale));
  return mixHash(is_negative && residue != 0 ? kHashPrime - residue : residue);
}

int signOfDifference(int128 left, int128 right) {
  return left < right ? -1 : left > right;
}

}  // namespace

/// The integer as a GMP operand: the wide one itself, or a copy of the small one.
struct BigNumeric::Borrowed {
  explicit Borrowed(const BigNumeric& number) : wide_(number.is_wide_ ? number.wide_ : nullptr) {
    if (!wide_) copy_.assign(number.small_);
  }
  [[nodiscard]] mpz_srcptr get() const { return wide_ ? wide_ : copy_.get(); }

 private:
  mpz_srcptr wide_;
  BigInteger copy_;
};

BigNumeric::BigNumeric(const BigNumeric& other)
    : small_(other.small_), scale_(other.scale_), kind_(other.kind_), is_wide_(other.is_wide_) {
  if (is_wide_) mpz_init_set(wide_, other.wide_);
}

BigNumeric::BigNumeric(BigNumeric&& other) noexcept
    : small_(other.small_), scale_(other.scale_), kind_(other.kind_), is_wide_(other.is_wide_) {
  if (is_wide_) wide_[0] = other.wide_[0];
  other.is_wide_ = false;
}

BigNumeric& BigNumeric::operator=(const BigNumeric& other) {
  if (this != &other) *this = BigNumeric(other);
  return *this;
}

BigNumeric& BigNumeric::operator=(BigNumeric&& other) noexcept {
  if (this == &other) return *this;
  if (is_wide_) mpz_clear(wide_);
  small_ = other.small_;
  scale_ = other.scale_;
  kind_ = other.kind_;
  is_wide_ = std::exchange(other.is_wide_, false);
  if (is_wide_) wide_[0] = other.wide_[0];
  return *this;
}

BigNumeric::~BigNumeric() {
  if (is_wide_) mpz_clear(wide_);
}

void BigNumeric::getInteger(mpz_t result) const {
  mpz_set(result, Borrowed(*this).get());
}

BigNumeric BigNumeric::fromInteger(const mpz_t value, unsigned scale) {
  BigNumeric result;
  result.scale_ = scale;
  if (mpz_sizeinbase(value, 2) <= kSmallBitsMax) {
    uint128 magnitude = 0;
    mpz_export(&magnitude, nullptr, -1, sizeof(magnitude), 0, 0, value);
    result.small_ = mpz_sgn(value) < 0 ? -static_cast<int128>(magnitude) : static_cast<int128>(magnitude);
    return result;
  }
  mpz_init_set(result.wide_, value);
  result.is_wide_ = true;
  return result;
}

void BigNumeric::setMagnitude(const char* bytes, size_t size, bool negative) {
  if (size * 8 <= kSmallBitsMax + 2 && (size < 16 || static_cast<unsigned char>(bytes[15]) < 0x40)) {
    uint128 magnitude = 0;
    if (size != 0) std::memcpy(&magnitude, bytes, size);
    small_ = negative ? -static_cast<int128>(magnitude) : static_cast<int128>(magnitude);
    return;
  }
  mpz_init(wide_);
  is_wide_ = true;
  mpz_import(wide_, size, -1, 1, 0, 0, bytes);
  if (negative) mpz_neg(wide_, wide_);
}

BigNumeric BigNumeric::decode(std::string_view bytes) {
  ASSERT(bytes.size() >= kHeaderBytes, "N1");
  uint16_t header;
  std::memcpy(&header, bytes.data(), kHeaderBytes);
  const bool is_negative = (header & kNegativeBit) != 0;
  if ((header & kSpecialBit) != 0) {
    if ((header & kScaleMask) == 0) return BigNumeric(Kind::NaN);
    return BigNumeric(is_negative ? Kind::MinusInfinity : Kind::Infinity);
  }
  BigNumeric result;
  result.scale_ = header & kScaleMask;
  result.setMagnitude(bytes.data() + kHeaderBytes, bytes.size() - kHeaderBytes, is_negative);
  return result;
}

size_t BigNumeric::encodedBytes() const {
  if (kind_ != Kind::Finite) return kHeaderBytes;
  if (is_wide_) return kHeaderBytes + (mpz_sizeinbase(wide_, 2) + 7) / 8;
  const uint128 magnitude = magnitudeOf(small_);
  const auto high = static_cast<uint64_t>(magnitude >> 64);
  const auto low = static_cast<uint64_t>(magnitude);
  const int bits = high ? 128 - __builtin_clzll(high) : low ? 64 - __builtin_clzll(low) : 0;
  return kHeaderBytes + static_cast<size_t>(bits + 7) / 8;
}

void BigNumeric::encode(char* out) const {
  auto header = static_cast<uint16_t>(scale_);
  if (sign() < 0) header |= kNegativeBit;
  if (kind_ == Kind::NaN) header = kSpecialBit;
  if (kind_ == Kind::Infinity) header = kSpecialBit | 1;
  if (kind_ == Kind::MinusInfinity) header = kSpecialBit | kNegativeBit | 1;
  std::memcpy(out, &header, kHeaderBytes);
  if (kind_ != Kind::Finite) return;
  if (is_wide_) {
    mpz_export(out + kHeaderBytes, nullptr, -1, 1, 0, 0, wide_);
    return;
  }
  const uint128 magnitude = magnitudeOf(small_);
  std::memcpy(out + kHeaderBytes, &magnitude, encodedBytes() - kHeaderBytes);
}

std::string BigNumeric::encoded() const {
  std::string bytes(encodedBytes(), '\0');
  encode(bytes.data());
  return bytes;
}

int BigNumeric::sign() const {
  switch (kind_) {
    case Kind::NaN:
      return 0;
    case Kind::Infinity:
      return 1;
    case Kind::MinusInfinity:
      return -1;
    case Kind::Finite:
      break;
  }
  return is_wide_ ? mpz_sgn(wide_) : signOfDifference(small_, 0);
}

int64_t BigNumeric::integerDigits() const {
  if (sign() == 0) return 0;
  const size_t digits = is_wide_ ? countDigits(wide_) : sql::countDigits(small_);
  return static_cast<int64_t>(digits) - static_cast<int64_t>(scale_);
}

void BigNumeric::appendOrdered(std::string& out) const {
  if (isNaN()) return out.push_back(5);
  if (!isFinite() || sign() == 0) return out.push_back(isFinite() ? 2 : kind_ == Kind::Infinity ? 4 : 0);
  out.push_back(sign() < 0 ? 1 : 3);
  const size_t begin = out.size();
  const auto exponent = static_cast<uint32_t>(integerDigits()) ^ 0x80000000U;
  for (int shift = 24; shift >= 0; shift -= 8) out.push_back(static_cast<char>(exponent >> shift));
  BigNumeric whole = absolute();
  whole.scale_ = 0;
  std::string digits;
  whole.appendText(digits);
  digits.resize(digits.find_last_not_of('0') + 1);
  if (digits.size() % 2 != 0) digits.push_back('0');
  for (size_t i = 0; i < digits.size(); i += 2)
    out.push_back(static_cast<char>((digits[i] - '0') * 10 + (digits[i + 1] - '0') + 1));
  out.push_back(0);
  if (sign() > 0) return;
  for (size_t i = begin; i < out.size(); ++i) out[i] = static_cast<char>(~out[i]);
}

bool BigNumeric::isInteger() const {
  if (!isFinite()) return false;
  return scale_ == 0 || compare(*this, truncated(0)) == 0;
}

void BigNumeric::checkLimits() const {
  if (scale_ > kScaleMax) throwOverflow();
  // 131072 digits are over 435,000 bits: smaller integers need no count.
  if (!is_wide_ || mpz_sizeinbase(wide_, 2) < 435000) return;
  if (integerDigits() > int64_t{kIntegerDigitsMax}) throwOverflow();
}

BigNumeric BigNumeric::operator-() const {
  BigNumeric result(*this);
  if (kind_ == Kind::Infinity) result.kind_ = Kind::MinusInfinity;
  if (kind_ == Kind::MinusInfinity) result.kind_ = Kind::Infinity;
  if (result.is_wide_)
    mpz_neg(result.wide_, result.wide_);
  else
    result.small_ = -result.small_;
  return result;
}

BigNumeric BigNumeric::absolute() const {
  return sign() < 0 ? -*this : *this;
}

BigNumeric operator+(const BigNumeric& left, const BigNumeric& right) {
  using Kind = BigNumeric::Kind;
  if (!left.isFinite() || !right.isFinite()) {
    if (left.isNaN() || right.isNaN()) return BigNumeric(Kind::NaN);
    if (!left.isFinite() && !right.isFinite() && left.kind_ != right.kind_) return BigNumeric(Kind::NaN);
    return left.isFinite() ? right : left;
  }
  const unsigned scale = std::max(left.scale_, right.scale_);
  if (!left.is_wide_ && !right.is_wide_) {
    int128 first;
    int128 second;
    int128 sum;
    if (scaleSmall(left.small_, scale - left.scale_, first) && scaleSmall(right.small_, scale - right.scale_, second) &&
        !__builtin_add_overflow(first, second, &sum))
      return BigNumeric(sum, scale);
  }
  BigInteger first;
  BigInteger second;
  left.getInteger(first.get());
  right.getInteger(second.get());
  first.scaleUp(scale - left.scale_);
  second.scaleUp(scale - right.scale_);
  mpz_add(first.get(), first.get(), second.get());
  BigNumeric result = BigNumeric::fromInteger(first.get(), scale);
  result.checkLimits();
  return result;
}

BigNumeric operator-(const BigNumeric& left, const BigNumeric& right) {
  return left + -right;
}

BigNumeric operator*(const BigNumeric& left, const BigNumeric& right) {
  using Kind = BigNumeric::Kind;
  if (!left.isFinite() || !right.isFinite()) {
    const int sign = left.sign() * right.sign();
    if (left.isNaN() || right.isNaN() || sign == 0) return BigNumeric(Kind::NaN);
    return BigNumeric(sign > 0 ? Kind::Infinity : Kind::MinusInfinity);
  }
  const unsigned scale = left.scale_ + right.scale_;
  int128 product;
  if (!left.is_wide_ && !right.is_wide_ && scale <= BigNumeric::kScaleMax &&
      !__builtin_mul_overflow(left.small_, right.small_, &product))
    return BigNumeric(product, scale);
  BigInteger result;
  mpz_mul(result.get(), BigNumeric::Borrowed(left).get(), BigNumeric::Borrowed(right).get());
  BigNumeric exact = BigNumeric::fromInteger(result.get(), scale);
  if (scale > BigNumeric::kScaleMax) exact = exact.rounded(BigNumeric::kScaleMax);
  exact.checkLimits();
  return exact;
}

BigNumeric BigNumeric::divide(const BigNumeric& left, const BigNumeric& right, unsigned scale, bool is_rounded) {
  if (right.sign() == 0) throwDivisionByZero();
  const int64_t shift = int64_t{scale} + right.scale_ - left.scale_;
  if (!left.is_wide_ && !right.is_wide_) {
    int128 dividend = left.small_;
    int128 divisor = right.small_;
    if (shift >= 0 ? scaleSmall(dividend, static_cast<uint64_t>(shift), dividend)
                   : scaleSmall(divisor, static_cast<uint64_t>(-shift), divisor))
      return BigNumeric(divideSmall(dividend, divisor, is_rounded), scale);
  }
  BigInteger dividend;
  BigInteger divisor;
  left.getInteger(dividend.get());
  right.getInteger(divisor.get());
  if (shift >= 0)
    dividend.scaleUp(static_cast<unsigned long>(shift));
  else
    divisor.scaleUp(static_cast<unsigned long>(-shift));
  if (is_rounded)
    divideRounded(dividend.get(), dividend.get(), divisor.get());
  else
    mpz_tdiv_q(dividend.get(), dividend.get(), divisor.get());
  BigNumeric result = fromInteger(dividend.get(), scale);
  result.checkLimits();
  return result;
}

BigNumeric operator/(const BigNumeric& left, const BigNumeric& right) {
  using Kind = BigNumeric::Kind;
  if (!left.isFinite() || !right.isFinite()) {
    if (left.isNaN() || right.isNaN()) return BigNumeric(Kind::NaN);
    if (left.isFinite()) return BigNumeric();
    if (!right.isFinite()) return BigNumeric(Kind::NaN);
    if (right.sign() == 0) throwDivisionByZero();
    return BigNumeric(left.sign() * right.sign() > 0 ? Kind::Infinity : Kind::MinusInfinity);
  }
  if (right.sign() == 0) throwDivisionByZero();
  // PostgreSQL's select_div_scale: at least 16 significant digits, counted in groups of four.
  const auto groupOf = [](const BigNumeric& number) {
    const auto digits = static_cast<size_t>(number.integerDigits() + number.scale_);
    return leadingGroup(number.small_, number.sign() == 0 ? 0 : digits, number.scale_,
                        number.is_wide_ ? number.wide_ : nullptr);
  };
  const LeadingGroup first = groupOf(left);
  const LeadingGroup second = groupOf(right);
  int64_t weight = first.weight - second.weight;
  if (first.group <= second.group) --weight;
  int64_t scale = 16 - weight * kDigitsPerGroup;
  scale = std::max({scale, int64_t{left.scale_}, int64_t{right.scale_}});
  scale = std::min(scale, int64_t{BigNumeric::kDisplayScaleMax});
  return BigNumeric::divide(left, right, static_cast<unsigned>(scale));
}

BigNumeric operator%(const BigNumeric& left, const BigNumeric& right) {
  using Kind = BigNumeric::Kind;
  if (left.isNaN() || right.isNaN()) return BigNumeric(Kind::NaN);
  if (right.sign() == 0) throwDivisionByZero();
  if (!left.isFinite()) return BigNumeric(Kind::NaN);
  if (!right.isFinite()) return left;
  const unsigned scale = std::max(left.scale_, right.scale_);
  int128 dividend;
  int128 divisor;
  if (!left.is_wide_ && !right.is_wide_ && scaleSmall(left.small_, scale - left.scale_, dividend) &&
      scaleSmall(right.small_, scale - right.scale_, divisor))
    return BigNumeric(divisor == -1 ? 0 : dividend % divisor, scale);
  BigInteger first;
  BigInteger second;
  left.getInteger(first.get());
  right.getInteger(second.get());
  first.scaleUp(scale - left.scale_);
  second.scaleUp(scale - right.scale_);
  mpz_tdiv_r(first.get(), first.get(), second.get());
  return BigNumeric::fromInteger(first.get(), scale);
}

BigNumeric BigNumeric::rounded(int scale) const {
  if (!isFinite()) return *this;
  const unsigned display = scale > 0 ? static_cast<unsigned>(scale) : 0;
  if (scale >= 0) return divide(*this, BigNumeric(1), display);
  // Dividing by 10^-scale leaves the number of whole powers.
  const auto exponent = static_cast<unsigned>(-scale);
  if (static_cast<int64_t>(exponent) > integerDigits()) return BigNumeric();
  BigInteger power;
  BigInteger::powerOfTen(power.get(), exponent);
  const BigNumeric unit = fromInteger(power.get(), 0);
  return divide(*this, unit, 0) * unit;
}

BigNumeric BigNumeric::truncated(int scale) const {
  if (!isFinite()) return *this;
  if (scale >= 0) return divide(*this, BigNumeric(1), static_cast<unsigned>(scale), false);
  const auto exponent = static_cast<unsigned>(-scale);
  if (static_cast<int64_t>(exponent) > integerDigits()) return BigNumeric();
  BigInteger power;
  BigInteger::powerOfTen(power.get(), exponent);
  const BigNumeric unit = fromInteger(power.get(), 0);
  return divide(*this, unit, 0, false) * unit;
}

BigNumeric BigNumeric::ceiling() const {
  const BigNumeric whole = truncated(0);
  return sign() > 0 && compare(whole, *this) != 0 ? whole + BigNumeric(1) : whole;
}

BigNumeric BigNumeric::floor() const {
  const BigNumeric whole = truncated(0);
  return sign() < 0 && compare(whole, *this) != 0 ? whole - BigNumeric(1) : whole;
}

BigNumeric BigNumeric::withModifier(int32_t typmod) const {
  if (typmod < 4 || isNaN()) return *this;
  const int precision = modifierPrecision(typmod);
  const int scale = modifierScale(typmod);
  if (!isFinite())
    throw SqlError(sqlstate::kNumericValueOutOfRange, "numeric field overflow")
        .detail(fmt::format("A field with precision {}, scale {} cannot hold an infinite value.", precision, scale));
  BigNumeric result = rounded(scale);
  if (result.sign() != 0 && result.integerDigits() > precision - scale) throwFieldOverflow(precision, scale);
  return result;
}

int BigNumeric::compare(const BigNumeric& left, const BigNumeric& right) {
  if (!left.isFinite() || !right.isFinite()) {
    const auto rank = [](const BigNumeric& number) {
      if (number.isFinite()) return 0;
      return number.isNaN() ? 2 : number.kind_ == Kind::Infinity ? 1 : -1;
    };
    return signOfDifference(rank(left), rank(right));
  }
  if (left.sign() != right.sign()) return left.sign() < right.sign() ? -1 : 1;
  const unsigned scale = std::max(left.scale_, right.scale_);
  int128 first;
  int128 second;
  if (!left.is_wide_ && !right.is_wide_ && scaleSmall(left.small_, scale - left.scale_, first) &&
      scaleSmall(right.small_, scale - right.scale_, second))
    return signOfDifference(first, second);
  BigInteger first_integer;
  BigInteger second_integer;
  left.getInteger(first_integer.get());
  right.getInteger(second_integer.get());
  first_integer.scaleUp(scale - left.scale_);
  second_integer.scaleUp(scale - right.scale_);
  return signOfDifference(mpz_cmp(first_integer.get(), second_integer.get()), 0);
}

uint64_t BigNumeric::hash() const {
  if (!isFinite()) return mixHash(kHashPrime + 1 + static_cast<uint64_t>(kind_));
  if (!is_wide_) return hashDecimal(small_, scale_);
  BigInteger magnitude;
  mpz_abs(magnitude.get(), wide_);
  return finishHash(mpz_fdiv_ui(magnitude.get(), kHashPrime), scale_, mpz_sgn(wide_) < 0);
}

uint64_t hashDecimal(int128 value, unsigned scale) {
  return finishHash(static_cast<uint64_t>(magnitudeOf(value) % kHashPrime), scale, value < 0);
}

int compareEncodedNumerics(std::string_view left, std::string_view right) {
  return BigNumeric::compare(BigNumeric::decode(left), BigNumeric::decode(right));
}

uint64_t hashEncodedNumeric(std::string_view bytes) {
  return BigNumeric::decode(bytes).hash();
}

bool BigNumeric::toScaled(unsigned scale, int128& result) const {
  if (!isFinite()) return false;
  const BigNumeric number = rounded(static_cast<int>(scale));
  if (!number.is_wide_) {
    result = number.small_;
    return true;
  }
  // Held by GMP already from kSmallBitsMax bits on, int128 has room for one more.
  constexpr size_t kInt128Bits = 127;
  if (mpz_sizeinbase(number.wide_, 2) > kInt128Bits) return false;
  uint128 magnitude = 0;
  mpz_export(&magnitude, nullptr, -1, sizeof(magnitude), 0, 0, number.wide_);
  result = mpz_sgn(number.wide_) < 0 ? -static_cast<int128>(magnitude) : static_cast<int128>(magnitude);
  return true;
}

bool BigNumeric::toInt64(int64_t& result) const {
  int128 number;
  if (!toScaled(0, number) || number != static_cast<int64_t>(number)) return false;
  result = static_cast<int64_t>(number);
  return true;
}

}  // namespace gnomon::sql
