#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "sql/types/big_numeric.h"
#include "sql/types/bytea.h"
#include "sql/types/type.h"
#include "sql/types/value.h"

namespace gnomon::sql {

/// The value of `type` (modifier and numeric form applied) that `text` denotes: every type's input function.
/// varchar(n) and char(n) are held as by assignment. Failure: the type's (22P02, 22003, 22007, 22001, 22021 ...).
Value parseText(Type type, std::string_view text);

/// Appends the output function's text of a non-null value held as generated code holds it.
void appendText(Type type, uint64_t lo, uint64_t hi, std::string& out, ByteaOutput bytea_output = ByteaOutput::Hex);
void appendText(const Value& value, std::string& out);
std::string toText(const Value& value);

/// A value from PostgreSQL's binary wire format, `parameter` counted from 1 for messages.
/// Failure: 22P03 "incorrect binary data format in bind parameter N", 08P01 when bytes are missing.
Value parseBinary(Type type, std::string_view bytes, unsigned parameter);

/// Appends the bytes of PostgreSQL's binary wire format, without the length word.
void appendBinary(Type type, uint64_t lo, uint64_t hi, std::string& out);
void appendBinary(const Value& value, std::string& out);

/// A numeric in the form and with the modifier of `type`. Failure: 22003; NaN in Small or Wide form is 0A000.
Value numericValue(Type type, const BigNumeric& number);

/// The value as registers hold it. Strings and Big numerics refer to `value.bytes`, storage Persistent.
struct RegisterPair {
  uint64_t lo;
  uint64_t hi;
};
RegisterPair toRegisters(const Value& value);
/// A value from registers; strings are copied.
Value fromRegisters(Type type, uint64_t lo, uint64_t hi);

}  // namespace gnomon::sql
