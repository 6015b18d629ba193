#include "codegen/runtime/number_functions.h"

#include "sql/types/number_theory.h"

namespace gnomon::codegen::rt {
namespace {

using sql::BigNumeric;

BigNumeric decode(uint64_t lo, uint64_t hi) {
  const StringValue bytes(lo, hi);
  return BigNumeric::decode(bytes.view());
}

StringValue encode(const BigNumeric& number, Arena* arena) {
  return copied(number.encoded(), arena);
}

}  // namespace

StringValue integralQuotientNumeric(uint64_t left_lo, uint64_t left_hi, uint64_t right_lo, uint64_t right_hi,
                                    Arena* arena) {
  return encode(sql::integralQuotient(decode(left_lo, left_hi), decode(right_lo, right_hi)), arena);
}

StringValue commonDivisorNumeric(uint64_t left_lo, uint64_t left_hi, uint64_t right_lo, uint64_t right_hi,
                                 Arena* arena) {
  return encode(sql::greatestCommonDivisor(decode(left_lo, left_hi), decode(right_lo, right_hi)), arena);
}

StringValue commonMultipleNumeric(uint64_t left_lo, uint64_t left_hi, uint64_t right_lo, uint64_t right_hi,
                                  Arena* arena) {
  return encode(sql::leastCommonMultiple(decode(left_lo, left_hi), decode(right_lo, right_hi)), arena);
}

int64_t commonDivisorInteger(int64_t left, int64_t right, int64_t maximum) {
  return sql::greatestCommonDivisor(left, right, maximum);
}

int64_t commonMultipleInteger(int64_t left, int64_t right, int64_t maximum) {
  return sql::leastCommonMultiple(left, right, maximum);
}

StringValue factorialNumeric(int64_t number, Arena* arena) {
  return encode(sql::factorial(number), arena);
}

int32_t widthBucketNumeric(uint64_t operand_lo, uint64_t operand_hi, uint64_t low_lo, uint64_t low_hi, uint64_t high_lo,
                           uint64_t high_hi, int32_t count) {
  return sql::widthBucket(decode(operand_lo, operand_hi), decode(low_lo, low_hi), decode(high_lo, high_hi), count);
}

int32_t widthBucketDouble(double operand, double low, double high, int32_t count) {
  return sql::widthBucket(operand, low, high, count);
}

int32_t scaleOfNumeric(uint64_t lo, uint64_t hi) {
  const BigNumeric number = decode(lo, hi);
  return number.isFinite() ? static_cast<int32_t>(number.scale()) : -1;
}

int32_t minimumScaleNumeric(uint64_t lo, uint64_t hi) {
  const BigNumeric number = decode(lo, hi);
  return number.isFinite() ? static_cast<int32_t>(sql::minimumScale(number)) : -1;
}

StringValue trimScaleNumeric(uint64_t lo, uint64_t hi, Arena* arena) {
  const BigNumeric number = decode(lo, hi);
  if (!number.isFinite()) return encode(number, arena);
  return encode(number.truncated(static_cast<int>(sql::minimumScale(number))), arena);
}

}  // namespace gnomon::codegen::rt
