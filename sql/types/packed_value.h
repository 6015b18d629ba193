#pragma once

#include <cstddef>
#include <string>

#include "sql/types/text_io.h"
#include "sql/types/type.h"

/// Values as arrays and records hold them, one behind the other and not aligned.
namespace gnomon::sql {

/// Bytes of a value of fixed size: those that Type::physical() says, a real in 4; 0: strings.
size_t packedWidth(Type type);
/// A value of fixed size, as registers hold it.
RegisterPair loadPacked(Type type, const char* bytes);
void appendPacked(Type type, RegisterPair value, std::string& out);

}  // namespace gnomon::sql
