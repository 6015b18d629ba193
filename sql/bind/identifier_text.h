#pragma once

#include <cstddef>
#include <string_view>

namespace gnomon::sql {

/// Behind the identifier that begins here, quoted or not.
size_t identifierEnd(std::string_view text, size_t at);

/// Behind the literal that begins here: '...' or E'...'.
size_t literalEnd(std::string_view text, size_t at);

}  // namespace gnomon::sql
