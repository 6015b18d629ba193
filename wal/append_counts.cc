#include "wal/append_counts.h"

namespace gnomon::wal {

AppendCounts& appendedByThread() {
  static thread_local AppendCounts counts;
  return counts;
}

}  // namespace gnomon::wal
