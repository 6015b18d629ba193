#pragma once

#include <string>
#include <string_view>

#include "sql/types/type.h"

namespace gnomon::sql {

/// Input and output of the types that are held as ordered bytes (Type::isOrderedBytes).

/// Failure: the type's.
std::string parseOrderedBytes(Type type, std::string_view text);
void appendOrderedBytesText(Type type, std::string_view bytes, std::string& out);
/// PostgreSQL's binary format. Failure: 22P03, 08P01 and the type's.
std::string parseOrderedBytesBinary(Type type, std::string_view data, unsigned parameter);
void appendOrderedBytesBinary(Type type, std::string_view bytes, std::string& out);

}  // namespace gnomon::sql
