#pragma once

#include <condition_variable>
#include <cstdint>
#include <mutex>
#include <utility>

#include "base/cancel.h"

namespace gnomon::txn {

/// The lock on a table's existence and shape: statements share it; DROP TABLE and the like take it alone.
///
/// A waiting exclusive request keeps new shared ones out, so a busy table can still be dropped. Therefore a statement
/// takes the lock of each of its tables once, in ascending order of relation ids, after the write lock.
/// Threads: any; may block, and gives up with 57014 when the token asks to.
/// Failure: 42P01 once the table has been dropped.
class TableLock {
 public:
  enum class Mode : uint8_t { Shared, Exclusive };

  /// Holds the lock until destroyed or released.
  class Guard {
   public:
    Guard() = default;
    Guard(Guard&& other) noexcept : lock_(std::exchange(other.lock_, nullptr)), mode_(other.mode_) {}
    Guard& operator=(Guard&& other) noexcept {
      release();
      lock_ = std::exchange(other.lock_, nullptr);
      mode_ = other.mode_;
      return *this;
    }
    ~Guard() { release(); }
    void release() {
      if (lock_) std::exchange(lock_, nullptr)->unlock(mode_);
    }
    [[nodiscard]] bool holds() const { return lock_ != nullptr; }
    [[nodiscard]] bool holdsExclusive(const TableLock& lock) const {
      return lock_ == &lock && mode_ == Mode::Exclusive;
    }

   private:
    friend class TableLock;
    Guard(TableLock& lock, Mode mode) : lock_(&lock), mode_(mode) {}
    TableLock* lock_ = nullptr;
    Mode mode_ = Mode::Shared;
  };

  [[nodiscard]] Guard acquire(Mode mode, const CancelToken& cancel);
  /// The same without waiting: a guard that holds nothing when the lock is not free.
  [[nodiscard]] Guard tryAcquire(Mode mode);
  /// Called under the exclusive lock: everybody who waits for it or comes later gets 42P01.
  void markDropped();

 private:
  [[nodiscard]] bool isFree(Mode mode) const;
  void take(Mode mode);
  void unlock(Mode mode);

  std::mutex mutex_;
  std::condition_variable changed_;
  uint32_t shared_holders_ = 0;
  uint32_t exclusive_waiters_ = 0;
  bool exclusive_held_ = false;
  bool dropped_ = false;
};

}  // namespace gnomon::txn
