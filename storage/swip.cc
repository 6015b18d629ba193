#include "storage/swip.h"

#include <atomic>
#include <cstring>

namespace gnomon::storage {

void copyWithSwips(const std::byte* page, uint64_t bytes, std::byte* copy) {
  ASSERT(bytes % sizeof(uint64_t) == 0, "pages are whole words");
  // std::atomic_ref takes no constant objects yet.
  auto* words = reinterpret_cast<uint64_t*>(const_cast<std::byte*>(page));
  for (uint64_t at = 0; at < bytes; at += sizeof(uint64_t)) {
    // What is behind a swip was there before it.
    const uint64_t word = std::atomic_ref(*words++).load(std::memory_order_acquire);
    std::memcpy(copy + at, &word, sizeof(word));
  }
}

}  // namespace gnomon::storage
