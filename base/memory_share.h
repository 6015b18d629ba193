#pragma once

#include <atomic>
#include <cstdint>

namespace gnomon {

/// Bytes that several have in common. Threads: any.
class MemoryShare {
 public:
  explicit MemoryShare(uint64_t bytes) : left_(bytes) {}
  /// False: there are not so many left.
  [[nodiscard]] bool tryTake(uint64_t bytes) {
    uint64_t left = left_.load(std::memory_order_relaxed);
    while (left >= bytes)
      if (left_.compare_exchange_weak(left, left - bytes, std::memory_order_relaxed)) return true;
    return false;
  }
  void give(uint64_t bytes) { left_.fetch_add(bytes, std::memory_order_relaxed); }

 private:
  std::atomic<uint64_t> left_;
};

}  // namespace gnomon
