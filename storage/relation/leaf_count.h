#pragma once

#include <atomic>
#include <cstdint>

namespace gnomon::storage {

/// Takes leaves off a relation's count, which is at least 1: after a crash it is an estimate, and may be too small.
/// Threads: one at a time, beside readers.
inline void subtractLeaves(std::atomic<uint64_t>& count, uint64_t gone) {
  const uint64_t known = count.load(std::memory_order_relaxed);
  count.store(known > gone ? known - gone : 1, std::memory_order_relaxed);
}

}  // namespace gnomon::storage
