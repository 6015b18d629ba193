#pragma once

#include <array>
#include <mutex>
#include <ranges>
#include <shared_mutex>

#include "base/thread_counters.h"

namespace gnomon {

/// A shared mutex for what is used all the time and changed hardly ever: threads that hold it shared write to different
/// cache lines, as far as there are enough. Whoever wants it alone takes them all.
///
/// Shape: 2 KiB. For std::shared_lock and std::scoped_lock. Threads: any; who takes it gives it back.
class StripedSharedMutex {
 public:
  void lock() {
    for (Stripe& stripe : stripes_) stripe.mutex.lock();
  }
  void unlock() {
    for (Stripe& stripe : stripes_ | std::views::reverse) stripe.mutex.unlock();
  }
  void lock_shared() { own().lock_shared(); }
  void unlock_shared() { own().unlock_shared(); }

 private:
  static constexpr size_t kStripes = 16;
  /// Two cache lines, since neighbouring lines are fetched in pairs.
  struct alignas(128) Stripe {
    std::shared_mutex mutex;
  };
  std::shared_mutex& own() { return stripes_[ThreadNumber::current() % kStripes].mutex; }

  std::array<Stripe, kStripes> stripes_;
};

}  // namespace gnomon
