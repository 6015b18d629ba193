#pragma once

#include <cstddef>

namespace gnomon {

/// Memory for hash tables and arenas: blocks of more than half of kHugePageBytes are taken from the system, aligned to
/// it, and asked to be backed by huge pages, since random access over many small pages is bound by the TLB. Smaller
/// ones come from the heap. Content: zero. Failure: null.
void* allocateLarge(size_t bytes);
void freeLarge(void* memory, size_t bytes);

inline constexpr size_t kHugePageBytes = size_t{2} << 20;

}  // namespace gnomon
