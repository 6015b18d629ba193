#pragma once

#include <memory>
#include <mutex>
#include <vector>

#include "base/cancel.h"
#include "codegen/executor/morsel_source.h"
#include "codegen/runtime/aggregation_table.h"

namespace gnomon::codegen {

/// The groups of an Aggregation, in no order. `data`: array of char*.
///
/// Of one that has spilled, a worker takes a partition, reads its rows, merges them, and hands out the groups, which
/// are gone when it asks for more. A partition that is larger than the worker's share of memory is cut by further bits
/// of the hash first; one whose rows have one hash is not, and takes what it needs.
class GroupSource final : public MorselSource {
 public:
  /// What merges a partition's rows: `arena` for what the groups' states need.
  using MergeFunction = std::function<void(PartitionMerge*, char*, uint64_t count, unsigned worker, Arena& arena)>;

  GroupSource(Aggregation& aggregation, unsigned worker_count, const CancelToken& cancel)
      : aggregation_(aggregation), cancel_(cancel), parts_(worker_count) {}
  /// The groups are there; `merge_rows` and `area` (its operator's memory, and how rows are moved) are for an
  /// aggregation that has spilled.
  void open(MergeFunction merge_rows, SpillArea* area);
  bool next(Morsel& morsel) override;
  [[nodiscard]] uint64_t rowCount() const override;
  /// One that has not spilled.
  bool park() override;

 private:
  /// Rows of one partition at one depth.
  struct Task {
    SpilledRun run;
    unsigned shift;  ///< of the bits by which it was cut
  };
  /// What a worker has of its partition.
  struct Part {
    explicit Part(SpillArea& area) : arena(&area.memory().account()), pieces(area.memory(), area.format()) {}
    Arena arena;
    RowBuffer rows;
    std::vector<char*> groups;
    uint64_t next = 0;
    SpillArea pieces;  ///< of partitions that it cuts
  };

  bool nextSpilled(Morsel& morsel);
  bool takeTask(Task& task);
  void mergeTask(const Task& task, Part& part, unsigned worker);
  void cut(const Task& task, Part& part);

  static constexpr uint64_t kMorselRows = 4096;
  Aggregation& aggregation_;
  const CancelToken& cancel_;
  MergeFunction merge_rows_;
  SpillArea* area_ = nullptr;
  std::mutex mutex_;
  size_t list_ = 0;
  uint64_t row_ = 0;
  std::vector<Task> tasks_;
  std::vector<std::unique_ptr<Part>> parts_;  ///< one a worker; null: not yet needed
};

}  // namespace gnomon::codegen
