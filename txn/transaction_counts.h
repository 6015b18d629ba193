#pragma once

#include <cstddef>
#include <cstdint>

#include "txn/version.h"

namespace gnomon::txn {

/// What transactions there are, and what is kept for their sake.
struct TransactionCounts {
  size_t snapshots = 0;
  Timestamp oldest_snapshot = 0;  ///< the last commit that it sees; without snapshots that of one taken now
  Timestamp last_commit = 0;
  size_t active = 0;           ///< that have written, or are about to
  size_t retained = 0;         ///< committed, and some snapshot may not see them
  uint64_t version_bytes = 0;  ///< memory of the versions of both, and of those that readers may still be at
  size_t version_maps = 0;
  size_t orphaned_maps = 0;  ///< of pages that are not in memory
};

}  // namespace gnomon::txn
