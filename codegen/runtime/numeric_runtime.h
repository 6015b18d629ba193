#pragma once

#include <cstdint>

#include "base/int128.h"
#include "codegen/runtime/register_value.h"

namespace gnomon::codegen::rt {

/// Big numerics: two words lo, hi of the encoded form (sql/types/big_numeric.h).
StringValue addNumeric(uint64_t left_lo, uint64_t left_hi, uint64_t right_lo, uint64_t right_hi, Arena* arena);
StringValue subtractNumeric(uint64_t left_lo, uint64_t left_hi, uint64_t right_lo, uint64_t right_hi, Arena* arena);
StringValue multiplyNumeric(uint64_t left_lo, uint64_t left_hi, uint64_t right_lo, uint64_t right_hi, Arena* arena);
StringValue divideNumeric(uint64_t left_lo, uint64_t left_hi, uint64_t right_lo, uint64_t right_hi, Arena* arena);
StringValue moduloNumeric(uint64_t left_lo, uint64_t left_hi, uint64_t right_lo, uint64_t right_hi, Arena* arena);
StringValue powerNumeric(uint64_t left_lo, uint64_t left_hi, uint64_t right_lo, uint64_t right_hi, Arena* arena);
/// log(base, number).
StringValue logarithmBaseNumeric(uint64_t base_lo, uint64_t base_hi, uint64_t lo, uint64_t hi, Arena* arena);
StringValue negateNumeric(uint64_t lo, uint64_t hi, Arena* arena);
StringValue absoluteNumeric(uint64_t lo, uint64_t hi, Arena* arena);
StringValue ceilingNumeric(uint64_t lo, uint64_t hi, Arena* arena);
StringValue floorNumeric(uint64_t lo, uint64_t hi, Arena* arena);
StringValue signNumeric(uint64_t lo, uint64_t hi, Arena* arena);
StringValue roundNumeric(uint64_t lo, uint64_t hi, int32_t scale, Arena* arena);
StringValue truncateNumeric(uint64_t lo, uint64_t hi, int32_t scale, Arena* arena);
StringValue squareRootNumeric(uint64_t lo, uint64_t hi, Arena* arena);
StringValue exponentialNumeric(uint64_t lo, uint64_t hi, Arena* arena);
StringValue naturalLogarithmNumeric(uint64_t lo, uint64_t hi, Arena* arena);
StringValue logarithmNumeric(uint64_t lo, uint64_t hi, Arena* arena);
/// Applies numeric(p, s).
StringValue fitNumeric(uint64_t lo, uint64_t hi, int32_t typmod, Arena* arena);

int32_t compareNumeric(uint64_t left_lo, uint64_t left_hi, uint64_t right_lo, uint64_t right_hi);
bool equalNumeric(uint64_t left_lo, uint64_t left_hi, uint64_t right_lo, uint64_t right_hi);
uint64_t hashNumeric(uint64_t lo, uint64_t hi);
bool isNaNNumeric(uint64_t lo, uint64_t hi);

/// Scaled decimals (Small as its int64 widened to int128, or Wide): value / 10^scale.
StringValue decimalToNumeric(int128 value, uint32_t scale, Arena* arena);
/// The same of one of a type (as bits) that may be NaN.
StringValue unscaledDecimal(uint64_t type, int128 value, Arena* arena);
/// left / right with PostgreSQL's digits. Failure: 22012.
StringValue divideDecimals(int128 left, uint32_t left_scale, int128 right, uint32_t right_scale, Arena* arena);
/// sum / count with PostgreSQL's digits; count > 0.
StringValue averageDecimal(int128 sum, uint32_t scale, int64_t count, Arena* arena);
/// sum / count of a Big sum.
StringValue averageNumeric(uint64_t sum_lo, uint64_t sum_hi, int64_t count, Arena* arena);
/// round(value, to), trunc(value, to) of a scaled decimal, the result at scale max(to, 0); to < from_scale.
int128 roundDecimal(int128 value, uint32_t from_scale, int32_t to);
int128 truncateDecimal(int128 value, uint32_t from_scale, int32_t to);
/// ceil and floor, results of scale 0.
int128 ceilingDecimal(int128 value, uint32_t scale);
int128 floorDecimal(int128 value, uint32_t scale);
/// Modulo at the common scale max(left_scale, right_scale). Failure: 22012, DecimalOverflow.
int128 moduloDecimals(int128 left, uint32_t left_scale, int128 right, uint32_t right_scale);
/// The value at another scale, rounded half away from zero. Failure: DecimalOverflow beyond int128.
int128 rescaleDecimal(int128 value, uint32_t from_scale, uint32_t to_scale);
/// As rescaleDecimal, into numeric(precision, to_scale). Failure: 22003 "numeric field overflow" with detail.
int128 fitDecimal(int128 value, uint32_t from_scale, uint32_t precision, uint32_t to_scale);
/// Three-way comparison of decimals of different scale.
int32_t compareDecimals(int128 left, uint32_t left_scale, int128 right, uint32_t right_scale);
/// Equal to hashNumeric of the same number in Big form.
uint64_t hashDecimal(int128 value, uint32_t scale);

}  // namespace gnomon::codegen::rt
