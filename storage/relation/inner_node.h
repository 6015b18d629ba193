#pragma once

#include <cstdint>
#include <vector>

#include "storage/page_guard.h"
#include "storage/relation/schema.h"
#include "storage/swip.h"

namespace gnomon::storage {

/// An inner page of a relation's tree: for each child the id at which its range begins and its swip.
///
/// Layout, 64 KiB:  0  PageHeader    32  level (1: children are leaves)    36  entry count    40  spare (24 bytes)
///                 64  first tuple ids, 8 bytes x kEntriesMax, ascending     then  swips, 8 bytes x kEntriesMax
/// Invariants:  I1  entry count >= 1 except while a root is being rebuilt; ids ascend strictly
///              I2  the ids in child i are >= first[i] and < first[i + 1]; the first of them may have been reclaimed
struct InnerNode {
  static constexpr uint32_t kHeaderBytes = 64;
  static constexpr uint32_t kEntriesMax = (kPageBytesMin - kHeaderBytes) / 16;

  PageHeader page;
  uint32_t level;
  uint32_t entry_count;
  uint64_t spare[3];
  uint64_t first_ids[kEntriesMax];
  uint64_t swips[kEntriesMax];

  [[nodiscard]] bool isFull() const { return entry_count == kEntriesMax; }
  /// Takes an entry out.
  void erase(uint32_t index);
  void append(TupleId first_id, Swip swip) {
    CHECK(entry_count < kEntriesMax, "I1");
    ASSERT(entry_count == 0 || first_ids[entry_count - 1] < first_id.value, "I1");
    first_ids[entry_count] = first_id.value;
    swips[entry_count] = swip.bits();
    ++entry_count;
  }
};
static_assert(sizeof(InnerNode) == kPageBytesMin);
static_assert(offsetof(InnerNode, first_ids) == InnerNode::kHeaderBytes);

inline InnerNode& innerOf(std::byte* page) {
  return *reinterpret_cast<InnerNode*>(page);
}

/// What a search in an inner node found.
struct InnerEntry {
  uint32_t index = 0;
  Swip swip;
  uint64_t first_id = 0;
  uint64_t next_first_id = UINT64_MAX;  ///< first id of the following entry in this node; UINT64_MAX: it is the last
  uint32_t level = 0;                   ///< of the node
};

/// A leaf as its parent knew it: where its range begins, its swip, and its version if it was hot.
struct LeafReference {
  TupleId id;
  Swip swip;
  OptimisticGuard guard;
};

/// Leaves that follow each other in one inner node, the first at `first_index`.
struct LeafList {
  OptimisticGuard parent;
  uint32_t first_index = 0;
  std::vector<LeafReference> leaves;
};

/// The entry whose range holds `id`. May run under an optimistic latch: returns false when what it read cannot be an
/// inner node (the caller's validation fails then too); the result counts only after validation.
bool findEntry(const std::byte* page, TupleId id, InnerEntry& entry);
/// Appends entries from `index` on to `leaves`, until it has `count_max`; `next_first_id` becomes the first id of the
/// entry behind them if the node has one. Under an optimistic latch as findEntry().
void copyEntries(const std::byte* page, uint32_t index, size_t count_max, std::vector<LeafReference>& leaves,
                 uint64_t& next_first_id);
/// The page type, readable under an optimistic latch.
PageType readPageType(const std::byte* page);

}  // namespace gnomon::storage
