#pragma once

#include <atomic>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>

#include "base/thread_slots.h"

namespace gnomon {

/// Frees memory that readers may still look at once none of them can.
///
/// A reader holds a Guard while it follows pointers that others may unlink. What was unlinked is given to retire(),
/// and goes when every guard that was held then has been given back. Guards of one thread may be nested.
/// Memory: a cache line for each thread number that was used. Threads: any.
class EpochManager {
 public:
  class Guard {
   public:
    explicit Guard(EpochManager& epochs) : slot_(epochs.slots_.own()) { epochs.enter(slot_); }
    ~Guard() { leave(slot_); }
    Guard(const Guard&) = delete;
    Guard& operator=(const Guard&) = delete;

   private:
    struct alignas(64) Slot;
    friend class EpochManager;
    Slot& slot_;
  };

  EpochManager() = default;
  /// No guard is held.
  ~EpochManager();
  EpochManager(const EpochManager&) = delete;
  EpochManager& operator=(const EpochManager&) = delete;

  /// Calls `free` when nobody looks any more: now, or in a later call of retire() or collect() by any thread. It must
  /// neither throw nor call back.
  void retire(std::function<void()> free);
  /// The same: lets go of it. What it does then must not throw, nor call back.
  void retire(std::shared_ptr<const void> unlinked);
  /// Frees what can be freed.
  void collect();

 private:
  static constexpr uint64_t kIdle = UINT64_MAX;
  struct Retired {
    uint64_t epoch;
    std::function<void()> free;              ///< null: nothing but
    std::shared_ptr<const void> unlinked{};  ///< lets go of this
  };

  void enter(Guard::Slot& slot);
  static void leave(Guard::Slot& slot);
  [[nodiscard]] uint64_t oldest() const;
  void retire(Retired retired);
  void collect(std::unique_lock<std::mutex> lock);

  std::atomic<uint64_t> epoch_{1};
  ThreadSlots<Guard::Slot> slots_;
  std::mutex mutex_;
  std::deque<Retired> retired_;  ///< in the order of epochs
};

/// `epoch`: when the thread's outermost guard was taken.
struct alignas(64) EpochManager::Guard::Slot {
  std::atomic<uint64_t> epoch{kIdle};
  uint32_t depth = 0;  ///< of the thread alone
};

}  // namespace gnomon
