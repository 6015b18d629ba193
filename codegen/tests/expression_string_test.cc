#include <gtest/gtest.h>

#include <random>

#include "codegen/runtime/like_functions.h"
#include "codegen/tests/expression_harness.h"

/// Strings, LIKE, casts to and from text.
namespace gnomon::codegen::test {
namespace {

Type charType(int width) {
  return Type::of(TypeKind::Char, width + 4);
}
Type varcharType(int width) {
  return Type::of(TypeKind::Varchar, width + 4);
}

Outcome over(const Value& value, FunctionId function, Type type, std::vector<Value> more = {}) {
  Row row;
  row.add(value.type);
  std::vector<ExpressionPtr> arguments;
  arguments.push_back(row.column(0));
  for (Value& constant_argument : more) arguments.push_back(constant(std::move(constant_argument)));
  return evaluate(row, *Expression::call(function, type, std::move(arguments)), {{value}}).front();
}

Outcome cast(const Value& value, Type type, bool is_explicit = true) {
  Row row;
  row.add(value.type);
  return evaluate(row, *Expression::cast(row.column(0), type, is_explicit), {{value}}).front();
}

TEST(ExpressionString, FunctionsGiveText) {
  EXPECT_EQ(over(text("abc"), FunctionId::Concat, kText, {text("defghijklmnop")}), gives(text("abcdefghijklmnop")));
  EXPECT_EQ(over(text("Straße 12"), FunctionId::Length, kInteger), gives(integer(9)));
  EXPECT_EQ(over(text("Straße 12"), FunctionId::OctetLength, kInteger), gives(integer(10)));
  EXPECT_EQ(over(text("Abc"), FunctionId::Upper, kText), gives(text("ABC")));
  EXPECT_EQ(over(text("13-800-1234"), FunctionId::Substring, kText, {integer(1), integer(2)}), gives(text("13")));
  EXPECT_EQ(over(text("a long text with a tail"), FunctionId::Substring, kText, {integer(8)}),
            gives(text("text with a tail")));
  EXPECT_EQ(over(text("abc"), FunctionId::Substring, kText, {integer(1), integer(-1)}),
            fails("22011 negative substring length not allowed"));
  EXPECT_EQ(over(text("hello"), FunctionId::Position, kInteger, {text("l")}), gives(integer(3)));
  EXPECT_EQ(over(text("  x "), FunctionId::TrimBoth, kText), gives(text("x")));
  EXPECT_EQ(over(text("xxay"), FunctionId::TrimLeft, kText, {text("x")}), gives(text("ay")));
  EXPECT_EQ(over(text("7"), FunctionId::PadLeft, kText, {integer(3)}), gives(text("  7")));
  EXPECT_EQ(over(text("7"), FunctionId::PadRight, kText, {integer(3), text("ab")}), gives(text("7ab")));
  EXPECT_EQ(over(text("aXbX"), FunctionId::Replace, kText, {text("X"), text("--")}), gives(text("a--b--")));
  EXPECT_EQ(over(text("a,b,c"), FunctionId::SplitPart, kText, {text(","), integer(2)}), gives(text("b")));
  EXPECT_EQ(over(text("ab"), FunctionId::Repeat, kText, {integer(3)}), gives(text("ababab")));
  EXPECT_EQ(over(text("abc"), FunctionId::StartsWith, kBoolean, {text("ab")}), gives(boolean(true)));
  EXPECT_EQ(over(integer(65), FunctionId::Character, kText), gives(text("A")));
  EXPECT_EQ(over(null(kText), FunctionId::Concat, kText, {text("x")}), gives(null(kText)));
  EXPECT_EQ(over(text("x"), FunctionId::Concat, kText, {null(kText)}), gives(null(kText)));
}

TEST(ExpressionString, FixedWidthStringsCountWithoutTheirBlanks) {
  const Value padded = text("ab   ", charType(5));
  EXPECT_EQ(over(padded, FunctionId::Length, kInteger), gives(integer(2)));
  EXPECT_EQ(over(padded, FunctionId::OctetLength, kInteger), gives(integer(5)));
  EXPECT_EQ(over(padded, FunctionId::Concat, kText, {text("!")}), gives(text("ab!")));
  EXPECT_EQ(over(padded, FunctionId::Like, kBoolean, {text("ab")}), gives(boolean(false)));
  EXPECT_EQ(over(padded, FunctionId::Like, kBoolean, {text("ab%")}), gives(boolean(true)));
}

TEST(ExpressionString, EqualityAndOrderAtAllLengths) {
  const std::string words[] = {"",
                               "a",
                               "ab",
                               "abcdefghijkl",
                               "abcdefghijklm",
                               "abcdefghijklmnopqrst",
                               "abcdefghijklmnopqrsu",
                               "abd",
                               "b",
                               std::string("a\x01", 2),
                               "Straße"};
  const FunctionId functions[] = {FunctionId::Equal,     FunctionId::NotEqual, FunctionId::Less,
                                  FunctionId::LessEqual, FunctionId::Greater,  FunctionId::GreaterEqual};
  for (const FunctionId function : functions) {
    Row row;
    row.add(kText);
    row.add(varcharType(30));
    const auto columns = call(function, kBoolean, row.column(0), row.column(1));
    std::vector<std::vector<Value>> rows;
    std::vector<Outcome> wanted;
    for (const std::string& a : words) {
      for (const std::string& b : words) {
        rows.push_back({text(a), text(b, row.units()[1]->type)});
        const bool holds[] = {a == b, a != b, a<b, a <= b, a> b, a >= b};
        wanted.push_back(gives(boolean(holds[static_cast<size_t>(function) - static_cast<size_t>(FunctionId::Equal)])));
      }
    }
    EXPECT_EQ(evaluate(row, *columns, rows), wanted);
    for (size_t i = 0; i < rows.size(); i += 7) {
      const auto with_constant = call(function, kBoolean, row.column(0), constant(text(rows[i][1].bytes)));
      EXPECT_EQ(evaluate(row, *with_constant, {rows[i]}).front(), wanted[i]);
    }
  }
}

TEST(ExpressionString, FixedWidthStringsCompareWithoutTheirBlanks) {
  Row row;
  row.add(charType(10));
  row.add(charType(5));
  const std::vector<Value> values{text("MAIL      ", charType(10)), text("MAIL ", charType(5))};
  const auto equal = [&](ExpressionPtr a, ExpressionPtr b) {
    return evaluate(row, *call(FunctionId::Equal, kBoolean, std::move(a), std::move(b)), {values}).front();
  };
  EXPECT_EQ(equal(row.column(0), row.column(1)), gives(boolean(true)));
  EXPECT_EQ(equal(row.column(0), row.column(0)), gives(boolean(true)));
  const auto literal = [](std::string_view word) { return constant(text(word, Type::of(TypeKind::Char))); };
  EXPECT_EQ(equal(row.column(0), literal("MAIL")), gives(boolean(true)));
  EXPECT_EQ(equal(row.column(0), literal("MAIL         ")), gives(boolean(true)));
  EXPECT_EQ(equal(literal("MAI"), row.column(0)), gives(boolean(false)));
  EXPECT_EQ(equal(literal("MAILED TO SOMEBODY"), row.column(1)), gives(boolean(false)));
  EXPECT_EQ(evaluate(row, *call(FunctionId::Less, kBoolean, row.column(1), row.column(0)), {values}).front(),
            gives(boolean(false)));
  EXPECT_EQ(equal(row.column(0), constant(text("MAIL"))), gives(boolean(true)));
}

/// LIKE as its definition says.
bool likeModel(std::string_view s, std::string_view p) {
  if (p.empty()) return s.empty();
  if (p[0] == '%') return likeModel(s, p.substr(1)) || (!s.empty() && likeModel(s.substr(1), p));
  if (s.empty()) return false;
  if (p[0] == '_') return likeModel(s.substr(1), p.substr(1));
  const size_t skip = p[0] == '\\' ? 1 : 0;
  return s[0] == p[skip] && likeModel(s.substr(1), p.substr(skip + 1));
}

TEST(ExpressionString, LikeWithConstantAndComputedPatterns) {
  std::mt19937 random(7);
  const auto make = [&](std::string_view alphabet, size_t length_max) {
    std::string result;
    for (size_t i = random() % (length_max + 1); i > 0; --i) result += alphabet[random() % alphabet.size()];
    return result;
  };
  Row row;
  row.add(kText);
  row.add(kText);
  for (int round = 0; round < 60; ++round) {
    const std::string pattern = round % 4 == 0 ? make("ab", 6) + "%" : make("ab%_", 7);
    const auto fixed = call(FunctionId::Like, kBoolean, row.column(0), constant(text(pattern)));
    const auto computed = call(FunctionId::Like, kBoolean, row.column(0), row.column(1));
    std::vector<std::vector<Value>> rows;
    std::vector<Outcome> wanted;
    for (int i = 0; i < 30; ++i) {
      const std::string subject =
          i % 3 == 0 ? pattern.substr(0, pattern.find_first_of("%_")) + make("ab", 20) : make("ab", 20);
      rows.push_back({text(subject), text(pattern)});
      wanted.push_back(gives(boolean(likeModel(subject, pattern))));
    }
    EXPECT_EQ(evaluate(row, *fixed, rows), wanted) << pattern;
    EXPECT_EQ(evaluate(row, *computed, rows), wanted) << pattern;
  }
}

TEST(ExpressionString, LikeEscapesAndFaultyPatterns) {
  EXPECT_EQ(over(text("50%"), FunctionId::Like, kBoolean, {text("50\\%")}), gives(boolean(true)));
  EXPECT_EQ(over(text("50x"), FunctionId::Like, kBoolean, {text("50\\%")}), gives(boolean(false)));
  EXPECT_EQ(over(text("50%"), FunctionId::Like, kBoolean, {text("50#%"), text("#")}), gives(boolean(true)));
  EXPECT_EQ(over(text("PROMO"), FunctionId::ILike, kBoolean, {text("promo%")}), gives(boolean(true)));
  EXPECT_EQ(over(text("xy"), FunctionId::Like, kBoolean, {text("x\\")}),
            fails("22025 LIKE pattern must not end with escape character"));
  EXPECT_EQ(over(null(kText), FunctionId::Like, kBoolean, {text("%")}), gives(null(kBoolean)));
}

TEST(ExpressionString, CastsToStringsTruncateOnlyWhenExplicit) {
  EXPECT_EQ(cast(text("abcdef"), varcharType(3)), gives(text("abc", varcharType(3))));
  EXPECT_EQ(cast(text("abcdef"), varcharType(3), false).error.substr(0, 5), "22001");
  EXPECT_EQ(cast(text("ab"), charType(4)), gives(text("ab  ", charType(4))));
  EXPECT_EQ(cast(text("ab  ", charType(4)), kText), gives(text("ab")));
  EXPECT_EQ(cast(text("ab  ", charType(4)), charType(6)), gives(text("ab    ", charType(6))));
  EXPECT_EQ(cast(integer(-12345), kText), gives(text("-12345")));
  EXPECT_EQ(cast(integer(12345), varcharType(2)), gives(text("12", varcharType(2))));
  EXPECT_EQ(cast(boolean(true), kText), gives(text("true")));
  EXPECT_EQ(cast(decimal(-5, Type::decimal(15, 2)), kText), gives(text("-0.05")));
  EXPECT_EQ(cast(floating(0.1), kText), gives(text("0.1")));
  EXPECT_EQ(cast(floating(static_cast<double>(0.1F), kReal), kText), gives(text("0.1")));
  EXPECT_EQ(cast(parsed(kBig, "1.500"), kText), gives(text("1.500")));
  EXPECT_EQ(cast(parsed(kDate, "1998-12-01"), kText), gives(text("1998-12-01")));
  EXPECT_EQ(cast(parsed(kTimestamp, "1998-12-01 01:02:03.5"), kText), gives(text("1998-12-01 01:02:03.5")));
  EXPECT_EQ(cast(parsed(kInterval, "1 year 2 days"), kText), gives(text("1 year 2 days")));
}

TEST(ExpressionString, RelabellingTakesNoBranch) {
  Row row;
  row.add(varcharType(10));
  const auto relabelled = Expression::cast(row.column(0), kText, false);
  EXPECT_EQ(Compiled(row, *relabelled, {.mode = ExecutionMode::Vm}).irText().find("condbr"), std::string::npos);
  EXPECT_EQ(cast(text("abc", varcharType(10)), varcharType(-5)), gives(text("abc", varcharType(-5))));
  EXPECT_EQ(cast(null(varcharType(10)), kText), gives(null(kText)));
  EXPECT_EQ(cast(text("ab  ", charType(4)), Type::of(TypeKind::Char)), gives(text("ab  ", Type::of(TypeKind::Char))));
}

TEST(ExpressionString, CastsFromTextReadAsInput) {
  EXPECT_EQ(cast(text(" 42 "), kInteger), gives(integer(42)));
  EXPECT_EQ(cast(text("4x"), kInteger), fails("22P02 invalid input syntax for type integer: \"4x\""));
  EXPECT_EQ(cast(text("99999"), kSmallint), fails("22003 value \"99999\" is out of range for type smallint"));
  EXPECT_EQ(cast(text("yes"), kBoolean), gives(boolean(true)));
  EXPECT_EQ(cast(text("1.005"), sql::numericWithModifier(10, 2)), gives(decimal(101, sql::numericWithModifier(10, 2))));
  EXPECT_EQ(cast(text("1.50"), kBig), gives(parsed(kBig, "1.50")));
  EXPECT_EQ(cast(text("0.1"), kDouble), gives(floating(0.1)));
  EXPECT_EQ(cast(text("1998-12-01"), kDate), gives(parsed(kDate, "1998-12-01")));
  EXPECT_EQ(cast(text("1998-12-01 10:00"), kTimestamp), gives(parsed(kTimestamp, "1998-12-01 10:00")));
  EXPECT_EQ(cast(text("1 month"), kInterval), gives(parsed(kInterval, "1 month")));
  EXPECT_EQ(cast(null(kText), kInteger), gives(null(kInteger)));
}

}  // namespace
}  // namespace gnomon::codegen::test
