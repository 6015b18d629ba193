#include "storage/latch.h"

#include <linux/futex.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <climits>

#include "base/assert.h"

namespace gnomon::storage {

namespace {

/// About a microsecond: longer than most holds, shorter than a sleep and a wake-up.
constexpr int kSpinRounds = 40;

void futex(std::atomic<uint32_t>& word, int operation, uint32_t value) {
  static_assert(sizeof(std::atomic<uint32_t>) == sizeof(uint32_t));
  ::syscall(SYS_futex, &word, operation, value, nullptr, nullptr, 0);
}

void pause() {
#if defined(__x86_64__)
  __builtin_ia32_pause();
#endif
}

}  // namespace

/// Until somebody is woken, unless `is_in_the_way` says of the word that there is nothing to wait for.
template <typename Wait>
void VersionedLatch::park(Wait&& is_in_the_way) const {
  const uint32_t seen = waiting_.fetch_or(1) | 1;
  if (!is_in_the_way(word_.load())) return;
  futex(waiting_, FUTEX_WAIT_PRIVATE, seen);
}

void VersionedLatch::wakeParked() {
  uint32_t waiting = waiting_.load();
  if ((waiting & 1) != 0 && waiting_.compare_exchange_strong(waiting, waiting + 1))
    futex(waiting_, FUTEX_WAKE_PRIVATE, INT_MAX);
}

void VersionedLatch::lockExclusiveSlow() {
  for (int round = 0;; ++round) {
    if (tryLockExclusive()) return;
    if (round < kSpinRounds) {
      pause();
      continue;
    }
    park([](uint64_t word) { return (word & kStateMask) != kFree; });
  }
}

void VersionedLatch::unlockExclusive(bool changed) {
  const uint64_t word = word_.load(std::memory_order_relaxed);
  ASSERT((word & kStateMask) == kExclusive, "L1");
  word_.exchange(changed ? word - kExclusive + (uint64_t{1} << kStateBits) : word - kExclusive);
  wakeWaiters();
}

bool VersionedLatch::tryLockShared() {
  uint64_t word = word_.load(std::memory_order_relaxed);
  for (;;) {
    const uint64_t state = word & kStateMask;
    if (state == kExclusive) return false;
    if (state >= kSaturated - 1) return tryLockSharedSaturated();
    if (word_.compare_exchange_weak(word, state == kFree ? word + 2 : word + 1)) return true;
  }
}

void VersionedLatch::lockSharedSlow() {
  for (int round = 0;; ++round) {
    if (tryLockShared()) return;
    if (round < kSpinRounds) {
      pause();
      continue;
    }
    park([](uint64_t word) { return (word & kStateMask) == kExclusive; });
  }
}

void VersionedLatch::unlockShared() {
  uint64_t word = word_.load(std::memory_order_relaxed);
  for (;;) {
    const uint64_t state = word & kStateMask;
    ASSERT(state > kExclusive, "L1");
    if (state == kSaturated) return unlockSharedSaturated();
    if (word_.compare_exchange_weak(word, state == 2 ? word - 2 : word - 1)) {
      if (state == 2) wakeWaiters();
      return;
    }
  }
}

void VersionedLatch::lockOverflow() {
  while ((overflow_.fetch_or(kOverflowLocked, std::memory_order_acquire) & kOverflowLocked) != 0) pause();
}

// State 31 is entered and left only under the overflow lock: L2.
bool VersionedLatch::tryLockSharedSaturated() {
  lockOverflow();
  uint64_t word = word_.load();
  bool is_locked = false;
  while ((word & kStateMask) != kExclusive && !is_locked) {
    const uint64_t state = word & kStateMask;
    if (state == kSaturated) {
      overflow_.fetch_add(1);
      is_locked = true;
    } else {
      is_locked = word_.compare_exchange_weak(word, state == kFree ? word + 2 : word + 1);
    }
  }
  unlockOverflow();
  return is_locked;
}

void VersionedLatch::unlockSharedSaturated() {
  lockOverflow();
  uint64_t word = word_.load();
  if ((word & kStateMask) != kSaturated) {
    unlockOverflow();
    return unlockShared();
  }
  if ((overflow_.load() & ~kOverflowLocked) != 0) {
    overflow_.fetch_sub(1);
  } else {
    const bool is_left = word_.compare_exchange_strong(word, word - 1);
    CHECK(is_left, "L2");
  }
  unlockOverflow();
}

VersionedLatch::Version VersionedLatch::readVersionSlow() const {
  for (int round = 0;; ++round) {
    const uint64_t word = word_.load(std::memory_order_acquire);
    if ((word & kStateMask) != kExclusive) return word >> kStateBits;
    if (round < kSpinRounds)
      pause();
    else
      park([](uint64_t found) { return (found & kStateMask) == kExclusive; });
  }
}

}  // namespace gnomon::storage
