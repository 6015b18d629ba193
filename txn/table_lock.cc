#include "txn/table_lock.h"

#include <chrono>

#include "base/assert.h"

namespace gnomon::txn {

namespace {

/// How soon a waiting statement notices that it was cancelled.
constexpr std::chrono::milliseconds kPollInterval{10};

}  // namespace

bool TableLock::isFree(Mode mode) const {
  if (exclusive_held_) return false;
  return mode == Mode::Exclusive ? shared_holders_ == 0 : exclusive_waiters_ == 0;
}

void TableLock::take(Mode mode) {
  if (mode == Mode::Exclusive)
    exclusive_held_ = true;
  else
    ++shared_holders_;
}

TableLock::Guard TableLock::acquire(Mode mode, const CancelToken& cancel) {
  std::unique_lock guard(mutex_);
  const bool is_exclusive = mode == Mode::Exclusive;
  if (is_exclusive) ++exclusive_waiters_;
  try {
    while (!dropped_ && !isFree(mode)) {
      cancel.poll();
      changed_.wait_for(guard, kPollInterval);
    }
    if (dropped_) throw SqlError(sqlstate::kUndefinedTable, "table was dropped by another session");
  } catch (...) {
    if (is_exclusive) --exclusive_waiters_;
    changed_.notify_all();
    throw;
  }
  if (is_exclusive) --exclusive_waiters_;
  take(mode);
  return {*this, mode};
}

TableLock::Guard TableLock::tryAcquire(Mode mode) {
  const std::scoped_lock guard(mutex_);
  if (dropped_) throw SqlError(sqlstate::kUndefinedTable, "table was dropped by another session");
  if (!isFree(mode)) return {};
  take(mode);
  return {*this, mode};
}

void TableLock::markDropped() {
  const std::scoped_lock guard(mutex_);
  dropped_ = true;
  changed_.notify_all();
}

void TableLock::unlock(Mode mode) {
  const std::scoped_lock guard(mutex_);
  if (mode == Mode::Exclusive)
    exclusive_held_ = false;
  else
    --shared_holders_;
  changed_.notify_all();
}

}  // namespace gnomon::txn
