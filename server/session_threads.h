#pragma once

#include <pthread.h>

#include <atomic>
#include <list>
#include <memory>

#include "server/interrupts.h"
#include "server/server_context.h"

namespace gnomon::server {

/// One thread for each connection, with a stack deep enough for deeply nested statements.
/// Threads: the listener's.
class SessionThreads {
 public:
  /// `count_max`: connections beyond it are told 53300 and closed. Cancel requests need a connection for a moment, so
  /// this is more than the sessions there may be.
  SessionThreads(ServerContext& server, size_t count_max) : server_(server), count_max_(count_max) {}
  /// Ends what is still there.
  ~SessionThreads() { endAll(); }
  SessionThreads(const SessionThreads&) = delete;
  SessionThreads& operator=(const SessionThreads&) = delete;

  /// Starts a session on a connected socket, which it owns from here on.
  void start(int descriptor);
  /// Frees what ended sessions have left.
  void reap();
  /// Tells every session to end (57P01) and waits until they have.
  void endAll();

 private:
  struct Thread {
    SessionThreads* owner;
    int descriptor;
    Interrupts interrupts;
    pthread_t handle{};
    std::atomic<bool> has_ended{false};
  };
  static void* run(void* thread);

  static constexpr size_t kStackBytes = 64 << 20;

  ServerContext& server_;
  const size_t count_max_;
  std::list<std::unique_ptr<Thread>> threads_;
};

}  // namespace gnomon::server
