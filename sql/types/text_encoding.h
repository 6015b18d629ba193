#pragma once

#include <cstdint>
#include <string_view>

namespace gnomon::sql {

/// What a name of a character encoding says: Gnomon converts UTF8 alone.
enum class TextEncoding : uint8_t { Utf8, Unsupported, Unknown };

/// As PostgreSQL looks encodings up: case and punctuation do not count, aliases are known.
TextEncoding findTextEncoding(std::string_view name);

}  // namespace gnomon::sql
