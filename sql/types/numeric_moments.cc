#include "sql/types/numeric_moments.h"

#include "sql/types/numeric_functions.h"

namespace gnomon::sql {

BigNumeric numericVariance(const BigNumeric& sum, const BigNumeric& squares, int64_t count, VarianceKind kind) {
  if (!sum.isFinite() || !squares.isFinite()) return BigNumeric(BigNumeric::Kind::NaN);
  const BigNumeric rows(count);
  const BigNumeric numerator = rows * squares - sum * sum;
  if (numerator.sign() <= 0) return BigNumeric();
  const BigNumeric variance = numerator / (rows * BigNumeric(kind.is_sample ? count - 1 : count));
  return kind.is_deviation ? squareRoot(variance, variance.scale()) : variance;
}

}  // namespace gnomon::sql
