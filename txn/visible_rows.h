#pragma once

#include <memory>
#include <span>
#include <vector>

#include "base/epoch.h"
#include "storage/relation/leaf_view.h"
#include "txn/version.h"

namespace gnomon::txn {

/// Rows of a leaf that a snapshot sees, in pieces that follow one another in the order of tuple ids.
///
/// Of a page without versions that is the whole leaf at once, and generated code runs over it unchecked. Otherwise rows
/// whose newest version is the one to be seen are given where they lie, runs of them at once (paper 3, section 2.6),
/// and so are rows that were deleted since, without their flag (LeafAccess::flagged_count is 0 then); others are put
/// together in a small leaf beside, of the same layout; rows that the snapshot does not see are left out. A piece may
/// contain rows flagged deleted, which are to be skipped as LeafAccess says.
///
/// Threads: one. Lifetime: pieces are valid until the next attach(), and as long as the leaf is held.
class VisibleRows {
 public:
  struct Piece {
    const storage::LeafAccess* access;
    uint32_t begin, end;  ///< rows
  };
  static TupleId tupleId(const storage::LeafAccess& access, uint32_t row) {
    const auto* ids = reinterpret_cast<const uint64_t*>(access.page_base + access.tuple_ids_offset);
    return TupleId{ids[row] & storage::tuple_id_flags::kIdMask};
  }

  /// All rows of the leaf. `columns`: those whose values are wanted, ascending; empty: all.
  void attach(const storage::LeafView& leaf, const storage::RelationSchema& schema, const Snapshot& snapshot,
              EpochManager& epochs, std::span<const uint32_t> columns = {});
  /// One row of the leaf. False: the snapshot does not see it.
  bool attachRow(const storage::LeafView& leaf, uint32_t row, const storage::RelationSchema& schema,
                 const Snapshot& snapshot, EpochManager& epochs, Piece& piece);
  /// False: there are no more.
  bool next(Piece& piece) {
    if (next_ == pieces_.size()) return false;
    piece = pieces_[next_++];
    return true;
  }
  /// Where the values of a piece of `leaf`, which was attached last, lie.
  [[nodiscard]] const storage::LeafView& viewOf(const Piece& piece, const storage::LeafView& leaf) const {
    return piece.access == &copies_.access() ? copies_ : leaf;
  }
  /// The tuple where the next piece begins; `otherwise` when there is none.
  [[nodiscard]] TupleId nextId(TupleId otherwise) const {
    return next_ == pieces_.size() ? otherwise : tupleId(*pieces_[next_].access, pieces_[next_].begin);
  }
  void clear() {
    pieces_.clear();
    next_ = 0;
  }
  /// Memory is held for rows that were put together.
  [[nodiscard]] bool hasCopies() const { return page_ != nullptr; }
  /// The leaf of the row that was attached has versions to be looked at: the next row may be seen otherwise.
  [[nodiscard]] bool hasVersions() const { return has_versions_; }
  /// The leaf that was attached has so many chains without versions that they should be taken out.
  [[nodiscard]] bool isWorthPruning() const { return is_worth_pruning_; }

 private:
  /// A row that is to be put together: what of undone_ belongs to it, newest first.
  struct Former {
    uint32_t row;
    uint32_t undone_begin, undone_end;
  };
  /// Rows that are not as they lie in the leaf.
  struct Hole {
    uint32_t begin, end;
    int32_t former;  ///< in formers_; or kUnseen, kUndeleted
  };
  static constexpr int32_t kUnseen = -1;     ///< the snapshot does not see them
  static constexpr int32_t kUndeleted = -2;  ///< it sees them as they lie there, but for the deleted flag
  enum class Seen : uint8_t { AsItLies, Nothing, Undeleted, Former };

  /// `stored`: the tuple's id with its flags. `map`: null: the page has none.
  Seen resolve(const VersionChain* chain, const VersionMap* map, uint64_t stored, const Snapshot& snapshot);
  void noteEpoch(const storage::LeafView& leaf, const Snapshot& snapshot);
  void addHole(uint32_t row, Seen seen, uint32_t undone_begin);
  /// Where the page has virtual versions that the snapshot does not see: row by row.
  void findVirtualHoles(const storage::LeafView& leaf, const VersionMap* map, const Snapshot& snapshot);
  void findHoles(const storage::LeafView& leaf, const VersionMap& map, const Snapshot& snapshot);
  void rebuild(const storage::LeafView& leaf, const storage::RelationSchema& schema, std::span<const uint32_t> columns);
  void readFormer(const storage::LeafView& leaf, const Former& former, const storage::RelationSchema& schema,
                  std::span<const uint32_t> columns, Datum* values, uint8_t* null_flags) const;
  /// Memory for a leaf of so many rows and string bytes.
  void prepareCopies(const storage::RelationSchema& schema, size_t rows, uint64_t string_bytes, TupleId first);

  std::vector<Piece> pieces_;
  size_t next_ = 0;
  bool is_worth_pruning_ = false;
  bool has_versions_ = false;
  bool has_unseen_epoch_ = false;    ///< virtual versions of the leaf are not seen
  storage::LeafAccess undeleted_{};  ///< the leaf without deleted flags
  std::vector<Hole> holes_;
  std::vector<Former> formers_;
  std::vector<const Version*> undone_;
  // Of the leaf that former rows are put together in; kept from one leaf to the next.
  std::vector<Datum> values_;
  std::vector<uint8_t> null_flags_;
  std::unique_ptr<std::byte[]> page_;
  uint64_t page_bytes_ = 0;
  uint32_t capacity_ = 0;
  const storage::RelationSchema* schema_ = nullptr;
  std::unique_ptr<storage::Leaf> copied_;
  storage::LeafView copies_;
};

}  // namespace gnomon::txn
