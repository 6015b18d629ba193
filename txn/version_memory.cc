#include "txn/version_memory.h"

#include <fmt/format.h>

#include "base/sql_error.h"

namespace gnomon::txn {

void VersionMemory::take(uint64_t bytes, uint64_t own_bytes) {
  constexpr uint64_t kSmallBytes = uint64_t{1} << 20;
  constexpr uint64_t kReserveShare = 8;
  const uint64_t used = used_bytes_.fetch_add(bytes, std::memory_order_relaxed) + bytes;
  const uint64_t limit = limitBytes();
  if (used <= limit || (own_bytes <= kSmallBytes && used - limit <= limit / kReserveShare)) return;
  release(bytes);
  throw SqlError(sqlstate::kOutOfMemory, "out of memory for row versions")
      .detail(fmt::format("The transaction's row versions take {} bytes, those of all transactions {}; "
                          "version_memory_limit is {} bytes. Versions are kept as long as an older snapshot is in use.",
                          own_bytes, used - bytes, limit))
      .hint("SET TRANSACTION BULK WRITE makes a transaction that changes many rows keep no versions in memory.");
}

}  // namespace gnomon::txn
