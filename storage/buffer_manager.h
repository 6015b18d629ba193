#pragma once

#include <array>
#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <mutex>
#include <span>
#include <unordered_map>
#include <vector>

#include "base/memory_share.h"
#include "base/thread_counters.h"
#include "storage/data_file.h"
#include "storage/double_write.h"
#include "storage/frame_pool.h"
#include "storage/page_guard.h"
#include "storage/page_hooks.h"
#include "storage/page_log.h"
#include "storage/page_numbers.h"
#include "storage/page_writer.h"
#include "storage/relation_registry.h"
#include "storage/replacement.h"
#include "storage/swip.h"

namespace gnomon::storage {

using gnomon::IoMethod;

struct BufferOptions {
  uint64_t pool_bytes = uint64_t{64} << 20;
  IoMethod io_method = IoMethod::Auto;
  bool double_write = true;
};

/// What the buffer manager has counted since it was opened: pages and uses of pages, not rows.
struct BufferCounts {
  uint64_t hits = 0;     ///< uses of a hot page; a root on the way down is not counted
  uint64_t rescues = 0;  ///< uses of a cooling page, which made it hot again
  uint64_t faults = 0;   ///< uses of a page that had to be read first
  uint64_t reads = 0;    ///< pages read, those ahead of need included
  uint64_t read_bytes = 0;
  uint64_t writes = 0;  ///< pages written home; their images in the double-write area are not counted
  uint64_t write_bytes = 0;
  uint64_t evictions = 0;

  BufferCounts& operator+=(const BufferCounts& other);
};

/// Keeps pages of all size classes in one pool of memory and on disk.
///
/// Source: paper 2, sections 2.1 and 2.2. Departure: see Swip.
/// Invariants:  B1  the pages of all resident frames sum to at most the pool size
///              B2  a page number is in a tree or free, never both
///              B3  a page is read by one thread at a time, and is resident at most once
/// Threads: any, except where said.
class BufferManager {
 public:
  /// Opens the pages under `directory`, after repairing those that a crash left torn.
  /// Failure: 58030 or XX001 when the free lists cannot be read; 53200 when the address space is not to be had.
  BufferManager(std::filesystem::path directory, const BufferOptions& options);
  /// Removes what a creation of the directory left behind when it failed before the first use: pages, and all that is
  /// said of them.
  static void removeFiles(const std::filesystem::path& directory);
  ~BufferManager();
  BufferManager(const BufferManager&) = delete;
  BufferManager& operator=(const BufferManager&) = delete;

  /// Before pages of the type are used.
  void registerSwips(PageType type, SwipVisitor visitor) { visitors_[static_cast<size_t>(type)] = visitor; }
  /// Before pages are used; they outlive the buffer manager.
  void setHooks(const PageHooks* hooks) { hooks_ = hooks; }

  /// Where changes of pages are logged; nowhere until it is attached to a log.
  [[nodiscard]] PageLog& log() { return log_; }
  /// Which trees the pages make up.
  [[nodiscard]] RelationRegistry& registry() { return registry_; }

  /// A new page with a new page number: header set, all other bytes zero, dirty, held exclusively. The caller links it
  /// with a swip, sets its parent and logs its image (PageChange), or frees it again. It may hold latches; room is made
  /// from pages that nobody has latched. Failure: 53200 when the pool is full of pages in use, 53100 when the disk is;
  /// nothing has changed then.
  ExclusiveGuard allocate(SizeClass size_class, RelationId relation, PageType type);

  /// The page that a swip refers to, for a descent without latches. `swip`: as read in `parent` at the word `where`,
  /// and validated since. Resident: its frame; the caller takes the frame's version or latch and then validates
  /// `parent` once more. Null: something changed meanwhile, the caller starts again. A page that has to be read is read
  /// without any latch held.
  /// Failure: 53200 when the pool is full of pages in use, 58030, XX001 naming file, offset and relation.
  Frame* resolve(const OptimisticGuard& parent, uint64_t* where, Swip swip, RelationId relation) {
    if (swip.isHot()) [[likely]] {
      countHit(*swip.frame());
      return swip.frame();
    }
    return resolveSlow(parent, where, swip, relation);
  }

