#pragma once

#include <atomic>
#include <cstdint>
#include <mutex>
#include <optional>
#include <span>

#include "storage/buffer_manager.h"
#include "storage/findings.h"
#include "storage/index/index_page.h"
#include "storage/index/index_search.h"
#include "storage/page_change.h"

namespace gnomon::storage {

/// The B+-tree of an index: from keys (EncodedKey) to tuple ids.
///
/// Source: architecture.md, section 4; optimistic lock coupling as in Leis et al., The ART of Practical
/// Synchronization. Shape: pages of 64 KiB (index_page.h). In a non-unique index the tuple id, big-endian, is the end
/// of the key, so its keys ascend strictly as well; K1 makes that the order by key, then tuple id. Invariants:  X1  the
/// root page never moves; its contents do when it splits
///              X2  a child's fences are its separators in the parent, its level is one less
///              X3  a leaf that is not the root may be empty only for a moment, or when no merge was possible
/// Threads: any number of readers and writers. Descents hold no latch; leaves are read by point lookups without one,
/// by cursors under the shared one. Writers hold the leaf exclusively, to split or merge also its parent and sibling,
/// taken downwards and from left to right.
/// Log: an entry that comes or goes is a record of its own, which may be undone; a change of the structure is one
/// record that is only redone. Failure: whatever reads pages may raise what BufferManager::resolve does, and XX001 for
/// a page that is not sound; 53100 when there is no room in the log; the tree is unchanged then.
class IndexTree {
 public:
  /// A new tree: one empty leaf. Failure: as BufferManager::allocate.
  IndexTree(BufferManager& buffers, RelationId relation, bool is_unique);
  /// An existing tree; its root is read when it is first used. One object per tree and buffer manager.
  IndexTree(BufferManager& buffers, RelationId relation, bool is_unique, PageId root);
  IndexTree(const IndexTree&) = delete;
  IndexTree& operator=(const IndexTree&) = delete;

  /// Adds an entry. Returns nothing when it was added; in a unique index the tuple id that has the key already, in any
  /// other `id` when the entry was there. Failure: 53200, 53100 when a page is needed; the tree is unchanged.
  std::optional<TupleId> insert(KeyView key, TupleId id);
  /// Adds the entry unless there is one of the same key, with whatever tuple id; that is not told for certain. Nobody
  /// else adds one of that key meanwhile. False: nothing was added. Failure: as insert().
  bool insertAlone(KeyView key, TupleId id);
  /// Of a non-unique index: adds entries of keys that ascend, with `first` and the tuple ids behind it, as many of the
  /// first ones as belong to one leaf without anything between them, have room in it, and, where they are to be
  /// `alone`, are there no more than insertAlone() says. They are one record of the log. Returns how many; 0: the first
  /// is to be inserted by itself. The keys are used up. Failure: as insert(); none is added.
  size_t insertRun(std::span<EncodedKey> keys, TupleId first, bool alone);
  /// Removes the entry; false when there is none with this key and tuple id.
  bool erase(KeyView key, TupleId id);
  /// The tuple id with this key in a unique index. Writes nothing, not even a latch.
  std::optional<TupleId> lookup(KeyView key);
  /// The least tuple id with this key in a non-unique index.
  std::optional<TupleId> findFirst(KeyView key);
  /// Where a lookup ended: others of keys nearby end there, too, and need no descent. Of one thread.
  class LeafHint {
   private:
    friend class IndexTree;
    OptimisticGuard leaf_;  ///< holds nothing: none is known
  };
  /// The first tuple ids of the entries whose keys begin with these bytes, in the order of the keys. All of them if
  /// the run is whole; otherwise there may be more. Writes nothing, not even a latch. `hint`: null: none.
  void findRun(KeyView prefix, PrefixRun& run, LeafHint* hint = nullptr);
  /// Whether there is such an entry.
  bool contains(KeyView key, TupleId id);

  /// How many pages it has, of kIndexPageBytes each, read off the inner pages alone; nearly, while others change it.
  [[nodiscard]] uint64_t pageCount();

  /// Frees every page, the root too; what hangs from a damaged page is lost with it. Nobody uses the tree any more;
  /// afterwards it may only be destroyed. After a crash meanwhile the rest is a tree that can be destroyed.
  void destroy();

