#include "server/copy/copy_binary_cutter.h"

#include <gtest/gtest.h>

#include <string>

#include "base/sql_error.h"

namespace gnomon::server {
namespace {

using Outcome = CopyBinaryCutter::Outcome;

const std::string kHeader("PGCOPY\n\377\r\n\0\0\0\0\0\0\0\0\0", 19);
const std::string kRow("\0\2\0\0\0\3abc\377\377\377\377", 13);
const std::string kEnd("\377\377", 2);

/// What the cutter makes of the first `bytes` of a text: its rows' first fields, and how it ended.
std::string cut(const std::string& text, size_t first_bytes) {
  CopyBinaryCutter cutter(2);
  std::string result;
  size_t begin = 0;
  for (size_t end : {first_bytes, text.size()}) {
    const char* cursor = text.data() + begin;
    const bool is_last = end == text.size();
    Outcome outcome;
    while ((outcome = cutter.next(cursor, text.data() + end, is_last)) == Outcome::Row) {
      EXPECT_TRUE(cutter.fields()[1].is_null);
      result += std::string(cutter.fields()[0].bytes) + std::to_string(cutter.rowNumber()) + " ";
    }
    begin = static_cast<size_t>(cursor - text.data());
    if (outcome == Outcome::End) return result + "end";
  }
  return result + "more";
}

TEST(CopyBinaryCutter, RowsAreTheSameHoweverTheInputIsCut) {
  const std::string text = kHeader + kRow + kRow + kEnd;
  for (size_t first = 0; first < text.size(); ++first) EXPECT_EQ(cut(text, first), "abc1 abc2 end") << first;
}

TEST(CopyBinaryCutter, AnInputThatEndsInARowIsRefused) {
  const std::string text = kHeader + kRow;
  for (size_t bytes = kHeader.size() + 1; bytes < text.size(); ++bytes)
    EXPECT_THROW(cut(text.substr(0, bytes), 0), SqlError) << bytes;
  EXPECT_EQ(cut(kHeader + kRow, 5), "abc1 end");
}

TEST(CopyBinaryCutter, WhatIsNoHeaderIsRefusedAtItsFirstWrongByte) {
  EXPECT_THROW(cut("PGCOPX", 6), SqlError);
  EXPECT_THROW(cut("", 0), SqlError);
  EXPECT_THROW(cut(kHeader + kEnd + "x", 0), SqlError);
}

}  // namespace
}  // namespace gnomon::server
