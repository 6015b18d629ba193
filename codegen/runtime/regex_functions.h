#pragma once

#include <cstdint>
#include <string_view>

#include "codegen/runtime/register_value.h"
#include "sql/functions/function_id.h"
#include "sql/regex/regex.h"

namespace gnomon::codegen {

using sql::Regex;

/// The options by which a function compiles its patterns. Failure: 22023.
sql::RegexOptions regexOptionsOf(sql::FunctionId function, std::string_view flags);

namespace rt {

/// Of a pattern that is only known when a row is evaluated: one that this thread used lately, or a new one. It is
/// there until the next call.
const Regex* compiledRegex(uint64_t lo, uint64_t hi, uint64_t flags_lo, uint64_t flags_hi, uint16_t function);

bool regexMatches(const Regex* regex, uint64_t lo, uint64_t hi);
/// The match, or the first captured part of it. `lo` of the result is kNoMatch where there is none.
StringValue regexSubstring(const Regex* regex, uint64_t lo, uint64_t hi);
/// Occurrence `occurrence` of the match, or all (0); of the shorter form the first, or all with the flag g.
StringValue regexReplaceByFlags(const Regex* regex, uint64_t lo, uint64_t hi, uint64_t by_lo, uint64_t by_hi,
                                Arena* arena);
StringValue regexReplace(const Regex* regex, uint64_t lo, uint64_t hi, uint64_t by_lo, uint64_t by_hi, int32_t start,
                         int32_t occurrence, Arena* arena);
int32_t regexCount(const Regex* regex, uint64_t lo, uint64_t hi, int32_t start);
int32_t regexPosition(const Regex* regex, uint64_t lo, uint64_t hi, int32_t start, int32_t occurrence,
                      int32_t end_option, int32_t group);
/// As regexSubstring.
StringValue regexSubstr(const Regex* regex, uint64_t lo, uint64_t hi, int32_t start, int32_t occurrence, int32_t group);
/// text[]: the captured parts of the first match, NULL for those that took no part, or the match where none are
/// captured; as regexSubstring where there is no match.
StringValue regexMatchArray(const Regex* regex, uint64_t lo, uint64_t hi, Arena* arena);
/// text[]: what stands between the matches. Matches of nothing at the beginning, at the end, or right behind another
/// match split nothing off.
StringValue regexSplitArray(const Regex* regex, uint64_t lo, uint64_t hi, Arena* arena);
/// The regular expression of a pattern of SIMILAR TO. Failure: 22025, 2200C.
StringValue similarPattern(uint64_t lo, uint64_t hi, uint64_t escape_lo, uint64_t escape_hi, Arena* arena);

inline constexpr uint64_t kNoMatch = UINT64_MAX;

}  // namespace rt

}  // namespace gnomon::codegen
