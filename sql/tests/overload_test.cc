#include "sql/functions/overload.h"

#include <gtest/gtest.h>

namespace gnomon::sql {
namespace {

using enum TypeKind;

std::string operatorFor(std::string_view name, std::vector<TypeKind> actual) {
  const Signature* chosen = nullptr;
  switch (chooseOperator(operatorSignatures(name), actual, chosen)) {
    case OverloadOutcome::None:
      return "none";
    case OverloadOutcome::Ambiguous:
      return "ambiguous";
    case OverloadOutcome::Found:
      break;
  }
  std::string text;
  for (const TypeKind kind : chosen->argumentKinds()) text += Type::of(kind).baseName() + " ";
  return text + "-> " + Type::of(chosen->result).baseName();
}

std::string functionFor(std::string_view name, std::vector<TypeKind> actual) {
  const Signature* chosen = nullptr;
  switch (chooseFunction(functionSignatures(name), actual, chosen)) {
    case OverloadOutcome::None:
      return "none";
    case OverloadOutcome::Ambiguous:
      return "ambiguous";
    case OverloadOutcome::Found:
      break;
  }
  std::string text;
  for (const TypeKind kind : chosen->argumentKinds()) text += Type::of(kind).baseName() + " ";
  return text + "-> " + Type::of(chosen->result).baseName();
}

TEST(Overload, MixesIntegersAndWidensToNumericAndDouble) {
  EXPECT_EQ(operatorFor("+", {Smallint, Smallint}), "smallint smallint -> smallint");
  EXPECT_EQ(operatorFor("+", {Smallint, Bigint}), "smallint bigint -> bigint");
  EXPECT_EQ(operatorFor("+", {Integer, Numeric}), "numeric numeric -> numeric");
  EXPECT_EQ(operatorFor("+", {Integer, Real}), "double precision real -> double precision");
  EXPECT_EQ(operatorFor("+", {Numeric, Double}), "double precision double precision -> double precision");
  EXPECT_EQ(operatorFor("%", {Smallint, Bigint}), "bigint bigint -> bigint");
}

TEST(Overload, TakesUnknownForTheOtherSidesType) {
  EXPECT_EQ(operatorFor("+", {Integer, Unknown}), "integer integer -> integer");
  EXPECT_EQ(operatorFor("=", {Unknown, Date}), "date date -> boolean");
  EXPECT_EQ(operatorFor("=", {Varchar, Unknown}), "text text -> boolean");
  EXPECT_EQ(operatorFor("=", {Char, Unknown}), "character character -> boolean");
  EXPECT_EQ(operatorFor("*", {Interval, Unknown}), "interval double precision -> interval");
  EXPECT_EQ(operatorFor("<", {Unknown, Unknown}), "text text -> boolean");
}

TEST(Overload, ReportsNoneAndAmbiguous) {
  EXPECT_EQ(operatorFor("+", {Unknown, Unknown}), "ambiguous");
  EXPECT_EQ(operatorFor("+", {Date, Unknown}), "ambiguous");
  EXPECT_EQ(operatorFor("+", {Integer, Text}), "none");
  EXPECT_EQ(operatorFor("=", {Integer, Text}), "none");
  EXPECT_EQ(operatorFor("+", {Date, Date}), "none");
  EXPECT_EQ(functionFor("extract", {Unknown, Unknown}), "ambiguous");
  EXPECT_EQ(functionFor("length", {Integer}), "none");
}

TEST(Overload, PrefersTheCategorysPreferredType) {
  EXPECT_EQ(functionFor("round", {Integer}), "double precision -> double precision");
  EXPECT_EQ(functionFor("round", {Integer, Integer}), "numeric integer -> numeric");
  EXPECT_EQ(functionFor("abs", {Unknown}), "double precision -> double precision");
  EXPECT_EQ(functionFor("upper", {Varchar}), "text -> text");
  EXPECT_EQ(functionFor("extract", {Unknown, Date}), "text date -> numeric");
}

TEST(Registry, KnowsWhatPostgresHasAndGnomonHasNot) {
  EXPECT_TRUE(isMissingFunction("area"));
  EXPECT_TRUE(isMissingFunction("setweight"));
  EXPECT_FALSE(isMissingFunction("upper"));
  EXPECT_FALSE(isMissingFunction("no_such_function"));
  EXPECT_TRUE(isMissingOperator("<->"));
  EXPECT_FALSE(isMissingOperator("+"));
}

}  // namespace
}  // namespace gnomon::sql
