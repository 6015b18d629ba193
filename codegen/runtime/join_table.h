#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "base/memory_account.h"
#include "base/worker_pool.h"
#include "codegen/runtime/row_buffer.h"
#include "codegen/runtime/runtime_object.h"

namespace gnomon::codegen {

/// The build side of a join: materialised rows, chained by hash in a directory of tagged pointers.
///
/// Layout of a row:        0 next row of the chain (8), 8 hash (8), 16 payload (TupleLayout)
/// Layout of an entry:     bits 0-47 address of the first row, bits 48-63 a Bloom filter of the chain's hashes: one bit
///                         per row, numbered by the hash's lowest 4 bits. An entry is picked by the hash's top bits.
/// Generated code reads `directory` and `shift`, and for nested loops `rows` and `row_count`.
/// Threads: workers append to builders of their own; build() enlists the pool; then read-only.
class JoinTable final : public RuntimeObject {
 public:
  static constexpr uint64_t kAddressMask = (uint64_t{1} << 48) - 1;
  static constexpr unsigned kTagShift = 48;
  static constexpr uint64_t kRowHeaderBytes = 16;

  struct Shared {
    uint64_t* directory = nullptr;
    uint64_t shift = 63;  ///< entry = hash >> shift
    char** rows = nullptr;
    uint64_t row_count = 0;
    uint64_t has_null_key = 0;  ///< 1: a row was left out because its key is NULL
  };

  explicit JoinTable(MemoryAccount& memory) : memory_(memory) {}
  ~JoinTable() override;

  /// What generated code gets as the slot.
  [[nodiscard]] Shared* shared() { return &shared_; }
  void addBuilder(RowBuffer* builder) { builders_.push_back(builder); }
  /// Chains all rows by hash.
  void buildDirectory(WorkerPool& workers);
  /// The same by the calling thread.
  void buildDirectoryAlone();
  /// Lists all rows, for nested loops.
  void buildRowList();
  /// All rows, for the pass over rows without a match. After buildDirectory().
  const std::vector<char*>& listRows();

 private:
  [[nodiscard]] uint64_t totalRows() const;
  void openDirectory(uint64_t total);
  void insertChunk(const RowBuffer::Chunk& chunk, uint64_t row_bytes);
  void* reserve(uint64_t bytes);

  Shared shared_;
  MemoryAccount& memory_;
  uint64_t reserved_bytes_ = 0;
  std::vector<char*> row_list_;
  void* storage_ = nullptr;  ///< of the directory or the row list: zeroed, from allocateLarge
  uint64_t storage_bytes_ = 0;
  std::vector<RowBuffer*> builders_;
};

/// The part of a nested loop's rows that one call of generated code goes over. One worker's.
///
/// A result's size is bounded per call by it: each source row may meet every row of the list, and every such pair those
/// of a further list.
class NestedWindow final : public RuntimeObject {
 public:
  struct Shared {
    uint64_t begin = 0;
    uint64_t end = 0;
  };
  [[nodiscard]] Shared* shared() { return &shared_; }
  uint64_t rows_per_call = 1;  ///< grows while little comes of it

 private:
  Shared shared_;
};

}  // namespace gnomon::codegen
