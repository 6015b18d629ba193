#include "sql/types/failing_row.h"

#include <gtest/gtest.h>

#include "sql/types/text_io.h"

namespace gnomon::sql {
namespace {

std::string shown(const Value& value, ByteaOutput output = ByteaOutput::Hex) {
  const RegisterPair registers = toRegisters(value);
  std::string text;
  appendFailingValue(value.type, registers.lo, registers.hi, output, text);
  return text;
}

constexpr Type kText = Type::of(TypeKind::Text);
constexpr Type kBytea = Type::of(TypeKind::Bytea);

// What PostgreSQL 15 shows.
TEST(FailingRow, ShowsSixtyFourBytesOfAValue) {
  EXPECT_EQ(shown(Value::fromInt(Type::of(TypeKind::Integer), -7)), "-7");
  EXPECT_EQ(shown(Value::fromString(kText, std::string(64, 'x'))), std::string(64, 'x'));
  EXPECT_EQ(shown(Value::fromString(kText, std::string(65, 'x'))), std::string(64, 'x') + "...");
}

TEST(FailingRow, CutsBetweenCharacters) {
  std::string text = "x";
  for (int i = 0; i < 40; ++i) text += "ä";
  EXPECT_EQ(shown(Value::fromString(kText, text)), text.substr(0, 63) + "...");
}

TEST(FailingRow, ShowsByteaAsTheSettingSays) {
  EXPECT_EQ(shown(Value::fromString(kBytea, "\xff")), "\\xff");
  EXPECT_EQ(shown(Value::fromString(kBytea, "\xff"), ByteaOutput::Escape), "\\377");
  EXPECT_EQ(shown(Value::fromString(kBytea, std::string(32, 'x'))).size(), 64U + 3);
  EXPECT_EQ(shown(Value::fromString(kBytea, std::string(31, 'x'))).size(), 64U);
}

}  // namespace
}  // namespace gnomon::sql
