#pragma once

#include <cstdint>

namespace gnomon::txn {

/// What the values of a sequence are.
struct SequenceRange {
  int64_t increment = 1;  ///< not 0
  int64_t minimum = 1;
  int64_t maximum = INT64_MAX;
  int64_t cache = 1;  ///< values that a session takes at a time; at least 1
  bool is_cycle = false;
};

/// Where a sequence stands.
struct SequenceState {
  int64_t last_value = 1;
  int64_t log_count = 0;   ///< values after it that are on disk as given already
  bool is_called = false;  ///< false: last_value is the next to be given
};

}  // namespace gnomon::txn
