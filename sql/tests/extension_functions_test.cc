#include "sql/functions/extension_functions.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <string>

#include "base/sql_error.h"
#include "sql/types/uuid.h"

namespace gnomon::sql {
namespace {

const Type kText = Type::of(TypeKind::Text);

Value text(std::string_view value) {
  return Value::fromString(kText, value);
}

Value call(std::string_view name, std::vector<Value> arguments) {
  const auto functions = extensionFunctions();
  const auto found = std::ranges::find_if(functions, [&](const ExtensionFunction& each) {
    return each.name == name && each.arguments.size() == arguments.size();
  });
  return found->answer(arguments, Type::of(found->result));
}

std::string shown(const Value& uuid) {
  std::string text(kUuidTextBytes, '\0');
  printUuid(uuid.asInt128(), text.data());
  return text;
}

std::string hex(const Value& bytes) {
  std::string text;
  constexpr std::string_view kDigits = "0123456789abcdef";
  for (const char byte : bytes.bytes) {
    text += kDigits[static_cast<uint8_t>(byte) >> 4];
    text += kDigits[static_cast<uint8_t>(byte) & 15];
  }
  return text;
}

TEST(ExtensionFunctions, NamedUuidsAreThoseOfOthers) {
  const Value dns = call("uuid_ns_dns", {});
  EXPECT_EQ(shown(dns), "6ba7b810-9dad-11d1-80b4-00c04fd430c8");
  EXPECT_EQ(shown(call("uuid_generate_v3", {dns, text("www.example.com")})), "5df41881-3aed-3515-88a7-2f4a814cf09e");
  EXPECT_EQ(shown(call("uuid_generate_v5", {dns, text("www.example.com")})), "2ed6657d-e927-568b-95e1-2665a8aea6a2");
  EXPECT_EQ(shown(call("uuid_generate_v5", {dns, text("python.org")})), "886313e1-3b8a-5372-9b90-0c9aee199e5d");
}

TEST(ExtensionFunctions, UuidsOfTheTimeSayTheirVersionAndComeOnce) {
  for (const std::string_view name : {"uuid_generate_v1", "uuid_generate_v1mc"}) {
    std::set<std::string> seen;
    for (int i = 0; i < 1000; ++i) {
      const std::string uuid = shown(call(name, {}));
      EXPECT_EQ(uuid[14], '1');
      EXPECT_NE(std::string_view("89ab").find(uuid[19]), std::string_view::npos);
      seen.insert(uuid);
    }
    EXPECT_EQ(seen.size(), 1000u);
  }
  EXPECT_EQ(shown(call("uuid_generate_v1", {})).substr(24), shown(call("uuid_generate_v1", {})).substr(24));
}

TEST(ExtensionFunctions, HashesAreThoseOfTheStandards) {
  EXPECT_EQ(hex(call("digest", {text("abc"), text("md5")})), "900150983cd24fb0d6963f7d28e17f72");
  EXPECT_EQ(hex(call("digest", {text("abc"), text("SHA1")})), "a9993e364706816aba3e25717850c26c9cd0d89d");
  EXPECT_EQ(hex(call("digest", {text("abc"), text("sha224")})),
            "23097d223405d8228642a477bda255b32aadbce4bda0b3f7e36c9da7");
  // RFC 2202.
  EXPECT_EQ(hex(call("hmac", {text("what do ya want for nothing?"), text("Jefe"), text("md5")})),
            "750c783e6ab0b503eaa86e310a5db738");
  EXPECT_EQ(hex(call("hmac", {text("what do ya want for nothing?"), text("Jefe"), text("sha1")})),
            "effcdf6ae5eb2fa2d27416d5f184df9c259a7c79");
  EXPECT_THROW(call("digest", {text("abc"), text("nosuch")}), SqlError);
}

TEST(ExtensionFunctions, RandomBytesAreAsManyAsAreAskedFor) {
  const auto bytes = [](int64_t count) {
    return call("gen_random_bytes", {Value::fromInt(Type::of(TypeKind::Integer), count)}).bytes;
  };
  EXPECT_EQ(bytes(1).size(), 1u);
  EXPECT_EQ(bytes(1024).size(), 1024u);
  EXPECT_NE(bytes(300), bytes(300));
  EXPECT_THROW(bytes(0), SqlError);
  EXPECT_THROW(bytes(1025), SqlError);
}

}  // namespace
}  // namespace gnomon::sql
