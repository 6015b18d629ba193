#include "codegen/runtime/string_functions.h"

#include <gtest/gtest.h>

#include <string>

#include "base/sql_error.h"
#include "codegen/runtime/string_compare.h"

namespace gnomon::codegen::rt {
namespace {

/// A string argument: its two words. The text must outlive it.
StringValue text(std::string_view bytes) {
  return StringValue::refer(bytes, StringValue::Storage::Persistent);
}

/// The bytes of a result; checks that a short one is held inline with zeros behind (V1).
std::string shown(StringValue value) {
  const std::string bytes(value.view());
  if (value.isInline()) EXPECT_EQ(value, StringValue::refer(bytes, StringValue::Storage::Temporary));
  return bytes;
}

template <typename Call>
std::string stateOf(Call call) {
  try {
    call();
  } catch (const SqlError& error) {
    return error.state().text();
  }
  return "none";
}

class StringFunctions : public testing::Test {
 protected:
  std::string pad(bool is_left, std::string_view bytes, int32_t length, std::string_view fill) {
    const StringValue value = text(bytes);
    const StringValue filler = text(fill);
    return shown(is_left ? padLeft(value.lo(), value.hi(), length, filler.lo(), filler.hi(), &arena_)
                         : padRight(value.lo(), value.hi(), length, filler.lo(), filler.hi(), &arena_));
  }
  std::string replace(std::string_view bytes, std::string_view from, std::string_view to) {
    const StringValue value = text(bytes);
    const StringValue old_part = text(from);
    const StringValue new_part = text(to);
    return shown(
        replaceString(value.lo(), value.hi(), old_part.lo(), old_part.hi(), new_part.lo(), new_part.hi(), &arena_));
  }
  static std::string substring(std::string_view bytes, int32_t start, int32_t count) {
    const StringValue value = text(bytes);
    return shown(substringFor(value.lo(), value.hi(), start, count));
  }
  static std::string split(std::string_view bytes, std::string_view delimiter, int32_t index) {
    const StringValue value = text(bytes);
    const StringValue separator = text(delimiter);
    return shown(splitPart(value.lo(), value.hi(), separator.lo(), separator.hi(), index));
  }
  Arena arena_;
};

TEST_F(StringFunctions, SubstringCountsFromOneAndClipsBothEnds) {
  EXPECT_EQ(substring("abc", 0, 2), "a");
  EXPECT_EQ(substring("abc", -5, 3), "");
  EXPECT_EQ(substring("日本語の長いテキスト", 2, 3), "本語の");
  EXPECT_EQ(substring("abc", 2147483647, 2147483647), "");
  EXPECT_EQ(stateOf([] { substring("abc", 1, -1); }), "22011");
  const StringValue value = text("a text of more than twelve bytes");
  EXPECT_EQ(shown(substringFrom(value.lo(), value.hi(), 3)), "text of more than twelve bytes");
}

TEST_F(StringFunctions, LeftAndRightCountFromTheOtherEndWhenNegative) {
  const StringValue value = text("日本語");
  EXPECT_EQ(shown(leftString(value.lo(), value.hi(), 2)), "日本");
  EXPECT_EQ(shown(leftString(value.lo(), value.hi(), -1)), "日本");
  EXPECT_EQ(shown(leftString(value.lo(), value.hi(), -7)), "");
  EXPECT_EQ(shown(rightString(value.lo(), value.hi(), 2)), "本語");
  EXPECT_EQ(shown(rightString(value.lo(), value.hi(), -1)), "本語");
  EXPECT_EQ(shown(rightString(value.lo(), value.hi(), INT32_MIN)), "日本語");
}

TEST_F(StringFunctions, PaddingRepeatsItsFillAndCutsLongTexts) {
  EXPECT_EQ(pad(true, "hi", 5, "xy"), "xyxhi");
  EXPECT_EQ(pad(false, "hi", 5, "日本"), "hi日本日");
  EXPECT_EQ(pad(true, "hello", 2, "x"), "he");
  EXPECT_EQ(pad(true, "hi", 5, ""), "hi");
  EXPECT_EQ(pad(true, "hi", -1, "x"), "");
  EXPECT_EQ(stateOf([this] { pad(true, "hi", INT32_MAX, "x"); }), "54000");
}

TEST_F(StringFunctions, ReplaceAndSplit) {
  EXPECT_EQ(replace("aaaa", "aa", "b"), "bb");
  EXPECT_EQ(replace("a-b-c", "-", " and then "), "a and then b and then c");
  EXPECT_EQ(replace("abc", "", "x"), "abc");
  EXPECT_EQ(split("a,b,c", ",", 2), "b");
  EXPECT_EQ(split("a,b,c", ",", -1), "c");
  EXPECT_EQ(split("a,b,c", ",", 4), "");
  EXPECT_EQ(split("abc", "", -1), "abc");
  EXPECT_EQ(stateOf([] { split("a", ",", 0); }), "22023");
}

TEST_F(StringFunctions, CaseChangesAsciiLettersOnly) {
  const StringValue value = text("hello wORLD é foo-bar");
  EXPECT_EQ(shown(upperString(value.lo(), value.hi(), &arena_)), "HELLO WORLD é FOO-BAR");
  EXPECT_EQ(shown(lowerString(value.lo(), value.hi(), &arena_)), "hello world é foo-bar");
  EXPECT_EQ(shown(initcapString(value.lo(), value.hi(), &arena_)), "Hello World é Foo-Bar");
}

TEST_F(StringFunctions, TrimsBySetOfCharacters) {
  const StringValue value = text("xyabcyx");
  const StringValue set = text("xy");
  EXPECT_EQ(shown(trimBothSet(value.lo(), value.hi(), set.lo(), set.hi())), "abc");
  EXPECT_EQ(shown(trimLeftSet(value.lo(), value.hi(), set.lo(), set.hi())), "abcyx");
  EXPECT_EQ(shown(trimRightSet(value.lo(), value.hi(), set.lo(), set.hi())), "xyabc");
  const StringValue blanks = text("  padded on both sides  ");
  EXPECT_EQ(shown(trimBoth(blanks.lo(), blanks.hi())), "padded on both sides");
}

TEST_F(StringFunctions, CodePointsBothWays) {
  for (const int32_t code_point : {65, 255, 2048, 65535, 65536, 1114111}) {
    const StringValue character = characterOf(code_point);
    EXPECT_EQ(asciiString(character.lo(), character.hi()), code_point);
  }
  EXPECT_EQ(stateOf([] { characterOf(0); }), "54000");
  EXPECT_EQ(stateOf([] { characterOf(0xd800); }), "54000");
  EXPECT_EQ(stateOf([] { characterOf(-1); }), "22023");
}

TEST_F(StringFunctions, ReverseRepeatConcatPosition) {
  const StringValue value = text("日本x");
  const StringValue part = text("x");
  EXPECT_EQ(shown(reverseString(value.lo(), value.hi(), &arena_)), "x本日");
  EXPECT_EQ(shown(repeatString(value.lo(), value.hi(), 3, &arena_)), "日本x日本x日本x");
  EXPECT_EQ(shown(concatStrings(value.lo(), value.hi(), value.lo(), value.hi(), &arena_)), "日本x日本x");
  EXPECT_EQ(positionString(value.lo(), value.hi(), part.lo(), part.hi()), 3);
  EXPECT_EQ(lengthString(value.lo(), value.hi()), 3);
  EXPECT_EQ(octetLengthString(value.lo(), value.hi()), 7);
}

TEST_F(StringFunctions, CharIgnoresTrailingBlanks) {
  const StringValue padded = text("ab                 ");
  const StringValue plain = text("ab");
  EXPECT_TRUE(equalChars(padded.lo(), padded.hi(), plain.lo(), plain.hi()));
  EXPECT_EQ(hashChar(padded.lo(), padded.hi()), hashChar(plain.lo(), plain.hi()));
  EXPECT_EQ(lengthChar(padded.lo(), padded.hi()), 2);
  EXPECT_EQ(shown(fitChar(plain.lo(), plain.hi(), 4 + 5, false, &arena_)), "ab   ");
  EXPECT_EQ(shown(charToText(padded.lo(), padded.hi())), "ab");
}

TEST_F(StringFunctions, ComparesBytesAsUnsigned) {
  const StringValue ascii = text("abcz");
  const StringValue accented = text("abcé");
  const StringValue longer = text("abcz and more than twelve bytes");
  EXPECT_LT(compareStrings(ascii.lo(), ascii.hi(), accented.lo(), accented.hi()), 0);
  EXPECT_LT(compareStrings(ascii.lo(), ascii.hi(), longer.lo(), longer.hi()), 0);
  EXPECT_FALSE(equalStrings(ascii.lo(), ascii.hi(), longer.lo(), longer.hi()));
}

}  // namespace
}  // namespace gnomon::codegen::rt
