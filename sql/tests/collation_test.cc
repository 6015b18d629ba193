#include "sql/types/collation.h"

#include <gtest/gtest.h>
#include <unicode/ucol.h>

#include <random>
#include <string>
#include <vector>

#include "base/sql_error.h"
#include "sql/types/icu_collation.h"

namespace gnomon::sql {
namespace {

int signOf(int number) {
  return number < 0 ? -1 : number > 0 ? 1 : 0;
}

/// The order that the library gives two texts, and their bytes where it has them alike.
int compareByLibrary(const UCollator* collator, const std::string& left, const std::string& right) {
  UErrorCode status = U_ZERO_ERROR;
  const UCollationResult result = ucol_strcollUTF8(collator, left.data(), static_cast<int32_t>(left.size()),
                                                   right.data(), static_cast<int32_t>(right.size()), &status);
  EXPECT_TRUE(U_SUCCESS(status));
  return result != UCOL_EQUAL ? static_cast<int>(result) : signOf(left.compare(right));
}

std::string randomText(std::mt19937& random) {
  static const std::vector<std::string> kLetters{"a",       "A", "b",  "z",  "Z", "ä", "Ä", "é",
                                                 "e\u0301", "ß", "ss", " ",  "-", "1", "9", "_",
                                                 "ö",       "å", "中", "😀", "İ", "ı", ".", "\u0001"};
  std::string text;
  const size_t length = std::uniform_int_distribution<size_t>(0, 6)(random);
  for (size_t i = 0; i < length; ++i)
    text += kLetters[std::uniform_int_distribution<size_t>(0, kLetters.size() - 1)(random)];
  return text;
}

TEST(Collation, KeysHaveTheOrderOfTheLibrary) {
  std::mt19937 random(11);
  for (const char* const locale : {"und", "de", "sv", "en-US", "tr", "da", "zh-Hans"}) {
    UErrorCode status = U_ZERO_ERROR;
    UCollator* const collator = ucol_open(locale, &status);
    ASSERT_TRUE(U_SUCCESS(status)) << locale;
    for (int i = 0; i < 2000; ++i) {
      const std::string left = randomText(random), right = randomText(random);
      const std::string left_key = collationKey(left, locale), right_key = collationKey(right, locale);
      EXPECT_EQ(signOf(left_key.compare(right_key)), compareByLibrary(collator, left, right))
          << locale << ": '" << left << "' and '" << right << "'";
      EXPECT_EQ(collatedText(left_key), left);
    }
    ucol_close(collator);
  }
}

TEST(Collation, LongTextsHaveKeys) {
  const std::string text(200'000, 'q');
  const std::string key = collationKey(text + "a", "de");
  EXPECT_LT(key, collationKey(text + "b", "de"));
  EXPECT_EQ(collatedText(key), text + "a");
}

TEST(Collation, CasesFollowTheLocale) {
  EXPECT_EQ(upperIn("straße i", "de"), "STRASSE I");
  EXPECT_EQ(upperIn("i", "tr"), "İ");
  EXPECT_EQ(lowerIn("I", "tr"), "ı");
  EXPECT_EQ(lowerIn("ÄÖ", "und"), "äö");
  EXPECT_EQ(initcapIn("ärger im büro", "de"), "Ärger Im Büro");
  EXPECT_EQ(upperIn("", "de"), "");
  EXPECT_EQ(upperIn(std::string(10'000, 'a') + "ßßßßßßßßßßßßßßßßßßßß", "de"),
            std::string(10'000, 'A') + std::string(40, 'S'));
}

TEST(Collation, AreFoundByName) {
  EXPECT_EQ(findCollation("default"), kDefaultCollation);
  EXPECT_EQ(knownCollation(kDefaultCollation).oid, 100U);
  const auto german = findCollation("de-x-icu");
  ASSERT_TRUE(german);
  EXPECT_TRUE(isOfIcu(*german));
  EXPECT_EQ(knownCollation(*german).locale, "de");
  EXPECT_FALSE(isOfIcu(*findCollation("C")));
  EXPECT_FALSE(isOfIcu(kIndeterminateCollation));
  EXPECT_EQ(findCollation("xx-x-icu"), std::nullopt);
  EXPECT_LT(allCollations().size(), size_t{kIndeterminateCollation});
}

}  // namespace
}  // namespace gnomon::sql
