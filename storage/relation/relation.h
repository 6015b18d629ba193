#pragma once

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>

#include "storage/control_file.h"
#include "storage/relation/leaf_view.h"
#include "storage/relation/tree.h"

namespace gnomon::storage {

/// A relation: its tree, its schema, and the counts that go with it.
///
/// Threads: any, unless a function says otherwise. Who changes a tuple holds its leaf exclusively; appenders take
/// turns, and so do those who change the tree's structure. Nobody holds a leaf when he begins one of these.
class Relation {
 public:
  /// Creates an empty relation. Failure: as BufferManager::allocate.
  Relation(BufferManager& buffers, RelationId id, RelationSchema schema);
  /// Opens a relation; reads its root page. One object per relation and buffer manager. Failure: as BufferManager::fix.
  Relation(BufferManager& buffers, RelationId id, RelationSchema schema, const RelationState& state);
  Relation(const Relation&) = delete;
  Relation& operator=(const Relation&) = delete;

  [[nodiscard]] RelationId id() const { return id_; }
  [[nodiscard]] const RelationSchema& schema() const { return schema_; }

  /// The id that the next tuple will get: above all tuples, committed or not.
  [[nodiscard]] TupleId nextTupleId() const { return TupleId{next_tuple_id_.load(std::memory_order_acquire)}; }
  /// Exchanges the schema for a newer version of it. Nobody else uses the relation. Failure: 53100 when there is no
  /// room in the log, nothing has changed.
  void changeSchema(RelationSchema schema);
  /// A schema, and when the relation had it.
  struct SchemaMark {
    RelationSchema schema;
    uint64_t next_tuple_id = 0;
    uint64_t layout_changes = 0;
  };
  [[nodiscard]] SchemaMark schemaMark() const { return {schema_, next_tuple_id_, tree_->layoutChanges()}; }
  /// Takes a change of the schema back. False: leaves may have been laid out under the newer one since, so it stays.
  /// Nobody else uses the relation.
  bool tryRestoreSchema(const SchemaMark& mark);
  /// What the registry of relations is to know.
  [[nodiscard]] RegisteredRelation registered() const;

  /// Whether a value was ever written that is NaN as its column says (StoredColumn::greatest_is_nan). Who reads with a
  /// snapshot asks after it was taken: what it shows was noted before.
  [[nodiscard]] bool holdsNan() const { return holds_nan_.load(std::memory_order_acquire); }
  /// Estimates for the optimiser: tuples that are not deleted, uncommitted ones included, and leaves.
  [[nodiscard]] uint64_t tupleCount() const {
    const uint64_t deleted = deleted_count_.load(std::memory_order_relaxed);
    return std::max(tuple_count_.load(std::memory_order_relaxed), deleted) - deleted;
  }
  [[nodiscard]] uint64_t leafCount() const { return leaf_count_.load(std::memory_order_relaxed); }
  /// The class of the next leaf. Where leaves grow: pages of a relation that is changed row by row while it is small,
  /// and of one that is too large to be anything but scanned or looked up in, where a scan pays for each page. Never so
  /// large that there are few for the threads of a scan.
  [[nodiscard]] SizeClass nextLeafClass() const;
  /// Bytes of all leaves, where none was made for a tuple of unusual size, and all are of the classes of now.
  [[nodiscard]] uint64_t leafBytes() const;
  /// Average string bytes of a tuple outside the fixed arrays.
  [[nodiscard]] double averageVariableBytes() const;

