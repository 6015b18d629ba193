#pragma once

#include <string>
#include <string_view>

namespace gnomon::sql {

/// What ICU knows of a locale (a language tag: "de", "und", "sv-SE"). Texts are valid UTF-8. Each thread keeps the
/// collators that it has opened. Failure, as PostgreSQL: 22023 for a locale that ICU does not know.

/// Bytes whose order is that of the texts in the locale, and of the texts' bytes where the locale has them alike. The
/// text follows behind the first zero byte.
std::string collationKey(std::string_view text, std::string_view locale);
/// The text of such a key.
std::string_view collatedText(std::string_view key);

std::string lowerIn(std::string_view text, std::string_view locale);
std::string upperIn(std::string_view text, std::string_view locale);
/// The first letter of each word in upper case, the others in lower case.
std::string initcapIn(std::string_view text, std::string_view locale);

}  // namespace gnomon::sql
