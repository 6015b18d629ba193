#include "sql/bind/polymorphic_call.h"

#include <gtest/gtest.h>

#include "base/sql_error.h"

namespace gnomon::sql {
namespace {

constexpr Type kElement = polymorphicType(Polymorphic::AnyElement);
constexpr Type kArray = polymorphicType(Polymorphic::AnyArray);
constexpr Type kCompatible = polymorphicType(Polymorphic::AnyCompatible);
constexpr Type kCompatibleArray = polymorphicType(Polymorphic::AnyCompatibleArray);
constexpr Type kInteger = Type::of(TypeKind::Integer);
constexpr Type kText = Type::of(TypeKind::Text);

/// What `wanted` is in a call with these arguments; "none": they do not fit; else an SQLSTATE.
std::string resolved(const std::vector<std::pair<Type, Type>>& arguments, Type wanted) {
  PolymorphicCall call;
  for (const auto& [declared, actual] : arguments) call.add(declared, actual);
  if (!call.fits()) return "none";
  try {
    return call.resolve(wanted).baseName();
  } catch (const SqlError& error) {
    return error.state().text();
  }
}

TEST(PolymorphicCall, ElementsAreAlikeAndArraysAreOfThem) {
  EXPECT_EQ(resolved({{kElement, kInteger}}, kElement), "integer");
  EXPECT_EQ(resolved({{kElement, kInteger}}, kArray), "integer[]");
  EXPECT_EQ(resolved({{kArray, kText.array()}}, kElement), "text");
  EXPECT_EQ(resolved({{kElement, kInteger}, {kElement, kText}}, kElement), "none");
  EXPECT_EQ(resolved({{kArray, kInteger}}, kElement), "none");
  EXPECT_EQ(resolved({{kArray, kInteger.array()}, {kElement, Type::of(TypeKind::Unknown)}}, kElement), "integer");
  EXPECT_EQ(resolved({{kElement, Type::of(TypeKind::Unknown)}}, kElement), "42804");
  EXPECT_EQ(resolved({{kElement, kInteger.array()}}, kArray), "42704");
}

TEST(PolymorphicCall, CompatibleTypesBecomeWhatTheyHaveInCommon) {
  EXPECT_EQ(resolved({{kCompatible, kInteger}, {kCompatible, Type::of(TypeKind::Numeric)}}, kCompatible), "numeric");
  EXPECT_EQ(
      resolved({{kCompatible, kInteger}, {kCompatibleArray, Type::of(TypeKind::Double).array()}}, kCompatibleArray),
      "double precision[]");
  EXPECT_EQ(resolved({{kCompatible, kInteger}, {kCompatible, kText}}, kCompatible), "none");
  EXPECT_EQ(resolved({{kCompatible, Type::of(TypeKind::Unknown)}}, kCompatible), "text");
}

TEST(PolymorphicCall, ResultsNeedAnInputOfTheirFamily) {
  const RoutineEntry::Parameter element{.name = {}, .type = kElement, .domain = 0, .default_text = {}};
  const std::vector<const RoutineEntry::Parameter*> inputs{&element};
  EXPECT_EQ(undeterminedResult(kArray, inputs), "");
  EXPECT_EQ(undeterminedResult(kInteger, {}), "");
  EXPECT_NE(undeterminedResult(kCompatible, inputs), "");
  EXPECT_NE(undeterminedResult(kElement, {}), "");
}

}  // namespace
}  // namespace gnomon::sql
