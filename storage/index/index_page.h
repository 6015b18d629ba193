#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>

#include "storage/index/key.h"
#include "storage/page.h"

namespace gnomon::storage {

/// An entry's place in a page, and the first bytes of its key after the page's prefix, big-endian, padded with zeros:
/// most searches end without a look at the record.
struct IndexSlot {
  uint32_t head;
  uint16_t offset;        ///< of the record in the page
  uint16_t suffix_bytes;  ///< of the key after the page's prefix
};
static_assert(sizeof(IndexSlot) == 8);

/// Where a fence lies in the page.
struct IndexFence {
  uint16_t offset;
  uint16_t bytes;
};

/// The first bytes of an index page, leaf or inner.
///
/// Source: architecture.md, section 4; slots, heads, hints and fences as in LeanStore. Departure: none from the former.
/// Layout, 64 KiB:   0  PageHeader
///                  32  checked by      the server run that found the page sound; only it trusts the page
///                  40  level           0: leaf
///                  42  flags           bit 0: unique index, bit 1: has an upper fence
///                  44  entry count     46  prefix bytes
///                  48  heap begin      lowest byte of the heap
///                  52  dead bytes      of the heap, not used any more
///                  56  lower fence     60  upper fence
///                  64  hints           heads of the slots d, 2d, ... 64d, where d = hint distance
///                 320  slots           8 bytes x entry count, in key order
///      heap begin ...  heap            records and fences, to the end of the page
/// Records:  leaf of a unique index      tuple id (8) | key suffix
///           leaf of a non-unique index  key suffix, the last 8 bytes of the key are the tuple id, big-endian
///           inner                       swip (8, aligned) | key suffix, padded to 8
/// Invariants:  N1  keys ascend strictly; each begins with the prefix, which lower and upper fence have in common
///              N2  lower fence <= key < upper fence; an empty lower fence: none
///              N3  the first key of an inner page is its lower fence, and its suffix is not stored
///              N4  heap bytes are dead, or belong to one record or fence
///              N5  bytes that were a swip once are zero: the buffer manager may look for one where it was
struct IndexPageHeader {
  static constexpr uint32_t kHintCount = 64;
  static constexpr uint16_t kUniqueFlag = 1;
  static constexpr uint16_t kUpperFenceFlag = 2;

  PageHeader page;
  uint64_t checked_by;
  uint16_t level;
  uint16_t flags;
  uint16_t entry_count;
  uint16_t prefix_bytes;
  uint32_t heap_begin;
  uint32_t dead_bytes;
  IndexFence lower_fence;
  IndexFence upper_fence;
  uint32_t hints[kHintCount];

  [[nodiscard]] IndexSlot* slots() { return reinterpret_cast<IndexSlot*>(this + 1); }
  [[nodiscard]] const IndexSlot* slots() const { return reinterpret_cast<const IndexSlot*>(this + 1); }
};
static_assert(sizeof(IndexPageHeader) == 320 && offsetof(IndexPageHeader, checked_by) == 32);
static_assert(offsetof(IndexPageHeader, level) == 40 && offsetof(IndexPageHeader, heap_begin) == 48);
static_assert(offsetof(IndexPageHeader, lower_fence) == 56 && offsetof(IndexPageHeader, hints) == 64);

inline constexpr uint32_t kIndexPageBytes = kPageBytesMin;
inline constexpr uint32_t kIndexEntriesMax = (kIndexPageBytes - sizeof(IndexPageHeader)) / (sizeof(IndexSlot) + 1);
inline constexpr uint32_t kTupleIdBytes = 8;
/// Above what any number of pages can make; a walk down a tree is no longer.
inline constexpr uint32_t kIndexLevelMax = 64;
/// Two entries and two fences of the longest key, with tuple id and value each, fit in a page.
static_assert(4 * (kKeyBytesMax + 2 * kTupleIdBytes + sizeof(IndexSlot) + 8) <=
              kIndexPageBytes - sizeof(IndexPageHeader));

/// Slots between two hints; 0: too few entries for hints.
constexpr uint32_t hintDistance(uint32_t entry_count) {
  return entry_count < 2 * IndexPageHeader::kHintCount ? 0 : entry_count / (IndexPageHeader::kHintCount + 1);
}

/// The head of a key's suffix.
inline uint32_t keyHead(KeyView suffix) {
  uint32_t head = 0;
  if (suffix.size() >= sizeof(head)) [[likely]] {
    std::memcpy(&head, suffix.data(), sizeof(head));
    return std::byteswap(head);
  }
  for (size_t byte = 0; byte < suffix.size(); ++byte)
    head |= uint32_t{static_cast<uint8_t>(suffix[byte])} << (24 - 8 * byte);
  return head;
}

/// How many leading bytes two keys have in common.
size_t commonPrefixBytes(KeyView left, KeyView right);

/// An index page whose latch is held, or that nobody else sees; sound (findPageProblem). Changes need the exclusive
/// latch.
class IndexPage {
 public:
  explicit IndexPage(std::byte* page) : header_(reinterpret_cast<IndexPageHeader*>(page)) {}
  explicit IndexPage(const std::byte* page) : IndexPage(const_cast<std::byte*>(page)) {}

