#pragma once

#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <list>
#include <mutex>
#include <thread>

#include "server/interrupts.h"

namespace gnomon::server {

/// Ends statements whose statement_timeout is over. Its thread starts with the first timer. Threads: any.
class StatementTimers {
  struct Timer {
    std::chrono::steady_clock::time_point deadline;
    Interrupts* interrupts;
  };

 public:
  StatementTimers() = default;
  ~StatementTimers();
  StatementTimers(const StatementTimers&) = delete;
  StatementTimers& operator=(const StatementTimers&) = delete;

  /// A timer that runs while this object lives; `timeout_ms` 0: none.
  class Running {
   public:
    Running(StatementTimers& timers, Interrupts& interrupts, int64_t timeout_ms) {
      if (timeout_ms != 0) start(timers, interrupts, timeout_ms);
    }
    ~Running() {
      if (timers_) stop();
    }
    Running(const Running&) = delete;
    Running& operator=(const Running&) = delete;

   private:
    void start(StatementTimers& timers, Interrupts& interrupts, int64_t timeout_ms);
    void stop();

    StatementTimers* timers_ = nullptr;
    std::list<Timer>::iterator timer_;
  };

 private:
  void run();

  std::mutex mutex_;
  std::condition_variable changed_;
  std::list<Timer> running_;
  bool stopping_ = false;
  std::thread thread_;
};

}  // namespace gnomon::server
