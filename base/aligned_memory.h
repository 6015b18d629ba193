#pragma once

#include <cstddef>
#include <cstdlib>
#include <memory>
#include <new>

#include "base/file_io.h"

namespace gnomon {

struct FreeAligned {
  void operator()(std::byte* memory) const { std::free(memory); }
};
/// Memory that O_DIRECT can read and write.
using AlignedMemory = std::unique_ptr<std::byte[], FreeAligned>;

/// `bytes`: a multiple of kIoAlignment. Throws std::bad_alloc.
inline AlignedMemory allocateAligned(size_t bytes) {
  auto* memory = static_cast<std::byte*>(std::aligned_alloc(kIoAlignment, bytes));
  if (!memory) throw std::bad_alloc();
  return AlignedMemory(memory);
}

}  // namespace gnomon
