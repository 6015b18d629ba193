#pragma once

#include <atomic>
#include <cstdint>
#include <string>

#include "base/sql_error.h"

namespace gnomon {

/// What a statement's memory may sum to. Threads: charge and release from any thread.
/// Failure: charge over the limit throws 53200 and charges nothing.
class MemoryAccount {
 public:
  explicit MemoryAccount(uint64_t limit_bytes = UINT64_MAX) : limit_bytes_(limit_bytes) {}
  MemoryAccount(const MemoryAccount&) = delete;
  MemoryAccount& operator=(const MemoryAccount&) = delete;

  void charge(uint64_t bytes) {
    const uint64_t used = used_bytes_.fetch_add(bytes, std::memory_order_relaxed) + bytes;
    if (used > limit_bytes_) [[unlikely]] {
      used_bytes_.fetch_sub(bytes, std::memory_order_relaxed);
      throw SqlError(sqlstate::kOutOfMemory, "out of memory")
          .detail("The statement asked for " + std::to_string(used) + " bytes; query_memory is " +
                  std::to_string(limit_bytes_) + " bytes.");
    }
  }
  void release(uint64_t bytes) { used_bytes_.fetch_sub(bytes, std::memory_order_relaxed); }
  [[nodiscard]] uint64_t usedBytes() const { return used_bytes_.load(std::memory_order_relaxed); }

 private:
  std::atomic<uint64_t> used_bytes_{0};
  const uint64_t limit_bytes_;
};

}  // namespace gnomon
