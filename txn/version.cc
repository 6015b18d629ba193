#include "txn/version.h"

#include <algorithm>

namespace gnomon::txn {

bool SnapshotStarts::tellApart(Timestamp from, Timestamp to) const {
  const auto next = std::ranges::lower_bound(starts, from);
  return next != starts.end() && *next < to;
}

}  // namespace gnomon::txn
