#pragma once

#include <memory>
#include <mutex>
#include <vector>

#include "base/memory_account.h"
#include "codegen/executor/morsel_source.h"
#include "codegen/runtime/sorter.h"

namespace gnomon::codegen {

/// The rows of a Sorter, in order. `data`: array of char*. Of a sort that has spilled, copies of the next rows, which
/// are gone when the worker asks for more.
class SortedSource final : public MorselSource {
 public:
  SortedSource(Sorter& sorter, bool is_ordered, unsigned worker_count, const CancelToken& cancel, MemoryAccount& memory)
      : sorter_(sorter), is_ordered_(is_ordered), cancel_(cancel), memory_(memory), batches_(worker_count) {}
  bool next(Morsel& morsel) override;
  [[nodiscard]] uint64_t rowCount() const override { return sorter_.rowCount(); }
  [[nodiscard]] bool isOrdered() const override { return is_ordered_; }

 private:
  struct Batch {
    explicit Batch(MemoryAccount& memory) : arena(&memory) {}
    Arena arena;
    RowBuffer rows;
    std::vector<char*> list;
  };
  bool readBatch(Morsel& morsel);

  static constexpr uint64_t kMorselRows = 4096;
  static constexpr uint64_t kBatchRows = 256;
  Sorter& sorter_;
  const bool is_ordered_;
  const CancelToken& cancel_;
  MemoryAccount& memory_;
  std::mutex mutex_;
  uint64_t row_ = 0;
  std::vector<std::unique_ptr<Batch>> batches_;  ///< one a worker; null: not yet needed
};

}  // namespace gnomon::codegen
