#pragma once

#include <cstring>
#include <memory>
#include <mutex>
#include <optional>
#include <vector>

#include "base/arena.h"
#include "codegen/executor/morsel_source.h"
#include "codegen/runtime/row_buffer.h"
#include "codegen/runtime/runtime_object.h"
#include "codegen/runtime/spill_area.h"

namespace gnomon::codegen {

/// Rows that workers materialise, each in memory of its own, and that are scanned afterwards, perhaps several times.
/// With an area, a worker's rows lie there, and are written out when it is full. Threads: a buffer's rows are appended
/// by one worker; the rest by one thread, while nobody appends.
class RowStore final : public RuntimeObject {
 public:
  RowStore(unsigned worker_count, uint64_t row_bytes, MemoryAccount& memory);

  /// The worker's rows and their strings go to the area. Before the first row.
  void spillTo(unsigned worker, SpillArea& area) { parts_[worker]->open(row_bytes_, area); }
  /// Stable address. Strings of its rows outlive the store's, where they have no area.
  [[nodiscard]] RowBuffer& buffer(unsigned worker) { return parts_[worker]->rows; }
  [[nodiscard]] uint64_t rowBytes() const { return row_bytes_; }
  [[nodiscard]] uint64_t rowCount() const;
  /// Rows that lie together, in memory or in a file.
  struct Piece {
    RowBuffer::Chunk chunk{};
    SpilledSegment segment{};
    SpillArea* area = nullptr;  ///< of a segment
  };
  /// The rows, each worker's in their order: nothing may be appended as long as they are used.
  [[nodiscard]] std::vector<Piece> pieces();
  void clear();
  /// Takes out those rows of the worker for which `is_kept` does not hold, which is asked of each by its number.
  template <typename IsKept>
  void filter(unsigned worker, IsKept&& is_kept) {
    RowBuffer& rows = parts_[worker]->rows;
    rows.seal();
    uint64_t number = 0;
    for (RowBuffer::Chunk& chunk : rows.chunks) {
      char* kept_end = chunk.begin;
      for (const char* row = chunk.begin; row != chunk.end; row += row_bytes_) {
        if (!is_kept(number++)) continue;
        std::memmove(kept_end, row, row_bytes_);
        kept_end += row_bytes_;
      }
      chunk.end = kept_end;
    }
    if (!rows.chunks.empty()) rows.next = rows.chunks.back().end;
  }
  /// Exchanges the rows, not the addresses of the buffers. Both have rows of the same size and as many workers.
  void swap(RowStore& other);

 private:
  struct Part final : RowBufferOwner {
    explicit Part(MemoryAccount& memory) : arena(&memory, kFirstBlockBytes) {}
    void open(uint64_t row_bytes, SpillArea& spill_area);
    void makeRoom() override;
    Arena arena;
    RowBuffer rows;
    SpillArea* area = nullptr;
    SpilledRun run;
  };
  static constexpr size_t kFirstBlockBytes = 2048;

  const uint64_t row_bytes_;
  std::vector<std::unique_ptr<Part>> parts_;
};

/// Scans a store, whose rows are all there when the first piece is taken. `data`: rows of equal size; those from a file
/// are gone when the worker asks for more.
class RowStoreSource final : public MorselSource {
 public:
  RowStoreSource(RowStore& store, bool is_ordered, unsigned worker_count)
      : store_(store), is_ordered_(is_ordered), parts_(worker_count) {}
  bool next(Morsel& morsel) override;
  [[nodiscard]] uint64_t rowCount() const override { return store_.rowCount(); }
  [[nodiscard]] bool isOrdered() const override { return is_ordered_; }

 private:
  /// What a worker reads from a file.
  struct Part {
    std::optional<Arena> arena;
    RowBuffer rows;
    std::optional<SpillReader> reader;
  };
  bool readBatch(Part& part, Morsel& morsel) const;

  static constexpr uint64_t kMorselRows = 4096;
  static constexpr uint64_t kBatchRows = 256;
  RowStore& store_;
  const bool is_ordered_;
  std::mutex mutex_;
  bool is_open_ = false;
  std::vector<RowStore::Piece> pieces_;
  size_t piece_ = 0;
  std::vector<Part> parts_;
};

}  // namespace gnomon::codegen
