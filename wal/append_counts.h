#pragma once

#include <cstdint>

namespace gnomon::wal {

/// What a thread has appended to logs since it began.
struct AppendCounts {
  uint64_t records = 0;
  uint64_t bytes = 0;  ///< bodies, record headers and claims
};

/// Of the calling thread. Lifetime: the thread's.
inline AppendCounts& appendedByThread() {
  static thread_local constinit AppendCounts counts;
  return counts;
}

}  // namespace gnomon::wal
