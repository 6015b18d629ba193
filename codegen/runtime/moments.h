#pragma once

#include <cstdint>

#include "base/int128.h"
#include "codegen/runtime/big_accumulator.h"
#include "sql/functions/function_id.h"

namespace gnomon::codegen {

/// States of variances, covariances and regressions in a group's row. All zero: no value yet.
///
/// Source of those in double precision: Youngs and Cramer, "Some results relevant to choice of sum and sum-of-product
/// algorithms" (1971), as PostgreSQL 15 computes them (float.c), so that the digits are its own as long as one worker
/// sees the rows in order.

/// Of doubles: sxx is the sum of squared distances from the mean.
struct DoubleMoments {
  double count;
  double sx;
  double sxx;
};
static_assert(sizeof(DoubleMoments) == 24);

/// Of pairs of doubles.
struct PairMoments {
  double count;
  double sx;
  double sxx;
  double sy;
  double syy;
  double sxy;
};
static_assert(sizeof(PairMoments) == 48);

/// Of integers and numerics: exact.
struct ExactMoments {
  BigAccumulator sum;
  BigAccumulator squares;
  int64_t count;
  int64_t spare;
};
static_assert(sizeof(ExactMoments) == 112);

/// `function` is an sql::AggregateId. IsNull: too few values, or (of regressions) a division by zero.
/// Failure: 22003 "value out of range: overflow".
namespace rt {
void doubleMomentsAdd(DoubleMoments* into, double value);
void doubleMomentsMerge(DoubleMoments* into, const DoubleMoments* from);
bool doubleMomentsIsNull(const DoubleMoments* moments, uint8_t function);
double doubleMomentsResult(const DoubleMoments* moments, uint8_t function);

void pairMomentsAdd(PairMoments* into, double y, double x);
void pairMomentsMerge(PairMoments* into, const PairMoments* from);
bool pairMomentsIsNull(const PairMoments* moments, uint8_t function);
double pairMomentsResult(const PairMoments* moments, uint8_t function);
int64_t pairMomentsCount(const PairMoments* moments);

/// value / 10^scale; an encoded numeric.
void exactMomentsAddDecimal(ExactMoments* into, int128 value, uint32_t scale, Arena* arena);
void exactMomentsAdd(ExactMoments* into, uint64_t lo, uint64_t hi, Arena* arena);
void exactMomentsMerge(ExactMoments* into, const ExactMoments* from, Arena* arena);
bool exactMomentsIsNull(const ExactMoments* moments, uint8_t function);
StringValue exactMomentsResult(const ExactMoments* moments, uint8_t function, Arena* arena);
}  // namespace rt

}  // namespace gnomon::codegen
