#include "base/large_memory.h"

#include <sys/mman.h>

#include <algorithm>
#include <cstdint>
#include <cstdlib>

namespace gnomon {

namespace {
/// Up to here the heap serves: to have a huge page and to clear it takes longer than many a statement.
constexpr size_t kHeapBytesMax = size_t{1} << 20;

size_t roundedUp(size_t bytes) {
  return (bytes + kHugePageBytes - 1) & ~(kHugePageBytes - 1);
}
}  // namespace

void* allocateLarge(size_t bytes) {
  if (bytes <= kHeapBytesMax) return std::calloc(1, std::max<size_t>(bytes, 1));
  const size_t wanted = roundedUp(bytes);
  void* mapping = mmap(nullptr, wanted + kHugePageBytes, PROT_READ | PROT_WRITE,
                       MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (mapping == MAP_FAILED) return nullptr;
  // Keep the aligned part, give back what stands before and behind it.
  const auto start = reinterpret_cast<uintptr_t>(mapping);
  const uintptr_t aligned = roundedUp(start);
  if (aligned != start) munmap(mapping, aligned - start);
  const size_t behind = start + kHugePageBytes - aligned;
  if (behind) munmap(reinterpret_cast<void*>(aligned + wanted), behind);
  madvise(reinterpret_cast<void*>(aligned), wanted, MADV_HUGEPAGE);
  return reinterpret_cast<void*>(aligned);
}

void freeLarge(void* memory, size_t bytes) {
  if (bytes <= kHeapBytesMax) return std::free(memory);
  munmap(memory, roundedUp(bytes));
}

}  // namespace gnomon
