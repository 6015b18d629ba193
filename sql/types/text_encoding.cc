#include "sql/types/text_encoding.h"

#include <cctype>
#include <string>

namespace gnomon::sql {
namespace {

/// PostgreSQL 15's encodings and their aliases but UTF8, reduced to letters and digits; one space before and after.
constexpr std::string_view kUnsupported =
    " abc alt big5 euccn eucjis2004 eucjp euckr euctw gb18030 gbk iso88591 iso885910 iso885913 iso885914 iso885915 "
    "iso885916 iso88592 iso88593 iso88594 iso88595 iso88596 iso88597 iso88598 iso88599 johab koi8 koi8r koi8u latin1 "
    "latin10 latin2 latin3 latin4 latin5 latin6 latin7 latin8 latin9 mskanji muleinternal shiftjis shiftjis2004 sjis "
    "sqlascii tcvn tcvn5712 uhc vscii win win1250 win1251 win1252 win1253 win1254 win1255 win1256 win1257 win1258 "
    "win866 win874 win932 win936 win949 win950 windows1250 windows1251 windows1252 windows1253 windows1254 "
    "windows1255 windows1256 windows1257 windows1258 windows866 windows874 windows932 windows936 windows949 "
    "windows950 ";

}  // namespace

TextEncoding findTextEncoding(std::string_view name) {
  std::string key = " ";
  for (const char c : name)
    if (std::isalnum(static_cast<unsigned char>(c)))
      key += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  key += ' ';
  if (key == " utf8 " || key == " unicode ") return TextEncoding::Utf8;
  const bool is_known = key.size() > 2 && kUnsupported.contains(key);
  return is_known ? TextEncoding::Unsupported : TextEncoding::Unknown;
}

}  // namespace gnomon::sql
