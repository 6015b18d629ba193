#pragma once

#include "storage/index/index_page.h"
#include "storage/swip.h"

namespace gnomon::storage {

// Searches in index pages, with or without a latch. Under an optimistic latch what they return counts only after
// validation; false says that the bytes read cannot be those of a sound page.

/// Where a key is or would be.
struct IndexPosition {
  uint32_t index = 0;  ///< of the first entry that is not below the key
  bool is_equal = false;
};
/// The key lies between the page's fences or is its upper fence.
bool findPosition(const std::byte* page, KeyView key, IndexPosition& position);
/// The same where all entries before `from` are known to be below the key: it costs little if the place is near.
bool findPositionNear(const std::byte* page, KeyView key, uint32_t from, IndexPosition& position);

/// Which child a search goes to when a child's lower fence is the key.
enum class Side : uint8_t {
  AtOrAbove,  ///< the child that begins with it
  Below       ///< the one before
};
/// A child and the word of its swip.
struct IndexChild {
  uint32_t index = 0;
  uint64_t* where = nullptr;
  Swip swip;
};
bool findChild(const std::byte* page, KeyView key, Side side, IndexChild& child);
/// False also when there is no such child.
bool childAt(const std::byte* page, uint32_t index, IndexChild& child);
bool lastChild(const std::byte* page, IndexChild& child);

/// The tuple id of the entry with this key in a leaf of a unique index; is_found false: there is none.
bool findTuple(const std::byte* page, KeyView key, bool& is_found, uint64_t& tuple_id);

/// The first entries of a leaf whose keys begin with some bytes.
struct PrefixRun {
  static constexpr uint32_t kTuplesMax = 16;
  uint32_t count = 0;
  bool is_whole = false;  ///< the page has an entry behind them: there are no more in the index
  uint64_t tuple_ids[kTuplesMax];
};
/// As many of them as `run.tuple_ids` has room for.
bool findPrefix(const std::byte* page, KeyView prefix, PrefixRun& run);

/// Whether a key lies between the page's fences, or is its lower one.
bool liesWithin(const std::byte* page, KeyView key, bool& is_within);

/// What a descent needs to know before it searches a page.
struct IndexPageShape {
  uint64_t checked_by;
  uint32_t level;
};
IndexPageShape readShape(const std::byte* page);

}  // namespace gnomon::storage
