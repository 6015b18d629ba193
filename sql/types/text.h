#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace gnomon::sql {

/// Number of characters of a valid UTF-8 text.
size_t countCharacters(std::string_view text);
/// Byte offset of character `index`, or the size of the text when it has fewer characters.
size_t characterOffset(std::string_view text, size_t index);
/// Bytes of the character that starts with `lead`.
unsigned characterBytes(unsigned char lead);
/// Throws 22021 `invalid byte sequence for encoding "UTF8": 0x..` unless the text is UTF-8 without NUL.
void checkUtf8(std::string_view text);

/// The n of varchar(n) or char(n), -1 without.
constexpr int32_t characterLimit(int32_t typmod) {
  return typmod < 4 ? -1 : typmod - 4;
}

/// The text as varchar(n) holds it: a prefix of `text`. Over n characters an explicit cast truncates; otherwise only
/// blanks may be dropped. Failure: 22001.
std::string_view fitVarchar(std::string_view text, int32_t typmod, bool is_explicit);

/// What char(n) holds: `kept`, a prefix of the text, followed by `blanks` spaces.
struct PaddedText {
  std::string_view kept;
  size_t blanks;
};
/// As fitVarchar, and padded to n characters. Without n the text stays as it is.
PaddedText fitChar(std::string_view text, int32_t typmod, bool is_explicit);

/// The text without trailing blanks: what char(n) compares and casts to text by.
inline std::string_view trimBlanks(std::string_view text) {
  size_t length = text.size();
  while (length > 0 && text[length - 1] == ' ') --length;
  return text.substr(0, length);
}

}  // namespace gnomon::sql
