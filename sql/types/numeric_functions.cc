#include "sql/types/numeric_functions.h"

#include <algorithm>
#include <cmath>

#include "base/sql_error.h"
#include "sql/types/fixed_point.h"

namespace gnomon::sql {
namespace {

using Kind = BigNumeric::Kind;

constexpr int64_t kSignificantDigits = 16;  // PostgreSQL's NUMERIC_MIN_SIG_DIGITS
constexpr double kLogarithmOfTen = 2.302585092994046;
constexpr double kDecimalLogarithmOfE = 0.434294481903252;
constexpr double kResultScaleMax = 2000;  // PostgreSQL's NUMERIC_MAX_RESULT_SCALE
/// Bits asked for beyond the digits shown: a wrong last digit needs a run of zeros or nines this long.
constexpr double kGuardBits = 96;
constexpr double kBitsPerDigit = 3.3219280948873626;

[[noreturn]] void throwOverflow() {
  throw SqlError(sqlstate::kNumericValueOutOfRange, "value overflows numeric format");
}

[[noreturn]] void throwDivisionByZero() {
  throw SqlError(sqlstate::kDivisionByZero, "division by zero");
}

/// 10^exponent * fraction, the number's leading digits: fraction is in [1, 10) unless the number is zero.
struct Magnitude {
  double fraction;
  int64_t exponent;
};

Magnitude magnitudeOf(const BigNumeric& number) {
  BigInteger integer;
  number.getInteger(integer.get());
  const int64_t exponent = number.integerDigits() - 1;
  // |integer| * 10^-(exponent + scale), cut to 17 digits first when it is long.
  const int64_t digits = exponent + 1 + number.scale();
  if (digits > 17) {
    BigInteger unit;
    BigInteger::powerOfTen(unit.get(), static_cast<unsigned long>(digits - 17));
    mpz_tdiv_q(integer.get(), integer.get(), unit.get());
  }
  const double leading = std::fabs(mpz_get_d(integer.get()));
  return {leading / std::pow(10.0, static_cast<double>(std::min<int64_t>(digits, 17) - 1)), exponent};
}

/// ln |number| as a double.
double estimateLogarithm(const BigNumeric& number) {
  const Magnitude magnitude = magnitudeOf(number);
  return std::log(magnitude.fraction) + static_cast<double>(magnitude.exponent) * kLogarithmOfTen;
}

unsigned clampScale(int64_t wanted, std::initializer_list<unsigned> shown) {
  for (const unsigned scale : shown) wanted = std::max(wanted, int64_t{scale});
  return static_cast<unsigned>(std::clamp<int64_t>(wanted, 0, BigNumeric::kDisplayScaleMax));
}

/// PostgreSQL's estimate of the decimal weight of ln(number).
int64_t logarithmWeight(const BigNumeric& number) {
  if (number.sign() <= 0) return 0;
  const bool is_near_one =
      BigNumeric::compare(number, BigNumeric(9, 1)) >= 0 && BigNumeric::compare(number, BigNumeric(11, 1)) <= 0;
  if (is_near_one) {
    const BigNumeric distance = number - BigNumeric(1);
    return distance.sign() == 0 ? 0 : distance.integerDigits() - 1;
  }
  return static_cast<int64_t>(std::log10(std::fabs(estimateLogarithm(number))));
}

unsigned long bitsFor(double digits) {
  return static_cast<unsigned long>(std::max(0.0, digits) * kBitsPerDigit + kGuardBits);
}

/// ln(number) in fixed point; number > 0.
void logarithmOf(mpz_t result, const BigNumeric& number, unsigned long bits) {
  BigInteger mantissa;
  BigInteger divisor;
  number.getInteger(mantissa.get());
  BigInteger::powerOfTen(divisor.get(), number.scale());
  const auto exponent =
      static_cast<long>(mpz_sizeinbase(mantissa.get(), 2)) - static_cast<long>(mpz_sizeinbase(divisor.get(), 2));
  const long shift = static_cast<long>(bits) + 64 - exponent;
  if (shift >= 0)
    mpz_mul_2exp(mantissa.get(), mantissa.get(), static_cast<unsigned long>(shift));
  else
    mpz_mul_2exp(divisor.get(), divisor.get(), static_cast<unsigned long>(-shift));
  mpz_tdiv_q(mantissa.get(), mantissa.get(), divisor.get());
  logarithmFixed(result, mantissa.get(), exponent, bits + 64);
  mpz_fdiv_q_2exp(result, result, 64);
}

/// e^(x / 2^bits) rounded to `scale` digits; 2^exponent is applied in both directions.
BigNumeric exponentialOf(const mpz_t x, unsigned long bits, unsigned scale) {
  BigInteger result;
  long exponent;
  exponentialFixed(result.get(), exponent, x, bits);
  if (exponent >= 0) {
    mpz_mul_2exp(result.get(), result.get(), static_cast<unsigned long>(exponent));
    return fromFixedPoint(result.get(), bits, scale);
  }
  return fromFixedPoint(result.get(), bits + static_cast<unsigned long>(-exponent), scale);
}

void checkLogarithmArgument(const BigNumeric& number) {
  if (number.sign() < 0)
    throw SqlError(sqlstate::kInvalidArgumentForLogarithm, "cannot take logarithm of a negative number");
  if (number.sign() == 0 && !number.isNaN())
    throw SqlError(sqlstate::kInvalidArgumentForLogarithm, "cannot take logarithm of zero");
}

/// base^exponent for a whole exponent, to PostgreSQL's scale.
BigNumeric powerOfInteger(const BigNumeric& base, int64_t exponent) {
  const unsigned scale = clampScale(kSignificantDigits, {base.scale()});
  if (exponent == 0) return BigNumeric(1).rounded(kSignificantDigits);
  if (base.sign() == 0) {
    if (exponent < 0) throwDivisionByZero();
    return BigNumeric(0, scale);
  }
  const double weight = static_cast<double>(exponent) * estimateLogarithm(base) / kLogarithmOfTen;
  if (weight > BigNumeric::kIntegerDigitsMax) throwOverflow();
  if (weight + 1 < -static_cast<double>(scale)) return BigNumeric(0, scale);
  const unsigned long bits = bitsFor(std::max(0.0, weight) + scale) + 64;
  mpf_t value;
  mpf_t unit;
  mpf_init2(value, bits);
  mpf_init2(unit, bits);
  BigInteger integer;
  base.getInteger(integer.get());
  mpf_set_z(value, integer.get());
  BigInteger::powerOfTen(integer.get(), base.scale());
  mpf_set_z(unit, integer.get());
  mpf_div(value, value, unit);
  mpf_pow_ui(value, value, static_cast<unsigned long>(std::abs(exponent)));
  if (exponent < 0) mpf_ui_div(value, 1, value);
  // Ten more digits than shown, cut; then rounded.
  mpf_set_ui(unit, 10);
  mpf_pow_ui(unit, unit, scale + 10);
  mpf_mul(value, value, unit);
  // An exact decimal comes out a hair under itself when the base had to be divided.
  mpf_set_d(unit, mpf_sgn(value) < 0 ? -0.5 : 0.5);
  mpf_add(value, value, unit);
  mpz_set_f(integer.get(), value);
  mpf_clear(value);
  mpf_clear(unit);
  BigNumeric result = BigNumeric::fromInteger(integer.get(), scale + 10).rounded(static_cast<int>(scale));
  result.checkLimits();
  return result;
}

/// base^exponent for a positive base.
BigNumeric powerOfPositive(const BigNumeric& base, const BigNumeric& exponent) {
  const double logarithm = BigNumeric::compare(base, BigNumeric(1)) == 0 ? 0 : estimateLogarithm(base);
  double weight = logarithm * exponent.toDouble();
  const int64_t logarithm_weight = logarithmWeight(base);
  if (logarithm_weight < 0) weight = naturalLogarithm(base).toDouble() * exponent.toDouble();
  if (std::fabs(weight) > kResultScaleMax * 3.01) {
    if (weight > 0) throwOverflow();
    return BigNumeric(0, BigNumeric::kDisplayScaleMax);
  }
  weight *= kDecimalLogarithmOfE;
  const unsigned scale =
      clampScale(kSignificantDigits - static_cast<int64_t>(weight), {base.scale(), exponent.scale()});
  // The exponent multiplies the logarithm's error by its own size.
  const double exponent_digits = std::max<double>(0, static_cast<double>(exponent.integerDigits()));
  const unsigned long bits = bitsFor(scale + std::max(0.0, weight) + exponent_digits) + 64;
  BigInteger fixed;
  BigInteger factor;
  logarithmOf(fixed.get(), base, bits);
  exponent.getInteger(factor.get());
  mpz_mul(fixed.get(), fixed.get(), factor.get());
  BigInteger::powerOfTen(factor.get(), exponent.scale());
  divideRounded(fixed.get(), fixed.get(), factor.get());
  return exponentialOf(fixed.get(), bits, scale);
}

/// The rules of power() when NaN or an infinity takes part.
BigNumeric powerOfSpecial(const BigNumeric& base, const BigNumeric& exponent) {
  BigNumeric one(1);
  if (base.isNaN()) return exponent.isFinite() && exponent.sign() == 0 ? one : base;
  if (exponent.isNaN()) return base.isFinite() && base == one ? one : exponent;
  if (base.sign() == 0 && exponent.sign() < 0)
    throw SqlError(sqlstate::kInvalidArgumentForPowerFunction, "zero raised to a negative power is undefined");
  if (base.sign() < 0 && exponent.isFinite() && !exponent.isInteger())
    throw SqlError(sqlstate::kInvalidArgumentForPowerFunction,
                   "a negative number raised to a non-integer power yields a complex result");
  if (base.isFinite() && base == one) return one;
  if (exponent.sign() == 0) return one;
  if (base.sign() == 0) return BigNumeric();
  if (!exponent.isFinite()) {
    const int order = BigNumeric::compare(base.absolute(), one);
    if (order == 0) return one;
    return (order > 0) == (exponent.sign() > 0) ? BigNumeric(Kind::Infinity) : BigNumeric();
  }
  if (exponent.sign() < 0) return BigNumeric();
  const bool is_odd = (exponent % BigNumeric(2)).sign() != 0;
  return BigNumeric(base.sign() < 0 && is_odd ? Kind::MinusInfinity : Kind::Infinity);
}

}  // namespace

BigNumeric squareRoot(const BigNumeric& number) {
  if (number.sign() < 0)
    throw SqlError(sqlstate::kInvalidArgumentForPowerFunction, "cannot take square root of a negative number");
  if (!number.isFinite()) return number;
  const int64_t exponent = number.integerDigits() - 1;
  const int64_t group_weight = number.sign() == 0 ? 0 : (exponent >= 0 ? exponent / 4 : -((3 - exponent) / 4));
  // C's division: toward zero.
  const int64_t weight = (group_weight + 1) * 4 / 2 - 1;
  return squareRoot(number, clampScale(kSignificantDigits - weight, {number.scale()}));
}

BigNumeric squareRoot(const BigNumeric& number, unsigned scale) {
  BigInteger square;
  BigInteger root;
  number.getInteger(square.get());
  const int64_t shift = 2 * int64_t{scale} - number.scale();
  if (shift >= 0) {
    square.scaleUp(static_cast<unsigned long>(shift));
  } else {
    BigInteger::powerOfTen(root.get(), static_cast<unsigned long>(-shift));
    mpz_tdiv_q(square.get(), square.get(), root.get());
  }
  BigInteger rest;
  mpz_sqrtrem(root.get(), rest.get(), square.get());
  if (mpz_cmp(rest.get(), root.get()) > 0) mpz_add_ui(root.get(), root.get(), 1);
  return BigNumeric::fromInteger(root.get(), scale);
}

BigNumeric exponential(const BigNumeric& number) {
  if (!number.isFinite()) return number.kind() == Kind::MinusInfinity ? BigNumeric() : number;
  const bool is_huge = number.integerDigits() > 6;
  const double value = is_huge ? number.sign() * 1e6 : number.toDouble();
  const double weight = std::clamp(value * kDecimalLogarithmOfE, -kResultScaleMax, kResultScaleMax);
  const unsigned scale = clampScale(kSignificantDigits - static_cast<int64_t>(weight), {number.scale()});
  if (std::fabs(value) >= kResultScaleMax * 3) {
    if (value > 0) throwOverflow();
    return BigNumeric(0, scale);
  }
  const unsigned long bits = bitsFor(scale + std::max(0.0, value * kDecimalLogarithmOfE));
  BigInteger fixed;
  toFixedPoint(fixed.get(), number, bits);
  return exponentialOf(fixed.get(), bits, scale);
}

BigNumeric naturalLogarithm(const BigNumeric& number) {
  checkLogarithmArgument(number);
  if (!number.isFinite()) return number;
  const unsigned scale = clampScale(kSignificantDigits - logarithmWeight(number), {number.scale()});
  const unsigned long bits = bitsFor(scale);
  BigInteger fixed;
  logarithmOf(fixed.get(), number, bits);
  return fromFixedPoint(fixed.get(), bits, scale);
}

BigNumeric logarithm(const BigNumeric& base, const BigNumeric& number) {
  if (base.isNaN() || number.isNaN()) return BigNumeric(Kind::NaN);
  checkLogarithmArgument(base);
  checkLogarithmArgument(number);
  if (!base.isFinite() || !number.isFinite()) {
    if (!base.isFinite() && !number.isFinite()) return BigNumeric(Kind::NaN);
    return base.isFinite() ? number : BigNumeric();
  }
  const int64_t base_weight = logarithmWeight(base);
  const int64_t number_weight = logarithmWeight(number);
  const unsigned scale = clampScale(kSignificantDigits - (number_weight - base_weight), {base.scale(), number.scale()});
  const unsigned long bits =
      bitsFor(static_cast<double>(scale) + 2 * static_cast<double>(std::abs(base_weight) + std::abs(number_weight)));
  if (base == BigNumeric(1)) throwDivisionByZero();
  BigInteger fixed_base;
  BigInteger fixed_number;
  logarithmOf(fixed_base.get(), base, bits);
  logarithmOf(fixed_number.get(), number, bits);
  mpz_mul_2exp(fixed_number.get(), fixed_number.get(), bits);
  divideRounded(fixed_number.get(), fixed_number.get(), fixed_base.get());
  return fromFixedPoint(fixed_number.get(), bits, scale);
}

BigNumeric power(const BigNumeric& base, const BigNumeric& exponent) {
  if (!base.isFinite() || !exponent.isFinite()) return powerOfSpecial(base, exponent);
  if (base.sign() == 0 && exponent.sign() < 0)
    throw SqlError(sqlstate::kInvalidArgumentForPowerFunction, "zero raised to a negative power is undefined");
  const bool is_integer = exponent.isInteger();
  if (base.sign() < 0 && !is_integer)
    throw SqlError(sqlstate::kInvalidArgumentForPowerFunction,
                   "a negative number raised to a non-integer power yields a complex result");
  int64_t whole;
  if (is_integer && exponent.toInt64(whole) && whole == static_cast<int32_t>(whole)) return powerOfInteger(base, whole);
  if (base.sign() == 0) return BigNumeric(0, kSignificantDigits);
  const BigNumeric result = powerOfPositive(base.absolute(), exponent);
  const bool is_odd = is_integer && (exponent % BigNumeric(2)).sign() != 0;
  return base.sign() < 0 && is_odd ? -result : result;
}

}  // namespace gnomon::sql
