#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "base/memory_account.h"
#include "base/temporary_file.h"
#include "codegen/runtime/row_buffer.h"
#include "codegen/runtime/row_format.h"

namespace gnomon::codegen {

/// Rows that lie one after another in a temporary file: each its bytes as in memory, then those of its long strings.
struct SpilledSegment {
  const TemporaryFile* file = nullptr;
  uint64_t offset = 0;
  uint64_t bytes = 0;
  uint64_t row_count = 0;
};

/// Segments that belong together, in their order.
using SpilledRun = std::vector<SpilledSegment>;

uint64_t bytesOf(const SpilledRun& run);
uint64_t rowCountOf(const SpilledRun& run);

/// One worker's spilled rows. Threads: one.
class SpillFile {
 public:
  SpillFile(TemporarySpace& space, const RowFormat& format, MemoryAccount& memory);
  ~SpillFile();

  void add(const char* row);
  /// The rows since the last segment. They can be read after finish().
  SpilledSegment endSegment();
  void finish();

  static constexpr uint64_t kBufferBytes = uint64_t{64} << 10;

 private:
  void put(const char* bytes, uint64_t count);
  void flush();
  void releaseBuffer();

  const RowFormat& format_;
  MemoryAccount& memory_;
  TemporaryFile file_;
  std::unique_ptr<char[]> buffer_;  ///< null: between segments
  uint64_t buffered_bytes_ = 0;
  uint64_t segment_begin_ = 0;
  uint64_t segment_rows_ = 0;
};

/// Reads a run, row by row. Threads: one.
class SpillReader {
 public:
  SpillReader(SpilledRun run, const RowFormat& format, MemoryAccount& memory,
              uint64_t buffer_bytes = SpillFile::kBufferBytes);
  ~SpillReader() { memory_.release(charged_bytes_); }
  SpillReader(const SpillReader&) = delete;
  SpillReader& operator=(const SpillReader&) = delete;

  /// Goes to the next row. False: there is none.
  bool advance();
  /// The row, until advance(); its long strings lie in the reader's buffer.
  [[nodiscard]] const char* row() const { return reinterpret_cast<const char*>(row_.data()); }
  /// Copies the row to the end of `rows`, its strings into the arena of it.
  char* copyTo(RowBuffer& rows) const {
    char* const to = rows.append();
    format_.copy(row(), to, *rows.arena);
    return to;
  }

 private:
  struct alignas(16) Unit {
    char bytes[16];
  };
  /// Makes `count` bytes from the place on available.
  const char* require(uint64_t count);
  void charge(uint64_t bytes);

  const SpilledRun run_;
  const RowFormat& format_;
  MemoryAccount& memory_;
  uint64_t charged_bytes_ = 0;
  size_t next_segment_ = 0;   ///< behind the one at hand
  uint64_t rows_left_ = 0;    ///< of it
  uint64_t bytes_left_ = 0;   ///< of it, not yet in the buffer
  uint64_t next_offset_ = 0;  ///< of those
  std::vector<char> buffer_;
  uint64_t begin_ = 0, end_ = 0;  ///< of what was read into the buffer and not yet consumed
  std::vector<Unit> row_;
};

/// Partitions of a hash at one depth of recursion: 64 of them each time.
struct HashPartitioning {
  static constexpr unsigned kBits = 6;
  static constexpr unsigned kPartitions = 1u << kBits;

  unsigned shift = 0;
  [[nodiscard]] unsigned partitionOf(uint64_t hash) const {
    return static_cast<unsigned>(hash >> shift) & (kPartitions - 1);
  }
};

/// Where each partition's rows have gone.
using PartitionRuns = std::vector<SpilledRun>;

/// Writes rows with a hash at byte 8, partition after partition, in their order within each, and adds the segments to
/// `runs`.
void spillPartitions(std::span<char* const> rows, HashPartitioning partitioning, SpillFile& file, PartitionRuns& runs);

}  // namespace gnomon::codegen
