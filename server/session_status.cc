#include "server/session_status.h"

#include <utility>

namespace gnomon::server {

void SessionStatus::setClient(std::string user, std::pair<std::string, uint16_t> address) {
  const std::scoped_lock lock(mutex_);
  user_ = std::move(user);
  client_ = std::move(address);
}

void SessionStatus::setApplication(const std::string& name) {
  const std::scoped_lock lock(mutex_);
  application_ = name;
}

void SessionStatus::beginQuery(std::shared_ptr<const std::string> text) {
  const int64_t now = unixTimeUs();
  query_begun_us_.store(now, std::memory_order_relaxed);
  state_changed_us_.store(now, std::memory_order_relaxed);
  state_.store(State::Active, std::memory_order_relaxed);
  // The text before goes behind the lock.
  const std::scoped_lock lock(mutex_);
  query_.swap(text);
}

void SessionStatus::becomeIdle(State state) {
  state_changed_us_.store(unixTimeUs(), std::memory_order_relaxed);
  state_.store(state, std::memory_order_relaxed);
}

void SessionStatus::beginTransaction() {
  transaction_begun_us_.store(unixTimeUs(), std::memory_order_relaxed);
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
