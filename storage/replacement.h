#pragma once

#include <atomic>
#include <condition_variable>
#include <deque>
#include <functional>
#include <mutex>
#include <random>
#include <thread>
#include <vector>

#include "storage/class_counters.h"
#include "storage/frame_pool.h"
#include "storage/page_hooks.h"
#include "storage/page_writer.h"

namespace gnomon::storage {

/// Decides which pages leave the pool, and sees them out.
///
/// Random hot pages become cooling: their swip is marked, they stand in a queue. Whoever uses one meanwhile makes it
/// hot again (second chance). Those that reach the queue's end are written if they are dirty, and evicted. A thread of
/// its own keeps some memory free, so that a worker that needs a page rarely has to do this itself, and takes memory of
/// the system ahead while the pool is not full. Source: paper 2, section 2.2 (speculative unswizzling). Departure: see
/// Swip. Rule: latches are only tried, so whoever calls may hold any. Threads: any.
class Replacement {
 public:
  /// Takes a page out that was loaded and never attached; false when somebody has attached it, or it is dirty. Set by
  /// the buffer manager.
  using DropLoaded = std::function<bool(Frame&)>;

  Replacement(FramePool& pool, PageWriter& writer, const SwipVisitors& visitors, const PageHooks* const& hooks,
              DropLoaded drop_loaded);
  ~Replacement();
  Replacement(const Replacement&) = delete;
  Replacement& operator=(const Replacement&) = delete;

  /// Frees at least `bytes`, or what can be freed now; does not wait for latches. Returns the bytes freed.
  /// Failure: 53100, 58030 when dirty pages cannot be written.
  uint64_t free(uint64_t bytes);
  /// Wakes the page provider when memory is short, or wanted ahead.
  void memoryTaken() {
    if (pool_.availableBytes() < low_bytes_ || pool_.wantsMemoryAhead()) [[unlikely]]
      wake();
  }
  /// The page turned hot again.
  void rescued(const Frame& frame) {
    cooling_bytes_.fetch_sub(frame.pageBytes(), std::memory_order_relaxed);
    cooling_frames_.subtract(frame.size_class);
  }
  /// A page was loaded: if nobody attaches it, it leaves in its turn.
  void enqueueLoaded(Frame& frame);
  /// Called for a frame that is Free again.
  void released(FrameState before, const Frame& frame) {
    if (before == FrameState::Cooling) rescued(frame);
  }

  [[nodiscard]] uint64_t evictions(SizeClass size_class) const { return evictions_.value(size_class); }
  [[nodiscard]] uint64_t coolingFrames(SizeClass size_class) const { return cooling_frames_.value(size_class); }
  [[nodiscard]] uint64_t coolingBytes() const { return cooling_bytes_.load(std::memory_order_relaxed); }
  [[nodiscard]] uint64_t queueLength();

  /// The word of the swip in `parent` that leads to `child`, or null. `parent` is latched.
  uint64_t* findSwip(Frame& parent, Frame& child) const;
  /// A frame whose page a swip in `page` leads to, or null. `page` is latched.
  Frame* residentChild(Frame& page) const;

 private:
  void provide();
  void wake();
  void fillQueue(uint64_t bytes);
  bool coolOne();
  Frame* pickHot();
  void enqueue(Frame& frame);
  uint64_t evictFromQueue(uint64_t bytes);
  bool leave(Frame& frame);
  bool tryEvict(Frame& frame);

  FramePool& pool_;
  PageWriter& writer_;
  const SwipVisitors& visitors_;
  const PageHooks* const& hooks_;
  const DropLoaded drop_loaded_;
  const uint64_t low_bytes_, high_bytes_;

  std::mutex turn_mutex_;  ///< one thread at a time looks for victims
  std::mt19937_64 random_{0x9e3779b97f4a7c15};
  std::mutex queue_mutex_;
  std::deque<Frame*> queue_;
  std::atomic<uint64_t> cooling_bytes_{0};
  ClassCounters cooling_frames_;
  ClassCounters evictions_;

  std::mutex provider_mutex_;
  std::condition_variable provider_wake_;
  std::atomic<bool> is_wanted_{false};
  bool is_stopping_ = false;
  std::thread provider_;
};

}  // namespace gnomon::storage
