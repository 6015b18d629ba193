#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <memory_resource>
#include <mutex>
#include <unordered_map>

#include "base/epoch.h"
#include "storage/buffer_manager.h"
#include "txn/version_map.h"

namespace gnomon::txn {

/// Where version maps and chains lie: side by side on huge pages. A scan looks at those of one page after the other,
/// and wherever else they lay it would wait for the translation of their addresses. What is freed is used again by
/// anybody, and given back to the system with the store; large arrays, which are given back at once, lie elsewhere.
/// Threads: any. Failure: std::bad_alloc.
class ChainMemory final : public std::pmr::memory_resource {
 private:
  class HugePages final : public std::pmr::memory_resource {
    void* do_allocate(size_t bytes, size_t alignment) override;
    void do_deallocate(void* memory, size_t bytes, size_t alignment) override;
    [[nodiscard]] bool do_is_equal(const memory_resource& other) const noexcept override { return this == &other; }
  };

  static constexpr size_t kBlockBytes = size_t{2} << 20;
  static constexpr size_t kPooledBytesMax = 16 << 10;
  [[nodiscard]] static bool isPooled(size_t bytes);
  void* do_allocate(size_t bytes, size_t alignment) override;
  void do_deallocate(void* memory, size_t bytes, size_t alignment) override;
  [[nodiscard]] bool do_is_equal(const memory_resource& other) const noexcept override { return this == &other; }

  std::mutex mutex_;
  HugePages pages_;
  std::pmr::monotonic_buffer_resource blocks_{kBlockBytes, &pages_};
  std::pmr::unsynchronized_pool_resource pool_{
      {.max_blocks_per_chunk = 64, .largest_required_pool_block = kPooledBytesMax}, &blocks_};
};

/// The version maps of all pages: those of pages in memory hang from their frames, others wait here.
///
/// Source: paper 1, sections 3.1.1 and 3.1.2. Threads: any.
class VersionStore {
 public:
  explicit VersionStore(EpochManager& epochs);
  VersionStore(const VersionStore&) = delete;
  VersionStore& operator=(const VersionStore&) = delete;

  /// What the buffer manager calls; lives as long as this object.
  [[nodiscard]] const storage::PageHooks& hooks() const { return hooks_; }
  /// The map of a page that is held exclusively; made when there is none. Chains without versions are taken out once
  /// they are many.
  VersionMap& mapOf(storage::Frame& frame);

  [[nodiscard]] size_t orphanCount() const;
  [[nodiscard]] size_t mapCount() const;

 private:
  void orphan(storage::PageId id, VersionMap* map);
  VersionMap* adopt(storage::PageId id);
  void discard(VersionMap* map);
  /// True: the map is gone.
  bool prune(VersionMap* map);
  void retire(VersionMap* map);
  struct Delete {
    ChainMemory* memory;
    void operator()(VersionMap* map) const { std::pmr::polymorphic_allocator<>(memory).delete_object(map); }
  };
  /// Some of the orphans, in turn.
  void pruneOrphans();

  EpochManager& epochs_;
  storage::PageHooks hooks_;
  const std::shared_ptr<ChainMemory> memory_ = std::make_shared<ChainMemory>();
  mutable std::mutex mutex_;
  std::unordered_map<uint64_t, VersionMap*> orphans_;  ///< by page id
  size_t next_bucket_ = 0;                             ///< of orphans_, to be pruned
  std::unordered_map<VersionMap*, std::unique_ptr<VersionMap, Delete>> maps_;
};

}  // namespace gnomon::txn
