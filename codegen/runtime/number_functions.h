#pragma once

#include <cstdint>

#include "codegen/runtime/register_value.h"

namespace gnomon::codegen::rt {

/// As sql/types/number_theory.h says. Big numerics are two words; scaleOf and minimumScale: -1 when not finite.
StringValue integralQuotientNumeric(uint64_t left_lo, uint64_t left_hi, uint64_t right_lo, uint64_t right_hi,
                                    Arena* arena);
StringValue commonDivisorNumeric(uint64_t left_lo, uint64_t left_hi, uint64_t right_lo, uint64_t right_hi,
                                 Arena* arena);
StringValue commonMultipleNumeric(uint64_t left_lo, uint64_t left_hi, uint64_t right_lo, uint64_t right_hi,
                                  Arena* arena);
int64_t commonDivisorInteger(int64_t left, int64_t right, int64_t maximum);
int64_t commonMultipleInteger(int64_t left, int64_t right, int64_t maximum);
StringValue factorialNumeric(int64_t number, Arena* arena);
int32_t widthBucketNumeric(uint64_t operand_lo, uint64_t operand_hi, uint64_t low_lo, uint64_t low_hi, uint64_t high_lo,
                           uint64_t high_hi, int32_t count);
int32_t widthBucketDouble(double operand, double low, double high, int32_t count);
int32_t scaleOfNumeric(uint64_t lo, uint64_t hi);
int32_t minimumScaleNumeric(uint64_t lo, uint64_t hi);
StringValue trimScaleNumeric(uint64_t lo, uint64_t hi, Arena* arena);

}  // namespace gnomon::codegen::rt
