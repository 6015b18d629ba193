#pragma once

#include <cstdint>

#include "base/arena.h"
#include "base/int128.h"
#include "base/string_value.h"
#include "sql/types/big_numeric.h"

namespace gnomon::codegen {

/// The sum of numerics of unlimited size in a group's row: exact, with the largest display scale of its inputs.
///
/// Shape: while it fits, the int128 `sum` scaled by `scale`; afterwards `big`, an encoded numeric in the arena
/// (is_big). Layout: 48 bytes, zero-initialised is the empty sum. Special values (NaN, infinities) make it big.
struct BigAccumulator {
  int128 sum;
  uint64_t big_lo;
  uint64_t big_hi;
  uint32_t scale;
  uint32_t is_big;
  uint64_t spare;
};
static_assert(sizeof(BigAccumulator) == 48);

namespace rt {
/// For other accumulators: adds a number; the sum as one.
void bigSumAddNumber(BigAccumulator& into, const sql::BigNumeric& number, Arena* arena);
sql::BigNumeric bigSumNumber(const BigAccumulator& sum);
void bigSumAdd(BigAccumulator* into, uint64_t lo, uint64_t hi, Arena* arena);
/// Adds another worker's sum.
void bigSumMerge(BigAccumulator* into, const BigAccumulator* from, Arena* arena);
StringValue bigSumResult(const BigAccumulator* sum, Arena* arena);
StringValue bigSumAverage(const BigAccumulator* sum, int64_t count, Arena* arena);
}  // namespace rt

}  // namespace gnomon::codegen
