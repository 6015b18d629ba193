#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "base/cancel.h"
#include "base/memory_account.h"
#include "base/worker_pool.h"
#include "codegen/runtime/row_buffer.h"
#include "codegen/runtime/row_comparator.h"
#include "codegen/runtime/runtime_object.h"
#include "codegen/runtime/sort_merge.h"
#include "codegen/runtime/spill_area.h"

namespace gnomon::codegen {

/// One worker's rows for an ORDER BY.
///
/// With a limit (top-k) only the best rows are kept: a candidate that the current k-th row beats is refused before its
/// strings are copied, and the rest is pruned whenever twice as many rows as needed have gathered. Refused and pruned
/// rows' memory is used again (the strings of pruned rows are not).
/// With an area that is full, what is there is sorted and written out as a run; the area is empty then.
/// Threads: one.
class LocalSort final : public RuntimeObject {
 public:
  static constexpr uint64_t kNoLimit = UINT64_MAX;

  LocalSort(Arena& arena, uint64_t row_bytes, SpillArea* area = nullptr) : area_(area) {
    rows_.open(&arena, row_bytes);
  }

  /// Before the first row. The comparator outlives the sort.
  void open(const RowComparator* comparator, uint64_t rows_kept_max) {
    comparator_ = comparator;
    rows_kept_max_ = rows_kept_max;
  }
  /// A place for a row that is wanted, or null. `candidate` has the row's sort keys (strings not yet copied).
  char* admit(const char* candidate);
  char* append() {
    if (area_ != nullptr && area_->isFull()) [[unlikely]]
      spill(nullptr);
    return rows_.append();
  }
  [[nodiscard]] uint64_t rowCount() const { return rows_.rowCount() + spilled_rows_; }
  /// The rows in order (all of them, or the best) that were not spilled. Null: nobody cancels.
  std::vector<char*>& sorted(const CancelToken* cancel);
  /// Writes out the rows, sorted.
  void spill(const CancelToken* cancel);
  [[nodiscard]] const std::vector<SpilledRun>& runs() const { return runs_; }
  [[nodiscard]] SpillArea* area() const { return area_; }
  [[nodiscard]] uint64_t rowBytes() const { return rows_.row_bytes; }

 private:
  void prune();

  RowBuffer rows_;
  SpillArea* const area_;  ///< null: all stays in memory
  std::vector<SpilledRun> runs_;
  uint64_t spilled_rows_ = 0;
  const RowComparator* comparator_ = nullptr;
  uint64_t rows_kept_max_ = kNoLimit;
  std::vector<char*> kept_;
  std::vector<char*> free_;
  char* threshold_ = nullptr;  ///< the worst row of the last pruning: rows not before it are refused
};

/// All rows of an ORDER BY, in order; without one as each worker got them. Where workers have spilled, the rows are
/// merged while they are read.
class Sorter final : public RuntimeObject {
 public:
  explicit Sorter(MemoryAccount& memory) : memory_(memory) {}
  ~Sorter() override { memory_.release(reserved_bytes_); }
  void addLocal(LocalSort* local) { locals_.push_back(local); }
  /// Sorts each worker's rows in parallel, merges them, and keeps those from `offset` on, at most `limit`.
  void sort(WorkerPool& workers, const RowComparator& comparator, const CancelToken& cancel, uint64_t offset,
            uint64_t limit);
  /// Those of a sort that has not spilled.
  [[nodiscard]] const std::vector<char*>& rows() const { return rows_; }
  [[nodiscard]] bool isSpilled() const { return merge_ != nullptr; }
  /// Of a sort that has: appends copies of the next rows, at most `count`; none: there are no more.
  void readNext(RowBuffer& rows, uint64_t count, const CancelToken& cancel);
  [[nodiscard]] uint64_t rowBytes() const { return locals_[0]->rowBytes(); }
  /// Rows that sort() will look at.
  [[nodiscard]] uint64_t rowCount() const;

 private:
  void openMerge(WorkerPool& workers, const RowComparator& comparator, const CancelToken& cancel);

  std::vector<LocalSort*> locals_;
  std::vector<char*> rows_;
  MemoryAccount& memory_;
  uint64_t reserved_bytes_ = 0;
  std::unique_ptr<SortMerge> merge_;
  uint64_t rows_skipped_ = 0;  ///< still to be: of those that are merged
  uint64_t rows_left_ = 0;
};

namespace rt {
char* sortAdmit(LocalSort* sort, char* candidate);
char* sortAppend(LocalSort* sort);
}  // namespace rt

}  // namespace gnomon::codegen
