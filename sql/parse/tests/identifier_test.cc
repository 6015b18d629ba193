#include <gtest/gtest.h>
#include <pg_query.h>
#include <pg_query/pg_query.pb-c.h>

#include <string>

#include "sql/parse/identifier.h"
#include "sql/parse/keywords.h"

namespace gnomon::sql {
namespace {

/// What the scanner that reads statements takes the word for.
PgQuery__KeywordKind scannedKind(const std::string& word) {
  const PgQueryScanResult scanned = pg_query_scan(word.c_str());
  const auto* bytes = reinterpret_cast<const uint8_t*>(scanned.pbuf.data);
  PgQuery__ScanResult* const tokens = pg_query__scan_result__unpack(nullptr, scanned.pbuf.len, bytes);
  EXPECT_EQ(tokens->n_tokens, 1u) << word;
  const PgQuery__KeywordKind kind = tokens->tokens[0]->keyword_kind;
  pg_query__scan_result__free_unpacked(tokens, nullptr);
  pg_query_free_scan_result(scanned);
  return kind;
}

PgQuery__KeywordKind listedKind(char category) {
  switch (category) {
    case 'U':
      return PG_QUERY__KEYWORD_KIND__UNRESERVED_KEYWORD;
    case 'C':
      return PG_QUERY__KEYWORD_KIND__COL_NAME_KEYWORD;
    case 'T':
      return PG_QUERY__KEYWORD_KIND__TYPE_FUNC_NAME_KEYWORD;
    default:
      return PG_QUERY__KEYWORD_KIND__RESERVED_KEYWORD;
  }
}

TEST(Keywords, AreThoseOfTheScannerAndFoundByTheirWords) {
  std::string_view before;
  for (const Keyword& keyword : keywords()) {
    EXPECT_LT(before, keyword.word);
    before = keyword.word;
    EXPECT_EQ(findKeyword(keyword.word), &keyword);
    EXPECT_EQ(scannedKind(std::string(keyword.word)), listedKind(keyword.category)) << keyword.word;
  }
  for (const std::string_view word : {"", "a", "abor", "aborts", "zone_", "zonf"})
    EXPECT_EQ(findKeyword(word), nullptr);
}

TEST(Identifiers, AreQuotedWhereTheyAreNoNamesOtherwise) {
  EXPECT_EQ(quotedIdentifier("plain_1"), "plain_1");
  EXPECT_EQ(quotedIdentifier("abort"), "abort");
  EXPECT_EQ(quotedIdentifier("select"), "\"select\"");
  EXPECT_EQ(quotedIdentifier("between"), "\"between\"");
  EXPECT_EQ(quotedIdentifier("left"), "\"left\"");
  EXPECT_EQ(quotedIdentifier("Large"), "\"Large\"");
  EXPECT_EQ(quotedIdentifier("1st"), "\"1st\"");
  EXPECT_EQ(quotedIdentifier("a\"b"), "\"a\"\"b\"");
  EXPECT_EQ(quotedIdentifier(""), "\"\"");
}

}  // namespace
}  // namespace gnomon::sql
