#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

/// Encodings of characters other than UTF8, which is the only one that is stored, and what PostgreSQL knows of them.
namespace gnomon::sql {

/// The number is PostgreSQL's.
struct Encoding {
  int32_t number;
  std::string_view name;
  int32_t bytes_max;       ///< of a character
  std::string_view upper;  ///< of single bytes: what 0x80 to 0xff stand for, in UTF-8; U+FFFD: nothing
};

/// All of PostgreSQL's, by number.
std::span<const Encoding> encodings();
/// By a name or an alias of it, whose case and punctuation do not count. Null: there is none.
const Encoding* findEncoding(std::string_view name);

/// The bytes in another encoding. Names are given, for they are told in errors.
/// Failure: 22023 for unknown names; 22021, 22P05 for bytes; 42883 where PostgreSQL has no conversion; 0A000 for
/// encodings of several bytes a character.
std::string convertEncoding(std::string_view bytes, std::string_view from, std::string_view to);
/// The number of characters. Failure: 22023, 22021; 0A000 as above.
int32_t encodedCharacters(std::string_view bytes, std::string_view encoding);

}  // namespace gnomon::sql
