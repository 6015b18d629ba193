#include "codegen/runtime/bytea_functions.h"

#include <gtest/gtest.h>

#include <string>

#include "base/sql_error.h"
#include "codegen/runtime/cast_runtime.h"
#include "codegen/runtime/digest_functions.h"

namespace gnomon::codegen::rt {
namespace {

using namespace std::string_literals;

/// Bytes as an argument: their two words. They must outlive it.
StringValue bytea(std::string_view bytes) {
  return StringValue::refer(bytes, StringValue::Storage::Persistent);
}

std::string shown(StringValue value) {
  return std::string(value.view());
}

/// What a call gives, or the error's SQLSTATE and message.
template <typename Call>
std::string outcome(Call call) {
  try {
    if constexpr (std::is_same_v<decltype(call()), StringValue>)
      return shown(call());
    else
      return std::to_string(call());
  } catch (const SqlError& error) {
    return error.state().text() + " "s + error.message();
  }
}

class ByteaFunctions : public testing::Test {
 protected:
  std::string overlay(std::string_view bytes, std::string_view part, int32_t start, int32_t count) {
    const StringValue value = bytea(bytes);
    const StringValue with = bytea(part);
    return outcome(
        [&] { return overlayBytesFor(value.lo(), value.hi(), with.lo(), with.hi(), start, count, &arena_); });
  }
  std::string encode(std::string_view bytes, std::string_view format) {
    const StringValue value = bytea(bytes);
    const StringValue name = bytea(format);
    return outcome([&] { return encodeBytes(value.lo(), value.hi(), name.lo(), name.hi(), &arena_); });
  }
  std::string substring(std::string_view bytes, int32_t start, int32_t count) {
    const StringValue value = bytea(bytes);
    return outcome([&] { return substringBytesFor(value.lo(), value.hi(), start, count); });
  }

  Arena arena_;
};

TEST_F(ByteaFunctions, SubstringsStayWithinTheBytes) {
  for (const std::string& bytes : {"abc\0e"s, "abc\0e more than twelve"s}) {
    EXPECT_EQ(substring(bytes, 2, 3), "bc\0"s);
    EXPECT_EQ(substring(bytes, -1, 3), "a");
    EXPECT_EQ(substring(bytes, INT32_MIN, INT32_MAX), "");
    EXPECT_EQ(substring(bytes, 2, INT32_MAX), bytes.substr(1));
    EXPECT_EQ(substring(bytes, INT32_MAX, INT32_MAX), "");
    EXPECT_EQ(substring(bytes, 1, -1), "22011 negative substring length not allowed");
    const StringValue value = bytea(bytes);
    EXPECT_EQ(shown(substringBytesFrom(value.lo(), value.hi(), INT32_MIN)), bytes);
    EXPECT_EQ(shown(substringBytesFrom(value.lo(), value.hi(), INT32_MAX)), "");
    EXPECT_EQ(shown(substringBytesFrom(value.lo(), value.hi(), 5)), bytes.substr(4));
  }
}

TEST_F(ByteaFunctions, OverlayReplacesOrRepeats) {
  EXPECT_EQ(overlay("abcdef", "XY", 2, 2), "aXYdef");
  EXPECT_EQ(overlay("abc", "X", 9, 1), "abcX");
  EXPECT_EQ(overlay("abc", "X", 2, -9), "aXabc");
  EXPECT_EQ(overlay("abc", "X", 0, 1), "22011 negative substring length not allowed");
  EXPECT_EQ(overlay("abc", "X", 2, INT32_MAX), "22003 integer out of range");
}

TEST_F(ByteaFunctions, IndexesAreChecked) {
  const StringValue value = bytea("\1\x80");
  EXPECT_EQ(outcome([&] { return getByte(value.lo(), value.hi(), 1); }), "128");
  EXPECT_EQ(outcome([&] { return getByte(value.lo(), value.hi(), 2); }), "2202E index 2 out of valid range, 0..1");
  EXPECT_EQ(outcome([&] { return getBit(value.lo(), value.hi(), 15); }), "1");
  EXPECT_EQ(outcome([&] { return getBit(value.lo(), value.hi(), -1); }), "2202E index -1 out of valid range, 0..15");
  EXPECT_EQ(outcome([&] { return setByte(value.lo(), value.hi(), 0, 256, &arena_); }), "\0\x80"s);
  EXPECT_EQ(outcome([&] { return setBit(value.lo(), value.hi(), 1, 1, &arena_); }), "\3\x80");
  EXPECT_EQ(outcome([&] { return setBit(value.lo(), value.hi(), 1, 2, &arena_); }), "22023 new bit must be 0 or 1");
  EXPECT_EQ(outcome([&] { return bitCount(value.lo(), value.hi()); }), "2");
  // The length alone is looked at.
  EXPECT_EQ(outcome([] { return bitLength(1U << 28, 0); }), "22003 integer out of range");
}

TEST_F(ByteaFunctions, EncodingsAreFoundByName) {
  EXPECT_EQ(encode("a\xff", "Hex"), "61ff");
  EXPECT_EQ(encode("a", "rot13"), "22023 unrecognized encoding: \"rot13\"");
  const StringValue value = bytea("\xc3\xa4");
  const StringValue japanese = bytea("EUC_JP");
  EXPECT_EQ(outcome([&] { return convertFrom(value.lo(), value.hi(), japanese.lo(), japanese.hi(), &arena_); }),
            "0A000 encoding \"EUC_JP\" is not supported");
  const StringValue utf = bytea("UTF8");
  EXPECT_EQ(outcome([&] { return encodedLength(value.lo(), value.hi(), utf.lo(), utf.hi()); }), "1");
}

TEST_F(ByteaFunctions, DigestsAreThoseOfTheStandards) {
  const StringValue value = bytea("abc");
  EXPECT_EQ(shown(md5Text(value.lo(), value.hi(), &arena_)), "900150983cd24fb0d6963f7d28e17f72");
  EXPECT_EQ(encode(shown(sha224Bytes(value.lo(), value.hi(), &arena_)), "hex"),
            "23097d223405d8228642a477bda255b32aadbce4bda0b3f7e36c9da7");
  EXPECT_EQ(encode(shown(sha256Bytes(value.lo(), value.hi(), &arena_)), "hex"),
            "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
  EXPECT_EQ(shown(sha384Bytes(value.lo(), value.hi(), &arena_)).size(), 48U);
  EXPECT_EQ(shown(sha512Bytes(value.lo(), value.hi(), &arena_)).size(), 64U);
}

TEST_F(ByteaFunctions, CastsFollowTheSetting) {
  const StringValue value = bytea("a\0"s);
  EXPECT_EQ(shown(byteaToText(value.lo(), value.hi(), false, &arena_)), "\\x6100");
  EXPECT_EQ(shown(byteaToText(value.lo(), value.hi(), true, &arena_)), "a\\000");
  const StringValue text = bytea("\\x000102030405060708090a0b0c0d0e0f");
  EXPECT_EQ(shown(parseBytea(text.lo(), text.hi(), &arena_)).size(), 16U);
}

}  // namespace
}  // namespace gnomon::codegen::rt
