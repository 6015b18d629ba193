#include "server/copy/copy_splitter.h"

#include <gtest/gtest.h>

#include <optional>
#include <random>

namespace gnomon::server {
namespace {

using Row = std::vector<std::optional<std::string>>;
using Rows = std::vector<Row>;

sql::CopyOptions textOptions(char delimiter = '|') {
  sql::CopyOptions options;
  options.delimiter = delimiter;
  return options;
}

sql::CopyOptions csvOptions(char escape = '"') {
  sql::CopyOptions options;
  options.format = sql::CopyOptions::Format::Csv;
  options.delimiter = ',';
  options.null_text = "";
  options.escape = escape;
  return options;
}

/// Cuts `data`, given in pieces of random size; the input moves in between.
Rows split(const sql::CopyOptions& options, std::string_view data, std::mt19937& random, size_t piece_max) {
  constexpr size_t kColumnsMax = 64;
  CopySplitter splitter(options, kColumnsMax);
  Arena arena;
  Rows rows;
  std::string held;
  size_t taken = 0;
  while (true) {
    const size_t piece = std::min<size_t>(data.size() - taken, 1 + random() % piece_max);
    held.append(data.substr(taken, piece));
    taken += piece;
    const bool is_last = taken == data.size();
    // Exactly as large as allowed, so that a sanitizer sees reads beyond.
    std::vector<char> input(held.begin(), held.end());
    input.resize(held.size() + CopySplitter::kPaddingBytes, '|');
    splitter.inputChanged();
    const char* cursor = input.data();
    const char* end = cursor + held.size();
    CopySplitter::Outcome outcome;
    while ((outcome = splitter.next(cursor, end, is_last)) == CopySplitter::Outcome::Row) {
      Row& row = rows.emplace_back();
      for (const CopyField& field : splitter.fields()) {
        if (splitter.isNull(field)) {
          row.emplace_back();
        } else {
          row.emplace_back(field.has_escape ? splitter.decode(field, arena) : field.raw());
        }
      }
    }
    if (outcome == CopySplitter::Outcome::End) return rows;
    held.erase(0, static_cast<size_t>(cursor - input.data()));
  }
}

Rows split(const sql::CopyOptions& options, std::string_view data) {
  std::mt19937 random(1);
  return split(options, data, random, 1 << 20);
}

std::string errorOf(const sql::CopyOptions& options, std::string_view data) {
  try {
    split(options, data);
  } catch (const SqlError& error) {
    return error.message();
  }
  return "";
}

std::string randomValue(std::mt19937& random) {
  static const std::string kPieces[] = {"a",
                                        "bcd",
                                        "|",
                                        ",",
                                        "\"",
                                        "\\",
                                        "\n",
                                        "\r",
                                        "\t",
                                        "\b",
                                        "N",
                                        ".",
                                        "0",
                                        " ",
                                        "\f",
                                        "\xc3\xa9",
                                        "a long piece of text"};
  std::string value;
  for (size_t i = random() % 7; i > 0; --i) value += kPieces[random() % std::size(kPieces)];
  return value;
}

std::string escapeText(const std::optional<std::string>& value, char delimiter) {
  if (!value) return "\\N";
  std::string text;
  for (char c : *value) {
    if (c == '\n')
      text += "\\n";
    else if (c == '\r')
      text += "\\r";
    else if (c == '\\' || c == delimiter)
      text += std::string("\\") + c;
    else
      text += c;
  }
  return text;
}

std::string quoteCsv(const std::optional<std::string>& value, char escape) {
  if (!value) return "";
  std::string text = "\"";
  for (char c : *value) {
    if (c == '"' || c == escape) text += escape;
    text += c;
  }
  return text + "\"";
}

Rows randomRows(std::mt19937& random) {
  Rows rows(random() % 40);
  for (Row& row : rows) {
    row.resize(1 + random() % 6);
    for (auto& value : row)
      if (random() % 8 != 0) value = randomValue(random);
  }
  return rows;
}

TEST(CopySplitter, ReadsBackRandomTextHoweverItArrives) {
  const unsigned seed = std::random_device()();
  SCOPED_TRACE(seed);
  std::mt19937 random(seed);
  for (int round = 0; round < 400; ++round) {
    const Rows rows = randomRows(random);
    const std::string line_end = round % 3 == 0 ? "\r\n" : round % 3 == 1 ? "\n" : "\r";
    std::string data;
    for (size_t i = 0; i < rows.size(); ++i) {
      for (size_t j = 0; j < rows[i].size(); ++j) data += (j ? "|" : "") + escapeText(rows[i][j], '|');
      data += line_end;
    }
    ASSERT_EQ(split(textOptions(), data, random, 1 + random() % 200), rows) << data;
  }
}

TEST(CopySplitter, ReadsBackRandomCsvHoweverItArrives) {
  const unsigned seed = std::random_device()();
  SCOPED_TRACE(seed);
  std::mt19937 random(seed);
  for (int round = 0; round < 400; ++round) {
    const Rows rows = randomRows(random);
    const char escape = round % 2 ? '"' : '\\';
    const std::string line_end = round % 3 == 0 ? "\r\n" : "\n";
    std::string data;
    for (const Row& row : rows) {
      for (size_t j = 0; j < row.size(); ++j) data += (j ? "," : "") + quoteCsv(row[j], escape);
      data += line_end;
    }
    ASSERT_EQ(split(csvOptions(escape), data, random, 1 + random() % 200), rows) << data;
  }
}

TEST(CopySplitter, DecodesEveryEscapeOfTheTextFormat) {
  EXPECT_EQ(split(textOptions(), "\\b\\f\\n\\r\\t\\v|\\101\\x42\\x4|\\q\\\\|\\|\n"),
            (Rows{{"\b\f\n\r\t\v", "AB\x04", "q\\", "|"}}));
  EXPECT_EQ(split(textOptions(), "a\\\nb|c\n"), (Rows{{"a\nb", "c"}}));
}

TEST(CopySplitter, TakesTheLastLineWithoutItsEnd) {
  EXPECT_EQ(split(textOptions(), "a|b\nc|"), (Rows{{"a", "b"}, {"c", ""}}));
  EXPECT_EQ(split(csvOptions(), "a,b\nc,"), (Rows{{"a", "b"}, {"c", std::nullopt}}));
}

TEST(CopySplitter, StopsAtTheEndMarkerAndIgnoresTheRest) {
  EXPECT_EQ(split(textOptions(), "a\n\\.\nb\n"), (Rows{{"a"}}));
  EXPECT_EQ(split(textOptions(), "a\nbc\\.\nd\n"), (Rows{{"a"}, {"bc"}}));
  EXPECT_EQ(split(csvOptions(), "a\n\\.\nb\n"), (Rows{{"a"}}));
  EXPECT_EQ(split(csvOptions(), "a\n\\.x\n"), (Rows{{"a"}, {"\\.x"}}));
  EXPECT_EQ(errorOf(textOptions(), "a\n\\.x\n"), "end-of-copy marker corrupt");
  EXPECT_EQ(errorOf(textOptions(), "a\n\\.\r\n"), "end-of-copy marker does not match previous newline style");
}

TEST(CopySplitter, TellsAnEmptyFieldFromNull) {
  EXPECT_EQ(split(textOptions(), "|\\N|\\\\N\n"), (Rows{{"", std::nullopt, "\\N"}}));
  EXPECT_EQ(split(csvOptions(), ",\"\",x\n"), (Rows{{std::nullopt, "", "x"}}));
}

TEST(CopySplitter, JoinsQuotedAndUnquotedPartsOfACsvField) {
  EXPECT_EQ(split(csvOptions(), "a\"b,c\"d,\"e\"\"f\"g\n"), (Rows{{"ab,cd", "e\"fg"}}));
}

TEST(CopySplitter, RefusesMixedLineEndsAndOpenQuotes) {
  EXPECT_EQ(errorOf(textOptions(), "a\nb\r\n"), "literal carriage return found in data");
  EXPECT_EQ(errorOf(textOptions(), "a\r\nb\n"), "literal newline found in data");
  EXPECT_EQ(errorOf(csvOptions(), "a\nb\r\n"), "unquoted carriage return found in data");
  EXPECT_EQ(errorOf(csvOptions(), "a\n\"b\nc"), "unterminated CSV quoted field");
}

TEST(CopySplitter, RefusesWhatIsNotUtf8) {
  EXPECT_EQ(errorOf(textOptions(), "a\n\xff|b\n"), "invalid byte sequence for encoding \"UTF8\": 0xff");
  EXPECT_EQ(errorOf(textOptions(), "a\\xff\n"), "invalid byte sequence for encoding \"UTF8\": 0xff");
  EXPECT_EQ(errorOf(textOptions(), std::string_view("a\0b\n", 4)), "invalid byte sequence for encoding \"UTF8\": 0x00");
}

TEST(CopySplitter, CountsFieldsItDoesNotKeep) {
  CopySplitter splitter(textOptions(), 2);
  std::string data = "a|b|c|d\n";
  const size_t bytes = data.size();
  data.append(CopySplitter::kPaddingBytes, ' ');
  const char* cursor = data.data();
  EXPECT_EQ(splitter.next(cursor, data.data() + bytes, false), CopySplitter::Outcome::Row);
  EXPECT_EQ(splitter.fieldCount(), 4u);
  EXPECT_EQ(splitter.fields().size(), 2u);
  EXPECT_EQ(splitter.line(), "a|b|c|d");
}

}  // namespace
}  // namespace gnomon::server
