#include "codegen/runtime/big_accumulator.h"

#include <algorithm>

#include "codegen/runtime/numeric_runtime.h"
#include "sql/types/big_numeric.h"
#include "sql/types/decimal.h"

namespace gnomon::codegen::rt {

namespace {

bool addSmall(BigAccumulator& into, int128 value, unsigned scale) {
  int128 left = into.sum;
  if (scale > into.scale) {
    if (scale > 38 || !sql::rescale(left, into.scale, scale, left)) return false;
  } else if (scale < into.scale && !sql::rescale(value, scale, into.scale, value)) {
    return false;
  }
  int128 total;
  if (__builtin_add_overflow(left, value, &total)) return false;
  into.sum = total;
  into.scale = std::max<uint32_t>(into.scale, scale);
  return true;
}

sql::BigNumeric numberOf(const BigAccumulator& accumulator) {
  if (!accumulator.is_big) return sql::BigNumeric(accumulator.sum, accumulator.scale);
  const StringValue value(accumulator.big_lo, accumulator.big_hi);
  return sql::BigNumeric::decode(value.view());
}

void setBig(BigAccumulator& into, const sql::BigNumeric& number, Arena* arena) {
  const size_t bytes = number.encodedBytes();
  char* memory = static_cast<char*>(arena->allocate(bytes));
  number.encode(memory);
  const StringValue value = StringValue::refer({memory, bytes}, StringValue::Storage::Temporary);
  into.big_lo = value.lo();
  into.big_hi = value.hi();
  into.is_big = 1;
}

void addNumber(BigAccumulator& into, const sql::BigNumeric& number, Arena* arena) {
  int128 scaled;
  if (!into.is_big && number.isFinite() && number.scale() <= 38 && number.toScaled(number.scale(), scaled) &&
      addSmall(into, scaled, number.scale()))
    return;
  setBig(into, numberOf(into) + number, arena);
}

}  // namespace

void bigSumAddNumber(BigAccumulator& into, const sql::BigNumeric& number, Arena* arena) {
  addNumber(into, number, arena);
}

sql::BigNumeric bigSumNumber(const BigAccumulator& sum) {
  return numberOf(sum);
}

void bigSumAdd(BigAccumulator* into, uint64_t lo, uint64_t hi, Arena* arena) {
  const StringValue value(lo, hi);
  addNumber(*into, sql::BigNumeric::decode(value.view()), arena);
}

void bigSumMerge(BigAccumulator* into, const BigAccumulator* from, Arena* arena) {
  if (!into->is_big && !from->is_big && addSmall(*into, from->sum, from->scale)) return;
  addNumber(*into, numberOf(*from), arena);
}

StringValue bigSumResult(const BigAccumulator* sum, Arena* arena) {
  const sql::BigNumeric number = numberOf(*sum);
  const size_t bytes = number.encodedBytes();
  char* memory = static_cast<char*>(arena->allocate(bytes));
  number.encode(memory);
  return StringValue::refer({memory, bytes}, StringValue::Storage::Transient);
}

StringValue bigSumAverage(const BigAccumulator* sum, int64_t count, Arena* arena) {
  const StringValue total = bigSumResult(sum, arena);
  return averageNumeric(total.lo(), total.hi(), count, arena);
}

}  // namespace gnomon::codegen::rt
