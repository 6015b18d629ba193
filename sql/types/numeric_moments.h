#pragma once

#include <cstdint>

#include "sql/types/big_numeric.h"

namespace gnomon::sql {

/// What the variance of numbers is asked for as.
struct VarianceKind {
  bool is_sample = false;     ///< divided by count - 1
  bool is_deviation = false;  ///< its square root
};

/// The variance of `count` numbers with this sum and this sum of squares, with PostgreSQL's digits (numeric.c,
/// numeric_stddev_internal). NaN when one of them was not finite. There are numbers enough: two for a sample, else one.
BigNumeric numericVariance(const BigNumeric& sum, const BigNumeric& squares, int64_t count, VarianceKind kind);

}  // namespace gnomon::sql
