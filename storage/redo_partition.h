#pragma once

#include <deque>
#include <functional>
#include <mutex>
#include <span>
#include <unordered_map>
#include <unordered_set>

#include "storage/buffer_manager.h"
#include "storage/page_record.h"

namespace gnomon::storage {

/// What one record says of one page. Freed: `part.head.page` is free from now on.
struct RedoStep {
  RecordPart part;
  Gsn gsn;
};

/// A part of all pages, brought to what the log says of them: PageRedo.
///
/// Memory: the buffer pool, which all partitions share. One that finds it full writes some of its own pages; where that
/// is not enough, all partitions stop while all pages of all of them are written.
/// Threads: run() in one; whoever holds all mutexes may do as he likes.
class RedoPartition {
 public:
  /// A frame for a page that found no room, taken when no partition works; throws when there is none even then.
  using TakeAlone = std::function<Frame&(PageId)>;

  RedoPartition(BufferManager& buffers, TakeAlone take_alone) : buffers_(buffers), take_alone_(std::move(take_alone)) {}
  ~RedoPartition();
  RedoPartition(const RedoPartition&) = delete;
  RedoPartition& operator=(const RedoPartition&) = delete;

  /// Steps in the order of their GSNs. Pages that are not here are read ahead, several at a time. Failure: 53100,
  /// 53200, 58030; XX001.
  void run(std::span<const RedoStep> steps);

  /// Held by run() while it works, but not where it waits for room in take_alone.
  [[nodiscard]] std::mutex& mutex() { return mutex_; }
  /// With the mutex held. Writes what is dirty and lets all pages go. Failure: 53100, 58030.
  void evictAll();

  // After the last run().

  /// A page that lacks changes and was not freed; null: there is none.
  [[nodiscard]] const PartHead* lostPage() const { return lost_.empty() ? nullptr : &lost_.begin()->second; }
  /// Packed ids: whether the page is in a tree, as it was said last.
  [[nodiscard]] const std::unordered_map<uint64_t, bool>& numbers() const { return numbers_; }
  /// Hands the pages over to everybody.
  void handOver();

  [[nodiscard]] uint64_t changeCount() const { return change_count_.load(std::memory_order_relaxed); }
  /// Pages that were read or made, those counted again that had to leave meanwhile.
  [[nodiscard]] uint64_t pageCount() const { return page_count_.load(std::memory_order_relaxed); }

 private:
  struct Resident {
    Frame* frame;
    bool is_used;     ///< since it was last looked at for somebody to leave
    bool is_leaving;  ///< is being written
  };
  using Pages = std::unordered_map<uint64_t, Resident>;

  void readAhead(std::span<const RedoStep> steps);
  void apply(const RedoStep& step, std::unique_lock<std::mutex>& lock);
  Resident* find(const PartHead& head, std::unique_lock<std::mutex>& lock);
  Resident* keepRead(const BufferManager::RecoveryRead& read, const PartHead& head);
  void lose(const PartHead& head);
  Frame& take(PageId id, std::unique_lock<std::mutex>& lock);
  Resident& keep(Frame& frame, PageId id);
  void drop(PageId id);
  void forget(Pages::iterator page);
  bool evictSome(uint64_t bytes);
  void evict(std::span<const uint64_t> ids);

  BufferManager& buffers_;
  const TakeAlone take_alone_;
  std::mutex mutex_;
  Pages pages_;                                  ///< by packed id
  std::deque<uint64_t> order_;                   ///< of pages_, the next to leave first; some that are gone
  std::unordered_map<uint64_t, PartHead> lost_;  ///< pages that lack changes, until they are freed
  std::unordered_map<uint64_t, bool> numbers_;
  uint64_t resident_bytes_ = 0;
  std::vector<BufferManager::RecoveryRead> reads_;
  std::unordered_set<uint64_t> seen_;  ///< while reading ahead
  std::atomic<uint64_t> change_count_{0}, page_count_{0};
};

}  // namespace gnomon::storage
