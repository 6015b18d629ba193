#pragma once

#include <string_view>

namespace gnomon::sql {

/// What is asked of the escapes in strings: as the type json does, whether they are written right; as those do who
/// need the text, whether they stand for some.
enum class JsonEscapes : bool { Written, Meant };

/// Reads JSON as PostgreSQL does, to say what is wrong with a text that no other reader takes.
/// Failure: 22P02, 22P05 with PostgreSQL's detail and context; 54001. Returns when nothing is wrong.
void scanJson(std::string_view text, JsonEscapes escapes);

/// Whether it is a number as JSON writes them.
bool isJsonNumber(std::string_view text);

}  // namespace gnomon::sql
