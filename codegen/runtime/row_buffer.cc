#include "codegen/runtime/row_buffer.h"

#include <algorithm>

namespace gnomon::codegen {

namespace {
constexpr uint64_t kFirstChunkBytes = 2048;
constexpr uint64_t kChunkBytesMax = uint64_t{256} << 10;
}  // namespace

void RowBuffer::grow() {
  if (owner != nullptr) owner->makeRoom();
  seal();
  const uint64_t doubled = chunks.empty() ? kFirstChunkBytes : 2 * static_cast<uint64_t>(end - chunks.back().begin);
  const uint64_t rows = std::min(std::min(doubled, kChunkBytesMax) / row_bytes, chunk_rows_max);
  const uint64_t bytes = std::max<uint64_t>(rows, 1) * row_bytes;
  char* memory = static_cast<char*>(arena->allocate(bytes));
  chunks.push_back({memory, memory});
  next = memory;
  end = memory + bytes;
}

char* rt::rowBufferGrow(RowBuffer* buffer) {
  return buffer->append();
}

}  // namespace gnomon::codegen