  /// The page of a frame, known without a look at the frame, to be prefetched with it. Empty: the address is none of
  /// the pool's.
  [[nodiscard]] std::span<const std::byte> pageOf(const Frame& frame) const { return pool_.pageOf(frame); }

  struct ThreadUses {
    uint64_t hits, faults;
  };
  /// What the calling thread has used since it began, or those before it with its number.
  [[nodiscard]] ThreadUses usesOfThread() const;

  /// For those who follow hot swips without resolve(). The frame's size class never changes, so it need not be latched.
  void countHit(const Frame& frame) { hits_.add(frame.size_class.index); }

  /// Makes the swip at `where` hot while its parent is held exclusively, for structure changes. Failure: as resolve();
  /// the swip is as before.
  Frame& fix(const ExclusiveGuard& parent, uint64_t* where, RelationId relation);

  /// Reads a root, which no page refers to; it stays resident until it is freed. Failure: as resolve().
  Frame& fixRoot(PageId id, RelationId relation);

  struct ColdSwip {
    PageId page;
    const uint64_t* where;  ///< the swip's word in the parent
  };
  /// Reads pages whose swips were cold in `parent` when last validated, in one batch. Pages that are resident by now,
  /// cannot be read, or have no room are left to whoever wants them.
  void prefetch(const OptimisticGuard& parent, std::span<const ColdSwip> swips, RelationId relation);

  /// Gives the page's number and memory back. No swip refers to it any more; its version map is discarded. `stamp`: of
  /// the record that says so; without one the page was never in a tree.
  void free(ExclusiveGuard page, wal::RecordStamp stamp = {});
  /// The same for a page whose swip is cold. Its swip's page is held exclusively.
  void freeCold(PageId id, wal::RecordStamp stamp);
  /// The page is in a tree, and the log says so.
  void confirmPage(PageId id) { numbers_.confirm(id); }
  [[nodiscard]] bool hasSwips(PageType type) const { return visitors_[static_cast<size_t>(type)] != nullptr; }
  /// The page's bytes as they are to lie on disk, but for the checksum. It is latched.
  void copyCold(const Frame& frame, std::byte* copy) const { writer_.copyCold(frame, copy); }

  /// Lets the version map of a page that is held exclusively go if it says nothing any more. True: the page has none.
  bool pruneVersions(Frame& frame);

  // Before anybody uses pages, recovery has them by their ids. The rest of the buffer manager knows nothing of them.

  struct RecoveryRead {
    PageId id;
    Frame* frame;
    bool is_sound;  ///< set by readForRecovery()
  };
  /// A frame for the page, with any bytes. Null: there is no room. Threads: any, as in all of these; a page is one
  /// thread's.
  Frame* takeForRecovery(PageId id);
  /// Reads pages into frames that were taken for them, in one batch. Those that are not sound on disk lose their
  /// frames. Failure: 58030, all of them do.
  void readForRecovery(std::span<RecoveryRead> reads);
  /// Writes those that are dirty home.
  void writeForRecovery(std::span<Frame* const> frames) { writer_.write(frames, PageWriter::Latching::Wait); }
  /// Forgets the page.
  void dropForRecovery(Frame& frame);
  /// The page is everybody's from now on, as if it had just been read, but for being dirty perhaps.
  void adoptRecovered(Frame& frame);
  /// By log, records that had been stable when pages were last written.
  [[nodiscard]] const DoubleWriteArea::StableRecords& knownStable() const { return double_write_->stable(); }
  /// What is free now, as the log has it: the files have room for all numbers below `next`. Failure: 53100.
  void restoreNumbers(const PageNumberStates& states);

  /// Every change with a smaller GSN is on the pages on disk; the largest GSN when no page is dirty. A change that was
  /// logged before the call is taken into account.
  [[nodiscard]] Gsn oldestUnwritten();
  /// Writes dirty pages with changes that are not on disk below `gsn`, those with the oldest first, `bytes` bytes or a
  /// little more. Pages that somebody changes just now are left out. Returns the bytes found to be written. Failure:
  /// 53100, 58030; the pages not yet written are dirty still.
  uint64_t writeOldest(Gsn gsn, uint64_t bytes);

