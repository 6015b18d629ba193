#pragma once

#include <atomic>
#include <cstddef>

#include "storage/latch.h"
#include "storage/page.h"

namespace gnomon::storage {

/// Free: holds no page. Hot: its swip refers to it. Cooling: its swip does, marked; the page goes next unless somebody
/// uses it. InIo: being read. Loaded: read, no swip refers to it yet.
enum class FrameState : uint8_t { Free = 0, Hot = 1, Cooling = 2, InIo = 3, Loaded = 4 };

/// Whether the disk has the page as it is. Writing: it will once a write under way has ended, if nobody changes it.
enum class DirtyState : uint8_t { Clean = 0, Dirty = 1, Writing = 2 };

/// The place in memory that holds one page. Its page bytes have a fixed address for the life of the buffer manager.
///
/// Layout: 64 bytes, one cache line, kept apart from the page bytes so that pages keep power-of-two alignment.
/// Invariants:  F1  state Free: no page id, not dirty, no version map
///              F2  a hot page's id equals the id in its header
///              F3  `parent` is the frame whose page holds the owning swip; null for a root, whose swip is in the
///                  relation
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
  /// Where in the parent's page the owning swip was last seen. A hint: the tree may have moved it.
  std::atomic<uint32_t> swip_offset{0};
  std::atomic<Gsn> gsn{};
  std::atomic<Frame*> parent{nullptr};
  /// Owned by txn/: the page's version chains; null when every tuple of the page is visible to all.
  std::atomic<void*> version_map{nullptr};

  [[nodiscard]] PageHeader& header() const { return *reinterpret_cast<PageHeader*>(page); }
  [[nodiscard]] uint64_t pageBytes() const { return storage::pageBytes(size_class); }
  void markDirty() { dirty.store(DirtyState::Dirty, std::memory_order_relaxed); }
};
static_assert(sizeof(Frame) == 64);

}  // namespace gnomon::storage
