#pragma once

#include <array>
#include <atomic>
#include <cstdint>

#include "storage/page.h"

namespace gnomon::storage {

/// One count for each size class, for what is rare beside page accesses: reads, writes, evictions. Threads: any.
class ClassCounters {
 public:
  void add(SizeClass size_class) { counts_[size_class.index].fetch_add(1, std::memory_order_relaxed); }
  void subtract(SizeClass size_class) { counts_[size_class.index].fetch_sub(1, std::memory_order_relaxed); }
  [[nodiscard]] uint64_t value(SizeClass size_class) const {
    return counts_[size_class.index].load(std::memory_order_relaxed);
  }

 private:
  std::array<std::atomic<uint64_t>, kSizeClassCount> counts_{};
};

}  // namespace gnomon::storage
