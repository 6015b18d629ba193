#pragma once

#include <cstdint>
#include <string>

#include "sql/types/bytea.h"
#include "sql/types/type.h"

namespace gnomon::sql {

/// Appends what "Failing row contains (...)" shows of a value held as generated code holds it: its text, or the
/// characters within the first 64 bytes of it and "...".
void appendFailingValue(Type type, uint64_t lo, uint64_t hi, ByteaOutput bytea_output, std::string& out);

}  // namespace gnomon::sql
