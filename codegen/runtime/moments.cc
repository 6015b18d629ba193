#include "codegen/runtime/moments.h"

#include <cmath>
#include <limits>

#include "base/sql_error.h"
#include "codegen/runtime/math_runtime.h"
#include "codegen/runtime/register_value.h"
#include "sql/types/numeric_moments.h"

namespace gnomon::codegen::rt {
namespace {

using sql::AggregateId;

constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();

[[noreturn]] void throwOverflow() {
  throw SqlError(sqlstate::kNumericValueOutOfRange, "value out of range: overflow");
}

bool isSample(uint8_t function) {
  const auto id = static_cast<AggregateId>(function);
  return id == AggregateId::VarianceSample || id == AggregateId::DeviationSample;
}

bool isDeviation(uint8_t function) {
  const auto id = static_cast<AggregateId>(function);
  return id == AggregateId::DeviationPopulation || id == AggregateId::DeviationSample;
}

/// The sum of squares (or products) of two parts, of which the means differ by these distances.
double joinedSquares(double one, double two, double count_one, double count_two, double distance, double other) {
  const double joined = one + two + count_one * count_two * distance * other / (count_one + count_two);
  if (std::isinf(joined) && !std::isinf(one) && !std::isinf(two)) throwOverflow();
  return joined;
}

void setNaNIfInfinite(double& number) {
  if (std::isinf(number)) number = kNaN;
}

/// An overflow of finite values is an error, and what infinite values make of the squares is NaN.
void checkSums(PairMoments& now, const PairMoments& before, double y, double x) {
  const bool x_was_finite = !std::isinf(before.sx) && !std::isinf(x);
  const bool y_was_finite = !std::isinf(before.sy) && !std::isinf(y);
  if (((std::isinf(now.sx) || std::isinf(now.sxx)) && x_was_finite) ||
      ((std::isinf(now.sy) || std::isinf(now.syy)) && y_was_finite) ||
      (std::isinf(now.sxy) && x_was_finite && y_was_finite))
    throwOverflow();
  setNaNIfInfinite(now.sxx);
  setNaNIfInfinite(now.syy);
  setNaNIfInfinite(now.sxy);
}

}  // namespace

void doubleMomentsAdd(DoubleMoments* into, double value) {
  const DoubleMoments before = *into;
  into->count += 1;
  into->sx += value;
  if (before.count == 0) {
    if (!std::isfinite(value)) into->sxx = kNaN;
    return;
  }
  const double distance = value * into->count - into->sx;
  into->sxx += distance * distance / (into->count * before.count);
  if (!std::isinf(into->sx) && !std::isinf(into->sxx)) return;
  if (!std::isinf(before.sx) && !std::isinf(value)) throwOverflow();
  into->sxx = kNaN;
}

void doubleMomentsMerge(DoubleMoments* into, const DoubleMoments* from) {
  if (from->count == 0) return;
  if (into->count == 0) {
    *into = *from;
    return;
  }
  const double distance = into->sx / into->count - from->sx / from->count;
  const double sxx = joinedSquares(into->sxx, from->sxx, into->count, from->count, distance, distance);
  *into = {into->count + from->count, addDouble(into->sx, from->sx), sxx};
}

bool doubleMomentsIsNull(const DoubleMoments* moments, uint8_t function) {
  return moments->count <= (isSample(function) ? 1 : 0);
}

double doubleMomentsResult(const DoubleMoments* moments, uint8_t function) {
  const double variance = moments->sxx / (isSample(function) ? moments->count - 1 : moments->count);
  return isDeviation(function) ? std::sqrt(variance) : variance;
}

void pairMomentsAdd(PairMoments* into, double y, double x) {
  const PairMoments before = *into;
  PairMoments& now = *into;
  now.count += 1;
  now.sx += x;
  now.sy += y;
  if (before.count == 0) {
    if (!std::isfinite(x)) now.sxx = now.sxy = kNaN;
    if (!std::isfinite(y)) now.syy = now.sxy = kNaN;
    return;
  }
  const double distance_x = x * now.count - now.sx;
  const double distance_y = y * now.count - now.sy;
  const double scale = 1.0 / (now.count * before.count);
  now.sxx += distance_x * distance_x * scale;
  now.syy += distance_y * distance_y * scale;
  now.sxy += distance_x * distance_y * scale;
  if (std::isinf(now.sx) || std::isinf(now.sxx) || std::isinf(now.sy) || std::isinf(now.syy) || std::isinf(now.sxy))
    checkSums(now, before, y, x);
}

void pairMomentsMerge(PairMoments* into, const PairMoments* from) {
  if (from->count == 0) return;
  if (into->count == 0) {
    *into = *from;
    return;
  }
  const PairMoments one = *into;
  const double x = one.sx / one.count - from->sx / from->count;
  const double y = one.sy / one.count - from->sy / from->count;
  into->count = one.count + from->count;
  into->sx = addDouble(one.sx, from->sx);
  into->sxx = joinedSquares(one.sxx, from->sxx, one.count, from->count, x, x);
  into->sy = addDouble(one.sy, from->sy);
  into->syy = joinedSquares(one.syy, from->syy, one.count, from->count, y, y);
  into->sxy = joinedSquares(one.sxy, from->sxy, one.count, from->count, x, y);
}

bool pairMomentsIsNull(const PairMoments* moments, uint8_t function) {
  switch (static_cast<AggregateId>(function)) {
    case AggregateId::CovarianceSample:
      return moments->count < 2;
    case AggregateId::Correlation:
      return moments->count < 1 || moments->sxx == 0 || moments->syy == 0;
    case AggregateId::RegressionR2:
    case AggregateId::RegressionSlope:
    case AggregateId::RegressionIntercept:
      return moments->count < 1 || moments->sxx == 0;
    default:
      return moments->count < 1;
  }
}

double pairMomentsResult(const PairMoments* moments, uint8_t function) {
  const PairMoments& m = *moments;
  switch (static_cast<AggregateId>(function)) {
    case AggregateId::RegressionAverageX:
      return m.sx / m.count;
    case AggregateId::RegressionAverageY:
      return m.sy / m.count;
    case AggregateId::RegressionSumXX:
      return m.sxx;
    case AggregateId::RegressionSumYY:
      return m.syy;
    case AggregateId::RegressionSumXY:
      return m.sxy;
    case AggregateId::RegressionSlope:
      return m.sxy / m.sxx;
    case AggregateId::RegressionIntercept:
      return (m.sy - m.sx * m.sxy / m.sxx) / m.count;
    case AggregateId::RegressionR2:
      return m.syy == 0 ? 1.0 : (m.sxy * m.sxy) / (m.sxx * m.syy);
    case AggregateId::CovariancePopulation:
      return m.sxy / m.count;
    case AggregateId::CovarianceSample:
      return m.sxy / (m.count - 1);
    default:
      return m.sxy / std::sqrt(m.sxx * m.syy);
  }
}

int64_t pairMomentsCount(const PairMoments* moments) {
  return static_cast<int64_t>(moments->count);
}

void exactMomentsAddDecimal(ExactMoments* into, int128 value, uint32_t scale, Arena* arena) {
  into->count += 1;
  const sql::BigNumeric number(value, scale);
  bigSumAddNumber(into->sum, number, arena);
  bigSumAddNumber(into->squares, number * number, arena);
}

void exactMomentsAdd(ExactMoments* into, uint64_t lo, uint64_t hi, Arena* arena) {
  into->count += 1;
  const StringValue value(lo, hi);
  const sql::BigNumeric number = sql::BigNumeric::decode(value.view());
  bigSumAddNumber(into->sum, number, arena);
  bigSumAddNumber(into->squares, number * number, arena);
}

void exactMomentsMerge(ExactMoments* into, const ExactMoments* from, Arena* arena) {
  into->count += from->count;
  bigSumMerge(&into->sum, &from->sum, arena);
  bigSumMerge(&into->squares, &from->squares, arena);
}

bool exactMomentsIsNull(const ExactMoments* moments, uint8_t function) {
  return moments->count <= (isSample(function) ? 1 : 0);
}

StringValue exactMomentsResult(const ExactMoments* moments, uint8_t function, Arena* arena) {
  const sql::VarianceKind kind{isSample(function), isDeviation(function)};
  const sql::BigNumeric result =
      sql::numericVariance(bigSumNumber(moments->sum), bigSumNumber(moments->squares), moments->count, kind);
  return copied(result.encoded(), arena);
}

}  // namespace gnomon::codegen::rt
