#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <utility>

#include "base/wait_event.h"

namespace gnomon::server {

/// What a session is doing, for pg_stat_activity. Times are microseconds since 1970; 0: none.
/// Threads: written by the session's, read by any.
class SessionStatus {
 public:
  enum class State : uint8_t { Starting, Active, Idle, InBlock, InFailedBlock };

  struct Snapshot {
    State state = State::Starting;
    WaitEvent wait = WaitEvent::None;
    int64_t begun_us = 0, transaction_begun_us = 0, query_begun_us = 0, state_changed_us = 0;
    std::optional<uint64_t> transaction;  ///< its id, once it writes
    std::string user, application, query, client_address;
    uint32_t database = 0;    ///< its oid; 0: none yet
    int32_t client_port = 0;  ///< as ClientSocket::peer()
  };

  SessionStatus() : begun_us_(unixTimeUs()), state_changed_us_(begun_us_) { wakeUp(); }
  SessionStatus(const SessionStatus&) = delete;
  SessionStatus& operator=(const SessionStatus&) = delete;

  /// `address`: with the port.
  void setClient(std::string user, std::pair<std::string, int32_t> address);
  /// By its oid.
  void setDatabase(uint32_t database) { database_.store(database, std::memory_order_relaxed); }
  [[nodiscard]] uint32_t database() const { return database_.load(std::memory_order_relaxed); }
  void setApplication(const std::string& name);
  // The clock as the session's thread has read it last: what happens between two readings happens at one time.
  /// Reads the clocks: the session has waited for its client.
  void wakeUp();
  /// A statement has ended, or something else that takes time.
  void readClock();
  [[nodiscard]] int64_t steadyUs() const { return steady_us_; }

  /// A statement with this text is executed, or bound.
  void beginQuery(const std::shared_ptr<const std::string>& text);
  /// The session waits for its client.
  void becomeIdle(State state);
  /// The statement at hand is the first of a transaction.
  void beginTransaction();
  void setTransaction(uint64_t id) {
    transaction_.store(id, std::memory_order_relaxed);
    has_transaction_.store(true, std::memory_order_relaxed);
  }
  void endTransaction();
  [[nodiscard]] int64_t transactionBegunUs() const { return transaction_begun_us_.load(std::memory_order_relaxed); }
  [[nodiscard]] int64_t queryBegunUs() const { return query_begun_us_.load(std::memory_order_relaxed); }

  [[nodiscard]] WaitSlot& waitSlot() { return wait_; }
  [[nodiscard]] State state() const { return state_.load(std::memory_order_relaxed); }
  [[nodiscard]] Snapshot snapshot() const;

 private:
  [[nodiscard]] int64_t unixUs() const { return steady_us_ + unix_offset_us_; }

  int64_t steady_us_ = 0, unix_offset_us_ = 0;  ///< of the session's thread
  std::atomic<State> state_{State::Starting};
  WaitSlot wait_{WaitEvent::None};
  const int64_t begun_us_;
  std::atomic<int64_t> transaction_begun_us_{0}, query_begun_us_{0}, state_changed_us_;
  std::atomic<uint64_t> transaction_{0};
  std::atomic<bool> has_transaction_{false};
  std::atomic<uint32_t> database_{0};
  mutable std::mutex mutex_;  ///< guards what follows; the session's thread reads without it
  std::shared_ptr<const std::string> query_;
  std::string user_, application_;
  std::pair<std::string, int32_t> client_;
};

}  // namespace gnomon::server
