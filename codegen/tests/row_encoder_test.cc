#include "codegen/runtime/row_encoder.h"

#include <gtest/gtest.h>

#include <string>

#include "base/string_value.h"
#include "codegen/runtime/copy_encoder.h"
#include "sql/types/big_numeric.h"
#include "sql/types/text_io.h"

namespace gnomon::codegen::rt {
namespace {

using namespace std::string_literals;

std::string bytesOf(const WireBuffer& buffer) {
  return std::string(buffer.view());
}

/// The length word of a message, which counts itself.
int32_t lengthAt(const WireBuffer& buffer, size_t offset) {
  uint32_t word;
  std::memcpy(&word, buffer.begin + offset, 4);
  return static_cast<int32_t>(__builtin_bswap32(word));
}

TEST(RowEncoder, WritesDataRowsOneBehindTheOther) {
  WireBuffer buffer;
  beginRow(&buffer, 2);
  appendIntegerText(&buffer, -42);
  appendNull(&buffer);
  endRow(&buffer);
  beginRow(&buffer, 1);
  appendBooleanText(&buffer, true);
  endRow(&buffer);
  EXPECT_EQ(bytesOf(buffer), "D\0\0\0\x11\0\2\0\0\0\3-42\xff\xff\xff\xff"s + "D\0\0\0\x0b\0\1\0\0\0\1t"s);
}

TEST(RowEncoder, TextAndBinaryAgreeWithTheTypesOutput) {
  const auto check = [](sql::Type type, const char* text, auto append, bool is_binary) {
    const sql::Value value = sql::parseText(type, text);
    const sql::RegisterPair registers = sql::toRegisters(value);
    WireBuffer buffer;
    append(&buffer, registers.lo, registers.hi);
    std::string expected;
    if (is_binary)
      sql::appendBinary(value, expected);
    else
      expected = text;
    EXPECT_EQ(lengthAt(buffer, 0), static_cast<int32_t>(expected.size())) << text;
    EXPECT_EQ(bytesOf(buffer).substr(4), expected) << text;
  };
  const sql::Type numeric = sql::Type::bigNumeric();
  for (const char* text : {"0.00", "-12.50", "123456789012345678901234567890.5", "NaN", "Infinity", "1e-40"}) {
    check(numeric, std::string_view(text) == "1e-40" ? "0.0000000000000000000000000000000000000001" : text,
          appendNumericText, false);
    check(numeric, text, appendNumericBinary, true);
  }
  const sql::Type interval = sql::Type::of(sql::TypeKind::Interval);
  check(interval, "1 year 2 mons -3 days +04:05:06.7", appendIntervalText, false);
  check(interval, "1 year 2 mons -3 days +04:05:06.7", appendIntervalBinary, true);
  const sql::Type string = sql::Type::of(sql::TypeKind::Text);
  for (const char* text : {"", "twelve bytes", "thirteen bytes or more"}) check(string, text, appendString, false);
  const sql::Type bytea = sql::Type::of(sql::TypeKind::Bytea);
  const auto hex = [](WireBuffer* buffer, uint64_t lo, uint64_t hi) { appendByteaText(buffer, false, lo, hi); };
  const auto escape = [](WireBuffer* buffer, uint64_t lo, uint64_t hi) { appendByteaText(buffer, true, lo, hi); };
  check(bytea, "\\x00010203040506070809ff5c7f", hex, false);
  check(bytea, "\\000abc\\377\\\\ more than twelve", escape, false);
  check(bytea, "\\x00010203040506070809ff5c7f", appendString, true);
  const auto date = [](WireBuffer* buffer, uint64_t lo, uint64_t) { appendDateText(buffer, static_cast<int32_t>(lo)); };
  check(sql::Type::of(sql::TypeKind::Date), "0044-03-15 BC", date, false);
  const auto timestamp = [](WireBuffer* buffer, uint64_t lo, uint64_t) {
    appendTimestampText(buffer, static_cast<int64_t>(lo));
  };
  check(sql::Type::of(sql::TypeKind::Timestamp), "1999-01-08 04:05:06.7", timestamp, false);
  const auto decimal = [](WireBuffer* buffer, uint64_t lo, uint64_t) {
    appendSmallDecimalBinary(buffer, static_cast<int64_t>(lo), 2);
  };
  check(sql::numericWithModifier(15, 2), "-10000.50", decimal, true);
}

TEST(RowEncoder, GrowsWithoutLosingTheRow) {
  WireBuffer buffer;
  const std::string large(100000, 'x');
  const StringValue value = StringValue::refer(large, StringValue::Storage::Persistent);
  beginRow(&buffer, 3);
  for (int column = 0; column < 3; ++column) appendString(&buffer, value.lo(), value.hi());
  endRow(&buffer);
  EXPECT_EQ(buffer.size(), 7 + 3 * (4 + large.size()));
  EXPECT_EQ(lengthAt(buffer, 1), static_cast<int32_t>(buffer.size()) - 1);
}

class CopyEncoder : public testing::Test {
 protected:
  void string(std::string_view text) {
    const StringValue value = StringValue::refer(text, StringValue::Storage::Persistent);
    copyString(&buffer_, &format_, first(), value.lo(), value.hi());
  }
  void integer(int64_t value) { copyInteger(&buffer_, &format_, first(), value); }
  void null() { copyNull(&buffer_, &format_, first()); }
  void begin() {
    format_.prepare();
    beginCopyRow(&buffer_, &format_);
    is_first_ = true;
  }
  std::string end() {
    endCopyRow(&buffer_, &format_);
    EXPECT_EQ(buffer_.begin[0], 'd');
    EXPECT_EQ(lengthAt(buffer_, 1), static_cast<int32_t>(buffer_.size()) - 1);
    std::string line = bytesOf(buffer_).substr(5);
    buffer_.clear();
    return line;
  }
  bool first() { return std::exchange(is_first_, false); }

