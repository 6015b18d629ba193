#pragma once

#include <cstdint>

#include "sql/types/like_pattern.h"

namespace gnomon::codegen::rt {

bool likeMatch(const sql::LikePattern* pattern, uint64_t lo, uint64_t hi);
/// With a pattern known only at run time; the two-argument forms escape with a backslash.
bool likeStrings(uint64_t lo, uint64_t hi, uint64_t pattern_lo, uint64_t pattern_hi);
bool ilikeStrings(uint64_t lo, uint64_t hi, uint64_t pattern_lo, uint64_t pattern_hi);
bool likeStringsEscape(uint64_t lo, uint64_t hi, uint64_t pattern_lo, uint64_t pattern_hi, uint64_t escape_lo,
                       uint64_t escape_hi);
bool likeBytes(uint64_t lo, uint64_t hi, uint64_t pattern_lo, uint64_t pattern_hi);
bool likeBytesEscape(uint64_t lo, uint64_t hi, uint64_t pattern_lo, uint64_t pattern_hi, uint64_t escape_lo,
                     uint64_t escape_hi);
bool ilikeStringsEscape(uint64_t lo, uint64_t hi, uint64_t pattern_lo, uint64_t pattern_hi, uint64_t escape_lo,
                        uint64_t escape_hi);

}  // namespace gnomon::codegen::rt
