#include "codegen/runtime/wire_buffer.h"

#include <algorithm>
#include <cstdlib>

#include "base/sql_error.h"

namespace gnomon::codegen::rt {

WireBuffer::~WireBuffer() {
  if (account) account->release(static_cast<size_t>(end - begin));
  std::free(begin);
}

void WireBuffer::grow(size_t bytes) {
  constexpr size_t kFirstBytes = 8192;
  const size_t used = size();
  const size_t capacity = std::max({kFirstBytes, 2 * static_cast<size_t>(end - begin), used + bytes});
  const size_t more = capacity - static_cast<size_t>(end - begin);
  if (account) account->charge(more);
  auto* memory = static_cast<char*>(std::realloc(begin, capacity));
  if (!memory) {
    if (account) account->release(more);
    throw SqlError(sqlstate::kOutOfMemory, "out of memory");
  }
  begin = memory;
  cur = memory + used;
  end = memory + capacity;
}

}  // namespace gnomon::codegen::rt
