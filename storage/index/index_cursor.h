#pragma once

#include <cstdint>
#include <vector>

#include "storage/index/index_tree.h"

namespace gnomon::storage {

/// One end of a range of whole keys. A bound on the first parts of a composite key is made with makePrefixEnd():
/// above them is Inclusive at the prefix's end, up to them Exclusive there.
struct KeyBound {
  enum class Kind : uint8_t { Unbounded, Inclusive, Exclusive };
  Kind kind = Kind::Unbounded;
  KeyView key;
};
struct KeyRange {
  KeyBound low;
  KeyBound high;
};

enum class ScanDirection : uint8_t { Forward, Backward };
/// What a cursor gives of an entry.
enum class CursorContent : uint8_t { All, TupleIds };

struct IndexEntry {
  KeyView key;  ///< empty where only tuple ids are wanted
  TupleId id;
};

/// Reads the entries of a range in key order, or backwards.
///
/// Shape: copies entries out of a leaf in batches under its shared latch and goes on by key, so that it holds no latch
/// between calls and survives splits, merges and eviction. An entry that is inserted or erased meanwhile may be seen or
/// not; every other one in the range is seen exactly once. Batches grow: a lookup of few entries copies few.
/// Threads: one per cursor; the tree outlives it.
class IndexCursor {
 public:
  IndexCursor(IndexTree& tree, const KeyRange& range, ScanDirection direction = ScanDirection::Forward,
              CursorContent content = CursorContent::All);
  /// Reads another range.
  void restart(const KeyRange& range);
  /// The next entry; its key is valid until the next call. False: the range is at its end. Failure: as IndexTree; the
  /// cursor stands where it was.
  bool next(IndexEntry& entry) {
    if (next_item_ == items_.size() && !loadBatch()) return false;
    const Item& item = items_[next_item_++];
    entry = {{bytes_.data() + item.begin, item.size}, item.id};
    return true;
  }

 private:
  /// An end of what is still to be read, in full keys. Unset: none.
  struct Bound {
    EncodedKey key;
    bool is_set = false;
    bool is_inclusive = false;
  };
  struct Item {
    uint32_t begin;
    uint32_t size;
    TupleId id;
  };

  bool loadBatch();
  void loadForward(const IndexPage& page);
  void loadBackward(const IndexPage& page);
  [[nodiscard]] uint32_t lowIndex(const IndexPage& page) const;
  [[nodiscard]] uint32_t lowIndexWithin(const IndexPage& page) const;
  [[nodiscard]] uint32_t highIndex(const IndexPage& page, uint32_t from) const;
  bool copy(const IndexPage& page, uint32_t index);
  void continueBeyond(Bound& bound, const IndexPage& page, uint32_t index);

  IndexTree& tree_;
  const ScanDirection direction_;
  const CursorContent content_;
  Bound low_;
  Bound high_;
  bool is_done_ = false;
  static constexpr uint32_t kFirstBatchEntries = 16;
  uint32_t batch_entries_max_ = kFirstBatchEntries;
  size_t next_item_ = 0;
  std::vector<Item> items_;
  std::vector<char> bytes_;
};

}  // namespace gnomon::storage
