#pragma once

#include <cstddef>

namespace gnomon {

/// Memory for hash tables and arenas, taken from the system in whole pages: blocks of kHugePageBytes and more are
/// aligned to it and asked to be backed by huge pages, since random access over many small pages is bound by the TLB.
/// Content: zero. Failure: null.
void* allocateLarge(size_t bytes);
void freeLarge(void* memory, size_t bytes);

inline constexpr size_t kHugePageBytes = size_t{2} << 20;

}  // namespace gnomon
