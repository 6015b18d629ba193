#include "base/epoch.h"

#include <algorithm>
#include <vector>

#include "base/assert.h"

namespace gnomon {

EpochManager::~EpochManager() {
  for (const Retired& retired : retired_) retired.free();
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
  slots_.forEach(
      [&](const Guard::Slot& slot) { oldest = std::min(oldest, slot.epoch.load(std::memory_order_seq_cst)); });
  return oldest;
}

void EpochManager::retire(std::function<void()> free) {
  {
    const std::scoped_lock lock(mutex_);
    // Guards taken from now on have a higher number: they cannot find what was unlinked.
    retired_.push_back({epoch_.fetch_add(1, std::memory_order_seq_cst), std::move(free)});
  }
  collect();
}

void EpochManager::collect() {
  std::vector<std::function<void()>> freed;
  {
    const std::scoped_lock lock(mutex_);
    if (retired_.empty()) return;
    const uint64_t oldest_guard = oldest();
    while (!retired_.empty() && retired_.front().epoch < oldest_guard) {
      freed.push_back(std::move(retired_.front().free));
      retired_.pop_front();
    }
  }
  for (const std::function<void()>& free : freed) free();
}

}  // namespace gnomon
