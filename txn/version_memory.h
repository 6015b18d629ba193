#pragma once

#include <atomic>
#include <cstdint>

namespace gnomon::txn {

/// The memory that row versions take: before-images, chains and marks of appended tuples, of transactions at work and
/// of those that ended and are kept for older snapshots. Bulk transactions take none.
///
/// Threads: any. Transactions take it in portions, so that small ones come here once.
class VersionMemory {
 public:
  [[nodiscard]] uint64_t usedBytes() const { return used_bytes_.load(std::memory_order_relaxed); }
  [[nodiscard]] uint64_t limitBytes() const { return limit_bytes_.load(std::memory_order_relaxed); }
  void setLimit(uint64_t bytes) { limit_bytes_.store(bytes, std::memory_order_relaxed); }

  /// More than half of it is used.
  [[nodiscard]] bool isScarce() const { return usedBytes() > limitBytes() / 2; }

  /// `own_bytes`: what the transaction has already. Where there is too little left those with little of their own may
  /// use one eighth more: a large transaction does not stop small ones. Failure: 53200, with a hint; nothing is taken.
  void take(uint64_t bytes, uint64_t own_bytes);
  void release(uint64_t bytes) { used_bytes_.fetch_sub(bytes, std::memory_order_relaxed); }

 private:
  std::atomic<uint64_t> used_bytes_{0};
  std::atomic<uint64_t> limit_bytes_{UINT64_MAX};
};

}  // namespace gnomon::txn
