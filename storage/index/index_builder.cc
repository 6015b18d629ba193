#include "storage/index/index_builder.h"

#include <algorithm>

#include "storage/fresh_page.h"

namespace gnomon::storage {

IndexBuilder::IndexBuilder(IndexTree& tree, double fill_factor)
    : tree_(tree), target_bytes_(static_cast<uint64_t>(std::clamp(fill_factor, 0.5, 1.0) * IndexPage::kCapacity)) {
  const IndexPage root(static_cast<const std::byte*>(tree.rootFrame().page));
  CHECK(root.isLeaf() && root.count() == 0, "X1");
}

bool IndexBuilder::add(KeyView key, TupleId id) {
  tree_.makeFullKey(key, id, full_key_);
  const KeyView full_key = full_key_.view();
  if (!entries_.empty()) {
    const KeyView last = keyOf(entries_.size() - 1);
    if (last == full_key) return false;
    CHECK(last < full_key, "N1");
    if (leafBytes(entries_.size(), full_key) + sizeof(IndexSlot) + kTupleIdBytes + full_key.size() > target_bytes_)
      cutLeaf(entries_.size(), full_key);
  }
  entries_.push_back({static_cast<uint32_t>(bytes_.size()), static_cast<uint32_t>(full_key.size()), id});
  bytes_.insert(bytes_.end(), full_key.begin(), full_key.end());
  return true;
}

/// What the first `count` entries take in a leaf that ends with `upper`. Entries have no gaps in `bytes_`.
uint64_t IndexBuilder::leafBytes(size_t count, KeyView upper) const {
  const size_t prefix_bytes = commonPrefixBytes(lower_.view(), upper);
  const uint64_t value_bytes = tree_.isUnique() ? kTupleIdBytes : 0;
  const uint64_t key_bytes = count == 0 ? 0 : entries_[count - 1].begin + entries_[count - 1].size;
  // One byte for a record that would be empty.
  return lower_.size() + upper.size() + 1 + key_bytes - count * prefix_bytes +
         count * (sizeof(IndexSlot) + value_bytes);
}

/// The separator between the first `count` entries and the rest, which goes on with `next_key`.
void IndexBuilder::separate(size_t count, KeyView next_key, EncodedKey& separator) const {
  const KeyView last = keyOf(count - 1);
  const KeyView next = count < entries_.size() ? keyOf(count) : next_key;
  separator.assign(next.substr(0, commonPrefixBytes(last, next) + 1));
}

/// Writes as many entries as fit, at most `count_max`; the prefix depends on the separator that follows them. One entry
/// fits with any.
void IndexBuilder::cutLeaf(size_t count_max, KeyView next_key) {
  EncodedKey separator;
  size_t count = count_max;
  for (;; --count) {
    CHECK(count > 0, "N4");
    separate(count, next_key, separator);
    if (leafBytes(count, separator.view()) <= IndexPage::kCapacity) break;
  }
  const KeyView upper = separator.view();
  writeLeaf(count, &upper);
  lower_ = separator;
  const uint32_t bytes = entries_[count - 1].begin + entries_[count - 1].size;
  bytes_.erase(bytes_.begin(), bytes_.begin() + bytes);
  entries_.erase(entries_.begin(), entries_.begin() + static_cast<ptrdiff_t>(count));
  for (Entry& entry : entries_) entry.begin -= bytes;
}

void IndexBuilder::fillPage(IndexPage page, size_t count, const KeyView* upper) const {
  page.initialise(0, tree_.isUnique(), lower_.view(), upper);
  for (size_t entry = 0; entry < count; ++entry)
    page.append(keyOf(entry).substr(page.header().prefix_bytes), {}, entries_[entry].id.value);
  page.updateHints(0, 0);
}

void IndexBuilder::writeLeaf(size_t count, const KeyView* upper) {
  FreshPage leaf(tree_.buffers_, tree_.relation_, PageType::IndexLeaf);
  fillPage(IndexPage(leaf.guard().page()), count, upper);
  if (has_leaves_)
    linkLeaf(leaf.guard());
  else
    linkFirstLeaf(leaf.guard());
  has_leaves_ = true;
  leaf.keep();
}

void IndexBuilder::linkFirstLeaf(const ExclusiveGuard& leaf) {
  const ExclusiveGuard root(tree_.rootFrame());
  PageChange change(tree_.buffers_, tree_.relation_);
  change.prepare(PageChange::imageBytes(2));
  IndexPage page(root.page());
  root.frame().header().type = PageType::IndexInner;
  page.initialise(1, tree_.isUnique(), {}, nullptr);
  page.append({}, {}, Swip::hot(&leaf.frame()).bits());
  leaf.frame().parent.store(&root.frame());
  change.image(root.frame());
  change.image(leaf.frame());
}

void IndexBuilder::linkLeaf(const ExclusiveGuard& leaf) {
  for (;;) {
    const IndexTree::Descent found = tree_.descend({.is_last = true}, 1);
    ExclusiveGuard parent = found.page.tryUpgrade();
    if (!parent.holds()) continue;
    const IndexPage page(parent.page());
    const uint32_t bytes = page.entryBytes(lower_.size());
    if (bytes <= page.freeBytes()) {
      PageChange change(tree_.buffers_, tree_.relation_);
      change.prepare(PageChange::imageBytes(1) + lower_.size());
      change.image(leaf.frame());
      return tree_.link(change, parent, lower_.view(), leaf.frame());
    }
    parent.releaseUnchanged();
    tree_.split(lower_.view(), TupleId{}, 1, bytes);
  }
}

void IndexBuilder::finish() {
  // The last leaf has no upper fence and so no prefix.
  while (!entries_.empty() && leafBytes(entries_.size(), {}) > IndexPage::kCapacity) cutLeaf(entries_.size() - 1, {});
  if (has_leaves_) return writeLeaf(entries_.size(), nullptr);
  const ExclusiveGuard root(tree_.rootFrame());
  PageChange change(tree_.buffers_, tree_.relation_);
  change.prepare(PageChange::imageBytes(1));
  fillPage(IndexPage(root.page()), entries_.size(), nullptr);
  change.image(root.frame());
}

}  // namespace gnomon::storage
