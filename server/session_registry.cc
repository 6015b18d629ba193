#include "server/session_registry.h"

#include <sys/random.h>

#include "base/assert.h"
#include "base/metrics.h"

namespace gnomon::server {

SessionKey SessionRegistry::add(Interrupts& interrupts) {
  int32_t secret = 0;
  CHECK(getrandom(&secret, sizeof(secret), 0) == sizeof(secret), "the kernel has random bytes");
  const std::scoped_lock guard(mutex_);
  if (entries_.size() >= session_count_max_)
    throw SqlError(sqlstate::kTooManyConnections, "sorry, too many clients already");
  while (next_id_ <= 0 || entries_.contains(next_id_)) next_id_ = next_id_ <= 0 ? 1 : next_id_ + 1;
  const SessionKey key{next_id_, secret};
  entries_.emplace(key.id, Entry{secret, &interrupts});
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

size_t SessionRegistry::sessionCount() const {
  const std::scoped_lock guard(mutex_);
  return entries_.size();
}

}  // namespace gnomon::server
