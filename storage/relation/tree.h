#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <mutex>
#include <optional>
#include <span>
#include <vector>

#include "storage/buffer_manager.h"
#include "storage/findings.h"
#include "storage/page_change.h"
#include "storage/relation/inner_node.h"
#include "storage/relation/leaf_view.h"

namespace gnomon::storage {

/// What will be read of a tuple that is looked for, so that it is asked for early.
struct TupleHint {
  const LeafView* like = nullptr;  ///< mostly, leaves are like the one that it held last; null: nothing is known
  std::span<const uint32_t> columns{};
};

/// The B+-tree of a relation: synthetic tuple ids that only grow, PAX leaves, 64 KiB inner nodes.
///
/// Source: paper 2, section 2.4. Departure: the root page never moves. It starts as an empty leaf; when it has to
/// split, its contents move to a new page and it becomes their parent. So a relation is known by its root for its whole
/// life. Invariants:  T1  leaves are filled, never split; new leaves stand at the right edge;
///                  a leaf that outgrows its page moves to a larger one
///              T2  every leaf but a root is non-empty; the last one may be, after a crash or a failure
/// Log: a change of the structure is one record, which is redone and never undone. Failure of all of them: 53100 when
/// there is no room in the log; the tree is unchanged.
/// Threads: any number of readers, and of those who change leaves that they hold; one thread at a time changes the
/// structure (Relation sees to that).
class RelationTree {
 public:
  /// A new tree: one empty leaf. Failure: as BufferManager::allocate.
  RelationTree(BufferManager& buffers, RelationId relation, const RelationSchema& schema);
  /// An existing tree; its root is read when it is first used. One object per tree and buffer manager.
  RelationTree(BufferManager& buffers, RelationId relation, const RelationSchema& schema, PageId root);
  RelationTree(const RelationTree&) = delete;
  RelationTree& operator=(const RelationTree&) = delete;

  /// The leaf whose range holds `id`, held shared. `next_first_id`: where the next leaf's range begins; UINT64_MAX when
  /// this is the last. Failure: when a page must be read, as BufferManager::fix.
  SharedGuard findLeaf(TupleId id, uint64_t& next_first_id, const TupleHint& hint = {});
  /// The same, held exclusively.
  ExclusiveGuard findLeafExclusive(TupleId id, uint64_t& next_first_id);

  /// Asks for a tuple's place in a frame, of which nothing is known yet.
  void prefetchAt(const Frame& frame, uint32_t row, const TupleHint& hint) const;

  /// The leaves from the one whose range holds `from` on, as many as one inner node has, at most `count_max`. Returns
  /// where the range of the leaf after them begins; UINT64_MAX: there is none.
  TupleId listLeaves(TupleId from, size_t count_max, LeafList& list);
  /// Reads those that are not in memory, in one batch.
  void prefetch(const LeafList& list);
  /// One of them was found hot, and is used.
  void countHit(const Frame& leaf) { buffers_.countHit(leaf); }

  /// Adds an empty leaf at the right edge for ids >= first_id and returns it, held exclusively. When the only leaf is
  /// an empty root of the wanted class, that is the one. `is_new`: whether the tree has a leaf more. Failure: as
  /// BufferManager::allocate; the tree is unchanged.
  ExclusiveGuard addLeaf(TupleId first_id, SizeClass size_class, uint32_t capacity, bool& is_new);

  /// Makes a page the new place of a leaf; both are held. False: it is not to be one.
  using FillLeaf = std::function<bool(const ExclusiveGuard& before, const ExclusiveGuard& fresh)>;
  /// Puts `fresh`, a page that no swip refers to, in the place of the leaf whose range holds `id` once `fill` has
  /// copied it, and frees that one's page. The version map goes along. A root stays and becomes the parent of the fresh
  /// page. False: `fill` did not want to. Others may be at work. Failure: when a page must be read, as
  /// BufferManager::fix; what `fill` throws. Then, and where it is false, the tree is unchanged and `fresh` is freed.
  bool replaceLeaf(TupleId id, ExclusiveGuard fresh, const FillLeaf& fill);

  /// Tuples of a part of the tree.
  struct Tally {
    uint64_t tuples = 0;
    uint64_t deleted = 0;  ///< tuples that were flagged deleted
    uint64_t leaves = 0;
    uint64_t variable_bytes = 0;
    uint64_t unseen_tuples = 0;  ///< tuples of leaves that were freed without being read; not among the others
  };

