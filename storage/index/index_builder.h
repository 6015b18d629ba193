#pragma once

#include <cstdint>
#include <vector>

#include "storage/index/index_tree.h"

namespace gnomon::storage {

/// Fills an empty tree from sorted input: each leaf is written once, with the given share of its bytes.
///
/// Leaves are linked as they are made, so that only what one leaf holds stays in memory. Until finish() nobody else
/// uses the tree, and after a failure it can only be destroyed. Failure: 53200, 53100 when pages are needed.
class IndexBuilder {
 public:
  /// `fill_factor`: 0.5 to 1, the rest stays free for later inserts.
  explicit IndexBuilder(IndexTree& tree, double fill_factor = 0.9);

  /// Adds an entry above all before (by key, then tuple id). False: the index is unique and has the key already; the
  /// entry was not added.
  bool add(KeyView key, TupleId id);
  /// Writes the last leaf; the tree is ready.
  void finish();

 private:
  struct Entry {
    uint32_t begin;  ///< of its full key in `bytes_`
    uint32_t size;
    TupleId id;
  };

  [[nodiscard]] KeyView keyOf(size_t entry) const {
    return {bytes_.data() + entries_[entry].begin, entries_[entry].size};
  }
  [[nodiscard]] uint64_t leafBytes(size_t count, KeyView upper) const;
  void separate(size_t count, KeyView next_key, EncodedKey& separator) const;
  void cutLeaf(size_t count_max, KeyView next_key);
  void fillPage(IndexPage page, size_t count, const KeyView* upper) const;
  void writeLeaf(size_t count, const KeyView* upper);
  void linkLeaf(const ExclusiveGuard& leaf);
  void linkFirstLeaf(const ExclusiveGuard& leaf);

  IndexTree& tree_;
  const uint64_t target_bytes_;
  EncodedKey lower_;  ///< lower fence of the leaf to come
  EncodedKey full_key_;
  std::vector<Entry> entries_;  ///< of the leaf to come
  std::vector<char> bytes_;
  bool has_leaves_ = false;
};

}  // namespace gnomon::storage