  /// Writes every dirty page and the free lists, and waits until they are on stable storage. Nobody changes pages
  /// meanwhile. Failure: 53100, 58030; the pages not yet written are still dirty.
  void writeAll();
  /// Frees at least `bytes` of the pool, or what can be freed now. Returns the bytes freed.
  uint64_t evict(uint64_t bytes) { return replacement_.free(bytes); }
  /// The same where less than `bytes` are free: for operations that cannot make room while they run.
  void prepareRoom(uint64_t bytes) {
    if (pool_.availableBytes() < bytes) replacement_.free(bytes);
  }

  [[nodiscard]] uint64_t poolBytes() const { return pool_.bytes(); }
  /// Beside the pool, for what leads to its pages (KeyHints).
  [[nodiscard]] MemoryShare& hintMemory() { return hint_memory_; }
  [[nodiscard]] uint64_t usedBytes() const { return pool_.usedBytes(); }
  [[nodiscard]] uint64_t coolingBytes() const { return replacement_.coolingBytes(); }
  [[nodiscard]] uint64_t framesInUse(SizeClass size_class) const { return pool_.framesInUse(size_class); }
  [[nodiscard]] uint64_t coolingFrames(SizeClass size_class) const { return replacement_.coolingFrames(size_class); }
  /// Frames whose page the disk does not have as it is. Looks at every frame of the class.
  [[nodiscard]] uint64_t dirtyFrames(SizeClass size_class);
  [[nodiscard]] BufferCounts counts(SizeClass size_class) const;
  /// Of all size classes.
  [[nodiscard]] BufferCounts counts() const;
  [[nodiscard]] IoMethod ioMethod() const { return io_->method(); }
  /// The largest page that the pool could hold when empty.
  [[nodiscard]] SizeClass sizeClassMax() const { return pool_.sizeClassMax(); }
  [[nodiscard]] const PageNumbers& pageNumbers() const { return numbers_; }
  /// Failure: as PageNumbers::write.
  void writePageNumbers(const PageNumberStates& states) const { numbers_.write(states); }
  [[nodiscard]] const DataFile& file(SizeClass size_class) const { return *files_[size_class.index]; }

 private:
  std::vector<Frame*> dirtyPages();
  FramePool::Taken acquire(SizeClass size_class);
  void release(ExclusiveGuard guard);
  void discardVersions(void* version_map);
  Frame* resolveSlow(const OptimisticGuard& parent, uint64_t* where, Swip swip, RelationId relation);
  Frame* rescue(const OptimisticGuard& parent, uint64_t* where, Swip swip);
  bool beginLoad(PageId id);
  void load(PageId id, RelationId relation);
  Frame& read(PageId id, RelationId relation);
  void finishRead(Frame& frame, PageId id);
  Frame* attachLoaded(PageId id, Frame* parent, uint64_t* where);
  bool dropLoaded(Frame& frame);
  void endLoad(PageId id, Frame* frame);
  void verify(const Frame& frame, PageId id, RelationId relation) const;
  [[noreturn]] void raisePoolFull(uint64_t bytes) const;

  const std::filesystem::path directory_;
  const std::unique_ptr<FileIo> io_;
  DoubleWriteArea::Files files_;
  std::unique_ptr<DoubleWriteArea> double_write_;
  PageNumbers numbers_;
  RelationRegistry registry_;
  FramePool pool_;
  MemoryShare hint_memory_;
  SwipVisitors visitors_{};
  PageLog log_;
  const PageHooks* hooks_ = nullptr;
  PageWriter writer_;
  /// Pages being read (null) and pages read that no swip refers to yet.
  std::mutex loads_mutex_;
  std::condition_variable loads_changed_;
  std::unordered_map<uint64_t, Frame*> loads_;
  std::unordered_map<uint64_t, Frame*> roots_;  ///< that were read
  ThreadCounters<kSizeClassCount> hits_;
  ThreadCounters<kSizeClassCount> faults_;
  ClassCounters reads_, rescues_;
  Replacement replacement_;  ///< last: its thread uses the rest
};

}  // namespace gnomon::storage
