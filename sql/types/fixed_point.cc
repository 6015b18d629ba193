#include "sql/types/fixed_point.h"

#include <cmath>

namespace gnomon::sql {
namespace {

/// atanh(1 / n) by its series.
void inverseHyperbolicTangent(mpz_t result, unsigned long n, unsigned long bits) {
  BigInteger power;
  BigInteger term;
  mpz_set_ui(power.get(), 1);
  mpz_mul_2exp(power.get(), power.get(), bits);
  mpz_fdiv_q_ui(power.get(), power.get(), n);
  mpz_set(result, power.get());
  for (unsigned long index = 3; mpz_sgn(power.get()) != 0; index += 2) {
    mpz_fdiv_q_ui(power.get(), power.get(), n * n);
    mpz_fdiv_q_ui(term.get(), power.get(), index);
    mpz_add(result, result, term.get());
  }
}

/// ln 2 = 18 atanh(1/26) - 2 atanh(1/4801) + 8 atanh(1/8749).
void logarithmOfTwo(mpz_t result, unsigned long bits) {
  BigInteger part;
  inverseHyperbolicTangent(part.get(), 26, bits);
  mpz_mul_ui(result, part.get(), 18);
  inverseHyperbolicTangent(part.get(), 4801, bits);
  mpz_submul_ui(result, part.get(), 2);
  inverseHyperbolicTangent(part.get(), 8749, bits);
  mpz_addmul_ui(result, part.get(), 8);
}

/// e^x for |x| <= 1: x is halved until the series is short, the result squared as often.
void exponentialOfSmall(mpz_t result, const mpz_t x, unsigned long bits) {
  const auto halvings = static_cast<unsigned long>(std::sqrt(static_cast<double>(bits))) / 2 + 2;
  const unsigned long inner_bits = bits + 2 * halvings + 16;
  BigInteger reduced;
  BigInteger term;
  mpz_mul_2exp(reduced.get(), x, inner_bits - bits);
  mpz_fdiv_q_2exp(reduced.get(), reduced.get(), halvings);
  mpz_set_ui(result, 1);
  mpz_mul_2exp(result, result, inner_bits);
  mpz_set(term.get(), result);
  for (unsigned long index = 1;; ++index) {
    mpz_mul(term.get(), term.get(), reduced.get());
    mpz_tdiv_q_2exp(term.get(), term.get(), inner_bits);
    mpz_tdiv_q_ui(term.get(), term.get(), index);
    if (mpz_sgn(term.get()) == 0) break;
    mpz_add(result, result, term.get());
  }
  for (unsigned long index = 0; index < halvings; ++index) {
    mpz_mul(result, result, result);
    mpz_fdiv_q_2exp(result, result, inner_bits);
  }
  mpz_fdiv_q_2exp(result, result, inner_bits - bits);
}

}  // namespace

void toFixedPoint(mpz_t result, const BigNumeric& number, unsigned long bits) {
  BigInteger divisor;
  number.getInteger(result);
  mpz_mul_2exp(result, result, bits);
  BigInteger::powerOfTen(divisor.get(), number.scale());
  divideRounded(result, result, divisor.get());
}

BigNumeric fromFixedPoint(const mpz_t value, unsigned long bits, unsigned scale) {
  BigInteger scaled;
  BigInteger unit;
  BigInteger::powerOfTen(unit.get(), scale);
  mpz_mul(scaled.get(), value, unit.get());
  mpz_set_ui(unit.get(), 1);
  mpz_mul_2exp(unit.get(), unit.get(), bits);
  divideRounded(scaled.get(), scaled.get(), unit.get());
  return BigNumeric::fromInteger(scaled.get(), scale);
}

void exponentialFixed(mpz_t result, long& exponent, const mpz_t x, unsigned long bits) {
  // x = exponent * ln 2 + rest, |rest| <= ln 2 / 2. The exponent multiplies ln 2's error: 64 more bits cover it.
  constexpr unsigned long kGuardBits = 64;
  const unsigned long inner_bits = bits + kGuardBits;
  BigInteger scaled;
  BigInteger two;
  BigInteger quotient;
  mpz_mul_2exp(scaled.get(), x, kGuardBits);
  logarithmOfTwo(two.get(), inner_bits);
  divideRounded(quotient.get(), scaled.get(), two.get());
  exponent = mpz_get_si(quotient.get());
  mpz_submul(scaled.get(), quotient.get(), two.get());
  exponentialOfSmall(result, scaled.get(), inner_bits);
  mpz_fdiv_q_2exp(result, result, kGuardBits);
}

void logarithmFixed(mpz_t result, const mpz_t mantissa, long exponent, unsigned long bits) {
  constexpr unsigned long kGuardBits = 64;
  const unsigned long inner_bits = bits + kGuardBits;
  BigInteger target;
  BigInteger power;
  BigInteger sum;
  mpz_mul_2exp(target.get(), mantissa, kGuardBits);
  long shift;
  const double fraction = mpz_get_d_2exp(&shift, target.get());
  mpz_set_d(result,
            std::ldexp(std::log(std::ldexp(fraction, static_cast<int>(shift - static_cast<long>(inner_bits)))), 60));
  mpz_mul_2exp(result, result, inner_bits - 60);
  // Halley's iteration on e^y = target: y += 2 (target - e^y) / (target + e^y) triples the good bits.
  for (unsigned long good_bits = 48; good_bits < 3 * inner_bits; good_bits *= 3) {
    exponentialOfSmall(power.get(), result, inner_bits);
    mpz_add(sum.get(), target.get(), power.get());
    mpz_sub(power.get(), target.get(), power.get());
    mpz_mul_2exp(power.get(), power.get(), inner_bits + 1);
    mpz_tdiv_q(power.get(), power.get(), sum.get());
    mpz_add(result, result, power.get());
  }
  logarithmOfTwo(power.get(), inner_bits);
  if (exponent >= 0)
    mpz_addmul_ui(result, power.get(), static_cast<unsigned long>(exponent));
  else
    mpz_submul_ui(result, power.get(), static_cast<unsigned long>(-exponent));
  mpz_fdiv_q_2exp(result, result, kGuardBits);
}

}  // namespace gnomon::sql
