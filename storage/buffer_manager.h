#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <mutex>
#include <vector>

#include "storage/data_file.h"
#include "storage/frame.h"
#include "storage/page_guard.h"
#include "storage/swip.h"

namespace gnomon::storage {

/// Keeps pages of all size classes in one pool of memory and on disk.
///
/// Source: paper 2, section 2.1. Departure: none; pages are not evicted yet, a full pool is an error.
/// Shape: for each size class one private anonymous mapping as large as the pool, cut into frames at fixed addresses;
/// memory is used only by frames that hold a page.
/// Invariants:  B1  the pages of all resident frames sum to at most the pool size
///              B2  a page number is in a tree or in its class's free list, never in both
/// Threads: any, except where said.
class BufferManager {
 public:
  /// Calls its argument with the word of each swip in a page until it returns false. Registered per page type, so that
  /// pages can be written and evicted without knowing their format. The page is latched.
  using SwipVisitor = void (*)(std::byte* page, const std::function<bool(uint64_t& swip)>& visit);

  /// Opens the pages under `directory`. Nothing is read but the free lists.
  /// Failure: 58030 or XX001 when the free lists cannot be read; 53200 when the address space is not to be had.
  BufferManager(std::filesystem::path directory, uint64_t pool_bytes);
  /// Removes the page files that a creation of the directory left behind when it failed before the first use.
  static void removeFiles(const std::filesystem::path& directory);
  ~BufferManager();
  BufferManager(const BufferManager&) = delete;
  BufferManager& operator=(const BufferManager&) = delete;

  void registerSwips(PageType type, SwipVisitor visitor) { swip_visitors_[static_cast<size_t>(type)] = visitor; }

  /// A new page with a new page number: header set, all other bytes zero, dirty, held exclusively. The caller links it
  /// with a swip and sets its parent.
  /// Failure: 53200 when the pool is full, 53100 when the disk is; nothing has changed then.
  ExclusiveGuard allocate(SizeClass size_class, RelationId relation, PageType type);

  /// The page that a swip refers to, for a descent without latches. `swip`: as read in `parent` at the word `where`,
  /// and validated since. Resident: its frame; the caller takes the frame's version or latch and then validates
  /// `parent` once more. Null: the page had to be read, which happened without any latch, or something changed: the
  /// caller starts again.
  /// Failure: 53200 when the pool is full of pages in use, 58030, XX001 naming file, offset and relation.
  Frame* resolve(const OptimisticGuard& parent, uint64_t* where, Swip swip, RelationId relation);

  /// Makes the swip at `where` hot while its parent is held exclusively, for structure changes. Failure: as resolve();
  /// the swip is as before.
  Frame& fix(const ExclusiveGuard& parent, uint64_t* where, RelationId relation);

  /// Reads a root, which no page refers to; it stays resident until it is freed. Failure: as resolve().
  Frame& fixRoot(PageId id, RelationId relation);

  /// Gives the page's number and memory back. No swip refers to it any more, and it has no version map.
  void free(ExclusiveGuard page);
  /// The same for a page that is not resident.
  void freeCold(PageId id);

  /// Writes every dirty page and the free lists, and waits until they are on stable storage. Nobody changes pages
  /// meanwhile. Failure: 53100, 58030; the pages not yet written are still dirty.
  void writeAll();

  [[nodiscard]] uint64_t poolBytes() const { return pool_bytes_; }
  [[nodiscard]] uint64_t usedBytes() const { return used_bytes_.load(std::memory_order_relaxed); }
  /// The largest page that the pool could hold when empty.
  [[nodiscard]] SizeClass sizeClassMax() const;

 private:
  /// The frames and page numbers of one size class.
  struct Pool {
    std::byte* memory = nullptr;
    Frame* frames = nullptr;
    uint64_t frame_count = 0;
    uint64_t frames_touched = 0;        ///< frames below this index have been used at least once
    std::vector<uint64_t> free_frames;  ///< indexes below frames_touched
    uint64_t next_page_number = 1;
    std::vector<uint64_t> free_page_numbers;
    std::unique_ptr<DataFile> file;
  };

  void mapPools();
  void unmapPools();
  Frame& takeFrame(SizeClass size_class);
  void returnFrame(ExclusiveGuard guard);
  void reservePoolBytes(uint64_t bytes);
  void verify(const Frame& frame, PageId id, RelationId relation) const;
  void writePage(Frame& frame);
  void readFreeLists();
  void writeFreeLists();
  [[noreturn]] void raisePoolFull(uint64_t bytes) const;

  const std::filesystem::path directory_;
  const uint64_t pool_bytes_;
  std::atomic<uint64_t> used_bytes_{0};
  std::mutex mutex_;  ///< guards the Pools' lists, not the pages
  std::array<Pool, kSizeClassCount> pools_;
  std::array<SwipVisitor, 8> swip_visitors_{};
};

}  // namespace gnomon::storage
