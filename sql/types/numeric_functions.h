#pragma once

#include "sql/types/big_numeric.h"

namespace gnomon::sql {

/// The transcendental functions of numeric. Results have the display scale PostgreSQL chooses (numeric.c) and are the
/// exact result rounded to it. Failure: 2201F (power, square root), 2201E (logarithms), 22003.
BigNumeric squareRoot(const BigNumeric& number);
/// Of a finite number that is not negative, rounded to `scale` digits after the point.
BigNumeric squareRoot(const BigNumeric& number, unsigned scale);
BigNumeric exponential(const BigNumeric& number);
BigNumeric naturalLogarithm(const BigNumeric& number);
BigNumeric logarithm(const BigNumeric& base, const BigNumeric& number);
BigNumeric power(const BigNumeric& base, const BigNumeric& exponent);

}  // namespace gnomon::sql
