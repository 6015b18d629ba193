#pragma once

#include <string>

#include "wal/log_record.h"

namespace gnomon::storage {

/// What a log record of this room did, for people: "rows appended, tuples 0 to 9; changes page 0:3 after gsn 1 (write,
/// 1 tuple ids); 212 bytes". Whatever the bytes, nothing outside is read; what is not understood is said.
std::string describeBody(const wal::LogRecord& record);

}  // namespace gnomon::storage
