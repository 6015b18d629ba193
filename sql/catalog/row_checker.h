#pragma once

#include <cstdint>

#include "storage/relation/schema.h"

namespace gnomon::sql {

/// Tests rows of a table against conditions of CHECK constraints. The room that compiles provides it. Threads: one.
class RowChecker {
 public:
  static constexpr uint32_t kNone = UINT32_MAX;
  virtual ~RowChecker() = default;

  /// The number of the first condition that is FALSE for the row, given as stored; kNone: there is none. Only the
  /// columns that the conditions mention need to be there. Failure: what the conditions raise for this row; 53200.
  virtual uint32_t firstViolation(const storage::Datum* values, const uint8_t* null_flags) = 0;
};

}  // namespace gnomon::sql
