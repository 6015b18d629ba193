#include <gtest/gtest.h>

#include "sql/tests/type_case.h"
#include "sql/types/cast.h"
#include "sql/types/type.h"

namespace gnomon::sql {
namespace {

using test::TypeCase;

/// Calls and what PostgreSQL 15 answered.
const TypeCase kCasts[] = {
    {{"cast", "1", "bool", "int4"}, "1"},
    {{"cast", "0", "int4", "bool"}, "f"},
    {{"cast", "t", "bool", "text"}, "true"},
    {{"cast", "t", "bool", "varchar(2)"}, "tr"},
    {{"cast", "2.5", "float8", "int4"}, "2"},
    {{"cast", "3.5", "float8", "int8"}, "4"},
    {{"cast", "-2.5", "float4", "int2"}, "-2"},
    {{"cast", "1e10", "float8", "int4"}, "22003: integer out of range"},
    {{"cast", "nan", "float8", "int8"}, "22003: bigint out of range"},
    {{"cast", "1e300", "float8", "float4"}, "22003: value out of range: overflow"},
    {{"cast", "1e-300", "float8", "float4"}, "22003: value out of range: underflow"},
    {{"cast", "70000", "int4", "int2"}, "22003: smallint out of range"},
    {{"cast", "70000", "int8", "float4"}, "70000"},
    {{"cast", "12345678901", "int8", "int4"}, "22003: integer out of range"},
    {{"cast", "16777217", "int4", "float4"}, "1.6777216e+07"},
    {{"cast", "12.345", "numeric", "float4"}, "12.345"},
    {{"cast", "12.345", "numeric(10,3)", "numeric(10,1)"}, "12.3"},
    {{"cast", "12.355", "numeric(10,3)", "numeric(38,2)"}, "12.36"},
    {{"cast", "999.99", "numeric", "numeric(3,1)"}, "22003: numeric field overflow"},
    {{"cast", "12", "int4", "numeric(3,2)"}, "22003: numeric field overflow"},
    {{"cast", "5", "int4", "numeric"}, "5"},
    {{"cast", "1.5", "numeric", "text"}, "1.5"},
    {{"cast", "abcdef", "text", "varchar(3)"}, "abc"},
    {{"cast", "ab", "text", "char(4)"}, "ab  "},
    {{"cast", "ab  ", "char(4)", "text"}, "ab"},
    {{"cast", "ab", "char(4)", "varchar(3)"}, "ab"},
    {{"cast", "日本語", "text", "char(2)"}, "日本"},
    {{"cast", "42", "text", "int4"}, "42"},
    {{"cast", "42 ", "char(5)", "int4"}, "42"},
    {{"cast", "x", "text", "int4"}, "22P02: invalid input syntax for type integer: \"x\""},
    {{"cast", "2000-01-02", "date", "timestamp"}, "2000-01-02 00:00:00"},
    {{"cast", "2000-01-02 23:59", "timestamp", "date"}, "2000-01-02"},
    {{"cast", "infinity", "date", "timestamp"}, "infinity"},
    {{"cast", "2000-01-01 12:34:56.789", "timestamp", "timestamp(1)"}, "2000-01-01 12:34:56.8"},
    {{"cast", "1 day", "interval", "text"}, "1 day"},
    {{"cast", "2000-01-01", "date", "text"}, "2000-01-01"},
    {{"cast", "2000-01-01", "date", "int4"}, "42846: cannot cast type date to integer"},
    {{"cast", "1", "int4", "date"}, "42846: cannot cast type integer to date"},
    {{"cast", "1", "int2", "bool"}, "42846: cannot cast type smallint to boolean"},
    {{"cast", "1", "int8", "bool"}, "42846: cannot cast type bigint to boolean"},
    {{"cast", "1.25", "float8", "numeric(10,1)"}, "1.3"},
    {{"cast", "0.1", "float4", "float8"}, "0.10000000149011612"},
    {{"cast", "1e20", "float4", "text"}, "1e+20"},
    {{"cast", "t", "bool", "int8"}, "42846: cannot cast type boolean to bigint"},
};

TEST(Cast, AnswersAsPostgres) {
  test::checkCases(kCasts);
}

TEST(Cast, ContextsArePostgres) {
  EXPECT_EQ(castContext(TypeKind::Integer, TypeKind::Bigint), CastContext::Implicit);
  EXPECT_EQ(castContext(TypeKind::Bigint, TypeKind::Integer), CastContext::Assignment);
  EXPECT_EQ(castContext(TypeKind::Numeric, TypeKind::Double), CastContext::Implicit);
  EXPECT_EQ(castContext(TypeKind::Integer, TypeKind::Boolean), CastContext::Explicit);
  EXPECT_EQ(castContext(TypeKind::Bigint, TypeKind::Boolean), CastContext::None);
  EXPECT_EQ(castContext(TypeKind::Integer, TypeKind::Text), CastContext::Assignment);
  EXPECT_EQ(castContext(TypeKind::Text, TypeKind::Integer), CastContext::Explicit);
  EXPECT_EQ(castContext(TypeKind::Date, TypeKind::Timestamp), CastContext::Implicit);
  EXPECT_EQ(castContext(TypeKind::Timestamp, TypeKind::Date), CastContext::Assignment);
  EXPECT_EQ(castContext(TypeKind::Date, TypeKind::Integer), CastContext::None);
}

TEST(Type, NamesAreFormatTypes) {
  EXPECT_EQ(numericWithModifier(15, 2).name(), "numeric(15,2)");
  EXPECT_EQ(Type::of(TypeKind::Varchar, 14).name(), "character varying(10)");
  EXPECT_EQ(Type::of(TypeKind::Char, 5).name(), "character(1)");
  EXPECT_EQ(Type::of(TypeKind::Timestamp).name(), "timestamp without time zone");
  EXPECT_EQ(Type::of(TypeKind::Timestamp, 3).name(), "timestamp(3) without time zone");
  EXPECT_EQ(numericWithModifier(18, 2).physical(), Physical::Int64);
  EXPECT_EQ(numericWithModifier(38, 2).physical(), Physical::Int128);
  EXPECT_EQ(numericWithModifier(39, 2).physical(), Physical::String);
}

}  // namespace
}  // namespace gnomon::sql
