#pragma once

#include <atomic>

#include "base/cancel.h"

namespace gnomon::server {

/// What other threads may ask of a session: that its statement stop, or that it end.
///
/// Requests are flags, and a wake event that ends the session's waiting for its client.
/// Threads: request functions from any thread, the rest from the session's.
class Interrupts {
 public:
  Interrupts();
  ~Interrupts();
  Interrupts(const Interrupts&) = delete;
  Interrupts& operator=(const Interrupts&) = delete;

  /// Stops the running statement with 57014; nothing when none runs.
  void requestCancel();
  /// The same because its time is over; the message says so.
  void requestTimeout();
  /// Ends the session with 57P01, in the middle of a statement too.
  void requestTermination();
  /// Ends its waiting for its client, to look what there is for it.
  void requestAttention() const { wake(); }

  /// Around a statement: only then a cancel request is heard. Forgets earlier ones.
  void beginStatement() {
    timed_out_.store(false, std::memory_order_relaxed);
    has_limit_.store(true, std::memory_order_relaxed);
    cancel_.reset();
    running_.store(true, std::memory_order_release);
    // A termination that fell between would have been wiped out by the reset.
    if (isTerminating()) cancel_.request(CancelToken::Reason::Shutdown);
  }
  /// In the middle of a statement that has handled a request to end: it goes on, without a time limit from now on.
  void goOn() {
    beginStatement();
    has_limit_.store(false, std::memory_order_relaxed);
  }
  void endStatement() {
    running_.store(false, std::memory_order_release);
    if (!isTerminating()) cancel_.reset();
  }

  /// Throws what was asked for: 57P01 (only the session's end answers it), or 57014 while a statement runs.
  void poll() const {
    if (isTerminating()) [[unlikely]]
      raiseTermination();
    if (running_.load(std::memory_order_relaxed)) cancel_.poll();
  }
  [[nodiscard]] bool isTerminating() const { return terminating_.load(std::memory_order_acquire); }
  [[nodiscard]] bool isTimedOut() const { return timed_out_.load(std::memory_order_acquire); }
  [[nodiscard]] const CancelToken& cancelToken() const { return cancel_; }

  /// Readable after a request.
  [[nodiscard]] int wakeDescriptor() const { return wake_descriptor_; }
  void drainWake() const;

 private:
  void wake() const;
  [[noreturn]] static void raiseTermination();

  CancelToken cancel_;
  std::atomic<bool> running_{false};
  std::atomic<bool> terminating_{false};
  std::atomic<bool> timed_out_{false};
  std::atomic<bool> has_limit_{true};  ///< the statement at hand may still time out
  int wake_descriptor_;
};

}  // namespace gnomon::server
