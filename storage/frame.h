#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>

#include "storage/latch.h"
#include "storage/page.h"

namespace gnomon::storage {

/// Free: holds no page. Hot: its swip refers to it. Cooling: its swip does, marked; the page goes next unless somebody
/// uses it. InIo: being read. Loaded: read, no swip refers to it yet.
enum class FrameState : uint8_t { Free = 0, Hot = 1, Cooling = 2, InIo = 3, Loaded = 4 };

/// Whether the disk has the page as it is. Writing: it will once a write under way has ended, if nobody changes it.
/// WholeInLog: dirty; a record has all of the page, and it has not been written home since.
enum class DirtyState : uint8_t { Clean = 0, Dirty = 1, Writing = 2, WholeInLog = 3 };

/// The place in memory that holds one page. Its page bytes have a fixed address for the life of the buffer manager.
///
/// Layout: 64 bytes, one cache line, kept apart from the page bytes so that pages keep power-of-two alignment.
/// The GSN of the last change is in the page's header, which log has its record here: together the stamp. Invariants:
/// F1  state Free: no page id, not dirty, no version map
///              F2  a hot page's id equals the id in its header
///              F3  `parent` is the frame whose page holds the owning swip; null for a root, whose swip is in the
///                  relation
///              F4  not clean: every change that the disk does not have has at least the GSN `unwritten_from`
///              F5  whole in log: by F4 redo begins at the record that has all of the page or before it, and makes the
///                  page of that, whatever is at home
/// Threads: page id, parent and version map change under the exclusive latch, the state under it or, between hot and
/// cooling, under the parent's shared latch. `dirty` is set by the holder of the exclusive latch, reset by the page
/// writer.
struct alignas(64) Frame {
  VersionedLatch latch;
  std::byte* page = nullptr;
  std::atomic<PageId> page_id{};
  std::atomic<FrameState> state{FrameState::Free};
  std::atomic<DirtyState> dirty{DirtyState::Clean};
  SizeClass size_class{};
  /// In the queue of cooling pages. Stays there when the page turns hot again, until its turn comes.
  std::atomic<bool> is_queued{false};
  /// Where in the parent's page, in words, the owning swip was last seen. A hint: the tree may have moved it.
  std::atomic<uint16_t> swip_word{0};
  std::atomic<wal::LogNumber> log{wal::kNoLog};
  std::atomic<Gsn> unwritten_from{};
  std::atomic<Frame*> parent{nullptr};
  /// Owned by txn/: the page's version chains; null when every tuple of the page is visible to all.
  std::atomic<void*> version_map{nullptr};

  [[nodiscard]] PageHeader& header() const { return *reinterpret_cast<PageHeader*>(page); }
  [[nodiscard]] uint64_t pageBytes() const { return storage::pageBytes(size_class); }
  [[nodiscard]] wal::RecordStamp stamp() const { return {header().gsn, log.load(std::memory_order_relaxed)}; }
  void setStamp(wal::RecordStamp stamp) {
    header().gsn = stamp.gsn;
    log.store(stamp.log, std::memory_order_relaxed);
  }
  /// The page is about to change; the change's record will have a larger GSN than `stable`. Held exclusively.
  void markDirty(Gsn stable) {
    const DirtyState before = dirty.load(std::memory_order_relaxed);
    if (before == DirtyState::Clean) unwritten_from.store(Gsn{std::max(header().gsn, stable).value + 1});
    if (before == DirtyState::Clean || before == DirtyState::Writing) dirty.store(DirtyState::Dirty);
  }
  [[nodiscard]] uint32_t swipOffset() const {
    return uint32_t{swip_word.load(std::memory_order_relaxed)} * uint32_t{sizeof(uint64_t)};
  }
  /// Pages with swips are 64 KiB large.
  void setSwipOffset(uint64_t offset) {
    swip_word.store(static_cast<uint16_t>(offset / sizeof(uint64_t)), std::memory_order_relaxed);
  }
};
static_assert(sizeof(Frame) == 64);

}  // namespace gnomon::storage
