#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "sql/functions/value_function.h"
#include "sql/regex/regex.h"

namespace gnomon::sql {

/// text[]: the groups of the match that was found last, NULL for those that took no part; the match where there are
/// none.
std::string matchedGroups(const Regex& regex, const RegexScan& scan);
/// text[]: what stands between the matches. Matches of nothing at the beginning, at the end, or right behind another
/// match split nothing off.
std::string splitByRegex(const Regex& regex, std::string_view text);

/// similar_escape; $regexp_matches, whose elements are arrays, and $regexp_split_to_table, for sets made of them.
void addRegexFunctions(std::vector<ValueFunction>& functions);

}  // namespace gnomon::sql
