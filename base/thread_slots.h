#pragma once

#include <algorithm>
#include <array>
#include <atomic>
#include <cstdint>

#include "base/assert.h"
#include "base/thread_counters.h"

namespace gnomon {

/// A slot for each thread, made when the thread first asks for its own; that of a thread that has ended is the next
/// one's that gets its number. Whoever looks at all slots sees every one that was asked for before, in the order of
/// sequentially consistent operations. Threads: any.
template <typename Slot>
class ThreadSlots {
 public:
  ThreadSlots() = default;
  ~ThreadSlots() {
    for (std::atomic<Slot*>& slot : slots_) delete slot.load();
  }
  ThreadSlots(const ThreadSlots&) = delete;
  ThreadSlots& operator=(const ThreadSlots&) = delete;

  /// The calling thread's.
  [[nodiscard]] Slot& own() {
    const uint32_t thread = ThreadNumber::current();
    CHECK(thread < kThreadsMax, "more threads than sessions and workers can be");
    Slot* const slot = slots_[thread].load(std::memory_order_acquire);
    return slot ? *slot : add(thread);
  }
  template <typename Visit>
  void forEach(Visit&& visit) const {
    const uint32_t end = end_.load(std::memory_order_seq_cst);
    for (uint32_t thread = 0; thread < end; ++thread)
      if (Slot* const slot = slots_[thread].load(std::memory_order_seq_cst)) visit(*slot);
  }

 private:
  static constexpr uint32_t kThreadsMax = 4096;

  Slot& add(uint32_t thread) {
    auto* const slot = new Slot;
    slots_[thread].store(slot, std::memory_order_seq_cst);
    uint32_t end = end_.load(std::memory_order_relaxed);
    while (end <= thread && !end_.compare_exchange_weak(end, thread + 1, std::memory_order_seq_cst)) {
    }
    return *slot;
  }

  std::array<std::atomic<Slot*>, kThreadsMax> slots_{};
  std::atomic<uint32_t> end_{0};  ///< behind the last slot in use
};

}  // namespace gnomon
