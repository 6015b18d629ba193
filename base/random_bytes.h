#pragma once

#include <unistd.h>

#include <cstddef>

#include "base/assert.h"

namespace gnomon {

/// Fills with the system's random bytes, fit for secrets; up to 256 at a time. Threads: any.
inline void fillRandom(void* bytes, size_t count) {
  CHECK(::getentropy(bytes, count) == 0, "the kernel has random bytes");
}

}  // namespace gnomon
