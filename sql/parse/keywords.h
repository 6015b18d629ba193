#pragma once

#include <span>
#include <string_view>

namespace gnomon::sql {

struct Keyword {
  std::string_view word;
  char category;       ///< U, C, T, R, as pg_get_keywords() has them
  bool is_bare_label;  ///< it may be a label without AS
};

/// PostgreSQL 15's, in the order of their words. Threads: any, as the next.
std::span<const Keyword> keywords();
/// Null: the word, in lower case, is none.
const Keyword* findKeyword(std::string_view word);

}  // namespace gnomon::sql
