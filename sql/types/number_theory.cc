#include "sql/types/number_theory.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "base/sql_error.h"
#include "sql/types/big_integer.h"

namespace gnomon::sql {
namespace {

[[noreturn]] void throwWidthBucket(const char* message) {
  throw SqlError(sqlstate::kInvalidArgumentForWidthBucketFunction, message);
}

[[noreturn]] void throwOutOfRange(int64_t maximum) {
  throw SqlError(sqlstate::kNumericValueOutOfRange,
                 maximum == INT32_MAX ? "integer out of range" : "bigint out of range");
}

constexpr uint64_t magnitudeOf(int64_t number) {
  return number < 0 ? -static_cast<uint64_t>(number) : static_cast<uint64_t>(number);
}

/// Both as integers of one scale.
unsigned alignedIntegers(const BigNumeric& left, const BigNumeric& right, BigInteger& first, BigInteger& second) {
  const unsigned scale = std::max(left.scale(), right.scale());
  left.getInteger(first.get());
  right.getInteger(second.get());
  first.scaleUp(scale - left.scale());
  second.scaleUp(scale - right.scale());
  return scale;
}

int32_t afterLast(int32_t count) {
  if (count == std::numeric_limits<int32_t>::max()) throwOutOfRange(INT32_MAX);
  return count + 1;
}

/// (distance * count / width) + 1, cut to an integer, but no more than count.
int32_t bucketOf(const BigNumeric& distance, const BigNumeric& width, int32_t count) {
  const BigNumeric parts(count);
  const BigNumeric quotient = distance * parts / width;
  if (BigNumeric::compare(quotient, parts) >= 0) return count;
  int64_t bucket = 0;
  return quotient.floor().toInt64(bucket) ? static_cast<int32_t>(bucket) + 1 : count;
}

int32_t bucketOf(double from, double to, double operand, int32_t count) {
  const double parts = std::isinf(to - from) ? count * ((operand / 2 - from / 2) / (to / 2 - from / 2))
                                             : count * (operand - from) / (to - from);
  return static_cast<int32_t>(std::min(parts + 1, static_cast<double>(std::numeric_limits<int32_t>::max())));
}

}  // namespace

BigNumeric integralQuotient(const BigNumeric& left, const BigNumeric& right) {
  if (!left.isFinite() || !right.isFinite() || right.sign() == 0) return left / right;
  return BigNumeric::divide(left, right, 0, false);
}

BigNumeric greatestCommonDivisor(const BigNumeric& left, const BigNumeric& right) {
  if (!left.isFinite() || !right.isFinite()) return BigNumeric(BigNumeric::Kind::NaN);
  BigInteger first, second;
  const unsigned scale = alignedIntegers(left, right, first, second);
  mpz_gcd(first.get(), first.get(), second.get());
  return BigNumeric::fromInteger(first.get(), scale);
}

BigNumeric leastCommonMultiple(const BigNumeric& left, const BigNumeric& right) {
  if (!left.isFinite() || !right.isFinite()) return BigNumeric(BigNumeric::Kind::NaN);
  BigInteger first, second;
  const unsigned scale = alignedIntegers(left, right, first, second);
  mpz_lcm(first.get(), first.get(), second.get());
  BigNumeric result = BigNumeric::fromInteger(first.get(), scale);
  result.checkLimits();
  return result;
}

int64_t greatestCommonDivisor(int64_t left, int64_t right, int64_t maximum) {
  uint64_t larger = magnitudeOf(left);
  uint64_t smaller = magnitudeOf(right);
  while (smaller != 0) larger = std::exchange(smaller, larger % smaller);
  if (larger > static_cast<uint64_t>(maximum)) throwOutOfRange(maximum);
  return static_cast<int64_t>(larger);
}

int64_t leastCommonMultiple(int64_t left, int64_t right, int64_t maximum) {
  if (left == 0 || right == 0) return 0;
  const int64_t divisor = greatestCommonDivisor(left, right, maximum);
  const uint128 product = static_cast<uint128>(magnitudeOf(left / divisor)) * magnitudeOf(right);
  if (product > static_cast<uint128>(maximum)) throwOutOfRange(maximum);
  return static_cast<int64_t>(product);
}

BigNumeric factorial(int64_t number) {
  constexpr int64_t kNumberMax = 32177;
  if (number < 0) throw SqlError(sqlstate::kNumericValueOutOfRange, "factorial of a negative number is undefined");
  if (number > kNumberMax) throw SqlError(sqlstate::kNumericValueOutOfRange, "value overflows numeric format");
  BigInteger product;
  mpz_fac_ui(product.get(), static_cast<unsigned long>(number));
  return BigNumeric::fromInteger(product.get(), 0);
}

int32_t widthBucket(const BigNumeric& operand, const BigNumeric& low, const BigNumeric& high, int32_t count) {
  if (count <= 0) throwWidthBucket("count must be greater than zero");
  if (operand.isNaN() || low.isNaN() || high.isNaN())
    throwWidthBucket("operand, lower bound, and upper bound cannot be NaN");
  if (!low.isFinite() || !high.isFinite()) throwWidthBucket("lower and upper bounds must be finite");
  const int order = BigNumeric::compare(low, high);
  if (order == 0) throwWidthBucket("lower bound cannot equal upper bound");
  // Of bounds that fall, everything is mirrored.
  if (BigNumeric::compare(operand, low) * -order < 0) return 0;
  if (BigNumeric::compare(operand, high) * -order >= 0) return afterLast(count);
  return order < 0 ? bucketOf(operand - low, high - low, count) : bucketOf(low - operand, low - high, count);
}

int32_t widthBucket(double operand, double low, double high, int32_t count) {
  if (count <= 0) throwWidthBucket("count must be greater than zero");
  if (std::isnan(operand) || std::isnan(low) || std::isnan(high))
    throwWidthBucket("operand, lower bound, and upper bound cannot be NaN");
  if (std::isinf(low) || std::isinf(high)) throwWidthBucket("lower and upper bounds must be finite");
  if (low < high) {
    if (operand < low) return 0;
    return operand >= high ? afterLast(count) : bucketOf(low, high, operand, count);
  }
  if (low == high) throwWidthBucket("lower bound cannot equal upper bound");
  if (operand > low) return 0;
  return operand <= high ? afterLast(count) : bucketOf(-low, -high, -operand, count);
}

unsigned minimumScale(const BigNumeric& number) {
  if (number.sign() == 0) return 0;
  BigInteger integer;
  number.getInteger(integer.get());
  unsigned scale = number.scale();
  for (; scale > 0 && mpz_divisible_ui_p(integer.get(), 10) != 0; --scale)
    mpz_divexact_ui(integer.get(), integer.get(), 10);
  return scale;
}

}  // namespace gnomon::sql
