#include "server/session_registry.h"

#include "base/metrics.h"
#include "base/random_bytes.h"

namespace gnomon::server {

SessionKey SessionRegistry::add(Interrupts& interrupts, const SessionStatus& status) {
  int32_t secret = 0;
  fillRandom(&secret, sizeof(secret));
  const std::scoped_lock guard(mutex_);
  if (entries_.size() >= session_count_max_)
    throw SqlError(sqlstate::kTooManyConnections, "sorry, too many clients already");
  while (next_id_ <= 0 || entries_.contains(next_id_)) next_id_ = next_id_ <= 0 ? 1 : next_id_ + 1;
  const SessionKey key{next_id_, secret};
  entries_.emplace(key.id, Entry{secret, &interrupts, &status});
  next_id_ = next_id_ == INT32_MAX ? 1 : next_id_ + 1;
  return key;
}

void SessionRegistry::remove(SessionKey key) {
  const std::scoped_lock guard(mutex_);
  entries_.erase(key.id);
}

void SessionRegistry::cancel(SessionKey key) {
  Metrics::instance().add(CounterId::CancelRequests);
  const std::scoped_lock guard(mutex_);
  const auto found = entries_.find(key.id);
  if (found != entries_.end() && found->second.secret == key.secret) found->second.interrupts->requestCancel();
}

bool SessionRegistry::contains(int32_t id) const {
  const std::scoped_lock guard(mutex_);
  return entries_.contains(id);
}

void SessionRegistry::requestCancel(int32_t id) {
  const std::scoped_lock guard(mutex_);
  if (const auto found = entries_.find(id); found != entries_.end()) found->second.interrupts->requestCancel();
}

void SessionRegistry::requestTermination(int32_t id) {
  const std::scoped_lock guard(mutex_);
  if (const auto found = entries_.find(id); found != entries_.end()) found->second.interrupts->requestTermination();
}

void SessionRegistry::forEach(const std::function<void(int32_t id, const SessionStatus& status)>& visit) const {
  const std::scoped_lock guard(mutex_);
  for (const auto& [id, entry] : entries_) visit(id, *entry.status);
}

size_t SessionRegistry::sessionCount() const {
  const std::scoped_lock guard(mutex_);
  return entries_.size();
}

}  // namespace gnomon::server
