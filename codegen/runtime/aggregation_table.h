#pragma once

#include <array>
#include <bit>
#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

#include "base/memory_account.h"
#include "base/worker_pool.h"
#include "codegen/runtime/row_buffer.h"
#include "codegen/runtime/runtime_object.h"
#include "codegen/runtime/spill_area.h"

namespace gnomon::codegen {

class Aggregation;

/// Layout of a group's row: 0 next row of the chain (8), 8 hash (8), 16 keys and aggregate states (TupleLayout).
inline constexpr uint64_t kGroupHeaderBytes = 16;
inline constexpr unsigned kAggregationPartitionBits = 6;
inline constexpr unsigned kAggregationPartitions = 1u << kAggregationPartitionBits;

/// One worker's pre-aggregation: a small hash table over rows that lie in partitions by the hash's top bits.
///
/// When the table is full its directory is forgotten (the rows stay): later rows of the same groups are new rows, and
/// the merge brings them together. The same when its area is full: then the rows are written out, partition by
/// partition. Threads: one. Generated code reads `directory` and `mask`: the chain of a hash
/// starts at directory[hash & mask].
class LocalAggregation final : public RuntimeObject {
 public:
  struct Shared {
    char** directory = nullptr;
    uint64_t mask = 0;
    LocalAggregation* owner = nullptr;
  };

  LocalAggregation(Arena& arena, uint64_t row_bytes, MemoryAccount& memory, SpillArea* area = nullptr);
  ~LocalAggregation() override;

  [[nodiscard]] Shared* shared() { return &shared_; }
  /// A new row for a hash, chained in; zero behind the header.
  char* insert(uint64_t hash);
  /// The group of an aggregation without keys, made when it is first asked for.
  char* singleGroup();
  [[nodiscard]] RowBuffer& partition(unsigned number) { return partitions_[number]; }
  /// Calls `each` with the number of every partition that has had a row.
  template <typename Each>
  void forEachUsed(Each&& each) {
    for (uint64_t left = used_partitions_; left != 0; left &= left - 1)
      each(static_cast<unsigned>(std::countr_zero(left)));
  }
  /// Those that were inserted.
  [[nodiscard]] uint64_t rowCount() const { return row_count_; }
  /// No two rows of this worker are of one group.
  [[nodiscard]] bool isDuplicateFree() const { return !forgotten_; }
  /// Writes out all rows; the table is empty then.
  void spill();
  [[nodiscard]] bool hasSpilled() const { return !runs_.empty(); }
  /// By partition.
  [[nodiscard]] const PartitionRuns& runs() const { return runs_; }
  [[nodiscard]] SpillArea* area() const { return area_; }
  /// A small one, whose rows lie in the execution's arena.
  bool park() override;
  void restart(ExecutionState& state) override;
  /// Whom it gives its rows, which outlives it.
  void setWhole(Aggregation& whole) { whole_ = &whole; }

 private:
  void growOrForget();
  void resize(uint64_t entries);

  Shared shared_;
  std::array<RowBuffer, kAggregationPartitions> partitions_;
  std::vector<char*> directory_;
  uint64_t linked_rows_ = 0;
  uint64_t row_count_ = 0;
  uint64_t used_partitions_ = 0;  ///< a bit each
  char* single_group_ = nullptr;
  bool forgotten_ = false;
  Aggregation* whole_ = nullptr;
  MemoryAccount& memory_;
  SpillArea* const area_;  ///< null: all stays in memory
  PartitionRuns runs_;

  static_assert(kAggregationPartitions <= 64);
  static constexpr uint64_t kFirstEntries = 64;
  /// With fewer rows, each partition would get hardly any.
  static constexpr uint64_t kSpilledRowsMin = 1024;
  static constexpr uint64_t kEntriesMax = uint64_t{1} << 17;
};

/// One partition while its rows are brought together by the generated merge function, which chains a row it has not
/// seen (appending it to `groups`) and adds the others to their group.
struct PartitionMerge {
  char** directory = nullptr;
  uint64_t mask = 0;
  char** groups = nullptr;
  uint64_t group_count = 0;
};

/// All groups of an aggregation, partition by partition. Where a worker has spilled, a partition's groups are brought
/// together when they are asked for (GroupSource), and are gone when the next are.
class Aggregation final : public RuntimeObject {
 public:
  /// merge(PartitionMerge*, first row, row count, worker slot)
  using MergeFunction = std::function<void(PartitionMerge*, char*, uint64_t, unsigned slot)>;

  explicit Aggregation(MemoryAccount& memory) : memory_(memory) {}
  ~Aggregation() override { memory_.release(reserved_bytes_); }

  void addLocal(LocalAggregation& local) {
    locals_.push_back(&local);
    local.setWhole(*this);
  }
  /// Rows that merge() will look at.
  [[nodiscard]] uint64_t rowCount() const;
  /// Fills groups(), or runs(). Partitions are merged in parallel when there is enough to do.
  void merge(WorkerPool& workers, uint64_t row_bytes, const MergeFunction& merge_rows);
  /// Rows of the finished groups; each entry a partition's.
  [[nodiscard]] const std::vector<std::vector<char*>>& groups() const { return groups_; }
  /// Of an aggregation that has spilled: the rows of each partition, to be merged.
  [[nodiscard]] PartitionRuns& runs() { return runs_; }
  [[nodiscard]] bool isSpilled() const { return !runs_.empty(); }
  /// For an aggregation without keys over no input: its one group.
  void addGroup(char* row) { groups_.push_back({row}); }
  [[nodiscard]] bool isEmpty() const;
  /// The workers' tables add themselves again.
  bool park() override;

 private:
  void mergePartition(unsigned number, uint64_t row_bytes, const MergeFunction& merge_rows, unsigned slot);
  void takeRows(LocalAggregation& local);
  void spillAll(WorkerPool& workers);

  std::vector<LocalAggregation*> locals_;
  std::vector<std::vector<char*>> groups_;
  PartitionRuns runs_;
  MemoryAccount& memory_;
  uint64_t reserved_bytes_ = 0;
};

namespace rt {
/// insert() for generated code, which holds the address of Shared.
char* aggregationInsert(LocalAggregation::Shared* shared, uint64_t hash);
char* aggregationSingleGroup(LocalAggregation::Shared* shared);
}  // namespace rt

}  // namespace gnomon::codegen
