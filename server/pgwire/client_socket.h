#pragma once

#include <chrono>
#include <cstddef>
#include <exception>
#include <functional>
#include <optional>

#include "server/interrupts.h"

namespace gnomon::server {

/// The client is gone, or its socket failed: nothing can be told to it any more.
class ConnectionLost : public std::exception {
 public:
  [[nodiscard]] const char* what() const noexcept override { return "connection to client lost"; }
};

/// A connected stream socket whose waits end when the session is interrupted. Owns the descriptor.
///
/// A client that sent its last message soon after the answer before is waited for awake, for a moment: falling asleep
/// and being woken would take longer than it does. But only while no more clients are busy than half of the processors:
/// otherwise somebody else has use for this one. With some more, whoever waits for the processor has it once before the
/// session falls asleep: mostly that is the client, and its next message is there then. While the client is busy a wait
/// of 10 ms at most has no ears for interrupts: it costs half as many system calls.
/// Threads: the session's.
class ClientSocket {
 public:
  /// `descriptor`: of a socket that blocks. `interrupts` outlives this object.
  ClientSocket(int descriptor, Interrupts& interrupts);
  ~ClientSocket();
  ClientSocket(const ClientSocket&) = delete;
  ClientSocket& operator=(const ClientSocket&) = delete;

  /// Waits for bytes and takes up to `bytes` of them; 0: the client closed its side. Failure: ConnectionLost; what
  /// Interrupts::poll() throws.
  size_t receive(char* data, size_t bytes);
  /// Waits until some of the bytes are on their way and returns how many. Failure: as receive.
  size_t send(const char* data, size_t bytes);
  /// Sends what can be sent at once and returns how many bytes that are. Failure: ConnectionLost.
  size_t trySend(const char* data, size_t bytes);
  /// There is a processor for the client beside the one that answers it: it can read what is sent meanwhile.
  [[nodiscard]] static bool isProcessorFree();
  /// Like send, but takes no interrupts and gives up after `patience`: false then, or when the client is gone.
  bool sendLast(const char* data, size_t bytes, std::chrono::milliseconds patience) noexcept;
  /// Says that nothing more will be sent, and discards what the client still sends until it closes or `patience` is
  /// over: closing with bytes unread would take back what was sent last.
  void finish(std::chrono::milliseconds patience) noexcept;

  /// The client's address, and its port; empty and 0: it is gone; empty and kNoPort: it came by a Unix socket.
  static constexpr int32_t kNoPort = -1;
  [[nodiscard]] std::pair<std::string, int32_t> peer() const;

  /// What is to be done whenever receive() was woken for something else than bytes; it may send. `is_likely`: whether
  /// that may come at any time, and is to be done at once.
  void setAttention(std::function<void()> attention, std::function<bool()> is_likely) {
    attention_ = std::move(attention);
    is_attention_likely_ = std::move(is_likely);
  }
  /// From now on receive() throws ConnectionLost at this time; none: waits for ever.
  void setDeadline(std::optional<std::chrono::steady_clock::time_point> deadline) { deadline_ = deadline; }

 private:
  /// Until one of the events, or for `patience` at most.
  void wait(short events, std::optional<std::chrono::milliseconds> patience = {});
  /// Bytes that come at once, and how many; none: they did not.
  std::optional<size_t> receiveSoon(char* data, size_t bytes);
  std::optional<size_t> receiveInTurn(char* data, size_t bytes);
  std::optional<size_t> receiveShortly(char* data, size_t bytes);
  [[nodiscard]] static bool areClientsFew();
  /// None: there are no bytes. Failure: ConnectionLost.
  std::optional<size_t> tryReceive(char* data, size_t bytes);
  /// The same; `flags`: of recv. The socket waits for kShort at most.
  std::optional<size_t> receive(char* data, size_t bytes, int flags);

  int descriptor_;
  Interrupts& interrupts_;
  std::function<void()> attention_;
  std::function<bool()> is_attention_likely_;
  /// Says of the client that it is busy: it was not waited for long, the last time. Those that are are counted.
  class BusyMark {
   public:
    BusyMark() = default;
    ~BusyMark() { set(false); }
    BusyMark(const BusyMark&) = delete;
    BusyMark& operator=(const BusyMark&) = delete;
    void set(bool is_busy);
    [[nodiscard]] bool isSet() const { return is_set_; }

   private:
    bool is_set_ = false;
  };
  BusyMark busy_;
  bool is_quick_ = false;  ///< it sent the last message soon
  std::optional<std::chrono::steady_clock::time_point> deadline_;
};

}  // namespace gnomon::server