  /// Point access: the leaf that holds the tuple, held shared in `leaf`, and its row. False: no such tuple, or deleted.
  bool find(TupleId id, LeafView& leaf, uint32_t& row);
  /// The same for a tuple that may be deleted. `columns`: those that will be read.
  bool findStored(TupleId id, LeafView& leaf, uint32_t& row, std::span<const uint32_t> columns = {});
  /// The same where the tuple was once, in the row of a frame that may have another page by now, of whatever relation.
  /// False: the frame has no leaf of this relation with such a row, or somebody has it in his hands. Otherwise it is
  /// any tuple of the relation.
  bool findAt(Frame& frame, uint32_t row, LeafView& leaf);
  // What findAt() and a look at the row then will read is asked of memory, each when what is before it has come:
  /// the frame and the heads of its page;
  void prefetchPlace(const Frame& frame, uint32_t row) const;
  /// the values of those columns;
  void prefetchRow(const Frame& frame, uint32_t row, std::span<const uint32_t> columns) const;
  /// the bytes of its strings.
  void prefetchStrings(const Frame& frame, uint32_t row, std::span<const uint32_t> columns) const;
  /// The first two at once. `like`: a view of a leaf which that one is hoped to be like.
  void prefetchAt(const Frame& frame, uint32_t row, std::span<const uint32_t> columns, const LeafView& like) const;
  /// The tuples with ids from `from` to below `to` that are in the leaf whose range holds `from`, deleted ones
  /// included; held shared.
  void attach(TupleId from, TupleId to, LeafView& leaf);
  /// Looks whether a leaf's version map can go; gives up when the page is in use. `page`: what was in the frame.
  void tryPrune(Frame& frame, PageId page);
  /// Flags a tuple deleted; waits for readers of its leaf. False: no such tuple, or already deleted.
  bool markDeleted(TupleId id);
  /// Takes the deleted flag off again. False: no such tuple, or not deleted.
  bool unmarkDeleted(TupleId id);
  /// Changes a tuple in place; waits for readers of its leaf. False: no such tuple, or deleted. String bytes are
  /// copied; they must not lie in this relation's pages. A leaf that has no room, also after its strings were moved
  /// together, moves to a larger page. Failure: 53200, 53100 when a larger page is not to be had; 54000 for a tuple
  /// over 1 GiB or a leaf over the largest page; as BufferManager::resolve when a page must be read. The tuple is as it
  /// was then. Undo: when updates and deletions of any tuples are taken back in reverse order, by update() with the
  /// former values and unmarkDeleted(), nothing needs a larger page, and so nothing of that fails: each former state
  /// fitted into the leaf's page, or a smaller one. Tuples that were appended in between are truncated in their turn,
  /// or before. Where others change tuples of the leaf meanwhile, a larger page may be needed after all.
  bool update(TupleId id, const TupleChange& change);
  /// Removes the tuples with ids from `from` to below `to` that are flagged deleted: slots and string bytes are used
  /// again, leaves that become empty are freed, a leaf that becomes sparse is taken in by its neighbour under the same
  /// parent or moves to a smaller page. Leaves with a version map stay as they are. Others may be at work, but nobody
  /// will ask for the removed tuples again, undo least of all. Ids do not change, and are not given out again. Returns
  /// the number of tuples removed. Leaves with a reference epoch from `settled_epoch` on stay as they are, too; of
  /// others the virtual flags go. One thread at a time. Failure: when a page must be read, as BufferManager::resolve;
  /// what was done before stays.
  uint64_t reclaim(TupleId from, TupleId to, uint64_t settled_epoch = UINT64_MAX);
  [[nodiscard]] uint64_t deletedCount() const { return deleted_count_.load(std::memory_order_relaxed); }
  /// Drops all tuples with ids >= bound, whose ids are given out again. Nobody else appends.
  void truncate(TupleId bound);
  /// Drops the tuples from `first` to below `end` where they are the last; their ids are not given out again. False:
  /// there are others behind them. Failure: as RelationTree::truncate.
  bool truncateTail(TupleId first, TupleId end);
  /// Frees all pages. The object may only be destroyed afterwards.
  void destroy() { tree_->destroy(); }

  /// What must be remembered to open it again. No writer is at work.
  [[nodiscard]] RelationState state() const;
  /// Checks every invariant of the tree and the counts against it, also when it is damaged. No writer is at work.
  void check(Findings& findings);
  /// The same for a relation that is known to be sound: ends the process when it is not.
  void audit();
  [[nodiscard]] RelationTree& tree() { return *tree_; }

 private:
  friend class RelationAppender;
  friend class RelationEditor;
  class Reclaimer;
  /// What appenders remember of the last leaf.
  struct AppendPosition {
    Frame* frame = nullptr;
    PageId page_id;
    uint64_t layout_changes = 0;  ///< of the tree, when the leaf was looked at
    std::optional<Leaf> leaf;     ///< access to the page in frame, used while it is latched
  };

  void truncateLocked(TupleId bound);
  /// What is going to be written, before a leaf is held; in the shape of appendBatch. Failure: 53100.
  void noteNans(const Datum* values, const uint8_t* null_flags, size_t row_count);
  void noteNans(const TupleChange& change);
  void setHoldsNan();
  void requireSound(const ExclusiveGuard& guard) const;

  BufferManager& buffers_;
  const RelationId id_;
  RelationSchema schema_;
  std::unique_ptr<RelationTree> tree_;
  std::atomic<uint64_t> next_tuple_id_;
  std::atomic<uint64_t> tuple_count_;
  std::atomic<uint64_t> deleted_count_;
  std::atomic<uint64_t> leaf_count_;
  std::atomic<uint64_t> variable_bytes_;  ///< outside the fixed arrays, those of deleted tuples included
  std::atomic<bool> counts_strings_;      ///< variable_bytes_ is exact
  bool is_estimate_ = false;              ///< none of the numbers is, since a crash
  std::mutex append_mutex_;  ///< guards the position and the tail's end, and next_tuple_id_ against other writers
  AppendPosition append_position_;
  uint64_t tail_end_;           ///< behind the last tuple; ids from there on that were given out belong to no tuple
  std::mutex structure_mutex_;  ///< held by who changes the tree's structure; taken after append_mutex_, before latches
  std::atomic<bool> holds_nan_{false};
  std::mutex nan_mutex_;  ///< held by who notes the first NaN
};

}  // namespace gnomon::storage
