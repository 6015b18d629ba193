#include <algorithm>

#include "storage/fresh_page.h"
#include "storage/index/index_tree.h"

namespace gnomon::storage {

namespace {

PageType typeOf(uint32_t level) {
  return level == 0 ? PageType::IndexLeaf : PageType::IndexInner;
}

/// F3 after swips were copied into another page.
void adoptChildren(Frame& parent) {
  const IndexPage page(parent.page);
  for (uint32_t index = 0; !page.isLeaf() && index < page.count(); ++index) {
    const Swip swip = Swip::fromBits(page.swipWord(index));
    if (swip.isResident()) swip.frame()->parent.store(&parent);
  }
}

/// The shortest key that is above entry `index - 1` and not above entry `index`.
void separatorAt(const IndexPage& page, uint32_t index, EncodedKey& separator) {
  separator.clear();
  page.appendKey(index, separator);
  if (!page.isLeaf()) return;
  const size_t common = commonPrefixBytes(page.suffix(index - 1), page.suffix(index));
  separator.truncate(page.prefix().size() + common + 1);
}

bool fitsSplitAt(const IndexPage& page, uint32_t at, KeyView separator) {
  const KeyView upper = page.upperFence();
  return page.rangeBytes(0, at, page.lowerFence(), &separator) <= IndexPage::kCapacity &&
         page.rangeBytes(at, page.count(), separator, page.hasUpperFence() ? &upper : nullptr) <= IndexPage::kCapacity;
}

/// A full page at the right edge gets ascending keys: it keeps its entries and the new page takes what comes.
bool findAppendSplit(const IndexPage& page, KeyView key, uint32_t& at, EncodedKey& separator) {
  if (page.hasUpperFence()) return false;
  EncodedKey last;
  page.appendKey(page.count() - 1, last);
  if (key <= last.view()) return false;
  if (page.isLeaf()) {
    at = page.count();
    separator.assign(key.substr(0, commonPrefixBytes(last.view(), key) + 1));
  } else {
    at = page.count() - 1;
    separatorAt(page, at, separator);
  }
  return fitsSplitAt(page, at, separator.view());
}

/// In a leaf a key follows the one that came just before it, as those of a group do whose entries are inserted in their
/// order: the group's end is where the leaf is split, so that it fills its pages as ascending keys of all groups would.
/// The tuples' ids tell: one that is near, or a longer run that ends there, as others' groups grow in between. `id`: of
/// the key's.
bool findRunSplit(const IndexPage& page, KeyView key, TupleId id, uint32_t& at, EncodedKey& separator) {
  constexpr uint64_t kIdsApart = 64, kRunIdsApart = uint64_t{1} << 16;  ///< what others may have inserted meanwhile
  constexpr uint32_t kRun = 8;
  IndexPosition position;
  if (!page.isLeaf() || !findPosition(page.bytes(), key, position) || position.index == 0) return false;
  const uint64_t before = page.tupleId(position.index - 1);
  if (before >= id.value || id.value - before > kRunIdsApart) return false;
  if (id.value - before > kIdsApart) {
    if (position.index < kRun) return false;
    for (uint32_t index = position.index - kRun; index + 1 < position.index; ++index)
      if (page.tupleId(index) >= page.tupleId(index + 1)) return false;
  }
  at = position.index;
  if (at < page.count()) {
    separatorAt(page, at, separator);
  } else {
    EncodedKey last;
    page.appendKey(at - 1, last);
    separator.assign(key.substr(0, commonPrefixBytes(last.view(), key) + 1));
  }
  return fitsSplitAt(page, at, separator.view());
}

/// The entry in the middle of the bytes, or one near it with a shorter separator.
uint32_t middleEntry(const IndexPage& page) {
  uint64_t total = 0, before = 0;
  const auto bytesOf = [&](uint32_t index) {
    return page.entryBytes(page.header().prefix_bytes + page.header().slots()[index].suffix_bytes);
  };
  for (uint32_t index = 0; index < page.count(); ++index) total += bytesOf(index);
  uint32_t middle = 0;
  while (middle + 1 < page.count() && before < total / 2) before += bytesOf(middle++);
  middle = std::max<uint32_t>(middle, 1);
  constexpr uint32_t kReach = 16;
  if (!page.isLeaf() || middle <= kReach || middle + kReach > page.count()) return middle;
  uint32_t best = middle;
  size_t best_bytes = SIZE_MAX;
  for (uint32_t index = middle - kReach; index < middle + kReach; ++index) {
    const size_t bytes = commonPrefixBytes(page.suffix(index - 1), page.suffix(index));
    if (bytes < best_bytes) best = index;
    best_bytes = std::min(bytes, best_bytes);
  }
  return best;
}

/// Where to split so that both parts fit in a page, separator and changed prefixes included. The first entry alone
/// fits beside two fences of any length; what it leaves behind pays for the longer fence of the rest.
uint32_t findSplit(const IndexPage& page, KeyView key, TupleId id, EncodedKey& separator) {
  CHECK(page.count() >= 2, "N4");
  uint32_t at = 0;
  if (findAppendSplit(page, key, at, separator) || findRunSplit(page, key, id, at, separator)) return at;
  const uint32_t middle = middleEntry(page);
  for (uint32_t distance = 0; distance < page.count(); ++distance) {
    for (const uint32_t candidate : {middle - distance, middle + distance}) {
      if (candidate == 0 || candidate >= page.count()) continue;
      separatorAt(page, candidate, separator);
      if (fitsSplitAt(page, candidate, separator.view())) return candidate;
    }
  }
  CHECK(false, "N4");
  return 0;
}

bool isSparse(const IndexPage& page) {
  return page.usedBytes() < kIndexPageBytes / 4;
}

}  // namespace

/// Makes room for `bytes_needed` in the page at `level` for `key`, by one change on the way there; the caller starts
/// again. `id`: of the tuple that the key is inserted for.
void IndexTree::split(KeyView key, TupleId id, uint32_t level, uint32_t bytes_needed) {
  FreshPage fresh(buffers_, relation_, typeOf(level));
  for (;;) {
    const Descent found = descend({key}, level);
    if (found.level != level) return;
    if (!found.parent.holds()) {
      ExclusiveGuard root = found.page.tryUpgrade();
      if (!root.holds()) continue;
      if (IndexPage(root.page()).freeBytes() >= bytes_needed) return root.releaseUnchanged();
      raiseRoot(root, fresh.guard());
      return fresh.keep();
    }
    ExclusiveGuard parent = found.parent.tryUpgrade();
    if (!parent.holds()) continue;
    ExclusiveGuard page(found.page.frame());
    const IndexPage content(page.page()), above(parent.page());
    const bool has_room = content.freeBytes() >= bytes_needed;
    EncodedKey separator;
    const uint32_t at = has_room ? 0 : findSplit(content, key, id, separator);
    const uint32_t bytes_above = has_room ? 0 : above.entryBytes(separator.size());
    if (has_room || bytes_above > above.freeBytes()) {
      page.releaseUnchanged();
      parent.releaseUnchanged();
      if (!has_room) split(key, id, level + 1, bytes_above);
      return;
    }
    PageChange change(buffers_, relation_);
    change.prepare(PageChange::imageBytes(1) + 2 * separator.size());
    splitPage(change, page, at, separator.view(), fresh.guard());
    link(change, parent, separator.view(), fresh.guard().frame());
    change.finish();
    return fresh.keep();
  }
}

void IndexTree::splitPage(PageChange& change, const ExclusiveGuard& page, uint32_t at, KeyView separator,
                          const ExclusiveGuard& fresh) {
  IndexPage left(page.page()), right(fresh.page());
  const KeyView upper = left.upperFence();
  right.initialise(left.header().level, is_unique_, separator, left.hasUpperFence() ? &upper : nullptr);
  right.appendRange(left, at, left.count());
  left.keepFirst(at, separator);
  adoptChildren(fresh.frame());
  change.change(page.frame());
  change.operation(PageOperation::EntriesSplit, {at}, separator);
  change.image(fresh.frame());
}

void IndexTree::link(PageChange& change, const ExclusiveGuard& parent, KeyView separator, Frame& child) {
  IndexPosition position;
  const bool is_sound = findPosition(parent.page(), separator, position);
  CHECK(is_sound && !position.is_equal, "X2");
  IndexPage(parent.page()).insert(position.index, separator, Swip::hot(&child).bits());
  child.parent.store(&parent.frame());
  change.change(parent.frame());
  change.operation(PageOperation::EntryInsert, {position.index, Swip::cold(child.page_id.load()).bits()}, separator);
}

// X1: the contents move down, the root becomes their parent.
void IndexTree::raiseRoot(const ExclusiveGuard& root, const ExclusiveGuard& fresh) {
  PageChange change(buffers_, relation_);
  change.prepare(PageChange::imageBytes(2));
  IndexPage page(root.page());
  IndexPage(fresh.page()).copyFrom(page);
  adoptChildren(fresh.frame());
  root.frame().header().type = PageType::IndexInner;
  page.initialise(page.header().level + 1u, is_unique_, {}, nullptr);
  page.append({}, {}, Swip::hot(&fresh.frame()).bits());
  fresh.frame().parent.store(&root.frame());
  change.image(root.frame());
  change.image(fresh.frame());
}

/// Merges the leaf for `key` with siblings while it is sparse, then what becomes sparse above it.
void IndexTree::merge(KeyView key) {
  for (uint32_t level = 0;;) {
    const Descent found = descend({key}, level);
    if (found.level != level || !found.parent.holds()) return;
    if (!loadSiblings(found.parent, key)) continue;
    ExclusiveGuard parent = found.parent.tryUpgrade();
    if (!parent.holds()) continue;
    ExclusiveGuard page(found.page.frame());
    const IndexPage above(parent.page());
    IndexChild child;
    const bool is_sound = findChild(parent.page(), key, Side::AtOrAbove, child);
    CHECK(is_sound && child.swip.frame() == &page.frame(), "X2");
    const bool is_merged = isSparse(IndexPage(page.page())) && mergeWithSibling(parent, child.index, std::move(page));
    const bool is_root = &parent.frame() == &rootFrame();
    if (is_merged && is_root && above.count() == 1) lowerRoot(parent);
    if (is_merged) {
      // It may still be sparse; below it there are siblings now where there were none.
      level = 0;
      continue;
    }
    // A page that could not be merged, perhaps an only child, may be after its parent was.
    if (is_root || !isSparse(above)) return;
    ++level;
  }
}

/// Reads the children beside that for `key`, while no latch is held. False: something changed, the caller starts again.
bool IndexTree::loadSiblings(const OptimisticGuard& parent, KeyView key) {
  IndexChild child;
  const bool is_found = findChild(parent.page(), key, Side::AtOrAbove, child);
  if (!parent.isValid()) return false;
  for (const uint32_t index : {child.index - 1, child.index + 1}) {
    IndexChild sibling;
    const bool is_there = is_found && childAt(parent.page(), index, sibling);
    if (!parent.isValid()) return false;
    if (is_there && !buffers_.resolve(parent, sibling.where, sibling.swip, relation_)) return false;
  }
  return true;
}

bool IndexTree::mergeWithSibling(const ExclusiveGuard& parent, uint32_t index, ExclusiveGuard page) {
  const IndexPage above(parent.page());
  // One that left the pool again is left alone: nothing is read under a latch that others wait for.
  const auto isResident = [&](uint32_t sibling) {
    return sibling < above.count() && Swip::fromBits(above.swipWord(sibling)).isResident();
  };
  if (isResident(index + 1) && mergeInto(parent, index + 1, page, lockChild(parent, index + 1))) return true;
  if (index == 0 || !isResident(index - 1)) return false;
  // From left to right: the page is let go; nobody else reaches it while its parent is held.
  page.releaseUnchanged();
  const ExclusiveGuard left = lockChild(parent, index - 1);
  return mergeInto(parent, index, left, lockChild(parent, index));
}

bool IndexTree::mergeInto(const ExclusiveGuard& parent, uint32_t right_index, const ExclusiveGuard& left,
                          ExclusiveGuard right) {
  const IndexPage from(right.page());
  IndexPage into(left.page());
  const KeyView upper = from.upperFence();
  const KeyView* upper_fence = from.hasUpperFence() ? &upper : nullptr;
  const uint64_t bytes = into.rangeBytes(0, into.count(), into.lowerFence(), upper_fence) +
                         from.rangeBytes(0, from.count(), into.lowerFence(), upper_fence);
  // Not so full that the next insert splits it again, unless a page goes that is empty.
  const bool is_one_empty = into.count() == 0 || from.count() == 0;
  if (bytes > (is_one_empty ? IndexPage::kCapacity : IndexPage::kCapacity / 8 * 7)) return false;
  PageChange change(buffers_, relation_);
  change.prepare(PageChange::imageBytes(1));
  IndexPageBuffer buffer;
  std::memcpy(buffer.bytes, left.page(), sizeof(PageHeader));
  IndexPage merged(buffer.bytes);
  merged.initialise(into.header().level, is_unique_, into.lowerFence(), upper_fence);
  merged.appendRange(into, 0, into.count());
  merged.appendRange(from, 0, from.count());
  into.copyFrom(merged);
  adoptChildren(left.frame());
  change.image(left.frame());
  IndexPage(parent.page()).erase(right_index);
  change.change(parent.frame());
  change.operation(PageOperation::EntryErase, {right_index, 0}, "");
  change.free(std::move(right));
  return true;
}

// X1: a root with one child takes its contents.
void IndexTree::lowerRoot(const ExclusiveGuard& root) {
  while (!IndexPage(root.page()).isLeaf() && IndexPage(root.page()).count() == 1) {
    if (!Swip::fromBits(IndexPage(root.page()).swipWord(0)).isResident()) return;
    ExclusiveGuard child = lockChild(root, 0);
    PageChange change(buffers_, relation_);
    change.prepare(PageChange::imageBytes(1));
    root.frame().header().type = child.frame().header().type;
    IndexPage(root.page()).copyFrom(IndexPage(child.page()));
    adoptChildren(root.frame());
    change.image(root.frame());
    change.free(std::move(child));
  }
}

ExclusiveGuard IndexTree::lockChild(const ExclusiveGuard& parent, uint32_t index) {
  const IndexPage page(parent.page());
  ExclusiveGuard child(buffers_.fix(parent, &page.swipWord(index), relation_));
  requireChecked(child);
  if (IndexPage(child.page()).header().level + 1 != page.header().level) raiseDamaged(child.frame());
  return child;
}

}  // namespace gnomon::storage
