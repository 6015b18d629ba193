#pragma once

#include <cstdint>

namespace gnomon::codegen::rt {

/// Strings by bytes (collation C): text and varchar. compare is negative, 0, positive.
bool equalStrings(uint64_t left_lo, uint64_t left_hi, uint64_t right_lo, uint64_t right_hi);
int32_t compareStrings(uint64_t left_lo, uint64_t left_hi, uint64_t right_lo, uint64_t right_hi);
uint64_t hashString(uint64_t lo, uint64_t hi);

/// char(n): trailing blanks do not count.
bool equalChars(uint64_t left_lo, uint64_t left_hi, uint64_t right_lo, uint64_t right_hi);
int32_t compareChars(uint64_t left_lo, uint64_t left_hi, uint64_t right_lo, uint64_t right_hi);
uint64_t hashChar(uint64_t lo, uint64_t hi);

}  // namespace gnomon::codegen::rt
