#pragma once

#include <cstdint>
#include <string_view>

namespace gnomon::sql {

/// What the grammar says of a text, as PostgreSQL says it: it reports messages without SQLSTATE and hint, and the place
/// as the number of a character, from 1 (0: none).
[[noreturn]] void throwGrammarError(std::string_view message, int character, std::string_view text);

}  // namespace gnomon::sql
