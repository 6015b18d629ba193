#include <bitset>
#include <random>

#include "storage/index/index_page.h"
#include "storage/swip.h"

namespace gnomon::storage {

const uint64_t kIndexRun = (uint64_t{std::random_device{}()} << 32 | std::random_device{}()) | 1;

namespace {

bool isFenceInHeap(const IndexPageHeader& header, IndexFence fence) {
  return fence.bytes == 0 || (fence.offset >= header.heap_begin && fence.offset + fence.bytes <= kIndexPageBytes);
}

/// All that must hold before slots and fences may be looked at.
bool isHeaderSound(const IndexPageHeader& header) {
  const PageType type = header.level == 0 ? PageType::IndexLeaf : PageType::IndexInner;
  constexpr uint16_t kFlags = IndexPageHeader::kUniqueFlag | IndexPageHeader::kUpperFenceFlag;
  if (header.page.type != type || header.level > kIndexLevelMax || (header.flags & ~kFlags) != 0) return false;
  const bool has_upper = (header.flags & IndexPageHeader::kUpperFenceFlag) != 0;
  if (header.entry_count > kIndexEntriesMax || (header.level > 0 && header.entry_count == 0)) return false;
  const uint64_t slots_end = sizeof(IndexPageHeader) + header.entry_count * sizeof(IndexSlot);
  if (header.heap_begin < slots_end || header.heap_begin > kIndexPageBytes) return false;
  if (header.dead_bytes > kIndexPageBytes - header.heap_begin) return false;
  if (header.lower_fence.bytes > kKeyBytesMax + kTupleIdBytes) return false;
  if (header.upper_fence.bytes > kKeyBytesMax + kTupleIdBytes || has_upper != (header.upper_fence.bytes > 0))
    return false;
  return isFenceInHeap(header, header.lower_fence) && isFenceInHeap(header, header.upper_fence);
}

bool areFencesSound(const IndexPage& page) {
  const KeyView lower = page.lowerFence(), upper = page.upperFence();
  const size_t prefix_bytes = page.header().prefix_bytes;
  if (!page.hasUpperFence()) return prefix_bytes == 0;
  return lower < upper && prefix_bytes == commonPrefixBytes(lower, upper);
}

/// Bytes of an entry's record; 0 when it does not lie in the heap or its key has an impossible length.
uint32_t soundRecordBytes(const IndexPage& page, uint32_t index) {
  const IndexPageHeader& header = page.header();
  const IndexSlot& slot = header.slots()[index];
  const size_t key_bytes = size_t{header.prefix_bytes} + slot.suffix_bytes;
  if (key_bytes > kKeyBytesMax + kTupleIdBytes) return 0;
  if (page.isLeaf() && !page.isUnique() && key_bytes < kTupleIdBytes) return 0;
  const auto bytes = static_cast<uint32_t>(page.entryBytes(key_bytes) - sizeof(IndexSlot));
  return slot.offset >= header.heap_begin && slot.offset + bytes <= kIndexPageBytes ? bytes : 0;
}

bool areEntriesSound(const IndexPage& page) {
  const IndexPageHeader& header = page.header();
  const KeyView lower = page.lowerFence().substr(header.prefix_bytes);
  const KeyView upper = page.upperFence().substr(page.hasUpperFence() ? header.prefix_bytes : 0);
  uint64_t live_bytes = 0;
  KeyView previous;
  for (uint32_t index = 0; index < page.count(); ++index) {
    const uint32_t bytes = soundRecordBytes(page, index);
    if (bytes == 0) return false;
    live_bytes += bytes;
    const KeyView suffix = page.suffix(index);
    if (header.slots()[index].head != keyHead(suffix)) return false;
    const bool is_implied = index == 0 && !page.isLeaf();
    if (is_implied ? !suffix.empty() : index == 0 ? suffix < lower : suffix <= previous) return false;
    if (!page.isLeaf() && index == 1 && suffix <= lower) return false;
    if (page.hasUpperFence() && suffix >= upper) return false;
    previous = suffix;
  }
  const auto fenceBytes = [&](uint32_t bytes) { return page.isLeaf() ? bytes : (bytes + 7) & ~7u; };
  live_bytes += fenceBytes(header.lower_fence.bytes) + fenceBytes(header.upper_fence.bytes);
  return live_bytes + header.dead_bytes == kIndexPageBytes - header.heap_begin;
}

bool areHintsSound(const IndexPageHeader& header) {
  const uint32_t distance = hintDistance(header.entry_count);
  for (uint32_t hint = 0; distance > 0 && hint < IndexPageHeader::kHintCount; ++hint)
    if (header.hints[hint] != header.slots()[(hint + 1) * distance].head) return false;
  return true;
}

/// Swips are changed in place, so no other bytes may share their words.
bool areSwipsSound(const IndexPage& page, bool is_from_disk) {
  std::bitset<kIndexPageBytes / 8> taken;
  for (uint32_t index = 0; index < page.count(); ++index) {
    const IndexSlot& slot = page.header().slots()[index];
    const uint32_t words = (8 + slot.suffix_bytes + 7u) / 8;
    if (slot.offset % 8 != 0) return false;
    for (uint32_t word = slot.offset / 8; word < slot.offset / 8 + words; ++word) {
      if (taken[word]) return false;
      taken.set(word);
    }
    const Swip swip = Swip::fromBits(page.swipWord(index));
    if (swip.isNone() || (is_from_disk && !swip.isCold())) return false;
    if (swip.isCold() && (swip.coldPage().number() == 0 || swip.coldPage().sizeClass() != SizeClass{0})) return false;
  }
  for (const IndexFence fence : {page.header().lower_fence, page.header().upper_fence})
    for (uint32_t word = fence.offset / 8; word < (fence.offset + fence.bytes + 7u) / 8; ++word)
      if (taken[word]) return false;
  return true;
}

}  // namespace

const char* findPageProblem(const std::byte* bytes, bool is_from_disk) {
  const IndexPage page(bytes);
  if (!isHeaderSound(page.header())) return "has a damaged header";
  if (!areFencesSound(page)) return "has damaged fences";
  if (!areEntriesSound(page)) return "has damaged entries";
  if (!areHintsSound(page.header())) return "has wrong hints";
  if (!page.isLeaf() && !areSwipsSound(page, is_from_disk)) return "has damaged swips";
  return nullptr;
}

}  // namespace gnomon::storage
