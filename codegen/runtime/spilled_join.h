#pragma once

#include <memory>
#include <mutex>
#include <optional>
#include <vector>

#include "base/cancel.h"
#include "codegen/executor/morsel_source.h"
#include "codegen/runtime/join_table.h"
#include "codegen/runtime/partitioned_rows.h"

namespace gnomon::codegen {

/// The probe rows of a hash join whose build side found no room: both sides lie in partitions by hash. A worker takes a
/// partition, makes a table of its build rows, and hands out its probe rows. `data`: array of char*; the rows are gone
/// when the worker asks for more.
///
/// Source: the grace hash join (Kitsuregawa et al., 1983). A partition whose build rows are larger than the worker's
/// share of memory is cut by further bits of the hash first; where that does not help, because so many rows have one
/// hash, it takes what it needs.
/// Threads: next() from any; the rest by one, before and after.
class SpilledJoinSource final : public MorselSource {
 public:
  /// `emits_unmatched`: probe rows go on, or are marked, without build rows. `keeps_build_rows`: they are wanted back
  /// when all probe rows have been there, with what generated code noted in them.
  struct Shape {
    bool emits_unmatched = false;
    bool keeps_build_rows = false;
  };
  SpilledJoinSource(Shape shape, unsigned worker_count, const CancelToken& cancel)
      : shape_(shape), cancel_(cancel), parts_(worker_count) {}

  /// What generated code gets as the table of a worker.
  [[nodiscard]] JoinTable::Shared* table(unsigned worker) { return &parts_[worker].table; }
  /// All rows have been written out. The areas are those of one worker.
  void open(const JoinTable::Shared& whole, const std::vector<PartitionedRows*>& build,
            const std::vector<PartitionedRows*>& probe);
  bool next(Morsel& morsel) override;
  [[nodiscard]] uint64_t rowCount() const override { return row_count_; }
  /// The build rows, after the last probe row.
  [[nodiscard]] SpilledRun takeBuildRows() { return std::move(finished_); }
  [[nodiscard]] SpillArea& buildArea() { return *build_area_; }

 private:
  struct Task {
    SpilledRun build, probe;
    unsigned shift = 0;  ///< of the bits by which it was cut
    bool is_cuttable = true;
  };
  /// What a worker has in memory.
  struct Part {
    JoinTable::Shared table;
    std::optional<Arena> build_arena, probe_arena;
    RowBuffer build_rows, probe_rows;
    std::vector<char*> list;
    std::optional<JoinTable> directory;
    std::optional<SpillReader> reader;  ///< of the probe rows
    std::optional<SpillArea> build_pieces,
        probe_pieces;  ///< files of partitions it cuts, and of build rows it is done with
  };

  void openPart(Part& part);
  bool takeTask(Task& task);
  [[nodiscard]] bool isWanted(const Task& task);
  bool readBatch(Part& part);
  void load(const Task& task, Part& part);
  void finish(Part& part);
  void cut(const Task& task, Part& part);
  PartitionRuns cutSide(const SpilledRun& run, HashPartitioning partitioning, RowBuffer& rows, SpillArea& pieces);

  const Shape shape_;
  const CancelToken& cancel_;
  SpillArea* build_area_ = nullptr;
  SpillArea* probe_area_ = nullptr;
  uint64_t row_count_ = 0;
  JoinTable::Shared whole_;
  std::mutex mutex_;
  std::vector<Task> tasks_;
  SpilledRun finished_;
  std::vector<Part> parts_;
};

/// Rows of a run, in no order: a worker takes a segment. `data`: array of char*; they are gone when the worker asks for
/// more. Threads: next() from any.
class SpilledRunSource final : public MorselSource {
 public:
  SpilledRunSource(unsigned worker_count, const CancelToken& cancel) : cancel_(cancel), parts_(worker_count) {}
  void open(SpilledRun run, SpillArea& area);
  bool next(Morsel& morsel) override;
  [[nodiscard]] uint64_t rowCount() const override { return row_count_; }

 private:
  struct Part {
    std::optional<Arena> arena;
    RowBuffer rows;
    std::vector<char*> list;
    std::optional<SpillReader> reader;
  };
  const CancelToken& cancel_;
  SpillArea* area_ = nullptr;
  uint64_t row_count_ = 0;
  std::mutex mutex_;
  SpilledRun run_;
  std::vector<Part> parts_;
};

}  // namespace gnomon::codegen
