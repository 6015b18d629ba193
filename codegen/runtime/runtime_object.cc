#include "codegen/runtime/runtime_object.h"

#include <x86intrin.h>

namespace gnomon::codegen {

uint64_t rt::readTicks() {
  return __rdtsc();
}

}  // namespace gnomon::codegen
