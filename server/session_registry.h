#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <mutex>

#include "server/interrupts.h"
#include "server/session_status.h"

namespace gnomon::server {

/// What a client needs to cancel: BackendKeyData's two numbers.
struct SessionKey {
  int32_t id = 0;
  int32_t secret = 0;
};

/// The sessions there are, for cancel requests, shutdown and those who want to know. Threads: any.
class SessionRegistry {
 public:
  explicit SessionRegistry(size_t session_count_max) : session_count_max_(session_count_max) {}

  /// A place for a session that has said who it is. Failure: 53300 when all are taken.
  SessionKey add(Interrupts& interrupts, const SessionStatus& status);
  void remove(SessionKey key);
  /// Cancels the statement of the session with this key; nothing when there is none.
  void cancel(SessionKey key);
  [[nodiscard]] size_t sessionCount() const;

  [[nodiscard]] bool contains(int32_t id) const;
  /// Nothing when there is no such session.
  void requestCancel(int32_t id);
  void requestTermination(int32_t id);
  /// Calls `visit` with each session's id and status, in the order of their ids. It asks nothing of the registry.
  void forEach(const std::function<void(int32_t id, const SessionStatus& status)>& visit) const;

 private:
  struct Entry {
    int32_t secret;
    Interrupts* interrupts;
    const SessionStatus* status;
  };
  const size_t session_count_max_;
  mutable std::mutex mutex_;
  std::map<int32_t, Entry> entries_;
  int32_t next_id_ = 1;
};

}  // namespace gnomon::server
