#include "storage/index/index_search.h"

#include <algorithm>

#include "storage/latch.h"

namespace gnomon::storage {

namespace {

using UnalignedWord = uint64_t __attribute__((aligned(1), may_alias));
constexpr uint32_t kLineBytes = 64;

/// Order of stored bytes and a key's, of which the first `equal_bytes` are known to be the same.
GNOMON_OPTIMISTIC_READ inline int compareStored(const std::byte* stored, uint32_t stored_bytes, const char* suffix,
                                                uint32_t suffix_bytes, uint32_t equal_bytes) {
  const uint32_t bytes = stored_bytes < suffix_bytes ? stored_bytes : suffix_bytes;
  uint32_t at = bytes < equal_bytes ? bytes : equal_bytes;
  for (; at + sizeof(uint64_t) <= bytes; at += sizeof(uint64_t)) {
    const uint64_t left = *reinterpret_cast<const volatile UnalignedWord*>(stored + at);
    const uint64_t right = *reinterpret_cast<const volatile UnalignedWord*>(suffix + at);
    if (left != right) return __builtin_bswap64(left) < __builtin_bswap64(right) ? -1 : 1;
  }
  // What is left with some of what is known to be the same.
  if (at < bytes && bytes >= sizeof(uint64_t)) {
    const uint64_t left = *reinterpret_cast<const volatile UnalignedWord*>(stored + bytes - sizeof(uint64_t));
    const uint64_t right = *reinterpret_cast<const volatile UnalignedWord*>(suffix + bytes - sizeof(uint64_t));
    if (left != right) return __builtin_bswap64(left) < __builtin_bswap64(right) ? -1 : 1;
    at = bytes;
  }
  for (; at < bytes; ++at) {
    const auto left = static_cast<uint8_t>(*reinterpret_cast<const volatile std::byte*>(stored + at));
    const auto right = static_cast<uint8_t>(suffix[at]);
    if (left != right) return left < right ? -1 : 1;
  }
  return stored_bytes == suffix_bytes ? 0 : stored_bytes < suffix_bytes ? -1 : 1;
}

/// A page's search fields, each read once, all within bounds.
struct View {
  const std::byte* page;
  const volatile IndexSlot* slots;
  uint32_t count;
  uint32_t prefix_bytes;
  uint32_t value_bytes;
};

GNOMON_OPTIMISTIC_READ inline bool readView(const std::byte* page, size_t key_bytes, View& view) {
  const auto* header = reinterpret_cast<const volatile IndexPageHeader*>(page);
  view.page = page;
  view.slots = reinterpret_cast<const volatile IndexSlot*>(page + sizeof(IndexPageHeader));
  view.count = header->entry_count;
  view.prefix_bytes = header->prefix_bytes;
  const bool has_values = header->level != 0 || (header->flags & IndexPageHeader::kUniqueFlag) != 0;
  view.value_bytes = has_values ? 8 : 0;
  return view.count <= kIndexEntriesMax && view.prefix_bytes <= key_bytes;
}

/// Narrows [low, high) to the slots between two hints.
GNOMON_OPTIMISTIC_READ inline void useHints(const View& view, uint32_t head, uint32_t& low, uint32_t& high) {
  const uint32_t distance = hintDistance(view.count);
  if (distance == 0) return;
  const volatile uint32_t* hints = reinterpret_cast<const volatile IndexPageHeader*>(view.page)->hints;
  uint32_t below = 0;
  for (uint32_t step = IndexPageHeader::kHintCount / 2; step > 0; step /= 2)
    below += __builtin_unpredictable(hints[below + step - 1] < head) ? step : 0;
  below += hints[below] < head ? 1 : 0;
  low = below * distance;
  if (below < IndexPageHeader::kHintCount) high = (below + 1) * distance;
  for (uint32_t slot = low; slot < high; slot += kLineBytes / sizeof(IndexSlot))
    __builtin_prefetch(const_cast<const IndexSlot*>(&view.slots[slot]));
}

/// The first slot in [low, high) whose head is not below `head`.
GNOMON_OPTIMISTIC_READ inline uint32_t firstHeadNotBelow(const View& view, uint32_t head, uint32_t low, uint32_t high) {
  uint32_t count = high - low;
  while (count > 0) {
    const uint32_t half = (count + 1) / 2;
    low += __builtin_unpredictable(view.slots[low + half - 1].head < head) ? half : 0;
    count -= half;
  }
  return low;
}

/// The same among all slots, where none before `from` is such a one; it is expected near that.
GNOMON_OPTIMISTIC_READ inline uint32_t firstHeadNotBelow(const View& view, uint32_t head, uint32_t from) {
  constexpr uint32_t kNear = kLineBytes / sizeof(IndexSlot);
  for (uint32_t slot = from; slot < view.count && slot - from < kNear; ++slot)
    if (view.slots[slot].head >= head) return slot;
  uint32_t low = 0, high = view.count;
  useHints(view, head, low, high);
  return firstHeadNotBelow(view, head, low, high);
}

/// `from`: an index that the position is not before, and probably near to; view.count: not known.
GNOMON_OPTIMISTIC_READ bool findSuffix(const View& view, KeyView key, uint32_t from, IndexPosition& position) {
  const KeyView suffix = key.substr(view.prefix_bytes);
  const uint32_t head = keyHead(suffix);
  uint32_t low = firstHeadNotBelow(view, head, from), high = view.count;
  // Among equal heads, the records decide: mostly there is one.
  high = view.count;
  if (low + 1 < high && view.slots[low + 1].head != head) high = low + 1;
  position = {low, false};
  while (low < high) {
    const uint32_t middle = (low + high) / 2;
    if (view.slots[middle].head != head) {
      high = middle;
      continue;
    }
    const uint32_t offset = view.slots[middle].offset + view.value_bytes;
    const uint32_t bytes = view.slots[middle].suffix_bytes;
    if (offset + bytes > kIndexPageBytes) return false;
    const int order = compareStored(view.page + offset, bytes, suffix.data(), static_cast<uint32_t>(suffix.size()),
                                    sizeof(IndexSlot::head));
    if (order == 0) {
      position = {middle, true};
      return true;
    }
    if (order < 0)
      low = middle + 1;
    else
      high = middle;
  }
  position.index = low;
  return true;
}

GNOMON_OPTIMISTIC_READ bool readChild(const View& view, uint32_t index, IndexChild& child) {
  if (index >= view.count) return false;
  const uint32_t offset = view.slots[index].offset;
  if (offset % 8 != 0 || offset < sizeof(IndexPageHeader) || offset + 8 > kIndexPageBytes) return false;
  child.index = index;
  child.where = reinterpret_cast<uint64_t*>(const_cast<std::byte*>(view.page + offset));
  child.swip = Swip::fromBits(*static_cast<const volatile uint64_t*>(child.where));
  return !child.swip.isNone();
}

}  // namespace

bool findPosition(const std::byte* page, KeyView key, IndexPosition& position) {
  View view;
  return readView(page, key.size(), view) && findSuffix(view, key, view.count, position);
}

bool findPositionNear(const std::byte* page, KeyView key, uint32_t from, IndexPosition& position) {
  View view;
  return readView(page, key.size(), view) && findSuffix(view, key, from, position);
}

bool findChild(const std::byte* page, KeyView key, Side side, IndexChild& child) {
  View view;
  IndexPosition position;
  if (!readView(page, key.size(), view) || !findSuffix(view, key, view.count, position)) return false;
  const bool is_exact = position.is_equal && side == Side::AtOrAbove;
  // The first child serves all keys below the second (N3).
  const uint32_t index = is_exact || position.index == 0 ? position.index : position.index - 1;
  return readChild(view, index, child);
}

bool childAt(const std::byte* page, uint32_t index, IndexChild& child) {
  View view;
  return readView(page, kIndexPageBytes, view) && readChild(view, index, child);
}

bool lastChild(const std::byte* page, IndexChild& child) {
  View view;
  return readView(page, kIndexPageBytes, view) && view.count > 0 && readChild(view, view.count - 1, child);
}

GNOMON_OPTIMISTIC_READ bool findTuple(const std::byte* page, KeyView key, bool& is_found, uint64_t& tuple_id) {
  View view;
  IndexPosition position;
  if (!readView(page, key.size(), view) || !findSuffix(view, key, view.count, position)) return false;
  is_found = position.is_equal;
  if (!is_found) return true;
  const uint32_t offset = view.slots[position.index].offset;
  if (offset + kTupleIdBytes > kIndexPageBytes) return false;
  tuple_id = *reinterpret_cast<const volatile UnalignedWord*>(page + offset);
  return true;
}

/// Whether an entry's key begins with the bytes, of which `suffix` are behind the page's prefix. Mostly the slot knows.
GNOMON_OPTIMISTIC_READ inline bool beginsWith(const View& view, uint32_t index, KeyView suffix, uint32_t head) {
  constexpr size_t kHeadBytes = sizeof(IndexSlot::head);
  const uint32_t unlike = view.slots[index].head ^ head;
  if (suffix.size() < kHeadBytes ? uint64_t{unlike} >> (8 * (kHeadBytes - suffix.size())) != 0 : unlike != 0)
    return false;
  const uint32_t offset = view.slots[index].offset + view.value_bytes;
  if (view.slots[index].suffix_bytes < suffix.size() || offset + suffix.size() > kIndexPageBytes) return false;
  for (size_t at = kHeadBytes; at < suffix.size(); ++at)
    if (*static_cast<const volatile std::byte*>(view.page + offset + at) != static_cast<std::byte>(suffix[at]))
      return false;
  return true;
}

GNOMON_OPTIMISTIC_READ bool findPrefix(const std::byte* page, KeyView prefix, PrefixRun& run) {
  View view;
  IndexPosition position;
  run.count = 0;
  run.is_whole = false;
  if (!readView(page, prefix.size(), view) || !findSuffix(view, prefix, view.count, position)) return false;
  const KeyView suffix = prefix.substr(view.prefix_bytes);
  const uint32_t head = keyHead(suffix);
  for (uint32_t index = position.index; index < view.count; ++index) {
    if (!beginsWith(view, index, suffix, head)) {
      run.is_whole = true;
      return true;
    }
    if (run.count == PrefixRun::kTuplesMax) return true;
    const uint32_t offset = view.slots[index].offset;
    const uint32_t bytes = view.slots[index].suffix_bytes;
    const bool is_unique = view.value_bytes != 0;
    const uint32_t id_offset = is_unique ? offset : offset + bytes - kTupleIdBytes;
    if ((!is_unique && bytes < kTupleIdBytes) || id_offset + kTupleIdBytes > kIndexPageBytes) return false;
    const uint64_t id = *reinterpret_cast<const volatile UnalignedWord*>(page + id_offset);
    run.tuple_ids[run.count++] = is_unique ? id : __builtin_bswap64(id);
  }
  return true;
}

GNOMON_OPTIMISTIC_READ bool liesWithin(const std::byte* page, KeyView key, bool& is_within) {
  const auto* header = reinterpret_cast<const volatile IndexPageHeader*>(page);
  const uint32_t lower = header->lower_fence.offset, lower_bytes = header->lower_fence.bytes;
  const uint32_t upper = header->upper_fence.offset, upper_bytes = header->upper_fence.bytes;
  if (lower + lower_bytes > kIndexPageBytes || upper + upper_bytes > kIndexPageBytes) return false;
  const auto key_bytes = static_cast<uint32_t>(key.size());
  const bool has_upper = (header->flags & IndexPageHeader::kUpperFenceFlag) != 0;
  is_within = compareStored(page + lower, lower_bytes, key.data(), key_bytes, 0) <= 0 &&
              (!has_upper || compareStored(page + upper, upper_bytes, key.data(), key_bytes, 0) > 0);
  return true;
}

GNOMON_OPTIMISTIC_READ IndexPageShape readShape(const std::byte* page) {
  const auto* header = reinterpret_cast<const volatile IndexPageHeader*>(page);
  return {header->checked_by, header->level};
}

}  // namespace gnomon::storage
