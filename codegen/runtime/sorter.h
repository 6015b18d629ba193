#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "base/cancel.h"
#include "base/memory_account.h"
#include "base/worker_pool.h"
#include "codegen/runtime/row_buffer.h"
#include "codegen/runtime/runtime_object.h"

namespace gnomon::codegen {

/// left sorts before right. Called very often; in machine code a plain call. Without a function rows have no order.
struct RowComparator {
  using Native = bool (*)(const char*, const char*);
  Native native = nullptr;  ///< null: use `fallback`
  std::function<bool(const char*, const char*)> fallback;
  bool operator()(const char* left, const char* right) const {
    return native ? native(left, right) : fallback(left, right);
  }
  explicit operator bool() const { return native || fallback; }
};

/// One worker's rows for an ORDER BY.
///
/// With a limit (top-k) only the best rows are kept: a candidate that the current k-th row beats is refused before its
/// strings are copied, and the rest is pruned whenever twice as many rows as needed have gathered. Refused and pruned
/// rows' memory is used again (the strings of pruned rows are not).
/// Threads: one.
class LocalSort final : public RuntimeObject {
 public:
  static constexpr uint64_t kNoLimit = UINT64_MAX;

  LocalSort(Arena& arena, uint64_t row_bytes) { rows_.open(&arena, row_bytes); }

  /// Before the first row. The comparator outlives the sort.
  void open(const RowComparator* comparator, uint64_t rows_kept_max) {
    comparator_ = comparator;
    rows_kept_max_ = rows_kept_max;
  }
  /// A place for a row that is wanted, or null. `candidate` has the row's sort keys (strings not yet copied).
  char* admit(const char* candidate);
  char* append() { return rows_.append(); }
  [[nodiscard]] uint64_t rowCount() const { return rows_.rowCount(); }
  /// The rows in order (all of them, or the best).
  std::vector<char*>& sorted(const CancelToken& cancel);

 private:
  void prune();

  RowBuffer rows_;
  const RowComparator* comparator_ = nullptr;
  uint64_t rows_kept_max_ = kNoLimit;
  std::vector<char*> kept_;
  std::vector<char*> free_;
  char* threshold_ = nullptr;  ///< the worst row of the last pruning: rows not before it are refused
};

/// All rows of an ORDER BY, in order; without one as each worker got them.
class Sorter final : public RuntimeObject {
 public:
  explicit Sorter(MemoryAccount& memory) : memory_(memory) {}
  ~Sorter() override { memory_.release(reserved_bytes_); }
  void addLocal(LocalSort* local) { locals_.push_back(local); }
  /// Sorts each worker's rows in parallel, merges them, and keeps those from `offset` on, at most `limit`.
  void sort(WorkerPool& workers, const RowComparator& comparator, const CancelToken& cancel, uint64_t offset,
            uint64_t limit);
  [[nodiscard]] const std::vector<char*>& rows() const { return rows_; }
  /// Rows that sort() will look at.
  [[nodiscard]] uint64_t rowCount() const;

 private:
  std::vector<LocalSort*> locals_;
  std::vector<char*> rows_;
  MemoryAccount& memory_;
  uint64_t reserved_bytes_ = 0;
};

namespace rt {
char* sortAdmit(LocalSort* sort, char* candidate);
char* sortAppend(LocalSort* sort);
}  // namespace rt

}  // namespace gnomon::codegen
