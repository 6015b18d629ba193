#include <gtest/gtest.h>

#include "base/sql_error.h"
#include "sql/tests/type_case.h"
#include "sql/types/text_io.h"

namespace gnomon::sql {
namespace {

using test::TypeCase;

/// Calls and what PostgreSQL 15 answered.
const TypeCase kBinary[] = {
    {{"send", "0", "int2"}, "\\x0000"},
    {{"send", "0", "int4"}, "\\x00000000"},
    {{"send", "0", "int8"}, "\\x0000000000000000"},
    {{"send", "0", "float4"}, "\\x00000000"},
    {{"send", "0", "float8"}, "\\x0000000000000000"},
    {{"send", "0", "numeric"}, "\\x0000000000000000"},
    {{"send", "-1", "int2"}, "\\xffff"},
    {{"send", "-1", "int4"}, "\\xffffffff"},
    {{"send", "-1", "int8"}, "\\xffffffffffffffff"},
    {{"send", "-1", "float4"}, "\\xbf800000"},
    {{"send", "-1", "float8"}, "\\xbff0000000000000"},
    {{"send", "-1", "numeric"}, "\\x00010000400000000001"},
    {{"send", "-1", "numeric(18,4)"}, "\\x00010000400000040001"},
    {{"send", "32767", "int2"}, "\\x7fff"},
    {{"send", "32767", "int4"}, "\\x00007fff"},
    {{"send", "32767", "float4"}, "\\x46fffe00"},
    {{"send", "32767", "numeric(30,10)"}, "\\x000200010000000a00030acf"},
    {{"send", "1234567.891", "numeric"}, "\\x0003000100000003007b11d722ce"},
    {{"send", "1234567.891", "numeric(15,2)"}, "\\x0003000100000002007b11d722c4"},
    {{"send", "1234567.891", "numeric(38,9)"}, "\\x0003000100000009007b11d722ce"},
    {{"send", "1234567.891", "float8"}, "\\x4132d687e4189375"},
    {{"send", "1234567.891", "float4"}, "\\x4996b43f"},
    {{"send", "0.0001", "numeric"}, "\\x0001ffff000000040001"},
    {{"send", "0.0001", "numeric(10,5)"}, "\\x0001ffff000000050001"},
    {{"send", "0.0001", "numeric(10,4)"}, "\\x0001ffff000000040001"},
    {{"send", "0.0001", "numeric(38,30)"}, "\\x0001ffff0000001e0001"},
    {{"send", "0.0001", "float8"}, "\\x3f1a36e2eb1c432d"},
    {{"send", "99999999999999999999999999.5", "numeric"}, "\\x00080006000000010063270f270f270f270f270f270f1388"},
    {{"send", "99999999999999999999999999.5", "numeric(38,3)"}, "\\x00080006000000030063270f270f270f270f270f270f1388"},
    {{"send", "NaN", "numeric"}, "\\x00000000c0000000"},
    {{"send", "NaN", "float8"}, "\\x7ff8000000000000"},
    {{"send", "NaN", "float4"}, "\\x7fc00000"},
    {{"send", "Infinity", "numeric"}, "\\x00000000d0000020"},
    {{"send", "Infinity", "float8"}, "\\x7ff0000000000000"},
    {{"send", "Infinity", "date"}, "\\x7fffffff"},
    {{"send", "Infinity", "timestamp"}, "\\x7fffffffffffffff"},
    {{"send", "-Infinity", "numeric"}, "\\x00000000f0000020"},
    {{"send", "-Infinity", "float4"}, "\\xff800000"},
    {{"send", "-Infinity", "date"}, "\\x80000000"},
    {{"send", "-Infinity", "timestamp"}, "\\x8000000000000000"},
    {{"send", "1999-01-08", "date"}, "\\xfffffe9a"},
    {{"send", "1999-01-08", "timestamp"}, "\\xffffe3de44cfc000"},
    {{"send", "1999-01-08 04:05:06.7", "timestamp"}, "\\xffffe3e1b1662ee0"},
    {{"send", "1 year 2 mons -3 days 04:05:06.7", "interval"}, "\\x000000036c966ee0fffffffd0000000e"},
    {{"send", "t", "bool"}, "\\x01"},
    {{"send", "hello", "text"}, "\\x68656c6c6f"},
    {{"send", "hello", "varchar"}, "\\x68656c6c6f"},
    {{"send", "100000000", "numeric"}, "\\x00010002000000000001"},
    {{"send", "100000000", "numeric(18,0)"}, "\\x00010002000000000001"},
    {{"send", "100000000", "numeric(30,5)"}, "\\x00010002000000050001"},
    {{"send", "10000.5000", "numeric"}, "\\x0003000100000004000100001388"},
    {{"send", "10000.5000", "numeric(18,4)"}, "\\x0003000100000004000100001388"},
    {{"send", "-123456789012345678901234567890123456789012345.6789", "numeric"},
     "\\x000d000b40000004000109291a85007b11d722c509291a85007b11d722c509291a85"},
};

const TypeCase kFloats[] = {
    {{"cast", "0", "float8"}, "0"},
    {{"cast", "-0", "float8"}, "-0"},
    {{"cast", "0.1", "float8"}, "0.1"},
    {{"cast", "1e20", "float8"}, "1e+20"},
    {{"cast", "1e15", "float8"}, "1e+15"},
    {{"cast", "1e14", "float8"}, "100000000000000"},
    {{"cast", "123456789012345678", "float8"}, "1.2345678901234568e+17"},
    {{"cast", "1e-4", "float8"}, "0.0001"},
    {{"cast", "1e-5", "float8"}, "1e-05"},
    {{"cast", "5e-324", "float8"}, "5e-324"},
    {{"cast", "1.7976931348623157e308", "float8"}, "1.7976931348623157e+308"},
    {{"cast", "1e23", "float8"}, "9.999999999999999e+22"},
    {{"cast", "9007199254740993", "float8"}, "9.007199254740992e+15"},
    {{"cast", "0x1A", "float8"}, "26"},
    {{"cast", "inf", "float8"}, "Infinity"},
    {{"cast", "-Infinity", "float8"}, "-Infinity"},
    {{"cast", "nan", "float8"}, "NaN"},
    {{"cast", "1e400", "float8"}, "22003: \"1e400\" is out of range for type double precision"},
    {{"cast", "1e-400", "float8"}, "22003: \"1e-400\" is out of range for type double precision"},
    {{"cast", " 1.5 ", "float8"}, "1.5"},
    {{"cast", "", "float8"}, "22P02: invalid input syntax for type double precision: \"\""},
    {{"cast", "1x", "float8"}, "22P02: invalid input syntax for type double precision: \"1x\""},
    {{"cast", "2e22", "float8"}, "2e+22"},
    {{"cast", "3e23", "float8"}, "3e+23"},
    {{"cast", "4503599627370496.5", "float8"}, "4.503599627370496e+15"},
    {{"cast", "8.41e21", "float8"}, "8.409999999999999e+21"},
    {{"cast", "9.5e-7", "float8"}, "9.5e-07"},
    {{"cast", "100", "float8"}, "100"},
    {{"cast", "1e5", "float8"}, "100000"},
    {{"cast", "0.1", "float4"}, "0.1"},
    {{"cast", "1e6", "float4"}, "1e+06"},
    {{"cast", "1e5", "float4"}, "100000"},
    {{"cast", "1234567", "float4"}, "1.234567e+06"},
    {{"cast", "33554432", "float4"}, "3.3554432e+07"},
    {{"cast", "1e40", "float4"}, "22003: \"1e40\" is out of range for type real"},
    {{"cast", "1e-50", "float4"}, "22003: \"1e-50\" is out of range for type real"},
    {{"cast", "abc", "float4"}, "22P02: invalid input syntax for type real: \"abc\""},
    {{"cast", "16777216", "float4"}, "1.6777216e+07"},
    {{"cast", "3.4028235e38", "float4"}, "3.4028235e+38"},
    {{"cast", "1.17549435e-38", "float4"}, "1.1754944e-38"},
    {{"cast", "0.3", "float4"}, "0.3"},
    {{"cast", "8388608.5", "float4"}, "8.388608e+06"},
};

TEST(TextIo, SendsPostgresBytes) {
  test::checkCases(kBinary);
}

TEST(TextIo, ReadsAndPrintsFloatsAsPostgres) {
  test::checkCases(kFloats);
}

std::string stateOf(Type type, std::string_view bytes) {
  try {
    parseBinary(type, bytes, 2);
  } catch (const SqlError& error) {
    return std::string(error.state().text()) + ": " + error.message();
  }
  return "none";
}

TEST(TextIo, BinaryOfTheWrongLengthIsRefused) {
  const std::string zeros(9, '\0');
  EXPECT_EQ(stateOf(Type::of(TypeKind::Integer), std::string_view(zeros).substr(0, 3)),
            "08P01: insufficient data left in message");
  EXPECT_EQ(stateOf(Type::of(TypeKind::Integer), std::string_view(zeros).substr(0, 5)),
            "22P03: incorrect binary data format in bind parameter 2");
  EXPECT_EQ(stateOf(Type::of(TypeKind::Numeric), zeros), "22P03: incorrect binary data format in bind parameter 2");
  EXPECT_EQ(stateOf(Type::of(TypeKind::Text), "a\xff"), "22021: invalid byte sequence for encoding \"UTF8\": 0xff");
}

TEST(TextIo, RegistersAndValuesConvertBothWays) {
  for (const char* text : {"short", "a text that does not fit into a header"}) {
    const Value value = parseText(Type::of(TypeKind::Text), text);
    const RegisterPair registers = toRegisters(value);
    EXPECT_EQ(fromRegisters(value.type, registers.lo, registers.hi).bytes, text);
  }
}

}  // namespace
}  // namespace gnomon::sql
