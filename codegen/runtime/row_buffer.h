#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "base/arena.h"

namespace gnomon::codegen {

/// Asked before a row buffer takes more memory; it may clear the buffer.
class RowBufferOwner {
 public:
  virtual void makeRoom() = 0;

 protected:
  ~RowBufferOwner() = default;
};

/// Materialised rows of one size, appended by one worker, in chunks of its arena. Rows never move.
///
/// Layout: generated code appends by itself while `next + row_bytes <= end` and calls grow() otherwise.
/// Rows are aligned to 16 bytes; row_bytes is a multiple of 16.
struct RowBuffer {
  struct Chunk {
    char* begin;
    char* end;  ///< of the chunk's rows; of the last chunk's it is `next`
  };

  char* next = nullptr;
  char* end = nullptr;
  Arena* arena = nullptr;
  uint64_t row_bytes = 0;
  std::vector<Chunk> chunks;
  RowBufferOwner* owner = nullptr;  ///< null: nobody is asked
  uint64_t chunk_rows_max = UINT64_MAX;

  void open(Arena* row_arena, uint64_t bytes_per_row) {
    arena = row_arena;
    row_bytes = bytes_per_row;
  }
  char* append() {
    if (static_cast<uint64_t>(end - next) < row_bytes) [[unlikely]]
      grow();
    char* row = next;
    next += row_bytes;
    return row;
  }
  /// The next row belongs to the last one's chunk.
  [[nodiscard]] bool hasRoom() const { return static_cast<uint64_t>(end - next) >= row_bytes; }
  /// Forgets the rows, whose memory the arena's owner takes back.
  void clear() {
    chunks.clear();
    next = end = nullptr;
  }
  /// Begins a new chunk; afterwards at least one row fits.
  void grow();
  /// Fixes the last chunk's end, so that `chunks` can be read.
  void seal() {
    if (!chunks.empty()) chunks.back().end = next;
  }
  /// Adds the rows' addresses to `rows`.
  void listInto(std::vector<char*>& rows) {
    seal();
    for (const Chunk& chunk : chunks)
      for (char* row = chunk.begin; row != chunk.end; row += row_bytes) rows.push_back(row);
  }
  [[nodiscard]] uint64_t rowCount() const {
    uint64_t bytes = 0;
    for (const Chunk& chunk : chunks)
      bytes += static_cast<uint64_t>((&chunk == &chunks.back() ? next : chunk.end) - chunk.begin);
    return row_bytes ? bytes / row_bytes : 0;
  }
};
static_assert(offsetof(RowBuffer, next) == 0 && offsetof(RowBuffer, end) == 8);

namespace rt {
/// Slow path of generated code's append: the new row.
char* rowBufferGrow(RowBuffer* buffer);
}  // namespace rt

}  // namespace gnomon::codegen
