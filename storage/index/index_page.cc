#include "storage/index/index_page.h"

#include <algorithm>

#include "base/assert.h"

namespace gnomon::storage {

namespace {

constexpr uint32_t alignedRecord(uint32_t bytes) {
  return (bytes + 7) & ~uint32_t{7};
}

/// The first and the last bytes of a piece, which may be the same ones.
template <size_t kBytes>
void copyEnds(std::byte* to, const std::byte* from, size_t bytes) {
  std::memcpy(to, from, kBytes);
  std::memcpy(to + bytes - kBytes, from + bytes - kBytes, kBytes);
}

/// As memcpy, without a call where the piece is as long as keys mostly are.
void copyShort(std::byte* to, const std::byte* from, size_t bytes) {
  constexpr size_t kShort = 8, kLong = 16;
  if (bytes >= kLong && bytes <= 2 * kLong) return copyEnds<kLong>(to, from, bytes);
  if (bytes >= kShort && bytes < kLong) return copyEnds<kShort>(to, from, bytes);
  std::memcpy(to, from, bytes);
}

uint64_t fromBigEndian(const char* bytes) {
  uint64_t value;
  std::memcpy(&value, bytes, sizeof(value));
  return std::byteswap(value);
}

}  // namespace

size_t commonPrefixBytes(KeyView left, KeyView right) {
  const size_t bytes = std::min(left.size(), right.size());
  return static_cast<size_t>(
      std::mismatch(left.begin(), left.begin() + static_cast<ptrdiff_t>(bytes), right.begin()).first - left.begin());
}

uint32_t IndexPage::recordBytes(size_t suffix_bytes) const {
  const auto bytes = static_cast<uint32_t>(suffix_bytes);
  if (!isLeaf()) return alignedRecord(8 + bytes);
  // Never empty, so that offsets fit 16 bits.
  return isUnique() ? kTupleIdBytes + bytes : std::max<uint32_t>(bytes, 1);
}

KeyView IndexPage::suffix(uint32_t index) const {
  const IndexSlot& slot = header_->slots()[index];
  return {reinterpret_cast<const char*>(bytes()) + slot.offset + (hasValues() ? 8 : 0), slot.suffix_bytes};
}

void IndexPage::appendKey(uint32_t index, EncodedKey& key) const {
  if (index == 0 && !isLeaf()) return key.append(lowerFence());
  key.append(prefix());
  key.append(suffix(index));
}

uint64_t IndexPage::value(uint32_t index) const {
  uint64_t value = 0;
  if (hasValues()) std::memcpy(&value, bytes() + header_->slots()[index].offset, sizeof(value));
  return value;
}

uint64_t IndexPage::tupleId(uint32_t index) const {
  if (isUnique()) return value(index);
  const KeyView end = suffix(index);
  if (end.size() >= kTupleIdBytes) [[likely]]
    return fromBigEndian(end.data() + end.size() - kTupleIdBytes);
  // The prefix reaches into the tuple id: all entries have the same key.
  char id[kTupleIdBytes];
  const size_t from_prefix = kTupleIdBytes - end.size();
  std::memcpy(id, prefix().data() + header_->prefix_bytes - from_prefix, from_prefix);
  std::memcpy(id + from_prefix, end.data(), end.size());
  return fromBigEndian(id);
}

uint32_t IndexPage::usedBytes() const {
  const uint32_t fences = isLeaf()
                              ? header_->lower_fence.bytes + header_->upper_fence.bytes
                              : alignedRecord(header_->lower_fence.bytes) + alignedRecord(header_->upper_fence.bytes);
  return kCapacity - freeBytes() - fences;
}

uint16_t IndexPage::takeHeap(uint32_t bytes) {
  header_->heap_begin -= bytes;
  return static_cast<uint16_t>(header_->heap_begin);
}

IndexFence IndexPage::storeFence(KeyView key) {
  if (key.empty()) return {};
  const auto bytes = static_cast<uint32_t>(key.size());
  const IndexFence place{takeHeap(isLeaf() ? bytes : alignedRecord(bytes)), static_cast<uint16_t>(bytes)};
  std::memcpy(this->bytes() + place.offset, key.data(), bytes);
  return place;
}

void IndexPage::initialise(uint32_t level, bool is_unique, KeyView lower, const KeyView* upper) {
  // No bytes are left that could be taken for a swip (N5), or tell what was there before.
  std::memset(bytes() + sizeof(PageHeader), 0, kIndexPageBytes - sizeof(PageHeader));
  header_->checked_by = kIndexRun;
  header_->level = static_cast<uint16_t>(level);
  header_->flags = static_cast<uint16_t>((is_unique ? IndexPageHeader::kUniqueFlag : 0) |
                                         (upper ? IndexPageHeader::kUpperFenceFlag : 0));
  header_->heap_begin = kIndexPageBytes;
  header_->prefix_bytes = static_cast<uint16_t>(upper ? commonPrefixBytes(lower, *upper) : 0);
  header_->lower_fence = storeFence(lower);
  header_->upper_fence = upper ? storeFence(*upper) : IndexFence{};
}

void IndexPage::storeRecord(IndexSlot& slot, KeyView suffix_begin, KeyView suffix_end, uint64_t value) {
  const size_t suffix_bytes = suffix_begin.size() + suffix_end.size();
  slot.offset = takeHeap(recordBytes(suffix_bytes));
  slot.suffix_bytes = static_cast<uint16_t>(suffix_bytes);
  char* target = reinterpret_cast<char*>(bytes()) + slot.offset;
  if (hasValues()) {
    std::memcpy(target, &value, sizeof(value));
    target += sizeof(value);
  }
  if (!suffix_begin.empty()) std::memcpy(target, suffix_begin.data(), suffix_begin.size());
  if (!suffix_end.empty()) std::memcpy(target + suffix_begin.size(), suffix_end.data(), suffix_end.size());
  slot.head = keyHead({target, suffix_bytes});
}

void IndexPage::append(KeyView suffix_begin, KeyView suffix_end, uint64_t value) {
  IndexSlot& slot = header_->slots()[header_->entry_count++];
  storeRecord(slot, suffix_begin, suffix_end, value);
  ASSERT(header_->heap_begin >= slotsEnd(header_->entry_count), "N4");
}

/// Room for entries in front of the one at the index, `bytes` with their slots: they are to be filled.
IndexSlot* IndexPage::makeSlots(uint32_t index, uint32_t count, uint32_t bytes) {
  if (slotsEnd(this->count()) + bytes > header_->heap_begin) {
    CHECK(bytes <= freeBytes(), "N4");
    compact();
  }
  IndexSlot* const slots = header_->slots() + index;
  std::memmove(slots + count, slots, (this->count() - index) * sizeof(IndexSlot));
  header_->entry_count = static_cast<uint16_t>(header_->entry_count + count);
  return slots;
}

void IndexPage::insert(uint32_t index, KeyView key, uint64_t value) {
  ASSERT(key.starts_with(prefix()) && index <= count(), "N1");
  ASSERT(index > 0 || isLeaf() || count() == 0, "N3");
  if (index == 0 && !isLeaf()) key = prefix();
  storeRecord(*makeSlots(index, 1, entryBytes(key.size())), key.substr(header_->prefix_bytes), {}, value);
  updateHints(index, count() - 1);
}

void IndexPage::insertRun(uint32_t index, std::span<const EncodedKey> keys, uint64_t first) {
  uint32_t bytes = 0;
  for (const EncodedKey& key : keys) {
    ASSERT(key.view().starts_with(prefix()), "N1");
    bytes += entryBytes(key.size());
  }
  IndexSlot* const slots = makeSlots(index, static_cast<uint32_t>(keys.size()), bytes);
  for (size_t i = 0; i < keys.size(); ++i)
    storeRecord(slots[i], keys[i].view().substr(header_->prefix_bytes), {}, first + i);
  updateHints(index, count() - static_cast<uint32_t>(keys.size()));
}

void IndexPage::erase(uint32_t index) {
  ASSERT(index < count() && (index > 0 || isLeaf()), "N3");
  IndexSlot* slots = header_->slots();
  if (!isLeaf()) swipWord(index) = 0;
  header_->dead_bytes += recordBytes(slots[index].suffix_bytes);
  --header_->entry_count;
  std::memmove(slots + index, slots + index + 1, (count() - index) * sizeof(IndexSlot));
  updateHints(index, count() + 1);
}

void IndexPage::updateHints(uint32_t first_changed, uint32_t count_before) {
  const uint32_t distance = hintDistance(count());
  if (distance == 0) return;
  // A new distance moves all of them.
  const bool is_same = hintDistance(count_before) == distance;
  const IndexSlot* slots = header_->slots();
  for (uint32_t hint = is_same && first_changed > 0 ? (first_changed - 1) / distance : 0;
       hint < IndexPageHeader::kHintCount; ++hint)
    header_->hints[hint] = slots[(hint + 1) * distance].head;
}

void IndexPage::appendRange(const IndexPage& source, uint32_t begin, uint32_t end) {
  const KeyView source_prefix = source.prefix();
  const size_t prefix_bytes = header_->prefix_bytes;
  if (isLeaf() && prefix_bytes >= source_prefix.size()) {
    appendLeafRange(source, begin, end, static_cast<uint32_t>(prefix_bytes - source_prefix.size()));
    return updateHints(0, 0);
  }
  for (uint32_t index = begin; index < end; ++index) {
    const uint64_t value = source.value(index);
    if (!isLeaf() && count() == 0) {
      append({}, {}, value);
    } else if (!isLeaf() && index == 0) {
      append({}, source.lowerFence().substr(prefix_bytes), value);
    } else if (prefix_bytes <= source_prefix.size()) {
      append(source_prefix.substr(prefix_bytes), source.suffix(index), value);
    } else {
      append({}, source.suffix(index).substr(prefix_bytes - source_prefix.size()), value);
    }
  }
  updateHints(0, 0);
}

/// Of a leaf whose prefix is `dropped` bytes shorter: value and suffix lie together.
void IndexPage::appendLeafRange(const IndexPage& source, uint32_t begin, uint32_t end, uint32_t dropped) {
  const uint32_t value_bytes = hasValues() ? kTupleIdBytes : 0;
  IndexSlot* slots = header_->slots() + header_->entry_count;
  uint32_t heap_begin = header_->heap_begin;
  for (uint32_t index = begin; index < end; ++index, ++slots) {
    const IndexSlot& from = source.header_->slots()[index];
    const std::byte* const record = source.bytes() + from.offset;
    const uint32_t suffix_bytes = from.suffix_bytes - dropped;
    heap_begin -= recordBytes(suffix_bytes);
    std::byte* const target = bytes() + heap_begin;
    if (value_bytes != 0) std::memcpy(target, record, kTupleIdBytes);
    copyShort(target + value_bytes, record + value_bytes + dropped, suffix_bytes);
    slots->suffix_bytes = static_cast<uint16_t>(suffix_bytes);
    slots->offset = static_cast<uint16_t>(heap_begin);
    slots->head =
        dropped == 0 ? from.head : keyHead({reinterpret_cast<const char*>(target) + value_bytes, suffix_bytes});
  }
  header_->heap_begin = heap_begin;
  header_->entry_count = static_cast<uint16_t>(header_->entry_count + (end - begin));
  ASSERT(header_->heap_begin >= slotsEnd(header_->entry_count), "N4");
}

uint64_t IndexPage::rangeBytes(uint32_t begin, uint32_t end, KeyView lower, const KeyView* upper) const {
  const size_t prefix_bytes = upper ? commonPrefixBytes(lower, *upper) : 0;
  // At most this is lost to alignment, once for each fence.
  uint64_t total = lower.size() + (upper ? upper->size() : 0) + (isLeaf() ? 0 : 14);
  EncodedKey first;
  if (!isLeaf() && begin < end) appendKey(begin, first);
  const bool is_first_implied = !isLeaf() && first.view() == lower;
  for (uint32_t index = begin; index < end; ++index) {
    size_t key_bytes = header_->prefix_bytes + header_->slots()[index].suffix_bytes;
    if (index == 0 && !isLeaf()) key_bytes = header_->lower_fence.bytes;
    // N3: not stored.
    if (index == begin && is_first_implied) key_bytes = prefix_bytes;
    total += sizeof(IndexSlot) + recordBytes(key_bytes - prefix_bytes);
  }
  return total;
}

void IndexPage::keepFirst(uint32_t count, KeyView separator) {
  IndexPageBuffer buffer;
  std::memcpy(buffer.bytes, bytes(), sizeof(PageHeader));
  IndexPage kept(buffer.bytes);
  kept.initialise(header_->level, isUnique(), lowerFence(), &separator);
  kept.appendRange(*this, 0, count);
  copyFrom(kept);
}

void IndexPage::compact() {
  IndexPageBuffer buffer;
  std::memcpy(buffer.bytes, bytes(), sizeof(PageHeader));
  IndexPage fresh(buffer.bytes);
  const KeyView upper = upperFence();
  fresh.initialise(header_->level, isUnique(), lowerFence(), hasUpperFence() ? &upper : nullptr);
  fresh.appendRange(*this, 0, count());
  copyFrom(fresh);
}

}  // namespace gnomon::storage
