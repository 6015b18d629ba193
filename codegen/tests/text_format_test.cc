#include "codegen/runtime/text_format.h"

#include <gtest/gtest.h>

#include <vector>

#include "base/sql_error.h"
#include "sql/types/text_list.h"

namespace gnomon::codegen::rt {
namespace {

using Texts = std::vector<std::optional<std::string_view>>;

TEST(TextList, GivesBackWhatWentIn) {
  std::string list;
  for (const std::string_view text : {"a", "", "-", "3:abc", "a longer text"}) {
    list.append(sql::listEntryHead(text)).append(text);
    list += sql::kNullListEntry;
  }
  const Texts expected{"a", {}, "", {}, "-", {}, "3:abc", {}, "a longer text", {}};
  EXPECT_EQ(sql::listTexts(list), expected);
}

TEST(TextFormat, QuotesAsTheConversionSays) {
  EXPECT_EQ(formattedText("%s %I %L", Texts{"a b", "a b", "it's"}), "a b \"a b\" 'it''s'");
  EXPECT_EQ(formattedText("%s|%L", Texts{{}, {}}), "|NULL");
  EXPECT_EQ(quotedLiteral("a\\b"), "E'a\\\\b'");
}

TEST(TextFormat, CountsPositionsOnFromTheLastOne) {
  EXPECT_EQ(formattedText("%2$s %s %1$s %s", Texts{"a", "b", "c"}), "b c a b");
}

TEST(TextFormat, WidthsCountCharacters) {
  EXPECT_EQ(formattedText("|%4s|%-4s|%*s|", Texts{"ä", "ä", "-3", "x"}), "|   ä|ä   |x  |");
}

TEST(TextFormat, RefusesWhatIsIncomplete) {
  for (const std::string_view format : {"%", "%1", "%1$", "%-", "%*", "%0$s", "%d", "%2$s", "%99999999999s"})
    EXPECT_THROW(formattedText(format, Texts{"1"}), SqlError) << format;
  EXPECT_THROW(formattedText("%I", Texts{{}}), SqlError);
}

}  // namespace
}  // namespace gnomon::codegen::rt
