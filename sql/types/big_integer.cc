#include "sql/types/big_integer.h"

namespace gnomon::sql {

void divideRounded(mpz_t result, const mpz_t dividend, const mpz_t divisor) {
  const int sign = mpz_sgn(dividend) * mpz_sgn(divisor);
  BigInteger quotient;
  BigInteger rest;
  mpz_tdiv_qr(quotient.get(), rest.get(), dividend, divisor);
  mpz_mul_2exp(rest.get(), rest.get(), 1);
  if (mpz_cmpabs(rest.get(), divisor) >= 0) {
    if (sign < 0)
      mpz_sub_ui(quotient.get(), quotient.get(), 1);
    else
      mpz_add_ui(quotient.get(), quotient.get(), 1);
  }
  mpz_swap(result, quotient.get());
}

}  // namespace gnomon::sql
