#pragma once

#include <memory>
#include <mutex>
#include <vector>

#include "base/arena.h"
#include "codegen/executor/morsel_source.h"
#include "codegen/runtime/row_buffer.h"
#include "codegen/runtime/runtime_object.h"

namespace gnomon::codegen {

/// Rows that workers materialise, each in memory of its own, and that are scanned afterwards, perhaps several times.
/// Threads: a buffer's rows are appended by one worker; the rest by one thread, while nobody appends.
class RowStore final : public RuntimeObject {
 public:
  RowStore(unsigned worker_count, uint64_t row_bytes, MemoryAccount& memory);

  /// Stable address. Strings of its rows outlive the store's.
  [[nodiscard]] RowBuffer& buffer(unsigned worker) { return parts_[worker]->rows; }
  [[nodiscard]] uint64_t rowBytes() const { return row_bytes_; }
  [[nodiscard]] uint64_t rowCount() const;
  /// The rows, piece by piece: nothing may be appended as long as they are used.
  [[nodiscard]] std::vector<RowBuffer::Chunk> chunks();
  void clear();
  /// Exchanges the rows, not the addresses of the buffers. Both have rows of the same size and as many workers.
  void swap(RowStore& other);

 private:
  struct Part {
    explicit Part(MemoryAccount& memory) : arena(&memory, kFirstBlockBytes) {}
    Arena arena;
    RowBuffer rows;
  };
  static constexpr size_t kFirstBlockBytes = 2048;

  const uint64_t row_bytes_;
  std::vector<std::unique_ptr<Part>> parts_;
};

/// Scans a store, whose rows are all there when the first piece is taken. `data`: rows of equal size.
class RowStoreSource final : public MorselSource {
 public:
  RowStoreSource(RowStore& store, bool is_ordered) : store_(store), is_ordered_(is_ordered) {}
  bool next(Morsel& morsel) override;
  [[nodiscard]] uint64_t rowCount() const override { return store_.rowCount(); }
  [[nodiscard]] bool isOrdered() const override { return is_ordered_; }

 private:
  static constexpr uint64_t kMorselRows = 4096;
  RowStore& store_;
  const bool is_ordered_;
  std::mutex mutex_;
  bool is_open_ = false;
  std::vector<RowBuffer::Chunk> chunks_;
  size_t chunk_ = 0;
};

}  // namespace gnomon::codegen
