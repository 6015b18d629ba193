#pragma once

#include <memory>
#include <span>
#include <vector>

#include "base/epoch.h"
#include "base/scratch_array.h"
#include "storage/relation/leaf_view.h"
#include "txn/copied_rows.h"
#include "txn/version_map.h"

namespace gnomon::txn {

/// Rows of a leaf that a snapshot sees, in pieces.
///
/// Of a page without versions, or with such as the snapshot sees all, that is the whole leaf at once, and generated
/// code runs over it unchecked. Otherwise rows whose newest version is the one to be seen are given where they lie,
/// runs of them at once (paper 3, section 2.6), and so are rows that were deleted since, without their flag
/// (LeafAccess::flagged_count is 0 then); others are put together in a small leaf beside, of the same layout; rows that
/// the snapshot does not see are left out. A piece may contain rows flagged deleted, which are to be skipped as
/// LeafAccess says.
/// Who does not mind the order gets few pieces: what was put together, at once, and the whole leaf, with gaps in its
/// place. Where the columns that are wanted have fixed widths, rows that were put together wait for those of later
/// leaves, until they are worth a piece of their own, or takeGathered().
///
/// Threads: one. Lifetime: pieces are valid until the next attach(), and as long as the leaf is held.
class VisibleRows {
 public:
  struct Piece {
    const storage::LeafAccess* access;
    uint32_t begin, end;  ///< rows
  };
  enum class Order : uint8_t { TupleIds, Any };
  static TupleId tupleId(const storage::LeafAccess& access, uint32_t row) {
    const auto* ids = reinterpret_cast<const uint64_t*>(access.page_base + access.tuple_ids_offset);
    return TupleId{ids[row] & storage::tuple_id_flags::kIdMask};
  }

  /// All rows of the leaf. `columns`: those whose values are wanted, ascending; empty: all.
  void attach(const storage::LeafView& leaf, const storage::RelationSchema& schema, const Snapshot& snapshot,
              EpochManager& epochs, std::span<const uint32_t> columns = {}, Order order = Order::TupleIds);
  /// What attach() will look at first in a leaf that is to come, each in an earlier leaf's turn than the next, so that
  /// it is in the processor's caches by then. For attachRow(): the map, then the tuples that have chains. Waits for
  /// nothing; other leaves may be held.
  enum class Ahead : uint8_t { Versions, Chains, Tuples, Map, Frame };
  static void prefetch(storage::Frame& frame, Ahead what, const Snapshot& snapshot, EpochManager& epochs,
                       std::span<const uint32_t> columns);
  /// One row of the leaf. False: the snapshot does not see it.
  bool attachRow(const storage::LeafView& leaf, uint32_t row, const storage::RelationSchema& schema,
                 const Snapshot& snapshot, EpochManager& epochs, Piece& piece);
  /// Where the rows from `begin` on end, at the latest at `end`, that the snapshot sees as they lie in the leaf, of
  /// which a row was attached: they go with its piece if that lies in the leaf, too.
  [[nodiscard]] uint32_t endOfRun(const storage::LeafView& leaf, uint32_t begin, uint32_t end, const Snapshot& snapshot,
                                  EpochManager& epochs);
  /// False: there are no more.
  bool next(Piece& piece) {
    if (next_ == pieces_.size()) return false;
    piece = pieces_[next_++];
    return true;
  }
  /// Where the values of a piece of `leaf`, which was attached last, lie.
  [[nodiscard]] const storage::LeafView& viewOf(const Piece& piece, const storage::LeafView& leaf) const {
    if (piece.access == &copies_.access()) return copies_.view();
    return piece.access == &gathered_.access() ? gathered_.view() : leaf;
  }
  /// The tuple where the next piece begins; `otherwise` when there is none.
  [[nodiscard]] TupleId nextId(TupleId otherwise) const {
    return next_ == pieces_.size() ? otherwise : tupleId(*pieces_[next_].access, pieces_[next_].begin);
  }
  void clear() {
    pieces_.clear();
    next_ = 0;
  }
  /// Where the order does not matter, after the last leaf: rows of earlier ones that were not among their pieces.
  /// False: there are none.
  bool takeGathered(Piece& piece);
  /// As new, but for memory.
  void reset() {
    clear();
    gathered_.clear();
    is_gathered_given_ = false;
  }
  /// Memory is held for rows that were put together.
  [[nodiscard]] bool hasCopies() const { return copies_.hasMemory() || gathered_.hasMemory(); }
  /// For what was attached last, versions were looked at, not their chains alone.
  [[nodiscard]] bool hasReadVersions() const { return has_read_versions_; }
  /// The leaf of the row that was attached has versions to be looked at.
  [[nodiscard]] bool hasVersions() const { return has_versions_; }
  /// The leaf all rows of which were attached has so many chains without versions that they should be taken out.
  [[nodiscard]] bool isWorthPruning() const { return is_worth_pruning_; }

