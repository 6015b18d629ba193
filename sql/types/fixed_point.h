#pragma once

#include "sql/types/big_integer.h"
#include "sql/types/big_numeric.h"

namespace gnomon::sql {

/// Exponential and logarithm to any precision. Numbers are integers divided by 2^bits; results are off by at most a few
/// units in the last of `bits` places, so callers ask for more bits than they show.

/// number / 10^scale as a fixed-point number.
void toFixedPoint(mpz_t result, const BigNumeric& number, unsigned long bits);
/// value / 2^bits rounded to `scale` decimal places.
BigNumeric fromFixedPoint(const mpz_t value, unsigned long bits, unsigned scale);

/// e^x = result / 2^bits * 2^exponent, the result within [1/2, 2) so that all its bits count.
void exponentialFixed(mpz_t result, long& exponent, const mpz_t x, unsigned long bits);
/// ln(x), x > 0 given as mantissa / 2^bits * 2^exponent with the mantissa within [1/2, 2).
void logarithmFixed(mpz_t result, const mpz_t mantissa, long exponent, unsigned long bits);

}  // namespace gnomon::sql
