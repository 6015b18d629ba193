#include "sql/types/text.h"

#include <gtest/gtest.h>

#include "base/sql_error.h"
#include "sql/types/boolean.h"

namespace gnomon::sql {
namespace {

constexpr int32_t modifier(int32_t limit) {
  return limit + 4;
}

std::string messageFor(std::string_view bytes) {
  try {
    checkUtf8(bytes);
  } catch (const SqlError& error) {
    return error.message();
  }
  return "valid";
}

TEST(Text, VarcharDropsOnlyBlanksUnlessExplicit) {
  EXPECT_EQ(fitVarchar("abc  ", modifier(3), false), "abc");
  EXPECT_THROW(fitVarchar("abcd", modifier(3), false), SqlError);
  EXPECT_EQ(fitVarchar("abcd", modifier(3), true), "abc");
  EXPECT_EQ(fitVarchar("日本語", modifier(2), true), "日本");
  EXPECT_EQ(fitVarchar("abcd", -1, false), "abcd");
}

TEST(Text, CharIsPaddedByCharacters) {
  const PaddedText padded = fitChar("日本", modifier(5), false);
  EXPECT_EQ(padded.kept, "日本");
  EXPECT_EQ(padded.blanks, 3U);
  EXPECT_EQ(fitChar("abcdef", modifier(2), true).kept, "ab");
  EXPECT_THROW(fitChar("abc", modifier(2), false), SqlError);
}

TEST(Text, CountsCharactersNotBytes) {
  EXPECT_EQ(countCharacters("日本語 and some ASCII behind it 😀"), 30U);
  EXPECT_EQ(characterOffset("日本語", 2), 6U);
  EXPECT_EQ(characterOffset("日本語", 9), 9U);
}

TEST(Text, RefusesWhatIsNotUtf8) {
  EXPECT_EQ(messageFor("plain, 日本, 😀"), "valid");
  EXPECT_EQ(messageFor("\xff"), "invalid byte sequence for encoding \"UTF8\": 0xff");
  EXPECT_EQ(messageFor("\xe6\x97x"), "invalid byte sequence for encoding \"UTF8\": 0xe6 0x97 0x78");
  EXPECT_EQ(messageFor("\xc0\xaf"), "invalid byte sequence for encoding \"UTF8\": 0xc0 0xaf");
  EXPECT_EQ(messageFor("sixteen bytes ..\xed\xa0\x80"), "invalid byte sequence for encoding \"UTF8\": 0xed 0xa0 0x80");
  EXPECT_EQ(messageFor(std::string_view("a\0b", 3)), "invalid byte sequence for encoding \"UTF8\": 0x00");
}

TEST(Text, FindsAByteThatIsNotUtf8WhereverItStands) {
  for (size_t size = 1; size <= 40; ++size) {
    for (size_t place = 0; place < size; ++place) {
      std::string text(size, 'a');
      const auto shown = [&](char byte) {
        text[place] = byte;
        return messageFor(text);
      };
      SCOPED_TRACE(testing::Message() << size << " " << place);
      EXPECT_EQ(shown('\x01'), "valid");
      EXPECT_EQ(shown('\x7f'), "valid");
      EXPECT_EQ(shown('\0'), "invalid byte sequence for encoding \"UTF8\": 0x00");
      EXPECT_EQ(shown('\x80'), "invalid byte sequence for encoding \"UTF8\": 0x80");
      EXPECT_EQ(shown('\xff'), "invalid byte sequence for encoding \"UTF8\": 0xff");
      if (place + 1 == size) continue;
      text[place + 1] = '\xa9';
      EXPECT_EQ(shown('\xc3'), "valid");
    }
  }
  EXPECT_EQ(messageFor(""), "valid");
}

TEST(Boolean, TakesUniquePrefixes) {
  for (const char* text : {"t", "TRUE", " yes ", "on", "1", "tr"}) EXPECT_TRUE(parseBoolean(text)) << text;
  for (const char* text : {"f", "no", "off", "of", "0"}) EXPECT_FALSE(parseBoolean(text)) << text;
  for (const char* text : {"", "o", "2", "truex"}) EXPECT_THROW(parseBoolean(text), SqlError) << text;
}

}  // namespace
}  // namespace gnomon::sql
