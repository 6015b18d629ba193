#pragma once

#include <atomic>
#include <cstdint>

/// Marks the few functions that read page bytes under an optimistic latch: what they read may be torn, so they read
/// through volatile, check every bound before use, and the caller validates before it trusts the result.
#define GNOMON_OPTIMISTIC_READ __attribute__((no_sanitize("thread")))

namespace gnomon::storage {

/// A latch with a version: exclusive, shared, or optimistic (no write to the latch at all, validated afterwards).
///
/// Source: paper 2, section 2.3. Departure: while more than 30 threads share it, the overflow counter changes under a
/// one-word spin lock, because word and counter cannot change together.
/// Layout, 64 bits:  version (59) | state (5): 0 free, 1 exclusive, 2..31 held by state - 1 threads;
///                   at 31 by 30 + overflow threads
/// Invariants:  L1  the version grows by one with each exclusive hold that changed the page
///              L2  overflow is non-zero only in state 31
/// Threads: any. lock* wait (spin, then park); try* do not. Not recursive: a thread that holds a latch
/// must not ask for the same latch exclusively.
class VersionedLatch {
 public:
  using Version = uint64_t;

  VersionedLatch() = default;
  VersionedLatch(const VersionedLatch&) = delete;
  VersionedLatch& operator=(const VersionedLatch&) = delete;

  void lockExclusive() {
    if (!tryLockExclusive()) [[unlikely]]
      lockExclusiveSlow();
  }
  bool tryLockExclusive() {
    uint64_t word = word_.load(std::memory_order_relaxed);
    return (word & kStateMask) == kFree && word_.compare_exchange_strong(word, word | kExclusive);
  }
  /// Takes the latch exclusively only if no change happened since `version` was read; does not wait.
  bool tryUpgrade(Version version) {
    uint64_t word = version << kStateBits;
    return word_.compare_exchange_strong(word, word | kExclusive);
  }
  /// Ends an exclusive hold. `changed`: the page was modified, so optimistic readers must fail.
  void unlockExclusive(bool changed = true);

  void lockShared() {
    if (!tryLockShared()) [[unlikely]]
      lockSharedSlow();
  }
  bool tryLockShared();
  void unlockShared();

  /// The version to validate against later. Waits while the latch is held exclusively.
  [[nodiscard]] Version readVersion() const {
    const uint64_t word = word_.load(std::memory_order_acquire);
    return (word & kStateMask) == kExclusive ? readVersionSlow() : word >> kStateBits;
  }
  /// Whether nothing changed since readVersion() returned `version` and no writer is at work.
  [[nodiscard]] bool validate(Version version) const {
    std::atomic_thread_fence(std::memory_order_acquire);
    const uint64_t word = word_.load(std::memory_order_relaxed);
    return (word & kStateMask) != kExclusive && word >> kStateBits == version;
  }

  [[nodiscard]] bool isExclusive() const { return (word_.load() & kStateMask) == kExclusive; }
  [[nodiscard]] bool isFree() const { return (word_.load() & kStateMask) == kFree; }

 private:
  static constexpr unsigned kStateBits = 5;
  static constexpr uint64_t kStateMask = (uint64_t{1} << kStateBits) - 1;
  static constexpr uint64_t kFree = 0;
  static constexpr uint64_t kExclusive = 1;
  static constexpr uint64_t kSaturated = kStateMask;
  static constexpr uint32_t kOverflowLocked = uint32_t{1} << 31;

  void lockExclusiveSlow();
  void lockSharedSlow();
  [[nodiscard]] Version readVersionSlow() const;
  bool tryLockSharedSaturated();
  void unlockSharedSaturated();
  void lockOverflow();
  void unlockOverflow() { overflow_.fetch_and(~kOverflowLocked, std::memory_order_release); }
  template <typename Wait>
  void park(Wait&& is_in_the_way) const;
  void wakeWaiters() {
    if ((waiting_.load() & 1) != 0) [[unlikely]]
      wakeParked();
  }
  void wakeParked();

  std::atomic<uint64_t> word_{0};
  /// Bit 31: spin lock; below: holders beyond those that `word_` counts.
  std::atomic<uint32_t> overflow_{0};
  /// Bit 0: threads are parked; above it how often they were woken. An unlock looks here after it changed `word_`, a
  /// waiter looks at `word_` after it set the bit. Who wakes them takes the bit away: those that then still have to
  /// wait set it again, and until they run no further unlock has to call the system.
  mutable std::atomic<uint32_t> waiting_{0};
};
static_assert(sizeof(VersionedLatch) == 16);

}  // namespace gnomon::storage
