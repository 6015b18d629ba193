#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>

#include "storage/relation/relation.h"

namespace gnomon::storage {

/// Is told of changes of tuples before they are made, while the leaf is held exclusively. What it throws prevents the
/// change.
class EditObserver {
 public:
  virtual ~EditObserver() = default;
  /// `before`: what the columns that change hold; strings lie in the leaf.
  virtual void beforeUpdate(Frame& frame, const Leaf& leaf, uint32_t row, const TupleChange& before) = 0;
  virtual void beforeDelete(Frame& frame, TupleId id) = 0;
  /// Nothing stands in the way of beforeUpdate() or beforeDelete().
  [[nodiscard]] virtual bool mayChange(const Frame& frame, TupleId id) const = 0;
  /// The change of which was told last is not made.
  virtual void onFailure() noexcept = 0;
};

/// Changes and deletes tuples of a relation. Remembers the leaf of the last one: those of its neighbours are found at
/// once.
///
/// Threads: one, beside others with editors and appenders of their own. Lifetime: nothing is held between calls.
class RelationEditor {
 public:
  /// `observer`: outlives the editor; null: nobody wants to know.
  explicit RelationEditor(Relation& relation, EditObserver* observer = nullptr)
      : relation_(relation), observer_(observer) {}

  /// The tuple lies in this leaf, which the caller holds: it will be found at once.
  void expect(Frame& leaf, TupleId id);
  /// As Relation's functions of these names.
  bool update(TupleId id, const TupleChange& change);
  /// Changes those of the first tuples that lie in one leaf, as one record, if they are several: such whose columns
  /// without strings change, and in whose way nothing stands. Ids ascend, the columns are the same. Returns how many;
  /// 0: none, and the first is to be changed by itself. Failure: as Relation::update, nothing is changed then.
  size_t updateRun(std::span<const RowUpdate> rows);
  bool markDeleted(TupleId id);
  /// As updateRun(): those of the first tuples that lie side by side, their ids without gaps.
  size_t markRunDeleted(std::span<const TupleId> ids);
  bool unmarkDeleted(TupleId id);
  /// Flags a tuple deleted, virtually in this bulk epoch. As markDeleted() otherwise.
  bool markVirtuallyDeleted(TupleId id, uint64_t epoch);
  /// Takes the flags off the tuples below `to` that were virtually deleted in `epoch`, in the leaf whose range holds
  /// `from`. Returns where the next leaf's range begins. Failure: as Relation::markDeleted.
  TupleId restoreVirtuallyDeleted(TupleId from, TupleId to, uint64_t epoch);
  /// Flags tuples deleted that follow each other and were appended to one leaf, those that are still there and not
  /// flagged. For undoing. Failure: as Relation::markDeleted.
  void markAppendedDeleted(TupleId first, uint64_t count);
  /// Calls `visit` while the tuple's leaf is held exclusively; the leaf does not change. False: no such tuple, or
  /// deleted.
  bool visit(TupleId id, const std::function<void(Frame& frame)>& visit);

 private:
  bool markDeleted(TupleId id, uint64_t epoch);
  /// The leaf whose range holds the tuple, held exclusively, with leaf_ on it.
  ExclusiveGuard lockLeaf(TupleId id);
  /// Flags rows deleted, or takes the flag off, in the log; comes before the change. `undo_count`: of the records that
  /// undo it.
  void logFlag(const ExclusiveGuard& guard, uint32_t row, uint32_t rows, wal::RecordType type, uint64_t undo_count = 1);
  [[nodiscard]] std::optional<Leaf::Demand> demandOf(uint32_t row, const TupleChange& change) const;
  void changeSlots(const ExclusiveGuard& guard, std::span<const uint32_t> rows, std::span<const RowUpdate> befores,
                   std::span<const RowUpdate> changes);
  LeafUpdate updateInPlace(const ExclusiveGuard& guard, uint32_t row, const TupleChange& before,
                           const TupleChange& change, const std::optional<Leaf::Demand>& demand);
  /// Gives the leaf a page of at least `page_bytes` bytes, unless somebody else has.
  void moveLeaf(TupleId id, uint64_t page_bytes, uint64_t tuple_bytes);

  Relation& relation_;
  EditObserver* const observer_;
  Frame* frame_ = nullptr;
  PageId page_id_;
  uint64_t layout_changes_ = 0;  ///< of the tree, when the leaf was looked at
  TupleId first_id_;             ///< of the leaf's range, a bound from above
  uint64_t next_first_id_ = 0;   ///< where the next leaf's range begins, or a bound from below
  bool is_range_known_ = false;  ///< it is the former
  std::optional<Leaf> leaf_;     ///< none: that of frame_ has not been looked at
};

}  // namespace gnomon::storage
