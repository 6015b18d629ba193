#include "server/session_status.h"

#include <chrono>
#include <utility>

namespace gnomon::server {

void SessionStatus::setClient(std::string user, std::pair<std::string, int32_t> address) {
  const std::scoped_lock lock(mutex_);
  user_ = std::move(user);
  client_ = std::move(address);
}

void SessionStatus::setApplication(const std::string& name) {
  const std::scoped_lock lock(mutex_);
  application_ = name;
}

void SessionStatus::readClock() {
  using std::chrono::microseconds;
  const auto now = std::chrono::steady_clock::now().time_since_epoch();
  steady_us_ = std::chrono::duration_cast<microseconds>(now).count();
}

void SessionStatus::wakeUp() {
  readClock();
  unix_offset_us_ = unixTimeUs() - steady_us_;
}

void SessionStatus::beginQuery(const std::shared_ptr<const std::string>& text) {
  query_begun_us_.store(unixUs(), std::memory_order_relaxed);
  state_changed_us_.store(unixUs(), std::memory_order_relaxed);
  state_.store(State::Active, std::memory_order_relaxed);
  if (query_ == text) return;
  // The text before goes behind the lock.
  std::shared_ptr<const std::string> other = text;
  const std::scoped_lock lock(mutex_);
  query_.swap(other);
}

void SessionStatus::becomeIdle(State state) {
  state_changed_us_.store(unixUs(), std::memory_order_relaxed);
  state_.store(state, std::memory_order_relaxed);
}

void SessionStatus::beginTransaction() {
  transaction_begun_us_.store(unixUs(), std::memory_order_relaxed);
}

void SessionStatus::endTransaction() {
  transaction_begun_us_.store(0, std::memory_order_relaxed);
  has_transaction_.store(false, std::memory_order_relaxed);
}

SessionStatus::Snapshot SessionStatus::snapshot() const {
  Snapshot result;
  result.state = state();
  result.wait = wait_.load(std::memory_order_relaxed);
  result.begun_us = begun_us_;
  result.database = database();
  result.transaction_begun_us = transaction_begun_us_.load(std::memory_order_relaxed);
  result.query_begun_us = query_begun_us_.load(std::memory_order_relaxed);
  result.state_changed_us = state_changed_us_.load(std::memory_order_relaxed);
  if (has_transaction_.load(std::memory_order_relaxed))
    result.transaction = transaction_.load(std::memory_order_relaxed);
  const std::scoped_lock lock(mutex_);
  result.user = user_;
  result.application = application_;
  if (query_) result.query = *query_;
  result.client_address = client_.first;
  result.client_port = client_.second;
  return result;
}

}  // namespace gnomon::server
