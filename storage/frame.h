#pragma once

#include <atomic>
#include <cstddef>

#include "storage/latch.h"
#include "storage/page.h"

namespace gnomon::storage {

enum class FrameState : uint8_t { Free = 0, Hot = 1, Cooling = 2, InIo = 3 };

/// The place in memory that holds one page. Its page bytes have a fixed address for the life of the buffer manager.
///
/// Layout: 64 bytes, one cache line, kept apart from the page bytes so that pages keep power-of-two alignment.
/// Invariants:  F1  state Free: no page id, not dirty, no version map
///              F2  a hot page's id equals the id in its header
///              F3  `parent` is the frame whose page holds the owning swip; null for a root, whose swip is in the
///                  relation
/// Threads: page id, state, parent and version map change under the exclusive latch; dirty and gsn by the holder of the
/// exclusive latch, and are read by the page writer.
struct alignas(64) Frame {
  VersionedLatch latch;
  std::byte* page = nullptr;
  std::atomic<PageId> page_id{};
  std::atomic<FrameState> state{FrameState::Free};
  std::atomic<bool> dirty{false};
  SizeClass size_class{};
  std::atomic<Gsn> gsn{};
  std::atomic<Frame*> parent{nullptr};
  /// Owned by txn/: the page's version chains; null when every tuple of the page is visible to all.
  std::atomic<void*> version_map{nullptr};

  [[nodiscard]] PageHeader& header() const { return *reinterpret_cast<PageHeader*>(page); }
  [[nodiscard]] uint64_t pageBytes() const { return storage::pageBytes(size_class); }
  void markDirty() { dirty.store(true, std::memory_order_relaxed); }
};
static_assert(sizeof(Frame) == 64);

}  // namespace gnomon::storage
