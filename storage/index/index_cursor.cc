#include "storage/index/index_cursor.h"

#include <algorithm>

namespace gnomon::storage {

namespace {

constexpr uint32_t kBatchEntriesMax = 1024;
constexpr size_t kBatchBytesMax = 64 * 1024;
constexpr char kIdsEnd[] = "\xff\xff\xff\xff\xff\xff\xff\xff";

/// Where a key that lies between the page's fences is: at `from` or behind.
IndexPosition positionOf(const IndexPage& page, KeyView key, uint32_t from) {
  IndexPosition position;
  const bool is_sound = findPositionNear(page.bytes(), key, from, position);
  CHECK(is_sound, "N1");
  return position;
}

/// X2 of the leaf that a descent led to: otherwise the way through the leaves could be a circle.
bool isInPlace(const IndexPage& page, KeyView key, Side side, bool is_last) {
  if (is_last) return !page.hasUpperFence();
  const KeyView lower = page.lowerFence(), upper = page.upperFence();
  if (side == Side::AtOrAbove) return lower <= key && (!page.hasUpperFence() || key < upper);
  return (lower.empty() || lower < key) && (!page.hasUpperFence() || key <= upper);
}

}  // namespace

IndexCursor::IndexCursor(IndexTree& tree, const KeyRange& range, ScanDirection direction, CursorContent content)
    : tree_(tree), direction_(direction), content_(content) {
  restart(range);
}

void IndexCursor::restart(const KeyRange& range) {
  is_done_ = false;
  batch_entries_max_ = kFirstBatchEntries;
  next_item_ = 0;
  items_.clear();
  bytes_.clear();
  low_.key.clear();
  high_.key.clear();
  // In full keys a bound stands before or behind all tuple ids of its key.
  const KeyView ids_end = tree_.isUnique() ? KeyView() : KeyView(kIdsEnd, kTupleIdBytes);
  low_.is_set = high_.is_set = true;
  low_.is_inclusive = range.low.kind != KeyBound::Kind::Exclusive;
  if (range.low.kind != KeyBound::Kind::Unbounded) low_.key.assign(range.low.key);
  if (range.low.kind == KeyBound::Kind::Exclusive) low_.key.append(ids_end);
  high_.is_set = range.high.kind != KeyBound::Kind::Unbounded;
  high_.is_inclusive = range.high.kind == KeyBound::Kind::Inclusive;
  if (high_.is_set) high_.key.assign(range.high.key);
  if (high_.is_inclusive) high_.key.append(ids_end);
}

bool IndexCursor::loadBatch() {
  items_.clear();
  bytes_.clear();
  next_item_ = 0;
  while (items_.empty() && !is_done_) {
    IndexTree::Target target;
    if (direction_ == ScanDirection::Forward)
      target.key = low_.key.view();
    else if (!high_.is_set)
      target.is_last = true;
    else
      target = {high_.key.view(), high_.is_inclusive ? Side::AtOrAbove : Side::Below};
    const IndexTree::Descent found = tree_.descend(target, 0);
    const SharedGuard leaf(found.page.frame());
    if (!found.isStillRight()) continue;
    if (!isInPlace(IndexPage(leaf.page()), target.key, target.side, target.is_last)) tree_.raiseDamaged(leaf.frame());
    if (direction_ == ScanDirection::Forward)
      loadForward(IndexPage(leaf.page()));
    else
      loadBackward(IndexPage(leaf.page()));
  }
  batch_entries_max_ = std::min(batch_entries_max_ * 4, kBatchEntriesMax);
  return !items_.empty();
}

uint32_t IndexCursor::lowIndex(const IndexPage& page) const {
  const KeyView low = low_.key.view();
  if (low < page.lowerFence()) return 0;
  if (page.hasUpperFence() && low >= page.upperFence()) return page.count();
  return lowIndexWithin(page);
}

/// Where the bound is known to lie between the page's fences.
uint32_t IndexCursor::lowIndexWithin(const IndexPage& page) const {
  const IndexPosition position = positionOf(page, low_.key.view(), page.count());
  return position.index + (position.is_equal && !low_.is_inclusive ? 1 : 0);
}

/// `from`: entries before it are below the bound, if that is not below the lower one.
uint32_t IndexCursor::highIndex(const IndexPage& page, uint32_t from) const {
  const KeyView high = high_.key.view();
  if (!high_.is_set || (page.hasUpperFence() && high >= page.upperFence())) return page.count();
  if (high < page.lowerFence()) return 0;
  const IndexPosition position = positionOf(page, high, from);
  return position.index + (position.is_equal && high_.is_inclusive ? 1 : 0);
}

/// False: the batch is full.
bool IndexCursor::copy(const IndexPage& page, uint32_t index) {
  if (items_.size() == batch_entries_max_ || bytes_.size() > kBatchBytesMax) return false;
  if (content_ == CursorContent::TupleIds) {
    items_.push_back({0, 0, TupleId{page.tupleId(index)}});
    return true;
  }
  const KeyView prefix = page.prefix(), suffix = page.suffix(index);
  const size_t begin = bytes_.size();
  bytes_.insert(bytes_.end(), prefix.begin(), prefix.end());
  bytes_.insert(bytes_.end(), suffix.begin(), suffix.end());
  const size_t key_bytes = bytes_.size() - begin - (page.isUnique() ? 0 : kTupleIdBytes);
  items_.push_back({static_cast<uint32_t>(begin), static_cast<uint32_t>(key_bytes), TupleId{page.tupleId(index)}});
  return true;
}

void IndexCursor::continueBeyond(Bound& bound, const IndexPage& page, uint32_t index) {
  bound.key.clear();
  page.appendKey(index, bound.key);
  bound.is_set = true;
  bound.is_inclusive = false;
}

void IndexCursor::loadForward(const IndexPage& page) {
  const uint32_t begin = lowIndexWithin(page);
  const uint32_t end = highIndex(page, begin);
  for (uint32_t index = begin; index < end; ++index)
    if (!copy(page, index)) return continueBeyond(low_, page, index - 1);
  // The range goes on behind this page unless it ended here.
  const KeyView upper = page.upperFence(), high = high_.key.view();
  is_done_ = end < page.count() || !page.hasUpperFence() ||
             (high_.is_set && (high_.is_inclusive ? high < upper : high <= upper));
  if (is_done_) return;
  low_.key.assign(upper);
  low_.is_inclusive = true;
}

void IndexCursor::loadBackward(const IndexPage& page) {
  const uint32_t begin = lowIndex(page);
  for (uint32_t index = highIndex(page, begin); index > begin; --index)
    if (!copy(page, index - 1)) return continueBeyond(high_, page, index);
  const KeyView lower = page.lowerFence();
  is_done_ = begin > 0 || lower.empty() || low_.key.view() >= lower;
  high_.key.assign(lower);
  high_.is_set = true;
  high_.is_inclusive = false;
}

}  // namespace gnomon::storage