 private:
  /// A row that is to be put together. What is undone for it is `lone`, or it ends at undone_end in undone_, newest
  /// first, and begins where that of the former before ends.
  struct Former {
    const VersionChain::LoneUpdate* lone;
    uint32_t row;
    uint32_t undone_end;
    uint32_t copy;  ///< where it is put
  };
  /// Rows that are not as they lie in the leaf.
  struct Hole {
    uint32_t begin, end;
    int32_t former;  ///< in formers_; or kUnseen, kUndeleted
  };
  static constexpr uint32_t kGatheredRows = 512;
  static constexpr int32_t kUnseen = -1;     ///< the snapshot does not see them
  static constexpr int32_t kUndeleted = -2;  ///< it sees them as they lie there, but for the deleted flag
  enum class Seen : uint8_t { AsItLies, Nothing, Undeleted, Former };

  /// Where the tuples of a leaf lie and how they are flagged, without a look at their ids where it can be known.
  struct Rows;

  /// `newest`: of its chain; null: it has none. `stored`: the tuple's id with its flags. `map`: null: the page has
  /// none. `lone`: all that is to be undone; null: what is must be looked for.
  Seen resolve(const Version* newest, const VersionMap* map, uint64_t stored, const Snapshot& snapshot,
               const VersionChain::LoneUpdate* lone = nullptr);
  /// The page's map, if the snapshot does not see the page as it lies there.
  const VersionMap* note(const storage::LeafView& leaf, const Snapshot& snapshot);
  [[nodiscard]] std::span<const Version* const> undoneOf(const Former& former) const {
    const size_t begin = &former == formers_.begin() ? 0 : (&former)[-1].undone_end;
    return {undone_.data() + begin, undone_.data() + former.undone_end};
  }
  /// Former: its versions are at the end of undone_, or it is `lone`.
  void addHole(uint32_t row, TupleId id, Seen seen, const VersionChain::LoneUpdate* lone = nullptr);
  /// Where the page has virtual versions that the snapshot does not see: row by row.
  void findVirtualHoles(const storage::LeafView& leaf, const VersionMap* map, const Snapshot& snapshot);
  /// Where the order does not matter, and all there are are rows with one update to be undone, these are put together
  /// at once, or they are in formers_, and gaps_ are left for them; there are no holes.
  void findHoles(const storage::LeafView& leaf, const VersionMap& map, const storage::RelationSchema& schema,
                 const Snapshot& snapshot, std::span<const uint32_t> columns, Order order);
  /// All that is to be undone, if it is what the map has noted, and it is not wanted or can be put together at once.
  /// False: it has to be looked for.
  bool findNoted(const storage::LeafView& leaf, const VersionMap& map, const storage::RelationSchema& schema,
                 const Snapshot& snapshot, std::span<const uint32_t> columns, Order order);
  bool putTogether(const Rows& rows, const VersionMap::LoneUpdates& updates, const storage::RelationSchema& schema);
  /// `words`: of the only column that is wanted, for what is put together at once; null: that must wait.
  const VersionChain* findLoneUpdates(const Rows& rows, const VersionChain* chain, const VersionChain* end,
                                      const Snapshot& snapshot, std::span<const uint32_t> columns,
                                      const storage::ColumnSlots* words);
  template <bool kDense, typename Put>
  const VersionChain* addLoneUpdates(const Rows& rows, const VersionChain* chain, const VersionChain* end,
                                     const Snapshot& snapshot, const Put& put);
  CopiedRows& into() { return is_gathering_ ? gathered_ : copies_; }
  void clearFound();
  void addFormer(uint32_t row, TupleId id, const VersionChain::LoneUpdate* lone);
  void findUnseenRuns(const storage::LeafView& leaf, const VersionMap& map, const Snapshot& snapshot);
  void addPieces(const storage::LeafAccess& access);
  void addFewPieces(const storage::LeafAccess& access);
  void rebuild(const storage::LeafView& leaf, const storage::RelationSchema& schema, std::span<const uint32_t> columns);
  /// Columns of fixed width, straight from where they lie to where they are put.
  void rebuildFixed(const storage::LeafView& leaf, const storage::RelationSchema& schema,
                    std::span<const uint32_t> columns);
  void rebuildAny(const storage::LeafView& leaf, const storage::RelationSchema& schema,
                  std::span<const uint32_t> columns);
  void readFormer(const storage::LeafView& leaf, size_t number, const storage::RelationSchema& schema,
                  std::span<const uint32_t> columns, Datum* values, uint8_t* null_flags) const;
  [[nodiscard]] Datum formerValue(const storage::LeafView& leaf, const Former& former, uint32_t column,
                                  bool& is_null) const;

  std::vector<Piece> pieces_;
  size_t next_ = 0;
  bool is_worth_pruning_ = false;
  bool has_versions_ = false;
  bool has_read_versions_ = false;
  bool has_unseen_epoch_ = false;    ///< virtual versions of the leaf are not seen
  storage::LeafAccess undeleted_{};  ///< the leaf without deleted flags
  storage::LeafAccess gapped_{};     ///< the leaf with gaps_
  ScratchArray<storage::LeafGap> gaps_;
  std::vector<Hole> holes_;
  ScratchArray<Former> formers_;
  std::vector<const Version*> undone_;
  std::vector<Datum> values_;
  std::vector<uint8_t> null_flags_;
  CopiedRows copies_;
  CopiedRows gathered_;  ///< of several leaves
  bool is_gathered_given_ = false;
  bool is_gathered_full_ = false;  ///< there was no room for those of the leaf
  bool is_gathering_ = false;      ///< those of the leaf are among them
};

}  // namespace gnomon::txn
