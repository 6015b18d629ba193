#include "server/statement_timers.h"

#include <algorithm>

#include "base/wait_event.h"

namespace gnomon::server {

using std::chrono::steady_clock;

void StatementTimers::Running::start(StatementTimers& timers, Interrupts& interrupts, int64_t timeout_ms) {
  timers_ = &timers;
  const std::scoped_lock guard(timers.mutex_);
  const auto deadline = steady_clock::now() + std::chrono::milliseconds(timeout_ms);
  timer_ = timers.running_.insert(timers.running_.end(), Timer{deadline, &interrupts});
  if (!timers.thread_.joinable()) timers.thread_ = std::thread([&timers] { timers.run(); });
  timers.changed_.notify_one();
}

void StatementTimers::Running::stop() {
  const std::scoped_lock guard(timers_->mutex_);
  timers_->running_.erase(timer_);
}

StatementTimers::~StatementTimers() {
  {
    const std::scoped_lock guard(mutex_);
    stopping_ = true;
    changed_.notify_one();
  }
  if (thread_.joinable()) thread_.join();
}

void StatementTimers::run() {
  nameThread("timers");
  std::unique_lock guard(mutex_);
  while (!stopping_) {
    const auto next = std::ranges::min_element(running_, {}, &Timer::deadline);
    if (next == running_.end()) {
      changed_.wait(guard);
    } else if (steady_clock::now() < next->deadline) {
      // A copy: the timer may be gone when the wait reads it again.
      const auto deadline = next->deadline;
      changed_.wait_until(guard, deadline);
    } else {
      // Rings again until the statement has ended: a request may fall into the moment before it begins to run.
      next->interrupts->requestTimeout();
      next->deadline = steady_clock::now() + std::chrono::milliseconds(100);
    }
  }
}

}  // namespace gnomon::server
