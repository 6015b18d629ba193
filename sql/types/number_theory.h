#pragma once

#include <cstdint>

#include "sql/types/big_numeric.h"

namespace gnomon::sql {

/// The whole part of left / right. Failure: 22012.
BigNumeric integralQuotient(const BigNumeric& left, const BigNumeric& right);
/// Of numerics with digits after the point, too; with the larger display scale. NaN when one is not finite.
BigNumeric greatestCommonDivisor(const BigNumeric& left, const BigNumeric& right);
BigNumeric leastCommonMultiple(const BigNumeric& left, const BigNumeric& right);
/// The same of integers. Failure: 22003 of the smallest number, which has no positive counterpart.
int64_t greatestCommonDivisor(int64_t left, int64_t right, int64_t maximum);
int64_t leastCommonMultiple(int64_t left, int64_t right, int64_t maximum);
/// Failure: 22003 for negative numbers and beyond 32177!.
BigNumeric factorial(int64_t number);
/// In which of `count` equal parts of [low, high) the operand lies, from 1; 0 before them, count + 1 behind them.
/// Failure: 2201G, 22003.
int32_t widthBucket(const BigNumeric& operand, const BigNumeric& low, const BigNumeric& high, int32_t count);
int32_t widthBucket(double operand, double low, double high, int32_t count);
/// Digits after the point without trailing zeros. The number is finite.
unsigned minimumScale(const BigNumeric& number);

}  // namespace gnomon::sql
