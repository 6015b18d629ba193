#include "codegen/runtime/string_compare.h"

#include "base/string_value.h"
#include "sql/types/hash.h"
#include "sql/types/text.h"

namespace gnomon::codegen::rt {
namespace {

/// The first four bytes of a string in an order that compares as they do; short strings are padded with zeros.
uint32_t prefixOf(uint64_t lo) {
  return __builtin_bswap32(static_cast<uint32_t>(lo >> 32));
}

}  // namespace

bool equalStrings(uint64_t left_lo, uint64_t left_hi, uint64_t right_lo, uint64_t right_hi) {
  return StringValue(left_lo, left_hi) == StringValue(right_lo, right_hi);
}

int32_t compareStrings(uint64_t left_lo, uint64_t left_hi, uint64_t right_lo, uint64_t right_hi) {
  const uint32_t left_prefix = prefixOf(left_lo);
  const uint32_t right_prefix = prefixOf(right_lo);
  if (left_prefix != right_prefix) return left_prefix < right_prefix ? -1 : 1;
  const StringValue left(left_lo, left_hi);
  const StringValue right(right_lo, right_hi);
  return left.compare(right);
}

uint64_t hashString(uint64_t lo, uint64_t hi) {
  const StringValue text(lo, hi);
  if (text.isInline()) return sql::combineHash(sql::mixHash(lo), hi);
  return sql::hashBytes(text.view());
}

bool equalChars(uint64_t left_lo, uint64_t left_hi, uint64_t right_lo, uint64_t right_hi) {
  const StringValue left(left_lo, left_hi);
  const StringValue right(right_lo, right_hi);
  return sql::trimBlanks(left.view()) == sql::trimBlanks(right.view());
}

int32_t compareChars(uint64_t left_lo, uint64_t left_hi, uint64_t right_lo, uint64_t right_hi) {
  const StringValue left(left_lo, left_hi);
  const StringValue right(right_lo, right_hi);
  return sql::trimBlanks(left.view()).compare(sql::trimBlanks(right.view()));
}

uint64_t hashChar(uint64_t lo, uint64_t hi) {
  const StringValue text(lo, hi);
  const StringValue trimmed = StringValue::refer(sql::trimBlanks(text.view()), text.storage());
  return hashString(trimmed.lo(), trimmed.hi());
}

}  // namespace gnomon::codegen::rt
