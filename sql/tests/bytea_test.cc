#include "sql/types/bytea.h"

#include <gtest/gtest.h>

#include <random>
#include <string>

#include "base/sql_error.h"
#include "sql/types/binary_encoding.h"
#include "sql/types/cast.h"
#include "sql/types/encoding.h"
#include "sql/types/text_io.h"

namespace gnomon::sql {
namespace {

using namespace std::string_literals;

constexpr Type kBytea = Type::of(TypeKind::Bytea);
constexpr BinaryEncoding kEncodings[] = {BinaryEncoding::Hex, BinaryEncoding::Base64, BinaryEncoding::Escape};

/// The bytes of a text, or the error.
std::string parsed(std::string_view text) {
  try {
    return parseText(kBytea, text).bytes;
  } catch (const SqlError& error) {
    return error.state().text() + " "s + error.message();
  }
}

std::string shown(std::string_view bytes, ByteaOutput output) {
  std::string text(byteaTextBytes(bytes, output), '?');
  EXPECT_EQ(printBytea(bytes, output, text.data()), text.data() + text.size());
  return text;
}

std::string encoded(BinaryEncoding encoding, std::string_view bytes) {
  std::string text(encodedBytes(encoding, bytes), '?');
  EXPECT_EQ(encodeBinary(encoding, bytes, text.data()), text.data() + text.size());
  return text;
}

std::string decoded(BinaryEncoding encoding, std::string_view text) {
  std::string bytes(decodedBytesMax(encoding, text.size()), '?');
  try {
    const char* const end = decodeBinary(encoding, text, bytes.data());
    EXPECT_LE(end, bytes.data() + bytes.size());
    bytes.resize(static_cast<size_t>(end - bytes.data()));
    return bytes;
  } catch (const SqlError& error) {
    return error.state().text() + " "s + error.message();
  }
}

std::string randomBytes(std::mt19937_64& random, size_t count) {
  std::string bytes(count, '\0');
  for (char& c : bytes) c = static_cast<char>(random());
  return bytes;
}

// What PostgreSQL 15 answers.
TEST(Bytea, ReadsBothFormats) {
  EXPECT_EQ(parsed("\\xDEadBEef"), "\xde\xad\xbe\xef");
  EXPECT_EQ(parsed("\\x"), "");
  EXPECT_EQ(parsed("\\x 01\t02\n"), "\1\2");
  EXPECT_EQ(parsed("a\\\\b\\001\\377"), "a\\b\1\xff");
  EXPECT_EQ(parsed("\\X41"), "22P02 invalid input syntax for type bytea");
  EXPECT_EQ(parsed("\\x1"), "22023 invalid hexadecimal data: odd number of digits");
  EXPECT_EQ(parsed("\\x0g"), "22023 invalid hexadecimal digit: \"g\"");
  EXPECT_EQ(parsed("\\x0é"), "22023 invalid hexadecimal digit: \"é\"");
  EXPECT_EQ(parsed("\\x 0 1"), "22023 invalid hexadecimal digit: \" \"");
  EXPECT_EQ(parsed("a\\400"), "22P02 invalid input syntax for type bytea");
  EXPECT_EQ(parsed("a\\01"), "22P02 invalid input syntax for type bytea");
  EXPECT_EQ(parsed("a\\"), "22P02 invalid input syntax for type bytea");
}

TEST(Bytea, IsShownInBothFormats) {
  EXPECT_EQ(shown("\0a\\\x7f\x80"s, ByteaOutput::Hex), "\\x00615c7f80");
  EXPECT_EQ(shown("\0a\\\x7f\x80"s, ByteaOutput::Escape), "\\000a\\\\\\177\\200");
  EXPECT_EQ(shown("", ByteaOutput::Hex), "\\x");
  EXPECT_EQ(shown("", ByteaOutput::Escape), "");
}

TEST(Bytea, HasNoTextOverAGigabyte) {
  // Of hexadecimal digits the length alone is looked at, so these bytes need not be there.
  const std::string_view most("", (kStringBytesMax - 2) / 2);
  EXPECT_EQ(byteaTextBytes(most, ByteaOutput::Hex), 2 + 2 * most.size());
  EXPECT_THROW((void)byteaTextBytes({most.data(), most.size() + 1}, ByteaOutput::Hex), SqlError);
}

TEST(Bytea, CastsToTextAndBack) {
  const Value bytes = Value::fromString(kBytea, "ab");
  EXPECT_EQ(castValue(bytes, Type::of(TypeKind::Text), true).bytes, "\\x6162");
  EXPECT_EQ(castValue(Value::fromString(Type::of(TypeKind::Char, 9), "ab   "), kBytea, true).bytes, "ab   ");
  EXPECT_EQ(castContext(TypeKind::Bytea, TypeKind::Text), CastContext::Assignment);
  EXPECT_EQ(castContext(TypeKind::Text, TypeKind::Bytea), CastContext::Explicit);
  EXPECT_EQ(castContext(TypeKind::Integer, TypeKind::Bytea), CastContext::None);
  EXPECT_EQ(castContext(TypeKind::Bytea, TypeKind::Integer), CastContext::None);
}

TEST(Bytea, EveryTextReadsBackAsTheBytes) {
  const auto seed = std::random_device()();
  SCOPED_TRACE(seed);
  std::mt19937_64 random(seed);
  for (size_t count = 0; count < 300; ++count) {
    const std::string bytes = randomBytes(random, count);
    for (const ByteaOutput output : {ByteaOutput::Hex, ByteaOutput::Escape})
      EXPECT_EQ(parsed(shown(bytes, output)), bytes);
    for (const BinaryEncoding encoding : kEncodings) EXPECT_EQ(decoded(encoding, encoded(encoding, bytes)), bytes);
  }
}

TEST(BinaryEncoding, FindsFormatsInAnyCase) {
  EXPECT_EQ(findBinaryEncoding("HEX"), BinaryEncoding::Hex);
  EXPECT_EQ(findBinaryEncoding("Base64"), BinaryEncoding::Base64);
  EXPECT_EQ(findBinaryEncoding("escape"), BinaryEncoding::Escape);
  EXPECT_THROW(findBinaryEncoding("hexa"), SqlError);
  EXPECT_THROW(findBinaryEncoding(""), SqlError);
}

TEST(BinaryEncoding, Base64HasLinesOf76) {
  EXPECT_EQ(encoded(BinaryEncoding::Base64, "a"), "YQ==");
  EXPECT_EQ(encoded(BinaryEncoding::Base64, "ab"), "YWI=");
  EXPECT_EQ(encoded(BinaryEncoding::Base64, "abc"), "YWJj");
  EXPECT_EQ(encoded(BinaryEncoding::Base64, std::string(56, '\0')), std::string(75, 'A') + "=");
  EXPECT_EQ(encoded(BinaryEncoding::Base64, std::string(57, '\0')), std::string(76, 'A') + "\n");
  EXPECT_EQ(encoded(BinaryEncoding::Base64, std::string(58, '\0')), std::string(76, 'A') + "\nAA==");
}

TEST(BinaryEncoding, Base64RefusesWhatPostgresRefuses) {
  EXPECT_EQ(decoded(BinaryEncoding::Base64, " A A\nH\t/\r"), "\0\1\xff"s);
  EXPECT_EQ(decoded(BinaryEncoding::Base64, "aa==aa=="), "ii");
  EXPECT_EQ(decoded(BinaryEncoding::Base64, "a="), "22023 unexpected \"=\" while decoding base64 sequence");
  EXPECT_EQ(decoded(BinaryEncoding::Base64, "aaa"), "22023 invalid base64 end sequence");
  EXPECT_EQ(decoded(BinaryEncoding::Base64, "aa*"), "22023 invalid symbol \"*\" found while decoding base64 sequence");
}

TEST(BinaryEncoding, EscapeKeepsControlCharacters) {
  EXPECT_EQ(encoded(BinaryEncoding::Escape, "\0\1\x7f\\\x80"s), "\\000\1\x7f\\\\\\200");
}

TEST(Encoding, NamesAreFoundByTheirLettersAndDigits) {
  EXPECT_EQ(findEncoding("utf-8")->name, "UTF8");
  EXPECT_EQ(findEncoding("ISO_8859-1")->name, "LATIN1");
  EXPECT_EQ(findEncoding("latin"), nullptr);
  EXPECT_EQ(findEncoding(""), nullptr);
}

TEST(Encoding, EverySingleByteComesBack) {
  for (const Encoding& encoding : encodings()) {
    if (encoding.upper.empty()) continue;
    for (int code = 1; code < 256; ++code) {
      const std::string byte(1, static_cast<char>(code));
      std::string text;
      try {
        text = convertEncoding(byte, encoding.name, "UTF8");
      } catch (const SqlError&) {
        continue;  // it stands for nothing
      }
      EXPECT_EQ(convertEncoding(text, "UTF8", encoding.name), byte) << encoding.name << " " << code;
    }
  }
}

}  // namespace
}  // namespace gnomon::sql
