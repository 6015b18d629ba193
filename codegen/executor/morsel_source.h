#pragma once

#include <atomic>
#include <cstdint>
#include <optional>
#include <vector>

#include "codegen/runtime/runtime_object.h"
#include "storage/relation/scan.h"
#include "txn/table.h"
#include "txn/visible_rows.h"

namespace gnomon::codegen {

/// A piece of a pipeline's input: generated code is called with (data, first row, end row).
/// A piece of a table holds its leaf shared until release().
struct Morsel {
  const void* data = nullptr;
  uint64_t begin = 0;
  uint64_t end = 0;
  storage::RelationScan::Claim claim;  ///< of a table: the leaves after this one
  storage::LeafView leaf;
  txn::VisibleRows rows;       ///< of the leaf, those after this piece
  storage::TupleId end_id;     ///< behind the leaf's last tuple when it was taken
  storage::TupleId resume_at;  ///< of a suspended piece of a table: the tuple at `begin`
  bool is_suspended = false;
  bool is_last = false;                  ///< nothing comes behind this piece; where it is not said, the source says so
  bool is_whole = false;                 ///< pieces are always done as a whole, and in any order
  std::vector<storage::TupleId> tuples;  ///< of an index: those that the worker has claimed
  size_t next_tuple = 0;                 ///< of them, the first that was not visited
  unsigned worker = 0;                   ///< whose it is
  size_t part = 0;                       ///< of a partitioned table: the leaf that is read
  uint64_t claimed_end = 0;              ///< of rows in order: the worker goes on with those up to here

  /// As new, but for memory that the next pipeline can use.
  void reset();
};

/// Where a pipeline's rows come from, in one execution. Threads: next() from any worker, each with a morsel of its own.
class MorselSource : public RuntimeObject {
 public:
  virtual bool next(Morsel& morsel) = 0;
  /// Lets go of what the morsel holds; its rows from morsel.begin on are still to be done. It is empty until resume().
  virtual void suspend(Morsel&) {}
  /// Takes it up again, perhaps at other addresses.
  virtual void resume(Morsel&) {}
  /// Rows in all, an estimate.
  [[nodiscard]] virtual uint64_t rowCount() const = 0;
  /// Whether rows come in an order that must be kept: then one worker runs the pipeline.
  [[nodiscard]] virtual bool isOrdered() const { return false; }
};

/// Rows of a table that a snapshot sees, as pieces of its leaves. `data`: storage::LeafAccess.
class LeafSource : public MorselSource {
 public:
  LeafSource(txn::Table& table, const txn::Snapshot& snapshot) : table_(table), snapshot_(snapshot) {}

 protected:
  [[nodiscard]] txn::Table& table() const { return table_; }
  [[nodiscard]] const txn::Snapshot& snapshot() const { return snapshot_; }
  void setSnapshot(const txn::Snapshot& snapshot) { snapshot_ = snapshot; }
  static void setPiece(Morsel& morsel, const txn::VisibleRows::Piece& piece);
  static void clear(Morsel& morsel);

 private:
  txn::Table& table_;
  txn::Snapshot snapshot_;
};

/// The rows of a table below its bound, leaf by leaf.
class TableSource final : public LeafSource {
 public:
  /// `columns`: those whose values are wanted; empty: all.
  TableSource(txn::Table& table, const txn::Snapshot& snapshot, std::vector<uint32_t> columns = {})
      : LeafSource(table, snapshot),
        columns_(std::move(columns)),
        scan_(table.relation(), table.readBound(), columns_) {
    table.activity().add(txn::TableCount::SequentialScans);
  }
  bool next(Morsel& morsel) override;
  void suspend(Morsel& morsel) override;
  void resume(Morsel& morsel) override;
  [[nodiscard]] uint64_t rowCount() const override { return table().tupleCountEstimate(); }

 private:
  void attachRows(Morsel& morsel) const;
  void prefetchAhead(const Morsel& morsel) const;
  void leave(Morsel& morsel) const;
  bool take(Morsel& morsel, const txn::VisibleRows::Piece& piece) const;

  const std::vector<uint32_t> columns_;
  storage::RelationScan scan_;
};

/// Rows known by address, as sorters and aggregations leave them. `data`: array of char*.
class RowListSource final : public MorselSource {
 public:
  explicit RowListSource(bool is_ordered) : is_ordered_(is_ordered) {}
  /// The lists outlive the source, and are complete when the first row is asked for.
  void add(const std::vector<char*>& rows) { lists_.push_back(&rows); }
  bool next(Morsel& morsel) override;
  [[nodiscard]] uint64_t rowCount() const override;
  [[nodiscard]] bool isOrdered() const override { return is_ordered_; }

 private:
  static constexpr uint64_t kMorselRows = 4096;
  const bool is_ordered_;
  std::vector<const std::vector<char*>*> lists_;
  std::mutex mutex_;
  size_t list_ = 0;
  uint64_t row_ = 0;
};

/// `row_count` rows that generated code makes by number. `data`: null, or an array of equally long rows.
class CountedSource final : public MorselSource {
 public:
  CountedSource(const void* data, uint64_t row_count) : data_(data), row_count_(row_count) {}
  bool next(Morsel& morsel) override;
  [[nodiscard]] uint64_t rowCount() const override { return row_count_; }
  /// Rows in memory are made for one run.
  bool park() override { return data_ == nullptr; }
  void restart(ExecutionState&) override { next_.store(0, std::memory_order_relaxed); }

 private:
  static constexpr uint64_t kMorselRows = 4096;
  const void* const data_;
  const uint64_t row_count_;
  std::atomic<uint64_t> next_{0};
};

}  // namespace gnomon::codegen
