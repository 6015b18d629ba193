#pragma once

#include <array>
#include <atomic>
#include <memory>

#include "txn/lock_mode.h"

namespace gnomon::txn {

class ObjectLock;

/// A lock in a weak mode that its owner has taken before. Given back, it stays as it was until somebody wants what
/// conflicts with it; so transactions of one session that use the same tables take their locks without a look at
/// memory that other threads write to, and without a mutex.
///
/// Rules:  K1  Held: the owner has the lock. Idle: he has given it back, though the lock has him among its holders
///         K2  the owner alone goes from Held to Idle and back; from Idle to Gone goes who has the lock's mutex, in
///             whose list of holders it is not found any more behind that
///         K3  who waits for the lock is counted before he looks for idle holders, and an owner looks for those who
///         wait
///             when he has become idle: one of the two finds the other
/// Threads: as K2 says; isIdle() under the lock's mutex.
class KeptLock {
 public:
  [[nodiscard]] bool isIdle() const { return state_.load(std::memory_order_seq_cst) == State::Idle; }
  /// The owner's, back and forth. False: it is gone.
  bool tryTakeAgain() { return change(State::Idle, State::Held); }
  void giveBack() { state_.store(State::Idle, std::memory_order_seq_cst); }
  /// It was granted, under the lock's mutex.
  void begin() { state_.store(State::Held, std::memory_order_relaxed); }
  /// False: the owner has it.
  bool tryTakeAway() { return change(State::Idle, State::Gone); }
  /// By the owner, under the lock's mutex.
  void end() { state_.store(State::Gone, std::memory_order_relaxed); }

 private:
  friend class KeptLocks;
  enum class State : uint8_t { Gone, Idle, Held };
  bool change(State from, State to) { return state_.compare_exchange_strong(from, to, std::memory_order_seq_cst); }
  [[nodiscard]] bool isGone() const { return state_.load(std::memory_order_acquire) == State::Gone; }

  std::shared_ptr<ObjectLock> lock_;
  LockMode mode_ = LockMode::AccessShare;
  std::atomic<State> state_{State::Gone};
};

/// Those of one owner. Threads: the owner's.
class KeptLocks {
 public:
  /// Null: there is none.
  [[nodiscard]] KeptLock* find(const ObjectLock& lock, LockMode mode) {
    for (size_t i = 0; i < count_; ++i)
      if (locks_[i].lock_.get() == &lock && locks_[i].mode_ == mode && !locks_[i].isGone()) return &locks_[i];
    return nullptr;
  }
  /// A place for the lock, which is about to be taken; null: there are too many.
  KeptLock* place(const std::shared_ptr<ObjectLock>& lock, LockMode mode) {
    size_t free = 0;
    while (free < count_ && !locks_[free].isGone()) ++free;
    if (free == locks_.size()) return nullptr;
    if (free == count_) ++count_;
    locks_[free].lock_ = lock;
    locks_[free].mode_ = mode;
    return &locks_[free];
  }
  /// Visits those that are not gone, as (lock, mode).
  template <typename Visit>
  void forEach(const Visit& visit) {
    for (size_t i = 0; i < count_; ++i)
      if (!locks_[i].isGone()) visit(*locks_[i].lock_, locks_[i].mode_);
  }

 private:
  static constexpr size_t kCountMax = 32;
  std::array<KeptLock, kCountMax> locks_;
  size_t count_ = 0;
};

}  // namespace gnomon::txn
