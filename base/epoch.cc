#include "base/epoch.h"

#include <algorithm>

#include "base/assert.h"

namespace gnomon {

EpochManager::~EpochManager() {
  for (const Retired& retired : retired_)
    if (retired.free) retired.free();
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
  retire(Retired{0, std::move(free), {}});
}

void EpochManager::retire(std::shared_ptr<const void> unlinked) {
  retire(Retired{0, {}, std::move(unlinked)});
}

void EpochManager::retire(Retired retired) {
  std::unique_lock lock(mutex_);
  // Guards taken from now on have a higher number: they cannot find what was unlinked.
  retired.epoch = epoch_.fetch_add(1, std::memory_order_seq_cst);
  retired_.push_back(std::move(retired));
  collect(std::move(lock));
}

void EpochManager::collect() {
  collect(std::unique_lock(mutex_));
}

/// A few at a time, which is all that there are as a rule.
void EpochManager::collect(std::unique_lock<std::mutex> lock) {
  constexpr size_t kAtOnce = 4;
  if (retired_.empty()) return;
  // What is retired while the lock is let go may be older than guards that are taken meanwhile: it is not looked at.
  const uint64_t end = std::min(oldest(), epoch_.load(std::memory_order_seq_cst));
  for (size_t count = kAtOnce; count == kAtOnce;) {
    std::array<Retired, kAtOnce> freed;
    if (!lock) lock.lock();
    for (count = 0; count < kAtOnce && !retired_.empty() && retired_.front().epoch < end; ++count) {
      freed[count] = std::move(retired_.front());
      retired_.pop_front();
    }
    lock.unlock();
    for (size_t i = 0; i < count; ++i) {
      if (freed[i].free) freed[i].free();
      freed[i].unlinked.reset();
    }
  }
}

}  // namespace gnomon