  /// Frees the leaf whose range holds `id`, and inner nodes that lose their last entry. A root becomes an empty leaf.
  /// Others may be at work. None: the leaf has a version map, or a tuple that is not flagged deleted. Failure: as
  /// BufferManager::fix; the tree is unchanged.
  std::optional<Tally> removeLeaf(TupleId id);
  /// The leaf whose range holds `id` is taken in by the one before it, where both hang from one parent, have no version
  /// maps, and together need at most `bytes_max` of a page of class 0. Readers may be at work. None: it is not.
  /// Otherwise the string bytes that there are more now, in columns that one of them did not hold. Failure: when a page
  /// must be read, as BufferManager::resolve; the tree is unchanged.
  std::optional<uint64_t> mergeWithLeft(TupleId id, uint64_t bytes_max);

  /// Drops all tuples with ids >= bound and frees the leaves and inner nodes that become empty. Readers may be at work;
  /// nobody appends. `dense_end`: 0, or one past the last id when ids have no gaps and no tuple is flagged deleted;
  /// leaves that are not in memory need not be read then. Returns what was dropped. Failure: as BufferManager::resolve,
  /// when a page must be read.
  Tally truncate(TupleId bound, TupleId dense_end);

  /// Frees every page, the root too. Nobody uses the tree any more; afterwards it may only be destroyed. After a crash
  /// meanwhile the rest is a tree that can be destroyed.
  void destroy();

  [[nodiscard]] PageId root() const { return root_id_; }
  /// Grows when a leaf is rearranged, moves, goes, or gets a right neighbour, while all that is concerned is held: what
  /// somebody remembers of a leaf counts if, once the leaf is held, the number is still the same.
  [[nodiscard]] uint64_t layoutChanges() const { return layout_changes_.load(std::memory_order_acquire); }
  void noteLayoutChange() { layout_changes_.fetch_add(1, std::memory_order_acq_rel); }
  /// Checks T2, I1, I2, R1 to R5 and F3 over the whole tree, also of a damaged one. Nobody changes it meanwhile.
  /// Returns what it counted.
  Tally check(Findings& findings);

 private:
  Frame& rootFrame() {
    Frame* root = root_.load(std::memory_order_acquire);
    return root ? *root : readRoot();
  }
  Frame& readRoot();
  template <typename Guard>
  Guard descend(TupleId id, uint64_t& next_first_id, const TupleHint& hint);
  Frame& fixChild(ExclusiveGuard& parent, uint32_t index);
  ExclusiveGuard lockParent(TupleId id, uint32_t& index);
  std::vector<SharedGuard> rightPath();
  std::vector<ExclusiveGuard> allocateInner(size_t count);
  void moveRootDown(PageChange& change, ExclusiveGuard& root, ExclusiveGuard child);
  /// What a page that takes the place of another has from it beside its contents.
  static void inherit(Frame& frame, Frame& before);
  void makeRootInner(PageChange& change, ExclusiveGuard& root, uint32_t level);
  void makeRootLeaf(PageChange& change, ExclusiveGuard& root, TupleId first_id);
  ExclusiveGuard lockParentOfBoth(TupleId id, uint32_t& index);
  bool truncateNode(PageChange& change, ExclusiveGuard& node, TupleId bound, TupleId dense_end, Tally& dropped);
  void truncateLeaf(ExclusiveGuard& leaf, TupleId bound, Tally& dropped);
  void freeSubtree(PageChange& change, ExclusiveGuard& parent, uint32_t index, TupleId dense_end, Tally& dropped);
  [[nodiscard]] uint64_t freedBytesMax() const;
  void sayDestroyed(PageChange& change);
  bool destroyLast();
  class Check;
  SharedGuard findInner(uint32_t level, TupleId id);

  BufferManager& buffers_;
  const RelationId relation_;
  const RelationSchema& schema_;
  PageId root_id_;
  std::mutex root_mutex_;
  std::atomic<Frame*> root_{nullptr};  ///< once read it stays resident while the relation is open
  std::atomic<uint64_t> layout_changes_{0};
};

}  // namespace gnomon::storage
