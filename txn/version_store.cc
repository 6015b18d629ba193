#include "txn/version_store.h"

#include <vector>

#include "base/large_memory.h"

namespace gnomon::txn {

namespace {
VersionMap* asMap(void* map) {
  return static_cast<VersionMap*>(map);
}
}  // namespace

void* ChainMemory::HugePages::do_allocate(size_t bytes, size_t) {
  if (void* const memory = allocateLarge(bytes)) return memory;
  throw std::bad_alloc();
}

void ChainMemory::HugePages::do_deallocate(void* memory, size_t bytes, size_t) {
  freeLarge(memory, bytes);
}

/// A tool that looks for memory that is used after it was freed must see what is.
bool ChainMemory::isPooled(size_t bytes) {
#if __has_feature(address_sanitizer)
  constexpr bool kIsWatched = true;
#else
  constexpr bool kIsWatched = false;
#endif
  return !kIsWatched && bytes <= kPooledBytesMax;
}

void* ChainMemory::do_allocate(size_t bytes, size_t alignment) {
  if (!isPooled(bytes)) return std::pmr::new_delete_resource()->allocate(bytes, alignment);
  const std::scoped_lock lock(mutex_);
  return pool_.allocate(bytes, alignment);
}

void ChainMemory::do_deallocate(void* memory, size_t bytes, size_t alignment) {
  if (!isPooled(bytes)) return std::pmr::new_delete_resource()->deallocate(memory, bytes, alignment);
  const std::scoped_lock lock(mutex_);
  pool_.deallocate(memory, bytes, alignment);
}

VersionStore::VersionStore(EpochManager& epochs) : epochs_(epochs) {
  hooks_.orphan = [this](storage::PageId id, void* map) { orphan(id, asMap(map)); };
  hooks_.adopt = [this](storage::PageId id) { return adopt(id); };
  hooks_.discard = [this](void* map) { discard(asMap(map)); };
  hooks_.prune = [this](void* map) { return prune(asMap(map)); };
}

VersionMap& VersionStore::mapOf(storage::Frame& frame) {
  if (VersionMap* const map = asMap(frame.version_map.load())) {
    if (map->isCrowded()) map->prune();
    return *map;
  }
  auto* const map = std::pmr::polymorphic_allocator<>(memory_.get()).new_object<VersionMap>(*memory_);
  std::unique_ptr<VersionMap, Delete> made(map, Delete{memory_.get()});
  {
    const std::scoped_lock lock(mutex_);
    maps_.emplace(map, std::move(made));
  }
  frame.version_map.store(map);
  return *map;
}

void VersionStore::retire(VersionMap* map) {
  std::shared_ptr<VersionMap> gone;
  {
    const std::scoped_lock lock(mutex_);
    const auto found = maps_.find(map);
    gone = std::move(found->second);
    maps_.erase(found);
  }
  epochs_.retire([memory = memory_, gone]() mutable { gone.reset(); });
}

void VersionStore::discard(VersionMap* map) {
  {
    // Whoever finds a version unlinked may free it, also when this is still at those below it in the chain.
    const EpochManager::Guard guard(epochs_);
    map->unlinkAll();
  }
  retire(map);
}

bool VersionStore::prune(VersionMap* map) {
  map->prune();
  if (!map->isEmpty()) return false;
  retire(map);
  return true;
}

void VersionStore::orphan(storage::PageId id, VersionMap* map) {
  if (prune(map)) return;
  {
    const std::scoped_lock lock(mutex_);
    orphans_.emplace(id.value, map);
  }
  pruneOrphans();
}

void VersionStore::pruneOrphans() {
  constexpr size_t kBuckets = 4;
  std::vector<std::shared_ptr<VersionMap>> gone;
  {
    const std::scoped_lock lock(mutex_);
    for (size_t i = 0; i < kBuckets && !orphans_.empty(); ++i) {
      next_bucket_ = (next_bucket_ + 1) % orphans_.bucket_count();
      std::vector<uint64_t> pages;
      for (auto found = orphans_.begin(next_bucket_); found != orphans_.end(next_bucket_); ++found) {
        found->second->prune();
        if (found->second->isEmpty()) pages.push_back(found->first);
      }
      for (const uint64_t page : pages) {
        const auto map = maps_.find(orphans_.extract(page).mapped());
        gone.push_back(std::move(map->second));
        maps_.erase(map);
      }
    }
  }
  if (gone.empty()) return;
  epochs_.retire([memory = memory_, maps = std::move(gone)]() mutable { maps.clear(); });
}

VersionMap* VersionStore::adopt(storage::PageId id) {
  const std::scoped_lock lock(mutex_);
  const auto found = orphans_.find(id.value);
  if (found == orphans_.end()) return nullptr;
  VersionMap* const map = found->second;
  orphans_.erase(found);
  return map;
}

size_t VersionStore::orphanCount() const {
  const std::scoped_lock lock(mutex_);
  return orphans_.size();
}

size_t VersionStore::mapCount() const {
  const std::scoped_lock lock(mutex_);
  return maps_.size();
}

}  // namespace gnomon::txn
