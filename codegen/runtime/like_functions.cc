#include "codegen/runtime/like_functions.h"

#include <string_view>

#include "base/string_value.h"

namespace gnomon::codegen::rt {

using sql::LikePattern;
using sql::LikeUnit;

namespace {

bool matchOnce(uint64_t lo, uint64_t hi, uint64_t pattern_lo, uint64_t pattern_hi, std::string_view escape,
               LikeUnit unit) {
  const StringValue text(lo, hi);
  const StringValue pattern(pattern_lo, pattern_hi);
  return LikePattern(pattern.view(), escape, unit).matches(text.view());
}

}  // namespace

bool likeMatch(const LikePattern* pattern, uint64_t lo, uint64_t hi) {
  const StringValue text(lo, hi);
  return pattern->matches(text.view());
}

bool likeStrings(uint64_t lo, uint64_t hi, uint64_t pattern_lo, uint64_t pattern_hi) {
  return matchOnce(lo, hi, pattern_lo, pattern_hi, "\\", LikeUnit::Character);
}

bool ilikeStrings(uint64_t lo, uint64_t hi, uint64_t pattern_lo, uint64_t pattern_hi) {
  return matchOnce(lo, hi, pattern_lo, pattern_hi, "\\", LikeUnit::CaselessCharacter);
}

bool likeStringsEscape(uint64_t lo, uint64_t hi, uint64_t pattern_lo, uint64_t pattern_hi, uint64_t escape_lo,
                       uint64_t escape_hi) {
  const StringValue escape(escape_lo, escape_hi);
  return matchOnce(lo, hi, pattern_lo, pattern_hi, escape.view(), LikeUnit::Character);
}

bool ilikeStringsEscape(uint64_t lo, uint64_t hi, uint64_t pattern_lo, uint64_t pattern_hi, uint64_t escape_lo,
                        uint64_t escape_hi) {
  const StringValue escape(escape_lo, escape_hi);
  return matchOnce(lo, hi, pattern_lo, pattern_hi, escape.view(), LikeUnit::CaselessCharacter);
}

bool likeBytes(uint64_t lo, uint64_t hi, uint64_t pattern_lo, uint64_t pattern_hi) {
  return matchOnce(lo, hi, pattern_lo, pattern_hi, "\\", LikeUnit::Byte);
}

bool likeBytesEscape(uint64_t lo, uint64_t hi, uint64_t pattern_lo, uint64_t pattern_hi, uint64_t escape_lo,
                     uint64_t escape_hi) {
  const StringValue escape(escape_lo, escape_hi);
  return matchOnce(lo, hi, pattern_lo, pattern_hi, escape.view(), LikeUnit::Byte);
}

}  // namespace gnomon::codegen::rt
