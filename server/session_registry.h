#pragma once

#include <cstdint>
#include <map>
#include <mutex>

#include "server/interrupts.h"

namespace gnomon::server {

/// What a client needs to cancel: BackendKeyData's two numbers.
struct SessionKey {
  int32_t id = 0;
  int32_t secret = 0;
};

/// The sessions there are, for cancel requests and shutdown. Threads: any.
class SessionRegistry {
 public:
  explicit SessionRegistry(size_t session_count_max) : session_count_max_(session_count_max) {}

  /// A place for a session that has said who it is. Failure: 53300 when all are taken.
  SessionKey add(Interrupts& interrupts);
  void remove(SessionKey key);
  /// Cancels the statement of the session with this key; nothing when there is none.
  void cancel(SessionKey key);
  [[nodiscard]] size_t sessionCount() const;

 private:
  struct Entry {
    int32_t secret;
    Interrupts* interrupts;
  };
  const size_t session_count_max_;
  mutable std::mutex mutex_;
  std::map<int32_t, Entry> entries_;
  int32_t next_id_ = 1;
};

}  // namespace gnomon::server
