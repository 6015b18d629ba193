#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "base/string_value.h"
#include "sql/types/type.h"

/// What the catalog's own types read and write: oid and its kin, name, "char", int2vector, oidvector.
namespace gnomon::sql {

inline constexpr size_t kNameBytesMax = 63;

/// An oid or xid from decimal digits; as in PostgreSQL a negative number of 32 bits is the one with the same bits.
/// Failure: 22P02, 22003, which name the type.
uint32_t parseOid(std::string_view text, std::string_view type = "oid");
/// Failure: 22003 "OID out of range".
uint32_t oidOf(int64_t number);

/// A value of such a type (Type::isOid()) from its text. Failure: as parseOid; the object's: there is none.
uint32_t parseObject(TypeKind kind, std::string_view text);
/// Appends the number, or the name of the object; of none "-".
void appendObjectText(TypeKind kind, uint32_t oid, std::string& out);

/// As much of the text as a name has room for: whole characters.
std::string_view fitName(std::string_view text);
/// The first byte of a text, but of four characters like \303 the byte with these octal digits; bytes that are not
/// ASCII are shown so.
std::string parseInternalChar(std::string_view text);
void appendInternalCharText(std::string_view value, std::string& out);

/// A vector, held as an array, from numbers with spaces between them. Failure: the numbers'.
std::string parseVectorText(Type vector, std::string_view text);
void appendVectorText(Type vector, StringValue value, std::string& out);
/// As an array's; without elements it has a dimension nevertheless.
void appendVectorBinary(Type vector, StringValue value, std::string& out);

}  // namespace gnomon::sql
