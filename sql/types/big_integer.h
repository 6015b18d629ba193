#pragma once

#include <gmp.h>

#include "base/int128.h"

namespace gnomon::sql {

/// A GMP integer that frees itself.
class BigInteger {
 public:
  BigInteger() { mpz_init(value_); }
  explicit BigInteger(int128 number) : BigInteger() { assign(number); }
  ~BigInteger() { mpz_clear(value_); }
  BigInteger(const BigInteger&) = delete;
  BigInteger& operator=(const BigInteger&) = delete;

  void assign(int128 number) {
    const bool is_negative = number < 0;
    const uint128 magnitude = is_negative ? -static_cast<uint128>(number) : static_cast<uint128>(number);
    mpz_import(value_, 1, -1, sizeof(magnitude), 0, 0, &magnitude);
    if (is_negative) mpz_neg(value_, value_);
  }
  /// 10^exponent.
  static void powerOfTen(mpz_t result, unsigned long exponent) { mpz_ui_pow_ui(result, 10, exponent); }
  /// value *= 10^exponent.
  void scaleUp(unsigned long exponent) {
    if (exponent == 0) return;
    BigInteger factor;
    powerOfTen(factor.get(), exponent);
    mpz_mul(value_, value_, factor.get());
  }

  mpz_ptr get() { return value_; }
  [[nodiscard]] mpz_srcptr get() const { return value_; }

 private:
  mpz_t value_;
};

/// Quotient rounded half away from zero. `result` may be an operand.
void divideRounded(mpz_t result, const mpz_t dividend, const mpz_t divisor);

}  // namespace gnomon::sql
