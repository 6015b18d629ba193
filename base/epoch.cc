#include "base/epoch.h"

#include <algorithm>

#include "base/assert.h"

namespace gnomon {

EpochManager::~EpochManager() {
  for (const Retired& retired : retired_) retired.free();
  for (std::atomic<Guard::Slot*>& slot : slots_) delete slot.load();
}

EpochManager::Guard::Slot* EpochManager::slotOfThread() {
  const uint32_t thread = ThreadNumber::current();
  CHECK(thread < kThreadsMax, "more threads than sessions and workers can be");
  Guard::Slot* slot = slots_[thread].load(std::memory_order_acquire);
  if (slot == nullptr) {
    slot = new Guard::Slot;
    slots_[thread].store(slot, std::memory_order_release);
    uint32_t end = slots_end_.load(std::memory_order_relaxed);
    // Before the thread's first guard, so that whoever looks for guards looks here.
    while (end <= thread && !slots_end_.compare_exchange_weak(end, thread + 1, std::memory_order_seq_cst)) {
    }
  }
  return slot;
}

void EpochManager::enter(Guard::Slot& slot) {
  if (slot.depth++ > 0) return;
  // Until the number that stands in the slot is the newest one: whoever retires later then sees the slot.
  for (uint64_t stored = kIdle;;) {
    const uint64_t now = epoch_.load(std::memory_order_seq_cst);
    if (now == stored) return;
    slot.epoch.store(now, std::memory_order_seq_cst);
    stored = now;
  }
}

void EpochManager::leave(Guard::Slot& slot) {
  if (--slot.depth == 0) slot.epoch.store(kIdle, std::memory_order_release);
}

uint64_t EpochManager::oldest() const {
  uint64_t oldest = kIdle;
  const uint32_t end = slots_end_.load(std::memory_order_seq_cst);
  for (uint32_t thread = 0; thread < end; ++thread)
    if (const Guard::Slot* found = slots_[thread].load(std::memory_order_seq_cst))
      oldest = std::min(oldest, found->epoch.load(std::memory_order_seq_cst));
  return oldest;
}

void EpochManager::retire(std::function<void()> free) {
  std::unique_lock lock(mutex_);
  // Guards taken from now on have a higher number: they cannot find what was unlinked.
  retired_.push_back({epoch_.fetch_add(1, std::memory_order_seq_cst), std::move(free)});
  collect(std::move(lock));
}

void EpochManager::collect() {
  collect(std::unique_lock(mutex_));
}

/// A few at a time, which is all that there are as a rule.
void EpochManager::collect(std::unique_lock<std::mutex> lock) {
  constexpr size_t kAtOnce = 4;
  if (retired_.empty()) return;
  const uint64_t oldest_guard = oldest();
  for (size_t count = kAtOnce; count == kAtOnce;) {
    std::array<std::function<void()>, kAtOnce> freed;
    if (!lock) lock.lock();
    for (count = 0; count < kAtOnce && !retired_.empty() && retired_.front().epoch < oldest_guard; ++count) {
      freed[count] = std::move(retired_.front().free);
      retired_.pop_front();
    }
    lock.unlock();
    for (size_t i = 0; i < count; ++i) freed[i]();
  }
}

}  // namespace gnomon
