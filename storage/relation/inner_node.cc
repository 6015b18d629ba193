#include "storage/relation/inner_node.h"

#include <algorithm>

#include "storage/latch.h"

namespace gnomon::storage {

void InnerNode::erase(uint32_t index) {
  CHECK(index < entry_count, "I1");
  const uint32_t last = --entry_count;
  std::copy(first_ids + index + 1, first_ids + last + 1, first_ids + index);
  std::copy(swips + index + 1, swips + last + 1, swips + index);
  // A frame's hint of where its swip is may still point there.
  first_ids[last] = 0;
  swips[last] = 0;
}

GNOMON_OPTIMISTIC_READ bool findEntry(const std::byte* page, TupleId id, InnerEntry& entry) {
  const auto* node = reinterpret_cast<const volatile InnerNode*>(page);
  if (node->page.type != PageType::RelationInner) return false;
  const uint32_t count = node->entry_count;
  if (count == 0 || count > InnerNode::kEntriesMax) return false;
  // The last entry that begins at or below the id; the first one also serves ids below it. Leaves hold about as many
  // tuples each, so it is near where a line between the ends has it.
  uint32_t low = 0, high = count;
  const uint64_t begin = node->first_ids[0], end = node->first_ids[count - 1];
  constexpr uint32_t kReach = 8;
  if (count > 4 * kReach && begin < id.value && id.value < end) {
    const double share = static_cast<double>(id.value - begin) / static_cast<double>(end - begin);
    const auto guess = static_cast<uint32_t>(share * (count - 1));
    const uint32_t from = guess < kReach ? 0 : guess - kReach, to = std::min(guess + kReach, count - 1);
    const bool is_above = node->first_ids[from] <= id.value, is_below = id.value < node->first_ids[to];
    if (is_above) low = from;
    if (is_below) high = to;
  }
  for (uint32_t left = high - low; left > 1;) {
    const uint32_t half = left / 2;
    low += __builtin_unpredictable(node->first_ids[low + half] <= id.value) ? half : 0;
    left -= half;
  }
  entry.index = low;
  entry.level = node->level;
  entry.first_id = node->first_ids[low];
  entry.swip = Swip::fromBits(node->swips[low]);
  entry.next_first_id = low + 1 < count ? node->first_ids[low + 1] : UINT64_MAX;
  return true;
}

GNOMON_OPTIMISTIC_READ void copyEntries(const std::byte* page, uint32_t index, size_t count_max,
                                        std::vector<LeafReference>& leaves, uint64_t& next_first_id) {
  const auto* node = reinterpret_cast<const volatile InnerNode*>(page);
  const uint32_t count = node->entry_count;
  if (count > InnerNode::kEntriesMax) return;
  for (; index < count && leaves.size() < count_max; ++index) {
    const uint64_t id = node->first_ids[index];
    const uint64_t swip = node->swips[index];
    leaves.push_back({TupleId{id}, Swip::fromBits(swip), {}});
  }
  if (index < count) next_first_id = node->first_ids[index];
}

GNOMON_OPTIMISTIC_READ PageType readPageType(const std::byte* page) {
  return reinterpret_cast<const volatile PageHeader*>(page)->type;
}

}  // namespace gnomon::storage
