#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace gnomon::sql {

/// Behind the identifier that begins here, quoted or not.
size_t identifierEnd(std::string_view text, size_t at);

/// The name that the identifier says as it stands there.
std::string unquotedIdentifier(std::string_view identifier);

/// Behind the literal that begins here: '...' or E'...'.
size_t literalEnd(std::string_view text, size_t at);

/// The literal that says the text: '...'.
std::string asLiteral(std::string_view text);

}  // namespace gnomon::sql