  /// What a walk through the tree counted.
  struct Tally {
    uint64_t entries = 0;
    uint64_t leaves = 0;
    uint64_t inner_pages = 0;
    uint64_t leaf_bytes_used = 0;  ///< by entries, without headers and fences
    uint32_t height = 0;           ///< levels
  };
  /// Checks N1 to N4, X2 and F3 over the whole tree, also of a damaged one. Nobody changes it meanwhile. Returns what
  /// it counted.
  Tally check(Findings& findings);
  /// The same for a tree that is known to be sound: ends the process when it is not.
  Tally audit();

  [[nodiscard]] PageId root() const { return root_id_; }
  [[nodiscard]] bool isUnique() const { return is_unique_; }

 private:
  friend class IndexCursor;
  friend class IndexBuilder;

  /// A page at the end of a descent and its parent, whose versions were right together.
  struct Descent {
    OptimisticGuard parent;  ///< holds nothing when the page is the root
    OptimisticGuard page;
    uint32_t level = 0;

    /// Whether the page still is what the descent looked for, now that its latch is held.
    [[nodiscard]] bool isStillRight() const;
  };
  /// Where a descent goes: to the page for `key`, or to the rightmost.
  struct Target {
    KeyView key{};
    Side side = Side::AtOrAbove;
    bool is_last = false;
  };
  Frame& rootFrame() {
    Frame* root = root_.load(std::memory_order_acquire);
    return root ? *root : readRoot();
  }
  Frame& readRoot();
  /// Goes down to `level`, or to the root if that is lower. Empty: something changed, the caller starts again.
  std::optional<Descent> tryDescend(const Target& target, uint32_t level);
  Descent descend(const Target& target, uint32_t level);
  Frame* tryFindChild(const OptimisticGuard& page, const Target& target);
  void checkPage(const OptimisticGuard& page);
  /// Why the page cannot be used; null when it can, which is then remembered in it.
  [[nodiscard]] const char* problemOf(const ExclusiveGuard& page) const;
  void requireChecked(const ExclusiveGuard& page) const;
  [[noreturn]] void raiseDamaged(const Frame& frame, const char* problem = "stands in another's place") const;

  uint64_t childCount(uint32_t level);
  void makeFullKey(KeyView key, TupleId id, EncodedKey& full_key) const;
  static bool isAlone(const IndexPage& page, uint32_t index, KeyView key);
  static bool belongsBefore(const IndexPage& page, uint32_t index, KeyView full_key);
  void logRun(const ExclusiveGuard& leaf, uint32_t index, std::span<const EncodedKey> full_keys, TupleId first);
  void logEntry(const ExclusiveGuard& leaf, PageOperation operation, uint32_t index, KeyView full_key, TupleId id);
  bool insertAt(ExclusiveGuard leaf, uint32_t index, KeyView full_key, TupleId id);
  ExclusiveGuard latchLeaf(KeyView full_key, Descent& found, IndexPosition& position);
  void split(KeyView key, TupleId id, uint32_t level, uint32_t bytes_needed);
  void raiseRoot(const ExclusiveGuard& root, const ExclusiveGuard& fresh);
  void splitPage(PageChange& change, const ExclusiveGuard& page, uint32_t at, KeyView separator,
                 const ExclusiveGuard& fresh);
  void link(PageChange& change, const ExclusiveGuard& parent, KeyView separator, Frame& child);
  void tryMerge(KeyView key);
  void merge(KeyView key);
  bool loadSiblings(const OptimisticGuard& parent, KeyView key);
  bool mergeWithSibling(const ExclusiveGuard& parent, uint32_t index, ExclusiveGuard page);
  bool mergeInto(const ExclusiveGuard& parent, uint32_t right_index, const ExclusiveGuard& left, ExclusiveGuard right);
  void lowerRoot(const ExclusiveGuard& root);
  ExclusiveGuard lockChild(const ExclusiveGuard& parent, uint32_t index);
  ExclusiveGuard lockLastChild(const ExclusiveGuard& parent);
  void freeChildren(PageChange& change, const ExclusiveGuard& parent);
  void sayDestroyed(PageChange& change);
  bool destroyLast();
  class Check;

  BufferManager& buffers_;
  const RelationId relation_;
  const bool is_unique_;
  PageId root_id_;
  std::mutex root_mutex_;
  std::atomic<Frame*> root_{nullptr};  ///< once read it stays resident while the index is open
};

}  // namespace gnomon::storage