  WireBuffer buffer_;
  CopyFormat format_;
  bool is_first_ = true;
};

// The lines are PostgreSQL 15's.
TEST_F(CopyEncoder, TextEscapesWithBackslashes) {
  begin();
  string("a\tb\\c\nd");
  null();
  copySmallDecimal(&buffer_, &format_, first(), 150, 2);
  copyBoolean(&buffer_, &format_, first(), true);
  copyDate(&buffer_, &format_, first(), 1);
  string("\x01\x0b");
  EXPECT_EQ(end(), "a\\tb\\\\c\\nd\t\\N\t1.50\tt\t2000-01-02\t\x01\\v\n");
  begin();
  const StringValue bytes = StringValue::refer("\xff,", StringValue::Storage::Persistent);
  copyBytea(&buffer_, &format_, first(), false, bytes.lo(), bytes.hi());
  copyBytea(&buffer_, &format_, first(), true, bytes.lo(), bytes.hi());
  EXPECT_EQ(end(), "\\\\xff2c\t\\\\377,\n");
  format_.delimiter = '|';
  format_.null_text = "5";
  begin();
  integer(5);
  string("a|b");
  null();
  EXPECT_EQ(end(), "5|a\\|b|5\n");
}

TEST_F(CopyEncoder, CsvQuotesWhatNeedsIt) {
  format_.is_csv = true;
  format_.delimiter = ',';
  format_.null_text = "";
  begin();
  string("a,b\"c");
  string("");
  null();
  string("plain");
  string("x\ny");
  integer(12);
  EXPECT_EQ(end(), "\"a,b\"\"c\",\"\",,plain,\"x\ny\",12\n");
  format_.is_single_column = true;
  begin();
  string("\\.");
  EXPECT_EQ(end(), "\"\\.\"\n");
}

TEST_F(CopyEncoder, CsvNumbersAreQuotedWhenTheyLookLikeNullOrDelimiter) {
  format_.is_csv = true;
  format_.delimiter = ',';
  format_.null_text = "5";
  begin();
  integer(5);
  integer(15);
  null();
  EXPECT_EQ(end(), "\"5\",15,5\n");
}

}  // namespace
}  // namespace gnomon::codegen::rt