  [[nodiscard]] IndexPageHeader& header() const { return *header_; }
  [[nodiscard]] std::byte* bytes() const { return reinterpret_cast<std::byte*>(header_); }
  [[nodiscard]] uint32_t count() const { return header_->entry_count; }
  [[nodiscard]] bool isLeaf() const { return header_->level == 0; }
  [[nodiscard]] bool isUnique() const { return (header_->flags & IndexPageHeader::kUniqueFlag) != 0; }
  [[nodiscard]] bool hasUpperFence() const { return (header_->flags & IndexPageHeader::kUpperFenceFlag) != 0; }
  [[nodiscard]] KeyView lowerFence() const { return fence(header_->lower_fence); }
  [[nodiscard]] KeyView upperFence() const { return fence(header_->upper_fence); }
  [[nodiscard]] KeyView prefix() const { return lowerFence().substr(0, header_->prefix_bytes); }

  [[nodiscard]] KeyView suffix(uint32_t index) const;
  /// Appends the whole key of an entry, with the tuple id that belongs to the key in a non-unique index.
  void appendKey(uint32_t index, EncodedKey& key) const;
  /// Whether an entry's key begins with these bytes; those of the page's prefix are the prefix's.
  [[nodiscard]] bool beginsWith(uint32_t index, KeyView bytes) const {
    return bytes.size() <= header_->prefix_bytes || suffix(index).starts_with(bytes.substr(header_->prefix_bytes));
  }
  /// The tuple id of a leaf's entry.
  [[nodiscard]] uint64_t tupleId(uint32_t index) const;
  /// The word of an inner page's swip.
  [[nodiscard]] uint64_t& swipWord(uint32_t index) const {
    return *reinterpret_cast<uint64_t*>(bytes() + header_->slots()[index].offset);
  }

  /// What an entry with such a key takes, slot included, when it lies in this page.
  [[nodiscard]] uint32_t entryBytes(size_t key_bytes) const {
    return sizeof(IndexSlot) + recordBytes(key_bytes - header_->prefix_bytes);
  }
  /// Bytes for further entries, dead ones included.
  [[nodiscard]] uint32_t freeBytes() const {
    return header_->heap_begin + header_->dead_bytes - slotsEnd(header_->entry_count);
  }
  /// What entries take, without fences.
  [[nodiscard]] uint32_t usedBytes() const;

  /// Makes the page empty; the fences lie outside of it. The PageHeader stays. `upper`: null when there is none.
  void initialise(uint32_t level, bool is_unique, KeyView lower, const KeyView* upper);
  /// Puts an entry in its place; the key begins with the prefix. `value`: tuple id or swip. Needs entryBytes() free
  /// bytes; may compact the page.
  void insert(uint32_t index, KeyView key, uint64_t value);
  /// The same for a leaf's entries that stand side by side, whose values follow each other from `first` on.
  void insertRun(uint32_t index, std::span<const EncodedKey> keys, uint64_t first);
  /// Takes an entry out; an inner page's first only with all others (N3).
  void erase(uint32_t index);
  /// Keeps the first `count` entries; the page's range ends at `separator` then.
  void keepFirst(uint32_t count, KeyView separator);
  /// Appends the entries [begin, end) of another page. Needs the space (rangeBytes()).
  void appendRange(const IndexPage& source, uint32_t begin, uint32_t end);
  /// What the entries [begin, end) take in a page with the given fences, all included.
  [[nodiscard]] uint64_t rangeBytes(uint32_t begin, uint32_t end, KeyView lower, const KeyView* upper) const;
  /// Bytes of a page that slots and heap share.
  static constexpr uint32_t kCapacity = kIndexPageBytes - sizeof(IndexPageHeader);

  /// Takes over all bytes but the PageHeader.
  void copyFrom(const IndexPage& other) {
    std::memcpy(bytes() + sizeof(PageHeader), other.bytes() + sizeof(PageHeader), kIndexPageBytes - sizeof(PageHeader));
  }
  /// Appends an entry; its suffix is given in two pieces.
  void append(KeyView suffix_begin, KeyView suffix_end, uint64_t value);
  /// After entries from `first_changed` on have come, gone or moved; `count_before`: how many there were.
  void updateHints(uint32_t first_changed, uint32_t count_before);

 private:
  [[nodiscard]] KeyView fence(IndexFence place) const {
    return {reinterpret_cast<const char*>(bytes()) + place.offset, place.bytes};
  }
  static constexpr uint32_t slotsEnd(uint32_t count) {
    return static_cast<uint32_t>(sizeof(IndexPageHeader) + count * sizeof(IndexSlot));
  }
  [[nodiscard]] bool hasValues() const { return !isLeaf() || isUnique(); }
  [[nodiscard]] uint32_t recordBytes(size_t suffix_bytes) const;
  [[nodiscard]] uint64_t value(uint32_t index) const;
  void appendLeafRange(const IndexPage& source, uint32_t begin, uint32_t end, uint32_t dropped);
  uint16_t takeHeap(uint32_t bytes);
  IndexSlot* makeSlots(uint32_t index, uint32_t count, uint32_t bytes);
  IndexFence storeFence(KeyView key);
  void storeRecord(IndexSlot& slot, KeyView suffix_begin, KeyView suffix_end, uint64_t value);
  void compact();

  IndexPageHeader* header_;
};

/// Memory for a page while it is rebuilt.
struct alignas(64) IndexPageBuffer {
  std::byte bytes[kIndexPageBytes];
};

/// Identifies this run of the server in the pages that it made or found sound. A page with another run's mark was read
/// from disk and has to be checked. One with this run's mark, even if it was evicted meanwhile, is what this run wrote:
/// its checksum is right.
extern const uint64_t kIndexRun;

/// Why a page's bytes are no index page that can be used without reading or writing outside of it (N1 to N4); null when
/// they are one. Reads nothing outside of it, whatever the bytes. `is_from_disk`: swips must be cold, as they are on
/// disk.
const char* findPageProblem(const std::byte* page, bool is_from_disk);

}  // namespace gnomon::storage
