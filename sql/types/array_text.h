#pragma once

#include <string>
#include <string_view>

#include "base/string_value.h"
#include "sql/types/bytea.h"
#include "sql/types/type.h"

namespace gnomon::sql {

/// An encoded array (sql/types/array_value.h) from "{1,NULL,2}", "{{a,\"b c\"},{d,e}}", "[2:3]={1,2}".
/// Failure: 22P02 "malformed array literal", 2202E, 54000; the elements' input functions'.
std::string parseArrayText(Type element, std::string_view text);
/// Appends what parseArrayText reads, quoted where it must be.
void appendArrayText(Type element, StringValue array, std::string& out, ByteaOutput bytea_output);

/// PostgreSQL's binary format. Failure: 22P03, 42804, 08P01, and the elements'. `parameter`: as parseBinary has it.
std::string parseArrayBinary(Type element, std::string_view bytes, unsigned parameter);
void appendArrayBinary(Type element, StringValue array, std::string& out);

/// What separates elements in texts of arrays.
inline constexpr char kArrayDelimiter = ',';

}  // namespace gnomon::sql
