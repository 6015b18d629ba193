#pragma once

#include <atomic>
#include <memory>
#include <mutex>
#include <optional>
#include <vector>

#include "codegen/executor/index_source.h"
#include "codegen/executor/morsel_source.h"
#include "sql/catalog/partitioning.h"

namespace gnomon::codegen {

/// Which partition the piece at hand is of, for one worker. Layout: as the members, 8 bytes each.
class PartitionPlace final : public RuntimeObject {
 public:
  struct Shared {
    uint64_t id_base = 0;    ///< above the ids of its tuples
    uint64_t table_oid = 0;  ///< of the leaf
  };
  [[nodiscard]] Shared* shared() { return &shared_; }
  bool park() override { return true; }

 private:
  Shared shared_;
};

/// Rows of a partitioned table: of the leaf partitions that may have what the scan asks for, one after the other.
///
/// Before the first next() the values that are known have been stored (values(): of the partition keys, then of the
/// index's range), and open() has chosen the leaves. Leaves that are not chosen are not touched. One code reads all of
/// them, since their columns lie as the table's do. Threads: as MorselSource.
class PartitionedSource final : public MorselSource {
 public:
  /// Immutable, of the program.
  struct Shape {
    sql::TablePtr table;
    std::vector<sql::KnownKey> keys;
    size_t key_value_count = 0;
    std::vector<uint32_t> columns;         ///< those whose values are wanted
    sql::IndexPtr index;                   ///< of the table; null: leaves are read as a whole
    std::optional<IndexRangeShape> range;  ///< of the index; none: keys are looked up in it
    double estimated_rows = 0;
    size_t place_slot = 0;  ///< local: PartitionPlace
  };
  PartitionedSource(const Shape& shape, ExecutionState& state);
  ~PartitionedSource() override;

  [[nodiscard]] sql::KnownValue* values() { return values_.data(); }
  /// Chooses the leaves.
  void open();
  /// The same, and looks the keys up.
  void openLookup(const std::vector<IndexBoundValue*>& keys, size_t part_count, const CancelToken& cancel,
                  MemoryAccount& memory);

  bool next(Morsel& morsel) override;
  void suspend(Morsel& morsel) override;
  void resume(Morsel& morsel) override;
  [[nodiscard]] uint64_t rowCount() const override;
  [[nodiscard]] bool isOrdered() const override { return shape_.range && shape_.range->is_ordered; }
  bool park() override;
  void restart(ExecutionState& state) override;

 private:
  MorselSource& sourceOf(uint32_t leaf);

  const Shape& shape_;
  ExecutionState& state_;
  std::vector<sql::KnownValue> values_;
  std::vector<std::unique_ptr<MorselSource>> sources_;  ///< of each leaf; null: none was wanted yet
  std::vector<bool> is_stale_;                          ///< made for the run before
  std::vector<uint32_t> chosen_;
  bool is_open_ = false;
};

namespace rt {
sql::KnownValue* partitionedValues(PartitionedSource* source);
}  // namespace rt

}  // namespace gnomon::codegen
