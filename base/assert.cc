#include "base/assert.h"

#include <cstdio>
#include <cstdlib>

namespace gnomon {

void failCheck(const char* condition, const char* invariant, const char* file, int line) {
  std::fprintf(stderr, "%s:%d: invariant %s does not hold: %s\n", file, line, invariant, condition);
  std::fflush(stderr);
  std::abort();
}

}  // namespace gnomon
